//! What is found out about a program's functions before code is emitted: the same for all back ends.

mod assume;
mod bundle;
mod calls;
mod facts;
mod forward;
mod frees;
mod linear;
mod range;
mod work;

pub use assume::{Before, Ranges};
pub use bundle::{BundleShape, Source, VectorWords, bundle, opaque, words};
pub use calls::recursive_functions;
pub use facts::{Facts, captures, region_captures};
pub use forward::{Forward, forwards};
pub use linear::Linear;
pub use range::Range;
pub use work::{WorkOp, WorkStep, function_work, loop_work};
