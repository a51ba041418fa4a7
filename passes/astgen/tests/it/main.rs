//! Tests of the AST generator: worked answers, and enumeration against the tree's own meaning.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod check;
mod cuts;
mod plain;
mod random;
mod worked;
