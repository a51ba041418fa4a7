//! Transformation scripts: a list of steps by which a user drives everything by hand.
//!
//! A script is JSON (comments and trailing commas allowed): a list of steps, or an object `{ "scop": .., "steps": [..] }`. A step says what to do (`"do"`), to which loops, and how:
//!
//! ```json
//! [
//!   { "do": "tile", "loops": ["i0", "i1", "i2"], "sizes": [64, 64, 64] },
//!   { "do": "register_tile", "loops": ["i0", "i1"], "sizes": [4, 8], "vector": "i1" }
//! ]
//! ```
//!
//! Every step is checked exactly; one that doesn't apply or isn't legal is an error with its place in the script, the dependence, and two iterations. The whole list of steps, with
//! loops before and after, is in `docs/transformations.md`.
//!
//! Not here: choosing steps (a strategy's business).

mod action;
mod json;
mod read;
mod run;
mod select;

pub use action::{Action, Step, Target};
pub use run::{Applied, Judge};

use std::sync::Arc;
use tilia_diag::Diagnostic;

/// A transformation script.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The file's name.
    pub file: Arc<str>,
    /// What to do, in order.
    pub steps: Vec<Step>,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// Each mistake, with its place in the text.
    pub fn parse(file: &str, text: &str) -> Result<Script, Vec<Diagnostic>> {
        read::script(file, text)
    }
}
