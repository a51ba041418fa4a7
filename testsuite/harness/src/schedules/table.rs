//! The committed table of which edits are legal.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::{Context, Result};

use super::edit::Edit;

type Rows = BTreeMap<String, BTreeMap<String, String>>;

/// The table and what was seen in this run.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    bless: bool,
    committed: Rows,
    seen: Mutex<Rows>,
}

const HEAD: &str = "\
# Which edits of the kernels' schedule trees are legal: y or n for each place that is tried, from the top of the tree.
# Strip, shift, scale and skew keep every program's order. Checked by the harness.
# Legality is a fact of the program: a change here needs a reason. TILIA_BLESS=1 writes what was seen.
";

impl Table {
    /// Reads the table; a missing file is an empty table.
    pub fn read(path: PathBuf) -> Result<Table> {
        let text = if path.exists() {
            std::fs::read_to_string(&path)?
        } else {
            String::new()
        };
        let committed: Rows = toml::from_str(&text).with_context(|| format!("{} isn't a table of verdicts", path.display()))?;
        let bless = std::env::var_os("TILIA_BLESS").is_some_and(|value| value == "1");
        Ok(Table {
            path,
            bless,
            seen: Mutex::new(committed.clone()),
            committed,
        })
    }

    pub(super) fn check(&self, kernel: &str, edit: Edit, verdicts: &str) -> Result<(), String> {
        let edit = format!("{edit:?}").to_lowercase();
        if self.bless {
            let mut seen = self.seen.lock().map_err(|_| "another test panicked".to_owned())?;
            seen.entry(kernel.to_owned()).or_default().insert(edit, verdicts.to_owned());
            return Ok(());
        }
        let want = self.committed.get(kernel).and_then(|row| row.get(&edit));
        if want.is_some_and(|want| want == verdicts) {
            return Ok(());
        }
        Err(format!("{kernel}, {edit}: verdicts {verdicts:?}, the table says {want:?}"))
    }

    /// Writes the table when blessing.
    pub fn finish(&self) -> Result<()> {
        if !self.bless {
            return Ok(());
        }
        let seen = self.seen.lock().map_err(|_| anyhow::anyhow!("a test panicked"))?;
        let mut text = String::from(HEAD);
        for (kernel, row) in &*seen {
            write!(text, "\n[{kernel}]\n")?;
            for (edit, verdicts) in row {
                writeln!(text, "{edit} = {verdicts:?}")?;
            }
        }
        std::fs::write(&self.path, text).with_context(|| format!("can't write {}", self.path.display()))
    }
}
