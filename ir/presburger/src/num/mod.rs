//! Exact numbers, rows of them, and the counted budget of heavy operations.

mod budget;
mod int;
mod matrix;
mod ratio;
pub(crate) mod row;

pub use budget::Budget;
pub use int::{Int, ParseIntError};
pub(crate) use matrix::Mat;
pub use ratio::Ratio;
