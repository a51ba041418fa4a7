//! What a scheduling strategy is: configuration files, scripts, and the trait that both implement.
//!
//! The scheduler asks a [`Strategy`] before each dimension what to look for ([`DimConfig`]) and shows it what it found ([`Candidate`]). A [`Config`] is what a JSON file says; a
//! [`StaticStrategy`] answers from it. This crate knows nothing of how rows are found.
//!
//! The configuration language is that of PolyTOPS (CGO 2024, arXiv 2401.06665) with extensions; docs/strategies.md describes all of it.

mod built_in;
mod config;
mod constraint;
mod constraint_parse;
mod cost;
mod dimension;
mod error;
mod options;
mod place;
mod read;
mod schema;
mod script;
mod shape;
mod static_strategy;
mod strategy;
mod suggest;
mod view;

pub use built_in::{BUILT_IN, BuiltIn, built_in, load, scops_of};
pub use config::{
    Alternative, Config, ConstraintGroup, Directive, DirectiveKind, Fusion, NewVariable, Objective, Partition, ScopName, When,
};
pub use constraint::{Constraint, ConstraintVariable, Index, LinearConstraint, Part, Unknown};
pub use cost::CostFunction;
pub use dimension::DimensionSelector;
pub use error::{Code, StrategyError};
pub use options::{
    DependenceKind, FusionHeuristic, IndexSetSplitting, OnInfeasible, Options, PostProcessing, Skewing, SolverChoice, Wavefront,
};
pub use place::Place;
pub use read::MAX_BYTES as MAX_FILE_BYTES;
pub use schema::json_schema;
pub use script::ScriptStrategy;
pub use shape::ProgramShape;
pub use static_strategy::StaticStrategy;
pub use strategy::{DimAlternative, DimConfig, DimOptions, Globals, MAX_RETRIES, Strategy, Verdict};
pub use view::{AffineRow, Candidate, DepView, LazyDeps, Outcome, ParamView, RowInfo, RowKind, StmtView, Stride, TargetInfo, View};

/// The page on strategies: its Rust examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/strategies.md")]
struct Page;
