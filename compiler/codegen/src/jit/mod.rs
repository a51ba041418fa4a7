//! The Cranelift back end: units are emitted, compiled, and placed in one piece of executable memory.

mod code;
mod compile;

pub use compile::CraneliftBackend;
