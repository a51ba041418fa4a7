//! Tests of the AST generator: worked answers, and enumeration against the tree's own meaning.

mod check;
mod plain;
mod random;
mod worked;
