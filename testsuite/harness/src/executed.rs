//! The committed table of what ran: parallel regions, vector loops and full tiles that each kernel executes.
//!
//! A schedule or code generator that loses a parallel loop still gives right values; this table is what notices.
//! `TILIA_BLESS=1` rewrites it from what was seen.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::{Context, Result};
use serde::Deserialize;

/// The thread counts that the kernels are run with, in the order of the table's columns.
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

/// The counts of one kernel at one size under one strategy, a column for each of [`THREADS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    parallel: [u64; THREADS.len()],
    vector: [u64; THREADS.len()],
    full_tiles: [u64; THREADS.len()],
}

/// Kernel, strategy, size.
type Rows = BTreeMap<String, BTreeMap<String, BTreeMap<String, Row>>>;

/// The table and what was seen in this run.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    head: &'static str,
    bless: bool,
    committed: Rows,
    seen: Mutex<Rows>,
}

/// The head of the table of the strategies.
pub const HEAD: &str = "\
# Parallel regions, vector loops and full tiles that each kernel executes with --grain=0, by strategy and size;
# the columns are 1, 2 and 4 threads (4 with the strategy none only). Checked by the harness.
# After a change that is meant to alter them: TILIA_BLESS=1 cargo test -p tilia-harness --test suite -- kernel
";

impl Table {
    /// Reads the table, which is written with that head; a missing file is an empty table.
    pub fn read(path: PathBuf, head: &'static str) -> Result<Table> {
        let text = if path.exists() {
            std::fs::read_to_string(&path)?
        } else {
            String::new()
        };
        let committed: Rows = toml::from_str(&text).with_context(|| format!("{} isn't a table of counts", path.display()))?;
        let bless = std::env::var_os("TILIA_BLESS").is_some_and(|value| value == "1");
        Ok(Table {
            path,
            head,
            bless,
            seen: Mutex::new(committed.clone()),
            committed,
        })
    }

    /// Checks what a run executed against the table, or takes note of it when blessing.
    pub fn check(&self, kernel: &str, strategy: &str, size: &str, column: usize, got: Executed) -> Result<(), String> {
        if self.bless {
            let mut seen = self.seen.lock().map_err(|_| "another test panicked".to_owned())?;
            let of_kernel = seen.entry(kernel.to_owned()).or_default();
            let row = of_kernel
                .entry(strategy.to_owned())
                .or_default()
                .entry(size.to_owned())
                .or_default();
            (row.parallel[column], row.vector[column], row.full_tiles[column]) = (got.parallel, got.vector, got.full_tiles);
            return Ok(());
        }
        let row = self
            .committed
            .get(kernel)
            .and_then(|of| of.get(strategy))
            .and_then(|of| of.get(size));
        let Some(row) = row else {
            return Err(format!("{kernel} {strategy} {size} isn't in {}; see its head", self.path.display()));
        };
        let want = Executed {
            parallel: row.parallel[column],
            vector: row.vector[column],
            full_tiles: row.full_tiles[column],
        };
        if got == want {
            Ok(())
        } else {
            Err(format!("executed {got:?}, the table says {want:?}"))
        }
    }

    /// Writes the table when blessing.
    pub fn finish(&self) -> Result<()> {
        if !self.bless {
            return Ok(());
        }
        let seen = self.seen.lock().map_err(|_| anyhow::anyhow!("a test panicked"))?;
        let mut text = String::from(self.head);
        for (kernel, strategies) in &*seen {
            for (strategy, sizes) in strategies {
                write!(text, "\n[{kernel}.{strategy:?}]\n")?;
                for (size, row) in sizes {
                    let Row {
                        parallel,
                        vector,
                        full_tiles,
                    } = row;
                    writeln!(
                        text,
                        "{size} = {{ parallel = {parallel:?}, vector = {vector:?}, full_tiles = {full_tiles:?} }}"
                    )?;
                }
            }
        }
        std::fs::write(&self.path, text).with_context(|| format!("can't write {}", self.path.display()))
    }
}
