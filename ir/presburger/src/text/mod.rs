//! isl's text notation.
mod error;
mod parser;
mod syntax;
mod token;
pub use error::ParseError;
#[cfg(test)]
mod parser_tests;
