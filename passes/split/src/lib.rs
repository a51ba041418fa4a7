//! Index-set splitting: statements cut into pieces that a schedule can treat apart.
//!
//! A schedule gives all instances of a statement one affine function. Where some of them play another part than the rest (the pivot's row and column, the iterations on either side of where a periodic
//! neighbourhood wraps round), dependences of the few forbid what the many could have. [`split`] copies such statements, each copy with a part of the domain and the same operations; everything
//! after it sees more statements and nothing new.
//!
//! Two kinds of cuts are looked for:
//!
//! - **Planes** ([`Cut::Plane`]): for equal values of the outer loops, one end of a dependence stands on a plane of its statement's domain (`i = k`) and the other does not. The statement is cut into what is
//!   below, on and above the plane.
//! - **Midpoints** ([`Cut::Midpoint`]): dependences reach across the whole extent of a loop, in both directions. The plane in the middle between their ends cuts the loop into halves, in each of which
//!   they have one direction.
//!
//! The order of the source stays, so that nothing has to be proved; whether the pieces are worth having is for the caller to find out, by scheduling both.
//!
//! [`copies`] gives elements that many instances of a piece read a copy for each set of readers between which nothing writes them, by exact memory-based dependences: then only flow orders the rest.
//! What it deliberately lacks: loads whose operands name a loop that their subscripts don't use are taken to depend on it.
//!
//! # Background
//! M. Griebl, P. Feautrier, C. Lengauer, "Index set splitting" (IJPP 2000), for cuts at the images of dependences; U. Bondhugula, V. Bandishti, A. Cohen, G. Potron, N. Vasilache, "Tiling and optimizing
//! time-iterated computations over periodic domains" (PACT 2014), for midpoints.

mod copies;
mod midpoints;
mod pieces;
mod planes;
mod tree;

pub use copies::copies;
pub use pieces::split;
use tilia_diag::Remark;
use tilia_presburger::Aff;
use tilia_scop::{Scop, StmtId};
pub use tree::{Placed, first_of, with_copies_first};

/// Pieces of a statement beyond which it isn't cut further.
pub const MOST_PIECES: usize = 27;

/// Where a statement is cut.
#[derive(Debug, Clone)]
pub enum Cut {
    /// Below, on and above the plane where the function is 0.
    Plane(Aff),
    /// Where the function is negative, and where it isn't.
    Midpoint(Aff),
}

/// A scop with more statements.
#[derive(Debug, Clone)]
pub struct Split {
    /// The scop.
    pub scop: Scop,
    /// The statement of the old scop that each of the new ones is a piece of.
    pub origin: Vec<StmtId>,
    /// What was cut where.
    pub remarks: Vec<Remark>,
}

/// Why splitting failed: the sets library gave up. The scop is as good as it was.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// An operation on sets failed.
    #[error(transparent)]
    Sets(#[from] tilia_presburger::Error),
    /// The tree couldn't be made.
    #[error(transparent)]
    Tree(#[from] tilia_schedule::Error),
}
