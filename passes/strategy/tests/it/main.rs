//! Configurations, constraints, scripts, and the files that come with them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod constraints;
mod files;
mod hostile;
mod reading;
mod schema;
mod scripts;
mod views;
