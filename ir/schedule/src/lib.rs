//! Schedule trees: the order of statement instances, as a value.
//!
//! A tree orders two instances at the node nearest its root that sees both and orders them: a band by the values of its members, a sequence by the position of
//! its children. Nodes are immutable and shared; every edit returns a new tree. Start reading at [`Node`].
//!
//! Not here: dependences. Whether an edit is *legal* is decided by `passes/transform` and checked by `passes/validate`; this crate keeps trees well formed.
//!
//! After S. Verdoolaege, S. Guelton, T. Grosser, A. Cohen: Schedule trees (IMPACT 2014).

mod edit;
mod enumerate;
mod error;
mod from_map;
mod node;
mod prefix;
mod source;
mod text;
mod tree;
mod verify;

pub use edit::{Edited, TileForm};
pub use enumerate::{Execution, Order, Step};
pub use error::{Error, TextError};
pub use node::{Band, LoopType, Member, Node, NodeKind, SEQUENTIAL};
pub use source::{Source, dimension_member};
pub use tree::{Path, ScheduleTree};
pub use verify::Violation;
