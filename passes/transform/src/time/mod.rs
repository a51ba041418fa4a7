//! Tiling of time: tiles that hold several time steps of a stencil and can run in parallel.
//!
//! | tiling | tiles | parallel |
//! |---|---|---|
//! | wavefront | parallelograms | along a diagonal, growing and shrinking |
//! | diamond | between two families of faces | all of a wavefront from the start |
//! | split | upright trapezoids, then inverted ones | all of a phase |
//! | hexagonal | hexagons in two phases; other space loops in parallelograms (hybrid) | all of a phase |
//!
//! All start from a band of a time loop and space loops, over which every dependence advances in time; [`interleave`](crate::Transformer::interleave) makes one from statements that
//! stand one after the other in a time loop. How fast dependences spread in a space loop are its [`Slopes`].
//!
//! After T. Grosser, A. Cohen, J. Holewinski, P. Sadayappan, S. Verdoolaege: Hybrid hexagonal/classical tiling for GPUs (CGO 2014); V. Bandishti, I. Pananilath,
//! U. Bondhugula: Tiling stencil computations to maximize parallelism (SC 2012).

mod affs;
mod diamond;
mod hexagon;
mod interleave;
mod slopes;
mod split;

pub use diamond::Diamond;
pub use hexagon::Hexagon;
pub use slopes::{Ratio, Slopes};
