//! The interpreters on hand-made programs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../build/mod.rs"]
mod build;
mod program;
mod scop;
