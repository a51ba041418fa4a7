//! What a step is.

use crate::{Diamond, Hexagon, RegisterTile, Tiling};
use tilia_diag::Loc;
use tilia_presburger::Int;
use tilia_schedule::Path;

/// One step of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its number, from 1.
    pub number: usize,
    /// Its place within the JSON value, as a JSON pointer.
    pub pointer: String,
    /// Its place in the text.
    pub loc: Loc,
    /// The scop that it is about; needed where the program has several.
    pub scop: Option<String>,
    /// The name of what it does, as written.
    pub name: String,
    /// What it is about.
    pub target: Target,
    /// What to do.
    pub action: Action,
}

/// Which loops, or which list of statements, a step is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// Names of loops that stand right inside each other, outermost first.
    pub loops: Vec<String>,
    /// A statement in the loops.
    pub stmt: Option<String>,
    /// Statements that the sequence in question keeps apart.
    pub stmts: Vec<String>,
    /// The position of a band of the loops.
    pub at: Option<Path>,
    /// The mark right above the loops.
    pub below: Option<String>,
}

/// What to do; the loops are those of the target, by their position in its list.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Make the loops one band.
    Band,
    /// Tile.
    Tile(Tiling),
    /// Register tile, unrolling by a factor, unroll-and-jam.
    Register(RegisterTile),
    /// Permute the loops: the new loop `k` is the old loop `order[k]`.
    Interchange(Vec<usize>),
    /// Run a loop backwards.
    Reverse,
    /// Add a multiple of another loop to the first: the target's second loop is the other one.
    Skew(Int),
    /// Move the target's statement by a constant.
    Shift(Int),
    /// Multiply.
    Scale(Vec<Int>),
    /// Move the loops below all that stands in them.
    Sink,
    /// Permute the children of a sequence.
    Reorder(Vec<usize>),
    /// Loops for each child of the sequence in them.
    Distribute,
    /// Common loops for neighbours in a sequence, so many or all.
    Fuse(Option<usize>),
    /// Write the loop out.
    Unroll,
    /// The loop is the vector loop.
    Vector,
    /// The loop is parallel.
    Parallel,
    /// Generate full tiles apart from partial ones; the sizes are the tiles'.
    Separate(Vec<Int>),
    /// Generate the first and last iterations apart.
    Peel {
        /// How many at the start.
        first: Int,
        /// How many at the end.
        last: Int,
    },
    /// The instances in the set (text in isl's notation) first, then the others.
    IndexSetSplit(String),
    /// Strips of one of the loops, by its position in the target's list; in each strip what stands on its planes, then the rest.
    Panels {
        /// The loop.
        strips: usize,
        /// Iterations of a strip.
        size: Int,
    },
    /// The sum of all loops first, so that the others are parallel.
    Wavefront,
    /// One band of the time loop and the loops of the statements in it.
    Interleave,
    /// Diamond tiles.
    Diamond(Diamond),
    /// Split tiles: time steps, then cells of space loops.
    SplitTile(Vec<Int>),
    /// Hexagonal tiles.
    Hexagonal(Hexagon),
    /// A mark of that name above the loops.
    Mark(String),
}
