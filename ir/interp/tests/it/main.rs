//! The interpreters on hand-made programs.

mod build;
mod program;
mod scop;
