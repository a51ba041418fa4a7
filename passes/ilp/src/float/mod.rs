//! Floating-point solvers behind the same trait.
//!
//! What such a solver says is rounded and then proved with exact integers, or marked as approximate; see [`GoodLp`].

mod good_lp;
mod model;
mod proof;

pub use good_lp::{Auto, GoodLp};
