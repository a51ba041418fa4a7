//! What a run may use, what it counts, and who may watch it.

use super::BufferId;
use tilia_abi::Value;
use tilia_program::OpId;

/// Limits and modes of a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Operations that may be executed (an element copied and a lane computed count as one each).
    pub fuel: u64,
    /// Bytes that may be allocated at once.
    pub memory: u64,
    /// Calls that may be active at once.
    pub call_depth: usize,
    /// Runs the iterations of parallel loops in an order made from this seed, instead of ascending.
    pub shuffle: Option<u64>,
    /// Fails when two iterations of an outermost parallel loop touch one element, at least one of them writing.
    pub detect_races: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            fuel: 1 << 32,
            memory: 1 << 32,
            call_depth: 1000,
            shuffle: None,
            detect_races: false,
        }
    }
}

/// Dynamic counts of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Executed {
    /// Executions of outermost parallel loops with at least one iteration.
    pub parallel: u64,
    /// Executions of vector loops with at least one iteration.
    pub vector: u64,
    /// Executions of loops marked as full tiles with at least one iteration.
    pub full_tiles: u64,
}

/// What a run gave.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The function's results.
    pub results: Vec<Value>,
    /// Steps used.
    pub steps: u64,
    /// Counts of loops.
    pub executed: Executed,
}

/// One element read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementAccess {
    /// The operation, of the function that executes.
    pub op: OpId,
    /// The buffer.
    pub buffer: BufferId,
    /// Number of the element in the buffer.
    pub element: i64,
    /// Whether it is written.
    pub write: bool,
}

/// What an instance of a scop touched, for the check of its accesses.
pub(crate) type Touched = ElementAccess;

/// Someone who is told of every element that a run touches.
pub trait Observer {
    /// An element is about to be read or written.
    ///
    /// # Errors
    /// A message ends the run with an error at the operation.
    fn access(&mut self, access: &ElementAccess) -> Result<(), String>;
}
