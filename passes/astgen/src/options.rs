//! Options and errors of the generator.

use tilia_presburger::Id;
use tilia_schedule::Path;

/// What the caller may choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Emit `i` for a loop whose values are all multiples of a constant `m`, with `m * i` in the subscripts, instead of a loop with step `m`.
    pub scale_strides: bool,
    /// Conditions of complementary neighbours become `else` branches.
    pub allow_else: bool,
    /// Most copies of a body that separating or unrolling one band member may make.
    pub max_copies: usize,
    /// Most nodes of the AST; options that would multiply code beyond it are dropped with a remark.
    pub max_nodes: usize,
    /// Most iterations that an `unroll` may write out.
    pub max_unroll: usize,
    /// Most copies that a loop over whole periods may hold instead of conditions on remainders.
    pub max_residues: usize,
    /// Most copies of a statement that cutting loops, instead of conditions in them, may make where nothing was asked for; half as many where much is copied.
    pub max_cuts: usize,
    /// Name of the mark whose band is to be vectorised.
    pub vector_mark: Id,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            scale_strides: true,
            allow_else: true,
            max_copies: 64,
            max_nodes: 2000,
            max_unroll: 64,
            max_residues: 8,
            max_cuts: 8,
            vector_mark: Id::new("vector"),
        }
    }
}

/// Why no AST could be generated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A loop has no first or last value.
    #[error("the loop over schedule dimension {depth} around {stmts} has no {end} bound")]
    Unbounded {
        /// The schedule dimension.
        depth: usize,
        /// The statements in the loop.
        stmts: String,
        /// `lower` or `upper`.
        end: &'static str,
    },
    /// The tree holds something that can't be generated.
    #[error("at {at}: {message}")]
    Tree {
        /// The position.
        at: Path,
        /// What.
        message: String,
    },
    /// An operation on sets failed.
    #[error(transparent)]
    Sets(#[from] tilia_presburger::Error),
    /// An operation on the tree failed.
    #[error(transparent)]
    Schedule(#[from] tilia_schedule::Error),
}
