//! isl's notation: scops as sets and maps, schedules as union maps.

mod document;
mod schedule;
mod scop;

pub use document::TextError;
pub use schedule::{Error, parse_schedule, print_schedule};
pub use scop::{parse_scop, print_scop};
