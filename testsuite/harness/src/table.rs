//! Committed tables of what the kernels do: read, compared with what a run shows, and rewritten on request.
//!
//! A table has a section for each kernel, in it rows by name. `TILIA_BLESS=1` rewrites the file from what was seen; rows that no trial of that run touched stay as they are.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;

/// A row of a table.
pub trait Row: Clone + Default + DeserializeOwned {
    /// Appends the rows of one kernel as TOML.
    fn print(kernel: &str, rows: &BTreeMap<String, Self>, text: &mut String);
}

/// Rows by kernel and name.
type Rows<R> = BTreeMap<String, BTreeMap<String, R>>;

/// A table's file and what was seen in this run.
#[derive(Debug)]
pub struct Table<R> {
    path: PathBuf,
    head: &'static str,
    bless: bool,
    committed: Rows<R>,
    seen: Mutex<Rows<R>>,
}

impl<R: Row> Table<R> {
    /// Reads the table, which is written with that head; a missing file is an empty table.
    ///
    /// # Errors
    /// When the file can't be read or isn't such a table.
    pub fn read(path: PathBuf, head: &'static str) -> Result<Self> {
        let text = if path.exists() {
            std::fs::read_to_string(&path)?
        } else {
            String::new()
        };
        let committed: Rows<R> = toml::from_str(&text).with_context(|| format!("{} isn't such a table", path.display()))?;
        let bless = std::env::var_os("TILIA_BLESS").is_some_and(|value| value == "1");
        Ok(Self {
            path,
            head,
            bless,
            seen: Mutex::new(committed.clone()),
            committed,
        })
    }

    /// Compares what a run showed with the committed row (`judge`), or puts it into the row when blessing (`note`).
    ///
    /// # Errors
    /// What `judge` says, or that there is no such row.
    pub(crate) fn check(
        &self,
        kernel: &str,
        name: &str,
        note: impl FnOnce(&mut R),
        judge: impl FnOnce(&R) -> Result<(), String>,
    ) -> Result<(), String> {
        if self.bless {
            let mut seen = self.seen.lock().map_err(|_| "another test panicked".to_owned())?;
            note(seen.entry(kernel.to_owned()).or_default().entry(name.to_owned()).or_default());
            return Ok(());
        }
        match self.committed.get(kernel).and_then(|rows| rows.get(name)) {
            Some(row) => judge(row).map_err(|why| format!("{kernel}, {name}: {why}")),
            None => Err(format!("{kernel}, {name} isn't in {}; see its head", self.path.display())),
        }
    }

    /// Writes the table when blessing.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn finish(&self) -> Result<()> {
        if !self.bless {
            return Ok(());
        }
        let seen = self.seen.lock().map_err(|_| anyhow::anyhow!("a test panicked"))?;
        let mut text = String::from(self.head);
        for (kernel, rows) in &*seen {
            R::print(kernel, rows, &mut text);
        }
        std::fs::write(&self.path, text).with_context(|| format!("can't write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executed::{Counts, Executed, check};
    use crate::schedules::Verdicts;

    const COUNTS: &str = "head\n\n[gemm.\"tile 32\"]\nMINI = { parallel = [0, 1, 1], vector = [2, 2, 2], full_tiles = [3, 3, 3] }\n";
    const VERDICTS: &str = "head\n\n[gemm]\nreverse = \"yn\"\n";

    fn table<R: Row>(text: &str, bless: bool) -> Table<R> {
        let committed: Rows<R> = toml::from_str(text.strip_prefix("head\n").unwrap_or(text)).unwrap_or_default();
        Table {
            path: PathBuf::new(),
            head: "head\n",
            bless,
            seen: Mutex::new(committed.clone()),
            committed,
        }
    }

    fn printed<R: Row>(table: &Table<R>) -> String {
        let mut text = table.head.to_owned();
        for (kernel, rows) in table.seen.lock().iter().flat_map(|s| s.iter()) {
            R::print(kernel, rows, &mut text);
        }
        text
    }

    #[test]
    fn tables_are_written_as_they_are_read() {
        assert_eq!(printed(&table::<Counts>(COUNTS, false)), COUNTS);
        assert_eq!(printed(&table::<Verdicts>(VERDICTS, false)), VERDICTS);
    }

    #[test]
    fn a_lost_parallel_loop_and_a_missing_row_are_errors() {
        let counts = table::<Counts>(COUNTS, false);
        let mut got = Executed {
            parallel: 1,
            vector: 2,
            full_tiles: 3,
        };
        assert_eq!(check(&counts, "gemm", "tile 32", "MINI", 1, got), Ok(()));
        assert!(check(&counts, "gemm", "tile 32", "SMALL", 1, got).is_err_and(|e| e.contains("SMALL")));
        assert!(check(&counts, "gemm", "tile 7", "MINI", 1, got).is_err_and(|e| e.contains("isn't in")));
        got.parallel = 0;
        assert!(check(&counts, "gemm", "tile 32", "MINI", 1, got).is_err_and(|e| e.contains("the table says")));
    }

    #[test]
    fn blessing_changes_one_column_and_adds_rows() {
        let counts = table::<Counts>(COUNTS, true);
        let got = Executed {
            parallel: 9,
            vector: 2,
            full_tiles: 3,
        };
        assert_eq!(check(&counts, "gemm", "tile 32", "MINI", 2, got), Ok(()));
        assert_eq!(check(&counts, "lu", "tile 32", "MINI", 0, got), Ok(()));
        let text = printed(&counts);
        assert!(
            text.contains("parallel = [0, 1, 9]") && text.contains("[lu.\"tile 32\"]\nMINI = { parallel = [9, 0, 0]"),
            "{text}"
        );
    }
}
