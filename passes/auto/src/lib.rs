//! Shapes a scheduled tree for a machine: which loops are tiled and by how much, which become registers and vectors, in which order they stand.
//!
//! [`shape`] asks the performance model (`passes/model`) for sizes and has `passes/transform` do, and check, each step; what is declined is left out with a remark. It knows no program by
//! name: all it looks at are bands, accesses and the machine.
//!
//! In each maximal chain of bands, outermost first:
//!
//! 1. members that carry nothing move outwards, the register tile's inner loop inwards (within a permutable band);
//! 2. the band is tiled for the second level of cache where that lowers the traffic;
//!    Tiles none of whose loops is parallel run in wavefronts when there are threads;
//! 3. the point loops get a register tile: some members unrolled and jammed, one a vector, the full tiles apart;
//!    An in-place stencil, none of whose loops is parallel, is skewed first, so that rows of it run side by side;
//! 4. an innermost loop that isn't parallel gets a band, or loops for each statement, of its own where that makes it so;
//! 5. parallel loops around loops whose order stays move inside, next to the innermost, where a register tile needs them;
//! 6. a parallel loop around several others, along which memory is contiguous, is cut into strips whose points move inside.
//!    Loops between the parallel one and the others stay outside, so strips are gone over once a step; the end of each step then runs beside the start of the next one where one pass is faster than two.
//!
//! Beside this there are orders that are made before: strips in [`panels`], also where statements stand between the loops ([`panels_between`]), and an accumulation's loop that moves outwards, past the one along memory ([`turned`], [`blocks`]).

mod decide;
mod inner;
mod merge;
mod nest;
mod order;
mod panels;
mod sink;
mod slow;
mod steps;
mod strip;
mod turned;

pub use decide::Decision;
pub use nest::{Request, Shaped, shape};
pub use panels::{panels, panels_between};
pub use turned::{Turned, blocks, turned};

/// Why shaping failed: the sets library gave up, or the tree would be of no use. It is as good as it was.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// In a transformation.
    #[error(transparent)]
    Transform(#[from] tilia_transform::Error),
    /// In the model.
    #[error(transparent)]
    Model(#[from] tilia_model::Error),
    /// It takes at least as long as [`Request::below`] says.
    #[error("it takes longer than another")]
    Slow,
    /// In an edit of the tree.
    #[error(transparent)]
    Tree(#[from] tilia_schedule::Error),
}
