//! Conjunctions as text: the equalities that define tuple entries, and the formula of all the rest.
//!
//! An equality that gives a dimension in terms of earlier ones is printed in the tuple (`[i, j = 2i]`), bounds of the same
//! dimension are joined (`0 <= i < n`), known divisions are printed in place, unknown locals under `exists`.

use super::linear::{Columns, Linear, TermKind};
use super::names::Names;
use crate::basic::Basic;
use crate::num::Int;
use crate::space::{DimType, Space};

/// A printed conjunction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conjunction {
    /// For each column, the value that an equality gives it, if one does.
    pub(crate) entries: Vec<Option<Entry>>,
    /// The formula; empty when it is true.
    pub(crate) formula: String,
}

/// A dimension that has a value in terms of earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The value.
    pub(crate) value: String,
    /// Whether the dimension must also be named, because it has a name or is mentioned elsewhere.
    pub(crate) with_name: bool,
}

impl Conjunction {
    /// Prints `b`, whose columns are those of `space`.
    pub(crate) fn new(b: &Basic, space: &Space, names: &Names) -> Conjunction {
        let mut entries = vec![None; space.total_dim()];
        if b.empty {
            return Conjunction {
                entries,
                formula: "false".to_string(),
            };
        }
        let (unknowns, locals) = unknown_names(b, names);
        let columns = Columns {
            names: names.all(),
            divs: &b.divs,
            unknowns: &unknowns,
        };
        let mut parts = Vec::new();
        for (i, r) in b.eqs.iter().enumerate() {
            match defined_column(b, space, i) {
                Some(col) if entries[col - 1].is_none() => {
                    entries[col - 1] = Some(entry(b, space, names, columns, i, col));
                }
                _ => parts.push(equality(Linear::new(r, columns))),
            }
        }
        parts.extend(bounds(b, columns));
        let mut formula = parts.join(" and ");
        if !locals.is_empty() {
            if formula.is_empty() {
                formula.push_str("true");
            }
            formula = format!("exists ({}: {formula})", locals.join(", "));
        }
        Conjunction { entries, formula }
    }
}

/// Names for the unknown locals, by local, and the list of them.
fn unknown_names(b: &Basic, names: &Names) -> (Vec<String>, Vec<String>) {
    let mut all = vec![String::new(); b.n_div()];
    let mut listed = Vec::new();
    let mut n = 0;
    for (k, name) in all.iter_mut().enumerate() {
        if b.divs.is_known(k) {
            continue;
        }
        *name = format!("e{n}");
        while names.all().contains(name) {
            name.push('\'');
        }
        n += 1;
        listed.push(name.clone());
    }
    (all, listed)
}

/// The column of the dimension that equality `i` defines by earlier dimensions.
fn defined_column(b: &Basic, space: &Space, i: usize) -> Option<usize> {
    let row = &b.eqs[i];
    let first = space.offset(DimType::In);
    let col = (first..=space.total_dim()).rev().find(|&c| !row[c].is_zero())?;
    let divs = &row[1 + b.n_dim()..];
    let local_ok = |(k, c): (usize, &Int)| c.is_zero() || local_is_earlier(b, k, col);
    (row[col].is_unit() && divs.iter().enumerate().all(local_ok)).then_some(col)
}

/// Whether local `k` is a known division of dimensions before `col` only.
fn local_is_earlier(b: &Basic, k: usize, col: usize) -> bool {
    // Divisions only use earlier locals, so this walk ends; it is shallow in practice and bounded by their number.
    let mut open = vec![k];
    let mut seen = vec![false; b.n_div()];
    while let Some(k) = open.pop() {
        if std::mem::replace(&mut seen[k], true) {
            continue;
        }
        let num = b.divs.num(k);
        if !b.divs.is_known(k) || num[col..=b.n_dim()].iter().any(|c| !c.is_zero()) {
            return false;
        }
        open.extend((0..k).filter(|&j| !num[b.div_col(j)].is_zero()));
    }
    true
}

/// What the tuple shows for the dimension of `col` that equality `i` defines.
fn entry(b: &Basic, space: &Space, names: &Names, columns: Columns<'_>, i: usize, col: usize) -> Entry {
    let row = &b.eqs[i];
    let mut rest = row.to_vec();
    rest[col] = Int::ZERO;
    let mut value = Linear::new(&rest, columns);
    if row[col].is_pos() {
        value = value.negated();
    }
    let n_in = space.dim(DimType::In);
    let pos = col - space.offset(DimType::In);
    let is_named = if pos < n_in {
        names.is_named(DimType::In, pos)
    } else {
        names.is_named(DimType::Out, pos - n_in)
    };
    Entry {
        value: value.to_string(),
        with_name: is_named || is_used_elsewhere(b, i, col),
    }
}

