//! The interpreters on hand-made programs.

#[path = "../build/mod.rs"]
mod build;
mod program;
mod scop;
