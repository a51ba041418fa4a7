//! The normal form of a problem: minimised variables first, rows sparse, tightened and each expression once.

use std::collections::BTreeMap;

use tilia_presburger::Int;

use super::cone;
use super::sparse::Sparse;
use crate::{Error, Problem, Result, Row, RowKind};

/// A constraint over positions.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) terms: Sparse,
    pub(super) constant: Int,
    pub(super) kind: RowKind,
    /// Is the expression an integer wherever the integer variables are?
    pub(super) integer: bool,
}

/// A problem in normal form. Positions are the variables' numbers in the order of minimisation.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    /// The variable of each position.
    pub(super) order: Vec<usize>,
    /// The position of each variable.
    position: Vec<u32>,
    /// The first so many positions are minimised.
    pub(super) n_lex: usize,
    pub(super) integer: Vec<bool>,
    pub(super) lower: Vec<Option<Int>>,
    upper: Vec<Option<Int>>,
    /// All constraints, those of single variables too.
    pub(super) lines: Vec<Line>,
    /// The line of an expression without its constant.
    index: BTreeMap<(Sparse, bool), usize>,
    /// Visibly without solution.
    pub(super) infeasible: bool,
}

impl Prepared {
    pub(super) fn new(p: &Problem) -> Result<Prepared> {
        let mut order: Vec<usize> = (0..p.vars.len()).filter(|&v| p.vars[v].lex).collect();
        let n_lex = order.len();
        order.extend((0..p.vars.len()).filter(|&v| !p.vars[v].lex));
        let mut position = vec![0; order.len()];
        for (k, &v) in order.iter().enumerate() {
            position[v] = cone::position(k);
        }
        let mut me = Prepared {
            integer: order.iter().map(|&v| p.vars[v].integer).collect(),
            lower: vec![None; order.len()],
            upper: vec![None; order.len()],
            order,
            position,
            n_lex,
            lines: Vec::with_capacity(p.rows.len() + 2 * p.vars.len()),
            index: BTreeMap::new(),
            infeasible: false,
        };
        for (v, var) in p.vars.iter().enumerate() {
            let k = me.position[v];
            if let Some(l) = &var.lower {
                me.add(vec![(k, Int::ONE)], -l, RowKind::Ge);
            }
            if let Some(u) = &var.upper {
                me.add(vec![(k, Int::NEG_ONE)], u.clone(), RowKind::Ge);
            }
        }
        for (i, r) in p.rows.iter().enumerate() {
            me.add_row(i, r)?;
        }
        Ok(me)
    }

    /// Adds a row; `number` is for the message.
    pub(super) fn add_row(&mut self, number: usize, r: &Row) -> Result<()> {
        let mut terms = Sparse::with_capacity(r.terms.len());
        for (v, a) in &r.terms {
            let k = *self.position.get(*v).ok_or(Error::NoSuchVariable {
                row: number,
                var: *v,
                count: self.position.len(),
            })?;
            terms.push((k, a.clone()));
        }
        terms.sort_by_key(|t| t.0);
        terms.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 += &b.1;
            }
            same
        });
        terms.retain(|t| !t.1.is_zero());
        self.add(terms, r.constant.clone(), r.kind);
        Ok(())
    }

    /// Adds a row whose terms are sorted.
    fn add(&mut self, mut terms: Sparse, mut constant: Int, kind: RowKind) {
        let integer = terms.iter().all(|t| self.integer[t.0 as usize]);
        let g = terms.iter().fold(Int::ZERO, |g, t| g.gcd(&t.1));
        if g.is_zero() {
            self.infeasible |= constant.is_neg() || (kind == RowKind::Eq && !constant.is_zero());
            return;
        }
        if !g.is_one() && (integer || constant.is_divisible_by(&g)) {
            if kind == RowKind::Eq && !constant.is_divisible_by(&g) {
                self.infeasible = true;
                return;
            }
            constant = constant.div_floor(&g);
            for t in &mut terms {
                t.1 = t.1.div_exact(&g);
            }
        }
        if kind == RowKind::Eq && terms[0].1.is_neg() {
            constant.negate();
            for t in &mut terms {
                t.1.negate();
            }
        }
        if let [(k, a)] = terms.as_slice() {
            self.bound(*k as usize, a, &constant, kind);
        }
        self.insert(Line {
            terms,
            constant,
            kind,
            integer,
        });
    }

    /// Notes what `a·x + c` being `>= 0` or `= 0` says about the limits of position `k`.
    fn bound(&mut self, k: usize, a: &Int, c: &Int, kind: RowKind) {
        if !a.is_unit() {
            return;
        }
        let limit = -(c * a);
        if a.is_one() || kind == RowKind::Eq {
            let l = &mut self.lower[k];
            if l.as_ref().is_none_or(|l| *l < limit) {
                *l = Some(limit.clone());
            }
        }
        if a.is_neg_one() || kind == RowKind::Eq {
            let u = &mut self.upper[k];
            if u.as_ref().is_none_or(|u| *u > limit) {
                *u = Some(limit);
            }
        }
        if let (Some(l), Some(u)) = (&self.lower[k], &self.upper[k]) {
            self.infeasible |= l > u;
        }
    }

    fn insert(&mut self, line: Line) {
        let key = (line.terms.clone(), line.kind == RowKind::Eq);
        let Some(&i) = self.index.get(&key) else {
            self.index.insert(key, self.lines.len());
            self.lines.push(line);
            return;
        };
        let old = &mut self.lines[i];
        match line.kind {
            RowKind::Ge if line.constant < old.constant => old.constant = line.constant,
            RowKind::Ge => {}
            RowKind::Eq => self.infeasible |= line.constant != old.constant,
        }
    }
}
