//! isl's text notation: reading and printing.
// The reader's users come with the lowering to sets and functions.
#![allow(dead_code, reason = "lowering lands next")]

mod error;
mod parser;
mod syntax;
mod token;
pub use error::ParseError;
#[cfg(test)]
mod parser_tests;
