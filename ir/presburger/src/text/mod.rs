//! isl's text notation: reading and printing.
// The reader's users come with the lowering to sets and functions.
#![allow(dead_code, reason = "lowering lands next")]

mod error;
mod lower;
mod parser;
mod print;
mod read;
mod syntax;
mod token;
pub use error::ParseError;
pub use read::Parse;
#[cfg(test)]
mod parser_tests;
#[cfg(test)]
mod roundtrip_tests;
