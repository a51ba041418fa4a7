//! Sets and maps as text.

use std::fmt;

use super::conjunction::Conjunction;
use super::names::{Names, params_prefix, tuple_name};
use crate::basic::Basic;
use crate::rel::Rel;
use crate::sets::{BasicMap, BasicSet, Map, Set};
use crate::space::{DimType, Space, Tuple};
use crate::union::{UnionMap, UnionSet};

/// `S[i, j]`, entries taken from `entries` in order.
pub(crate) fn tuple_text(tuple: &Tuple, entries: &[String]) -> String {
    let name = tuple_name(tuple.name.as_ref());
    match &tuple.nested {
        Some(pair) => {
            let (first, second) = entries.split_at(pair.0.len());
            format!("{name}[{} -> {}]", tuple_text(&pair.0, first), tuple_text(&pair.1, second))
        }
        None => format!("{name}[{}]", entries.join(", ")),
    }
}

/// The tuples of a space: nothing for parameters, `A[..]`, or `A[..] -> B[..]`.
pub(crate) fn tuples_text(space: &Space, entries: &[String]) -> String {
    if space.is_params() {
        return String::new();
    }
    let (input, out) = entries.split_at(space.dim(DimType::In));
    let out = tuple_text(space.out(), out);
    match space.input() {
        Some(tuple) => format!("{} -> {out}", tuple_text(tuple, input)),
        None => out,
    }
}

/// The pieces of a union without the braces: `S[i] : 0 <= i; S[i = 3] : n > 2`.
pub(crate) fn pieces_text<'a>(space: &Space, parts: impl IntoIterator<Item = &'a Basic>) -> String {
    let names = Names::new(space);
    let n_param = space.dim(DimType::Param);
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for part in parts {
        let shown = Conjunction::new(part, space, &names);
        let entries = shown.entries.into_iter().zip(names.all()).skip(n_param);
        let entries: Vec<String> = entries
            .map(|(e, name)| match e {
                Some(e) if e.with_name => format!("{name} = {}", e.value),
                Some(e) => e.value,
                None => name.clone(),
            })
            .collect();
        let tuples = tuples_text(space, &entries);
        match groups.iter_mut().find(|g| g.0 == tuples) {
            Some(group) => group.1.push(shown.formula),
            None => groups.push((tuples, vec![shown.formula])),
        }
    }
    if groups.is_empty() {
        groups.push((tuples_text(space, &names.all()[n_param..]), vec!["false".to_string()]));
    }
    let pieces: Vec<String> = groups.iter().map(|(t, f)| piece_text(t, f)).collect();
    pieces.join("; ")
}

fn piece_text(tuples: &str, formulas: &[String]) -> String {
    let space = if tuples.is_empty() { "" } else { " " };
    if formulas.iter().any(String::is_empty) {
        return if tuples.is_empty() { ":".to_string() } else { tuples.to_string() };
    }
    format!("{tuples}{space}: {}", formulas.join(" or "))
}

/// The condition of a set: `: 0 <= i < n or i = 7`, entries of the tuple spelled out; empty when it always holds.
pub(crate) fn condition_text(set: &Rel, names: &Names) -> String {
    let mut formulas = Vec::new();
    for part in &set.parts {
        let shown = Conjunction::new(part, &set.space, names);
        let equalities = shown
            .entries
            .iter()
            .zip(names.all())
            .filter_map(|(e, name)| e.as_ref().map(|e| format!("{name} = {}", e.value)));
        let mut parts: Vec<String> = equalities.collect();
        if !shown.formula.is_empty() {
            parts.push(shown.formula);
        }
        if parts.is_empty() {
            return String::new();
        }
        formulas.push(parts.join(" and "));
    }
    if formulas.is_empty() {
        "false".to_string()
    } else {
        formulas.join(" or ")
    }
}

fn write_braces(f: &mut fmt::Formatter<'_>, space: &Space, pieces: &str) -> fmt::Result {
    write!(f, "{}{{ {pieces} }}", params_prefix(space))
}

impl fmt::Display for Rel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_braces(f, &self.space, &pieces_text(&self.space, self.parts.iter().map(AsRef::as_ref)))
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rel().fmt(f)
    }
}

impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rel().fmt(f)
    }
}

impl fmt::Display for BasicSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_braces(f, self.space(), &pieces_text(self.space(), [self.inner()]))
    }
}

impl fmt::Display for BasicMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_braces(f, self.space(), &pieces_text(self.space(), [self.inner()]))
    }
}

fn write_union<'a>(f: &mut fmt::Formatter<'_>, params: &Space, members: impl Iterator<Item = &'a Rel>) -> fmt::Result {
    let pieces: Vec<String> = members.map(|m| pieces_text(&m.space, m.parts.iter().map(AsRef::as_ref))).collect();
    let prefix = params_prefix(params);
    if pieces.is_empty() {
        write!(f, "{prefix}{{ }}")
    } else {
        write!(f, "{prefix}{{ {} }}", pieces.join("; "))
    }
}

impl fmt::Display for UnionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_union(f, self.params_space(), self.sets().iter().map(Set::rel))
    }
}

impl fmt::Display for UnionMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_union(f, self.params_space(), self.maps().iter().map(Map::rel))
    }
}
