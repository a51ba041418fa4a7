//! isl's text notation: reading and printing.
//!
//! `token` splits the text, `parser` builds the syntax tree of `syntax`, `lower` makes sets and functions of it; `print` is the way back.
//! The grammar is isl's. Beyond it: names in double quotes, any number of `not`, a number before a bracket or `floor`, parentheses around
//! the condition of a choice. Refused with a message: rational sets, infinities, PolyLib's matrices, products of variables.
mod error;
pub(crate) mod lower;
pub(crate) mod parser;
mod print;
mod read;
pub(crate) mod syntax;
pub(crate) mod token;
pub use error::ParseError;
pub use read::Parse;
#[cfg(test)]
mod parser_tests;
#[cfg(test)]
mod roundtrip_tests;
