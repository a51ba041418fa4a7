//! Names of values and functions in C.

use rustc_hash::FxHashMap;
use tilia_program::ValueId;

/// Names of one function's values.
#[derive(Debug, Default)]
pub(crate) struct Names {
    values: FxHashMap<ValueId, String>,
    next: FxHashMap<&'static str, u32>,
}

/// A C identifier made of any text: other characters become underscores, and a prefix keeps it from being a keyword.
pub(crate) fn identifier(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    const RESERVED: [&str; 19] = [
        "main", "int", "for", "if", "else", "while", "return", "double", "float", "void", "static", "switch", // the language's
        "floord", "ceild", "emod", "maximum", "minimum", "maximumf", "minimumf", // the text's head's
    ];
    if clean.is_empty() || clean.starts_with(|c: char| c.is_ascii_digit()) || RESERVED.contains(&clean.as_str()) {
        format!("f_{clean}")
    } else {
        clean
    }
}

impl Names {
    /// A fresh name with that prefix.
    pub(crate) fn fresh(&mut self, prefix: &'static str) -> String {
        let n = self.next.entry(prefix).or_insert(0);
        *n += 1;
        format!("{prefix}{}", *n - 1)
    }

    /// Gives a value a fresh name.
    pub(crate) fn bind(&mut self, value: ValueId, prefix: &'static str) -> String {
        let name = self.fresh(prefix);
        self.values.insert(value, name.clone());
        name
    }

    /// Lets a value be written as `text`.
    pub(crate) fn set(&mut self, value: ValueId, text: String) {
        self.values.insert(value, text);
    }

    /// How a value is written.
    pub(crate) fn get(&self, value: ValueId) -> String {
        self.values.get(&value).cloned().unwrap_or_else(|| format!("undefined_{}", value.0))
    }
}
