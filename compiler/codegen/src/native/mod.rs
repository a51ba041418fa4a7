//! What back ends that make machine code share, beside the program's [analysis](crate::analysis): how such code is called and what it may call.
//!
//! Every compiled function has the signature `(context, arguments, results) -> status` of the C calling convention: arguments and results are arrays of eight-byte words
//! ([`crate::analysis::words`]), the status is 0, or 1 after an error that was recorded with [`Runtime::Fail`], whereupon a caller returns 1 as well. Bodies of parallel loops have
//! `(context, captures, first, end) -> status`, and are run by [`Runtime::Parallel`].

mod globals;
mod module;
mod runtime;
mod stack;
mod values;

pub use crate::sites::{Cause, Site};
pub use globals::Globals;
pub use module::{NativeCode, NativeModule};
pub use runtime::{Context, Runtime};
