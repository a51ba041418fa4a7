//! The Cranelift back end: units are emitted, compiled, and placed in one piece of executable memory.

mod accumulate;
mod code;
mod compile;
mod order;

pub use compile::CraneliftBackend;
