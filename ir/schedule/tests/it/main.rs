//! Tests of schedule trees.

mod edits;
mod meaning;
mod text;
mod verify;
