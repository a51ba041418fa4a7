//! The committed table of which edits are legal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::edit::Edit;
use crate::table::{Row, Table};

/// `y` or `n` for each place where an edit is tried.
pub type Verdicts = String;

/// The head of the table.
pub const HEAD: &str = "\
# Which edits of the kernels' schedule trees are legal: y or n for each place that is tried, from the top of the tree.
# Strip, shift, scale and skew keep every program's order. Checked by the harness.
# Legality is a fact of the program: a change here needs a reason. TILIA_BLESS=1 writes what was seen.
";

impl Row for Verdicts {
    fn print(kernel: &str, rows: &BTreeMap<String, Self>, text: &mut String) {
        // Writing to a string can't fail.
        let _ = write!(text, "\n[{kernel}]\n");
        for (edit, verdicts) in rows {
            let _ = writeln!(text, "{edit} = {verdicts:?}");
        }
    }
}

pub(super) fn check(table: &Table<Verdicts>, kernel: &str, edit: Edit, verdicts: &str) -> Result<(), String> {
    let note = |row: &mut Verdicts| verdicts.clone_into(row);
    let judge = |want: &Verdicts| {
        if want == verdicts {
            return Ok(());
        }
        Err(format!("verdicts {verdicts:?}, the table says {want:?}"))
    };
    table.check(kernel, &format!("{edit:?}").to_lowercase(), note, judge)
}
