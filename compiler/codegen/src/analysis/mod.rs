//! What is found out about a program's functions before code is emitted.

mod calls;
mod facts;

pub(crate) use calls::recursive_functions;
pub(crate) use facts::{Facts, captures};
