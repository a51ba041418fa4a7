//! The strategy `auto`: what is known of sizes, the shaping of scheduled trees for the machine, and the choice among them.

mod known;
mod plan;
mod shaping;

pub use known::KnownArgs;
pub(crate) use plan::{Planned, planned, planned_in_panels, planned_turned};
pub(crate) use shaping::{SCHEDULER, SOURCE, Shaping, Wish};
