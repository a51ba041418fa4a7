//! Random programs for property tests, as MLIR text with inputs on which they stay inside their arrays.
//!
//! [`Case::from_seed`] turns a seed into a program: loops of the affine or scf dialect with minima, maxima, steps, negative and triangular bounds, guards with
//! remainders, statements at every level, carried values, private arrays, views, vectors and calls. Array shapes are chosen last, from the subscripts that an
//! evaluation of the loops meets, so that every access is in bounds by construction. [`Stats`] says what a case holds, so that tests can check that the
//! generator isn't idle. [`strategy_text`] makes configurations of the scheduler.
//!
//! What it deliberately lacks: an own reading of the text; programs come back through the front end, which is tested thereby.

mod case;
mod choose;
mod emit;
mod evaluate;
mod model;
mod profile;
mod seed;
mod strategy;
mod tree;

pub use case::{Case, Input};
pub use evaluate::Stats;
pub use profile::Profile;
pub use seed::{bytes_from_seed, chance, pick};
pub use strategy::{LIVE_RANGES, strategy_text};
pub use tree::{affine_tree, strip_mined_tree};
