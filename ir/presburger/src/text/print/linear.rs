//! Linear expressions with floor divisions, as text.

use crate::basic::Divs;
use crate::num::{Int, row};

/// A column or division with its coefficient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    /// The coefficient, not zero.
    pub(crate) coefficient: Int,
    /// The variable or `floor(..)` or `(..) mod d`.
    pub(crate) text: String,
    /// What the term is.
    pub(crate) kind: TermKind,
}

/// What a term is; decides which one a constraint is solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TermKind {
    /// A parameter or dimension, with its column.
    Column(usize),
    /// An unknown local.
    Unknown,
    /// A `floor`.
    Floor,
    /// A `mod`.
    Modulo,
}

/// A constant plus terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Linear {
    /// The constant.
    pub(crate) constant: Int,
    /// The terms in printing order.
    pub(crate) terms: Vec<Term>,
}

/// What the columns are called: the names of the dimensions and of the unknown locals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Columns<'a> {
    /// Names of the dimensions, parameters first.
    pub(crate) names: &'a [String],
    /// The locals.
    pub(crate) divs: &'a Divs,
    /// Names of the locals; those of known ones are not used.
    pub(crate) unknowns: &'a [String],
}

impl Linear {
    /// The expression that a row stands for. `c (e - d floor(e / d))` becomes `c ((e) mod d)` where that is shorter.
    pub(crate) fn new(row: &[Int], columns: Columns<'_>) -> Linear {
        let mut row = row.to_vec();
        let first = 1 + columns.names.len();
        let mut divisions = Vec::new();
        for k in (0..columns.divs.len().min(row.len() - first)).rev() {
            let coefficient = std::mem::take(&mut row[first + k]);
            if coefficient.is_zero() {
                continue;
            }
            let term = if columns.divs.is_known(k) {
                division(&mut row, k, coefficient, columns)
            } else {
                Term {
                    coefficient,
                    text: columns.unknowns[k].clone(),
                    kind: TermKind::Unknown,
                }
            };
            divisions.push(term);
        }
        divisions.reverse();
        let mut terms: Vec<Term> = row[1..first]
            .iter()
            .zip(columns.names)
            .enumerate()
            .filter(|(_, (c, _))| !c.is_zero())
            .map(|(j, (c, name))| Term {
                coefficient: c.clone(),
                text: name.clone(),
                kind: TermKind::Column(1 + j),
            })
            .collect();
        terms.append(&mut divisions);
        Linear {
            constant: row[0].clone(),
            terms,
        }
    }

    /// The negation.
    pub(crate) fn negated(mut self) -> Linear {
        self.constant.negate();
        for t in &mut self.terms {
            t.coefficient.negate();
        }
        self
    }
}

/// The term of known division `k`; in its `mod` form, the rest of the row is adapted.
fn division(row: &mut [Int], k: usize, coefficient: Int, columns: Columns<'_>) -> Term {
    let (den, num) = (columns.divs.den(k), columns.divs.num(k));
    let numerator = Linear::new(&num[..1 + columns.names.len() + k], columns).to_string();
    if coefficient.is_divisible_by(den) {
        let factor = -coefficient.div_exact(den);
        let mut rest = row.to_vec();
        row::combine(&mut rest, &Int::ONE, &-&factor, &num[..row.len().min(num.len())]);
        if weight(&rest) < weight(row) {
            row.clone_from_slice(&rest);
            let text = format!("({numerator}) mod {den}");
            return Term {
                coefficient: factor,
                text,
                kind: TermKind::Modulo,
            };
        }
    }
    Term {
        coefficient,
        text: format!("floor(({numerator})/{den})"),
        kind: TermKind::Floor,
    }
}

fn weight(row: &[Int]) -> usize {
    row[1..].iter().filter(|c| !c.is_zero()).count()
}

impl Term {
    /// The term with the absolute value of its coefficient.
    pub(crate) fn unsigned(&self) -> String {
        let c = self.coefficient.abs();
        match self.kind {
            _ if c.is_one() => self.text.clone(),
            TermKind::Floor | TermKind::Modulo => format!("{c}*{}", self.text),
            _ if self.text.starts_with('"') => format!("{c}*{}", self.text),
            _ => format!("{c}{}", self.text),
        }
    }
}

impl std::fmt::Display for Linear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.terms.is_empty() {
            return write!(f, "{}", self.constant);
        }
        let mut first = true;
        if !self.constant.is_zero() {
            write!(f, "{}", self.constant)?;
            first = false;
        }
        for t in &self.terms {
            let sign = match (first, t.coefficient.is_neg()) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            write!(f, "{sign}{}", t.unsigned())?;
            first = false;
        }
        Ok(())
    }
}
