//! What compiled and interpreted programs share at run time: buffers, argument and result values, run-time errors.
//!
//! It knows the types of the program IR, but nothing of how programs are compiled or interpreted.

mod buffer;
mod error;
mod value;

pub use buffer::Buffer;
pub use error::RuntimeError;
pub use value::{MemRefValue, Value};