fn is_used_elsewhere(b: &Basic, i: usize, col: usize) -> bool {
    let in_eqs = b.eqs.iter().enumerate().any(|(j, r)| j != i && !r[col].is_zero());
    in_eqs || b.ineqs.iter().any(|r| !r[col].is_zero()) || b.col_in_divs(col)
}

/// The term that a constraint is solved for: a remainder, else the last dimension, else the last of all.
fn pivot(e: &Linear) -> Option<usize> {
    let modulo = e.terms.iter().rposition(|t| t.kind == TermKind::Modulo);
    let dim = e.terms.iter().rposition(|t| matches!(t.kind, TermKind::Column(_)));
    modulo.or(dim).or_else(|| e.terms.len().checked_sub(1))
}

/// Splits off the pivot and moves the rest to the other side: `(p, rest)` with `e = p - rest`, `p > 0` when `e` had it so.
fn solve(mut e: Linear) -> Option<(super::linear::Term, Linear)> {
    let p = pivot(&e)?;
    let term = e.terms.remove(p);
    Some((term, e.negated()))
}

fn equality(e: Linear) -> String {
    let Some((mut term, mut rest)) = solve(e.clone()) else {
        return format!("{} = 0", e.constant);
    };
    if term.coefficient.is_neg() {
        term.coefficient.negate();
        rest = rest.negated();
    }
    format!("{} = {rest}", term.unsigned())
}

/// A bound `c x >= rest` or `c x <= rest`.
struct Bound {
    is_lower: bool,
    subject: String,
    order: TermKind,
    limit: Linear,
}

impl Bound {
    fn new(e: Linear) -> Option<Bound> {
        let (term, mut limit) = solve(e)?;
        let is_lower = term.coefficient.is_pos();
        if !is_lower {
            limit = limit.negated();
        }
        Some(Bound {
            is_lower,
            subject: term.unsigned(),
            order: term.kind,
            limit,
        })
    }

    /// The limit and whether it is strict: `n - 1` as the last value is `< n`.
    fn limit(&self) -> (String, bool) {
        let slack = if self.is_lower { Int::ONE } else { Int::NEG_ONE };
        if self.limit.constant == slack {
            let open = Linear {
                constant: Int::ZERO,
                terms: self.limit.terms.clone(),
            };
            return (open.to_string(), true);
        }
        (self.limit.to_string(), false)
    }
}

/// The inequalities, bounds of one subject joined in pairs, ordered by subject.
fn bounds(b: &Basic, columns: Columns<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    let mut open: Vec<Bound> = Vec::new();
    for r in b.ineqs.iter() {
        let e = Linear::new(r, columns);
        let constant = e.constant.clone();
        match Bound::new(e) {
            Some(bound) => open.push(bound),
            None => parts.push(format!("{constant} >= 0")),
        }
    }
    open.sort_by_key(|bound| bound.order);
    while !open.is_empty() {
        let bound = open.remove(0);
        let partner = open.iter().position(|o| o.subject == bound.subject && o.is_lower != bound.is_lower);
        let partner = partner.map(|p| open.remove(p));
        let (lower, upper) = if bound.is_lower {
            (Some(bound), partner)
        } else {
            (partner, Some(bound))
        };
        parts.push(chain(lower.as_ref(), upper.as_ref()));
    }
    parts
}

fn chain(lower: Option<&Bound>, upper: Option<&Bound>) -> String {
    let relation = |strict: bool, op: &str| if strict { op.to_string() } else { format!("{op}=") };
    match (lower, upper) {
        (Some(l), Some(u)) => {
            let ((low, low_strict), (high, high_strict)) = (l.limit(), u.limit());
            let (below, above) = (relation(low_strict, "<"), relation(high_strict, "<"));
            format!("{low} {below} {} {above} {high}", l.subject)
        }
        (Some(l), None) => {
            let (low, strict) = l.limit();
            format!("{} {} {low}", l.subject, relation(strict, ">"))
        }
        (None, Some(u)) => {
            let (high, strict) = u.limit();
            format!("{} {} {high}", u.subject, relation(strict, "<"))
        }
        (None, None) => String::new(),
    }
}
