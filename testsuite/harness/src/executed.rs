//! What ran: parallel regions, vector loops and full tiles that each kernel executes, checked against committed tables.
//!
//! A schedule or code generator that loses a parallel loop still gives right values; these tables are what notices.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use crate::table::{Row, Table};

/// The thread counts that the kernels are run with, in the order of a table's columns.
pub const THREADS: [usize; 3] = [1, 2, 4];

/// Dynamic counts of one execution, as `--json` reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct Executed {
    /// Parallel regions.
    pub parallel: u64,
    /// Vector loops.
    pub vector: u64,
    /// Full tiles.
    pub full_tiles: u64,
}

/// The counts of one kernel at one size, a column for each of [`THREADS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Columns {
    parallel: [u64; THREADS.len()],
    vector: [u64; THREADS.len()],
    full_tiles: [u64; THREADS.len()],
}

/// The counts of one kernel under one strategy or transformation, by size.
pub type Counts = BTreeMap<String, Columns>;

/// The head of the table of the strategies.
pub const HEAD: &str = "\
# Parallel regions, vector loops and full tiles that each kernel executes with --grain=0, by strategy and size;
# the columns are 1, 2 and 4 threads (4 with the strategy none only). Checked by the harness.
# After a change that is meant to alter them: TILIA_BLESS=1 cargo test -p tilia-harness --test suite -- kernel
";

impl Row for Counts {
    fn print(kernel: &str, rows: &BTreeMap<String, Self>, text: &mut String) {
        for (name, sizes) in rows {
            // Writing to a string can't fail.
            let _ = write!(text, "\n[{kernel}.{name:?}]\n");
            for (size, columns) in sizes {
                let Columns {
                    parallel,
                    vector,
                    full_tiles,
                } = columns;
                let _ = writeln!(
                    text,
                    "{size} = {{ parallel = {parallel:?}, vector = {vector:?}, full_tiles = {full_tiles:?} }}"
                );
            }
        }
    }
}

/// Checks what a run executed against the table, or takes note of it when blessing.
///
/// # Errors
/// When the table says something else.
pub(crate) fn check(table: &Table<Counts>, kernel: &str, name: &str, size: &str, column: usize, got: Executed) -> Result<(), String> {
    let note = |row: &mut Counts| {
        let at = row.entry(size.to_owned()).or_default();
        (at.parallel[column], at.vector[column], at.full_tiles[column]) = (got.parallel, got.vector, got.full_tiles);
    };
    let judge = |row: &Counts| {
        let at = row.get(size).ok_or_else(|| format!("the table has no size {size}"))?;
        let want = Executed {
            parallel: at.parallel[column],
            vector: at.vector[column],
            full_tiles: at.full_tiles[column],
        };
        if got == want {
            return Ok(());
        }
        Err(format!("executed {got:?}, the table says {want:?}"))
    };
    table.check(kernel, name, note, judge)
}
