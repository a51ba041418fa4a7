//! The configurable scheduler: one integer linear program for each dimension and component.
//!
//! [`schedule`] asks a [`tilia_strategy::Strategy`] what each dimension shall minimise, adds what makes a row legal (Farkas' lemma on the dependences) and useful (linear independence of the
//! rows so far), and takes the lexicographic minimum. Rows that keep all dependences of a band non-negative stay in that band, which may then be tiled. Where there is no row, statements are
//! separated; where nothing else helps, the order of the source is appended, so that there always is a schedule.
//!
//! Start reading at [`schedule`], then `run.rs` (dimension by dimension), `search.rs` (a component's next row), `solve.rs` (its integer program), `fallback.rs` (when there is none) and
//! `tree.rs` (from rows to a schedule tree).
//!
//! What it deliberately lacks: tiling and everything after (`passes/transform`), and judging its own result (`passes/validate`).
//!
//! After G. Consolaro et al., PolyTOPS (CGO 2024), and U. Bondhugula et al., A practical automatic polyhedral parallelizer and locality optimizer (PLDI 2008).

mod constrain;
mod cost;
mod cut;
mod directive;
mod dump;
mod edge;
mod error;
mod fallback;
mod fuse;
mod graph;
mod history;
mod large;
mod linalg;
mod links;
mod live;
mod memory;
mod model;
mod options;
mod partition;
mod program;
mod progress;
mod relax;
mod report;
mod row;
mod run;
mod schedule;
mod search;
mod solve;
mod source_order;
mod state;
mod tree;
mod value;
mod view;

pub use error::Error;
pub use options::Options;
pub use row::Row;
pub use run::globals;
pub use schedule::{Scheduled, StmtRows, schedule};
pub use state::{End, Placed};
