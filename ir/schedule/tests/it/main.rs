//! Tests of schedule trees.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod edits;
mod meaning;
mod text;
mod verify;
