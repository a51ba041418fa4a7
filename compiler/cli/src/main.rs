//! The `tilia` command.
fn main() {}
