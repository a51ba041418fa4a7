//! Everything that is said to a user: locations, diagnostics, remarks.
//!
//! One data type serves errors and warnings ([`Diagnostic`]), another the record of what was done to the program and what stood in the way
//! ([`Remark`]). This crate holds no global state: diagnostics are values, gathered by the caller and rendered at the end by [`render`].

mod diagnostic;
mod loc;
mod remark;
mod render;

pub use diagnostic::{Diagnostic, Note, Severity};
pub use loc::Loc;
pub use remark::{Remark, RemarkKind, merged};
pub use render::{SourceCache, render, render_remark};
