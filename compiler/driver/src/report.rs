//! What a run reports, as data and as JSON.

use serde::{Deserialize, Serialize};
use tilia_codegen::Executed;
use tilia_diag::{Remark, RemarkKind};

/// Milliseconds from text to machine code.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
pub struct CompileTimes {
    /// Parsing, verifying, importing.
    pub parse: f64,
    /// Raising, dependences, scheduling, loop generation, lowering.
    pub schedule: f64,
    /// Machine code.
    pub codegen: f64,
    /// All of it.
    pub total: f64,
}

/// Milliseconds of the measured executions.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct RunTimes {
    /// The shortest.
    pub min: f64,
    /// The median.
    pub median: f64,
    /// All, in order.
    pub all: Vec<f64>,
}

impl RunTimes {
    /// From the times of all executions.
    #[must_use]
    pub fn new(all: Vec<f64>) -> Self {
        let mut sorted = all.clone();
        sorted.sort_by(f64::total_cmp);
        let median = match sorted.len() {
            0 => 0.0,
            n if n % 2 == 1 => sorted[n / 2],
            n => f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]),
        };
        Self {
            min: sorted.first().copied().unwrap_or(0.0),
            median,
            all,
        }
    }
}

/// Loops executed in one run, by kind.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
pub struct ExecutedCounts {
    /// Parallel regions that forked.
    pub parallel: u64,
    /// Vector loops.
    pub vector: u64,
    /// Full tiles.
    pub full_tiles: u64,
}

impl From<Executed> for ExecutedCounts {
    fn from(e: Executed) -> Self {
        Self {
            parallel: e.parallel,
            vector: e.vector,
            full_tiles: e.full_tiles,
        }
    }
}

/// Outcome of `--check`.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
pub struct CheckReport {
    /// Whether every element of every argument and result has the same bits (NaNs count as equal).
    pub identical: bool,
    /// Largest difference relative to the largest magnitude of the array.
    pub max_rel: f64,
}

/// A remark as JSON.
#[derive(Debug, Clone, Serialize)]
pub struct RemarkReport {
    /// Applied, declined or analysis.
    pub kind: RemarkKind,
    /// The stage.
    pub stage: &'static str,
    /// `file:line:column`, or empty.
    pub at: String,
    /// The text.
    pub message: String,
}

impl From<&Remark> for RemarkReport {
    fn from(r: &Remark) -> Self {
        Self {
            kind: r.kind,
            stage: r.stage,
            at: if r.loc.is_unknown() { String::new() } else { r.loc.to_string() },
            message: r.message.clone(),
        }
    }
}

/// Everything that `tilia run --json` prints.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct RunReport {
    /// Compile times.
    pub compile_ms: CompileTimes,
    /// Run times.
    pub run_ms: RunTimes,
    /// Threads that parallel loops could use.
    pub threads: usize,
    /// The strategy that made the schedule which ran.
    pub strategy: String,
    /// The back end that ran.
    pub backend: String,
    /// The floating-point mode that ran.
    pub fp: String,
    /// Dynamic counts of one execution.
    pub executed: ExecutedCounts,
    /// Remarks; not read back.
    #[serde(skip_deserializing)]
    pub remarks: Vec<RemarkReport>,
    /// Outcome of `--check`, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckReport>,
}

/// One line of `tilia bench --json`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct BenchReport {
    /// Kernel's name.
    pub kernel: String,
    /// Size's name.
    pub size: String,
    /// Billions of operations a second, by the suite's count and the shortest time.
    pub gflops: f64,
    /// Checksum of the outputs.
    pub checksum: String,
    /// Their time by ours, for each compiler compared with.
    pub vs: std::collections::BTreeMap<String, f64>,
    /// Their shortest times, in milliseconds.
    pub vs_ms: std::collections::BTreeMap<String, f64>,
    /// Compilers whose own time isn't to be trusted here, with the reason: another result, or far from what is expected of them.
    pub vs_suspect: Vec<String>,
    /// The rest, as for a run.
    #[serde(flatten)]
    pub run: RunReport,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(RunTimes::new(vec![3.0, 1.0, 2.0]).median, 2.0);
        assert_eq!(RunTimes::new(vec![4.0, 1.0]).median, 2.5);
        assert_eq!(RunTimes::new(vec![4.0, 1.0]).min, 1.0);
    }
}
