//! The Cranelift back end: units are emitted, compiled, and placed in one piece of executable memory.

mod compile;
mod globals;
mod module;
mod stack;

pub use compile::CraneliftBackend;
