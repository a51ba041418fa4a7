//! `tilia tune`: measures what the performance model can only estimate.
//!
//! [`explore`] lists candidates: orders of loops, tiles and register tiles that differ from the model's choice in one or two decisions, for each back end, scored by the model. [`search`] measures
//! the best of them in turn with what the model would do, under a time budget, and compares every result with the model's. [`store`] keeps what was found, by program and machine; later compiles with the strategy
//! `auto` look there. docs/tuning.md is the user's page.

mod explore;
mod search;
mod store;

pub(crate) use search::tune;
pub use search::{Search, TuneReport, TuneRequest, Tuned};
pub use store::default_tuning_folder;
pub(crate) use store::{apply, apply_to_all};
