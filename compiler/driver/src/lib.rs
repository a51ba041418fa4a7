//! The whole way from MLIR text to results, as functions from one value to the next.
//!
//! [`Unit`] is one input: read, imported, and everything that can be asked of it: [`Unit::optimise`] runs the default pipeline (`pipeline.rs`, one page),
//! [`Optimised::emit`] prints any level, [`Unit::run`] executes a function, [`bench_kernel`] measures a kernel of a suite.
//!
//! It holds no policy of its own beyond the order of the stages: what a stage does is in its crate.

mod arguments;
mod auto;
mod bench;
mod chart;
mod context;
mod costs;
mod dump;
mod emit;
mod execute;
mod expansion;
mod expectations;
mod foreign;
mod generate;
mod layouts;
mod loops;
mod options;
mod pieces;
mod pipeline;
mod reference;
mod report;
mod run;
mod schedules;
mod scheduling;
#[cfg(test)]
mod search_tests;
mod suite;
mod table;
mod transform;
mod tune;
mod turned;
mod unit;
mod versus;

pub use arguments::{ArgSpec, Fill, make_arguments, parse_arg};
pub use auto::KnownArgs;
pub use bench::{BenchDone, BenchRequest, bench_kernel, tune_kernel};
pub use chart::chart;
pub use dump::{NamedArray, checksum, write_npz};
pub use emit::EmitKind;
pub use execute::{Execution, Repeat, acceptable, compare, execute};
pub use expectations::{Said, check_expectations};
pub use foreign::Foreign;
pub use options::{BackendChoice, CompileOptions, FpMode, Grain, ScopChoice, Strategy, Tile};
pub use pipeline::{Optimised, ScopUnit};
pub use reference::Reference;
pub use report::{BenchReport, CheckReport, CompileTimes, ExecutedCounts, RunReport, RunTimes};
pub use run::{Check, RunDone, RunRequest};
pub use scheduling::{built_in_strategy, check_strategy, read_strategy_file, strategy_schema};
pub use suite::{Argument, Kernel, Suite, element_type, evaluate};
pub use table::{geometric_mean, markdown, rivals};
pub use tilia_model::{Machine, MachineError};
pub use tilia_pool::available_threads;
pub use tune::{Search, TuneReport, TuneRequest, Tuned, default_tuning_folder};
pub use unit::{Unit, chunks};
pub use versus::RESTRICT;
