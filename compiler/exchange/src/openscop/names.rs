//! Names that a file gives, as names that sets can have.

use super::{OpenScop, Statement};
use std::collections::{BTreeMap, BTreeSet};

impl Statement {
    /// Names of the iterators: those of the body, made up where it names none.
    pub(crate) fn iterator_names(&self) -> Vec<String> {
        let depth = self.domain.parts.first().map_or(0, |m| m.outputs);
        let given = self.extensions.iter().find(|e| e.tag == "body").and_then(|body| {
            let mut lines = body.text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
            let count: usize = lines.next()?.parse().ok()?;
            let names: Vec<String> = lines.next()?.split_whitespace().map(str::to_owned).collect();
            (count == depth && names.len() == depth).then_some(names)
        });
        given.unwrap_or_else(|| (0..depth).map(|n| format!("i{n}")).collect())
    }
}

impl OpenScop {
    /// Names of arrays by their numbers, from the extension `arrays`.
    pub(crate) fn array_names(&self) -> BTreeMap<i64, String> {
        let mut names = BTreeMap::new();
        let Some(arrays) = self.extensions.iter().find(|e| e.tag == "arrays") else {
            return names;
        };
        let content = arrays
            .text
            .lines()
            .map(|l| l.split('#').next().unwrap_or("").trim())
            .filter(|l| !l.is_empty());
        for line in content.skip(1) {
            let mut words = line.split_whitespace();
            if let (Some(Ok(id)), Some(name)) = (words.next().map(str::parse), words.next()) {
                names.insert(id, name.to_owned());
            }
        }
        names
    }
}

/// Makes names that sets can print and read: letters, digits and `_`, each once.
#[derive(Debug, Default)]
pub(super) struct Unique {
    taken: BTreeSet<String>,
}

/// Words that mean something in isl's notation.
const RESERVED: [&str; 14] = [
    "exists", "and", "or", "not", "mod", "floor", "ceil", "min", "max", "true", "false", "infty", "NaN", "rat",
];

impl Unique {
    /// A name like `wanted`.
    pub(super) fn name(&mut self, wanted: &str) -> String {
        let mut base: String = wanted
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' })
            .collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            base.insert(0, '_');
        }
        base.truncate(60);
        let mut name = base.clone();
        let mut n = 1;
        while RESERVED.contains(&name.as_str()) || !self.taken.insert(name.clone()) {
            name = format!("{base}_{n}");
            n += 1;
        }
        name
    }
}
