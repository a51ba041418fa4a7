//! The performance model: what a machine can do, what a band of loops needs, and which tiles fit both.
//!
//! [`Machine`] describes caches, vectors and cores; [`Band::of`] reads from a schedule tree how the accesses below a band move with its members;
//! [`cache_plan`] and [`micro_tile`] choose sizes from that. Nothing here changes a tree or decides legality: choices are numbers that the transformations check.
//!
//! Estimates are floating-point on purpose: they rank candidates. Footprints are those of Ferrante, Sarkar and Thrash ("On estimating and enhancing cache effectiveness",
//! 1991): the box that a tile touches in each array, in cache lines. Register tiles follow Low, Igual, Smith and Quintana-Orti ("Analytical modeling is enough for
//! high-performance BLIS", 2016): as many independent results as registers hold, the loaded operands per result as few as possible.
//!
//! Not modelled: conflict misses, hardware prefetching, and the translation buffer but for the rows that a register tile's inner loop goes through.

mod band;
mod cache;
mod footprint;
mod instances;
mod linear;
mod machine;
mod micro;
mod trips;

pub use band::{Band, MemberInfo, Reference, still_iterators};
pub use cache::{CachePlan, CacheTile, Limits, cache_plan, cache_plans, window};
pub use footprint::footprint;
pub use machine::{Cache, Machine, MachineError};
pub use micro::{MicroTile, contiguous, micro_tile, micro_tiles};
pub use trips::{Estimates, Work, trip_counts};

/// Why the model has nothing to say.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The sets library gave up.
    #[error(transparent)]
    Sets(#[from] tilia_presburger::Error),
    /// The tree can't be read at this place.
    #[error(transparent)]
    Tree(#[from] tilia_schedule::Error),
    /// There is no band at the given place.
    #[error("there is no band at {0}")]
    NoBand(String),
}
