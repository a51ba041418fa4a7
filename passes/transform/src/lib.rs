//! Transformations of schedule trees, each with its exact legality check.
//!
//! A transformation takes a tree and the dependences and returns a new tree, or says why it declined; the old tree is untouched. Dependences that
//! nothing above a node orders yet are its *open pairs* ([`Pairs`]); every check is a question about these.
//!
//! Not here: when to use a transformation (that is the strategy's business), and the independent check of the result (`passes/validate`).

mod attribute;
mod chain;
mod full;
mod fuse;
mod legal;
mod overlap;
mod pairs;
mod panels;
mod permute;
mod register;
mod reorder;
mod script;
mod stride;
mod tile;
mod time;
mod transformer;

pub use chain::{Chain, chains, loop_name, one_band};
pub use legal::first_violation;
pub use pairs::{Pairs, Violation};
pub use permute::{Group, permutable_groups};
pub use register::{RegisterTile, Tiling};
pub use script::{Action, Applied, Judge, Script, Step, Target};
pub use stride::strides;
pub use tile::{TileOptions, tile};
pub use time::{Diamond, Hexagon, Ratio, Slopes};
pub use transformer::{Outcome, Reason, Transformed, Transformer};

/// Why a transformation failed (as opposed to declined).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// An operation on sets failed.
    #[error(transparent)]
    Sets(#[from] tilia_presburger::Error),
    /// An edit of the tree failed.
    #[error(transparent)]
    Schedule(#[from] tilia_schedule::Error),
}
