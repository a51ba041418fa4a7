//! What compiled and interpreted programs share at run time: buffers, argument and result values, run-time errors, memref descriptors, the one implementation of each
//! mathematical function and conversion, and the functions of MLIR's runner utilities.
//!
//! It knows the types of the program IR, but nothing of how programs are compiled or interpreted. Output of programs goes to [`sink`].

mod buffer;
pub mod convert;
mod descriptor;
mod error;
pub mod float;
pub mod integer;
pub mod math;
pub mod print;
pub mod runner;
pub mod sink;
mod value;

pub use buffer::Buffer;
pub use convert::FloatFormat;
pub use descriptor::{MemRef, RawMemRef, UnrankedMemRef, descriptor_words, to_words};
pub use error::RuntimeError;
pub use value::{MemRefValue, Value};
