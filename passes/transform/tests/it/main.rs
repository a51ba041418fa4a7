//! Tests of transformations.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod overlap;
mod panels;
mod reorder;
mod run;
mod script;
mod tile;
mod time;
