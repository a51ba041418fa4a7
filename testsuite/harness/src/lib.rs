//! The tests that run the `tilia` binary as a user does: kernels against the reference results, edited schedules, transformations by hand, the field's known traps,
//! malformed input, and lit files.
//!
//! Each module turns data files under `testsuite/` into [`libtest_mimic::Trial`]s; `tests/suite.rs` runs them. The harness
//! uses no other crate of the project: what it knows of Tilia is the command line.

pub mod arrays;
pub mod binary;
pub mod cases;
pub mod docs;
pub mod executed;
pub mod export;
pub mod goldens;
pub mod kernels;
pub mod lit;
pub mod malformed;
pub mod programs;
pub mod schedules;
pub mod table;
pub mod transforms;
