//! What is found out about a program's functions before code is emitted.

mod calls;
mod facts;
mod forward;
mod linear;

pub(crate) use calls::recursive_functions;
pub(crate) use facts::{Facts, captures};
pub(crate) use forward::{Forward, forwards};
pub(crate) use linear::Linear;
