//! Places in compiled code where it can end with an error.
//!
//! Compiled code reports the number of a site and two integers; texts and source locations stay out of the code.

use tilia_diag::Loc;

/// What can go wrong at a site; the numbers are those that compiled code reports.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants say what their fields are")]
pub enum Cause {
    /// Always the same text.
    Text(String),
    /// A subscript and the extent it must stay below.
    Bounds { dim: usize, ty: String, extent: u64 },
    /// Dimension and its negative size; or -1 and the bytes wanted.
    Alloc { ty: String },
    /// The address.
    Dealloc,
    /// Two sizes that should agree.
    Copy,
    /// The step.
    Step,
    /// The divisor of an affine division.
    Divisor,
    /// What the type says, and what is so.
    Cast { what: String },
    /// Nothing of use.
    Stack { function: String },
}

/// Source location and cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The operation's place.
    pub loc: Loc,
    /// What can go wrong there.
    pub cause: Cause,
}

impl Site {
    /// The message, for the numbers reported.
    #[must_use]
    pub fn message(&self, [a, b]: [i64; 2]) -> String {
        match &self.cause {
            Cause::Text(text) => text.clone(),
            Cause::Bounds { dim, ty, extent: 1 } => {
                format!("index {a} is out of bounds: dimension {dim} of {ty} has size {b}")
            }
            Cause::Bounds { dim, ty, extent } => {
                format!("{extent} elements from index {a} on are out of bounds: dimension {dim} of {ty} has size {b}")
            }
            Cause::Alloc { ty } if a >= 0 => format!("can't allocate {ty}: the size of dimension {a} is {b}"),
            Cause::Alloc { ty } if b < 0 => format!("can't allocate {ty}: it would take more than 2^63 bytes"),
            Cause::Alloc { ty } => format!("can't allocate {ty}: {b} bytes are beyond the memory limit"),
            Cause::Dealloc => "this memory can't be freed: it wasn't allocated by this program, or is free already".to_owned(),
            Cause::Copy => format!("source and target differ in shape: a dimension has size {a} in one and {b} in the other"),
            Cause::Step => format!("the loop's step is {a}, but must be positive"),
            Cause::Divisor => format!("division by {a} in an affine expression, where the divisor must be positive"),
            Cause::Cast { what } => format!("the memref doesn't have the type it is cast to: {what} is {b} instead of {a}"),
            Cause::Stack { function } => format!("calls are nested too deeply in @{function}"),
        }
    }
}
