//! The relaxation's lexicographic minimum, as a vertex and the edges at it.
//!
//! A point is written `x = vertex + Σ s_j·edge_j`, `s_j >= 0` being the slacks of the constraints that hold with equality at the vertex. *Invariant*: every edge is
//! lexicographically positive, so the vertex is the minimum over this cone. As long as a constraint is violated at the vertex, one of the edges is exchanged: the constraint's
//! slack becomes a coordinate, the edge that reaches the constraint first in lexicographic order goes. Constraints whose slack is no coordinate are not stored here at all.
//!
//! A variable without lower limit starts at `-M` for an `M` that is larger than, and divisible by, everything else: the vertex is `(x + M·m)`.

use std::cmp::Ordering;

use tilia_presburger::{Budget, Int};

use super::prepare::{Line, Prepared};
use super::sparse::{Sparse, at, cmp_scaled, combine, normalise};
use crate::{Result, RowKind};

/// A direction, for one unit of its slack.
#[derive(Clone, Debug)]
struct Edge {
    v: Sparse,
    den: Int,
    /// Is the slack an integer at all solutions?
    integer: bool,
}

/// A point with one denominator.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) num: Vec<Int>,
    pub(super) den: Int,
}

impl Point {
    fn zero(n: usize) -> Point {
        Point {
            num: vec![Int::ZERO; n],
            den: Int::ONE,
        }
    }

    /// `(a·self + b·v) / (den·a)`.
    fn step(&mut self, a: &Int, b: &Int, v: &Sparse) {
        if !a.is_one() {
            for x in &mut self.num {
                if !x.is_zero() {
                    *x *= a;
                }
            }
            self.den *= a;
        }
        for (k, x) in v {
            self.num[*k as usize].add_mul(b, x);
        }
        self.normalise();
    }

    fn normalise(&mut self) {
        if self.den.is_one() {
            return;
        }
        let mut g = self.den.clone();
        for x in &self.num {
            g = g.gcd(x);
            if g.is_one() {
                return;
            }
        }
        self.den = self.den.div_exact(&g);
        for x in &mut self.num {
            *x = x.div_exact(&g);
        }
    }

    /// The terms of a row, times the denominator.
    fn dot(&self, terms: &Sparse) -> Int {
        let mut s = Int::ZERO;
        for (k, a) in terms {
            s.add_mul(a, &self.num[*k as usize]);
        }
        s
    }
}

/// A constraint in the coordinates of the cone.
struct Local {
    /// For each edge, the coefficient times the edge's denominator.
    p: Vec<Int>,
    /// The value at the vertex, times the vertex' denominator; negative.
    value: Int,
    /// Its part that grows with `M`, times that denominator.
    value_m: Int,
    integer: bool,
    /// Is the slack fixed to zero?
    equality: bool,
}

/// The cone.
#[derive(Clone, Debug)]
pub(super) struct Cone {
    pub(super) vertex: Point,
    /// The multiples of `M`; `None` when all variables have lower limits.
    pub(super) big: Option<Point>,
    edges: Vec<Edge>,
    /// The line to look at next.
    next: usize,
}

impl Cone {
    /// The cone of the lower limits.
    pub(super) fn new(p: &Prepared) -> Cone {
        let n = p.order.len();
        let mut vertex = Point::zero(n);
        let mut big = None;
        let mut edges = Vec::with_capacity(n);
        for (k, l) in p.lower.iter().enumerate() {
            match l {
                Some(l) => vertex.num[k] = l.clone(),
                None => big.get_or_insert_with(|| Point::zero(n)).num[k] = Int::NEG_ONE,
            }
            edges.push(Edge {
                v: vec![(position(k), Int::ONE)],
                den: Int::ONE,
                integer: p.integer[k],
            });
        }
        Cone {
            vertex,
            big,
            edges,
            next: 0,
        }
    }

    /// Moves to the lexicographic minimum over the lines. With `below`, it ends as soon as no point of the cone is less than that in its first positions.
    ///
    /// Which violated line comes next decides about the number of exchanges. Taking them in turn is much better than taking the most violated one: lines that are next to each
    /// other usually belong to one dependence, and those of the next dependence are best looked at when the former hold.
    pub(super) fn minimise(&mut self, lines: &[Line], more: &[Line], below: Option<&[Int]>, b: &Budget) -> Result<End> {
        let n = lines.len() + more.len();
        let mut satisfied = 0;
        if below.is_some_and(|l| !self.is_below(l)) {
            return Ok(End::Reached);
        }
        while satisfied < n {
            self.next %= n;
            let line = lines.get(self.next).unwrap_or_else(|| &more[self.next - lines.len()]);
            self.next += 1;
            match self.localise(line) {
                None => satisfied += 1,
                Some(local) => {
                    b.spend(1 + satisfied as u64 / 8)?;
                    satisfied = 0;
                    if !self.exchange(&local, b)? {
                        return Ok(End::Infeasible);
                    }
                    if below.is_some_and(|l| !self.is_below(l)) {
                        return Ok(End::Reached);
                    }
                }
            }
        }
        b.spend(1 + satisfied as u64 / 8)?;
        Ok(End::Minimum)
    }

    /// May the cone have points that are less than the limit in their first positions, which are integers? All points of the cone are at least the vertex; in the last of these positions even
    /// at least its value rounded up.
    fn is_below(&self, limit: &[Int]) -> bool {
        let last = limit.len().saturating_sub(1);
        for (k, l) in limit.iter().enumerate() {
            let m = self.big.as_ref().map_or(0, |m| m.num[k].signum());
            if m != 0 {
                return m < 0;
            }
            let den = &self.vertex.den;
            let gap = l * den - &self.vertex.num[k];
            if k == last {
                return gap >= *den;
            }
            if !gap.is_zero() {
                return gap.is_pos();
            }
        }
        false
    }

    /// The value of an expression at the vertex: the part with `M`, and the rest times the denominator.
    fn value(&self, line: &Line) -> (Int, Int) {
        let m = self.big.as_ref().map_or(Int::ZERO, |m| m.dot(&line.terms));
        let mut v = self.vertex.dot(&line.terms);
        v.add_mul(&line.constant, &self.vertex.den);
        (m, v)
    }

    /// A line in the cone's coordinates if it is violated; an equality is turned so that it is negative.
    fn localise(&self, line: &Line) -> Option<Local> {
        let (mut value_m, mut value) = self.value(line);
        let sign = if value_m.is_zero() { value.signum() } else { value_m.signum() };
        if sign == 0 || (sign > 0 && line.kind == RowKind::Ge) {
            return None;
        }
        let mut p: Vec<Int> = self.edges.iter().map(|e| dot(&line.terms, &e.v)).collect();
        if sign > 0 {
            p.iter_mut().for_each(Int::negate);
            value.negate();
            value_m.negate();
        }
        Some(Local {
            p,
            value,
            value_m,
            integer: line.integer,
            equality: line.kind == RowKind::Eq,
        })
    }

    /// Makes the slack of a violated constraint a coordinate; false when the constraint is violated everywhere.
    fn exchange(&mut self, l: &Local, b: &Budget) -> Result<bool> {
        let mut best: Option<usize> = None;
        for (j, p) in l.p.iter().enumerate() {
            if p.is_pos() && best.is_none_or(|c| cmp_scaled(&self.edges[j].v, p, &self.edges[c].v, &l.p[c]) == Ordering::Less) {
                best = Some(j);
            }
        }
        let Some(c) = best else { return Ok(false) };
        let pivot = &l.p[c];
        let out = std::mem::take(&mut self.edges[c].v);
        let mut work = 8 + l.p.len() as u64;
        for (j, p) in l.p.iter().enumerate() {
            if j == c || p.is_zero() {
                continue;
            }
            let g = pivot.gcd(p);
            let (a, s) = (pivot.div_exact(&g), -p.div_exact(&g));
            let e = &mut self.edges[j];
            e.v = combine(&a, &e.v, &s, &out);
            e.den *= &a;
            normalise(&mut e.v, &mut e.den);
            work += e.v.len() as u64 * weight(&e.den);
        }
        step(&mut self.vertex, pivot, &l.value, &out);
        if let Some(m) = &mut self.big {
            step(m, pivot, &l.value_m, &out);
        }
        if l.equality {
            self.edges.swap_remove(c);
        } else {
            let mut e = Edge {
                v: out,
                den: pivot.clone(),
                integer: l.integer,
            };
            normalise(&mut e.v, &mut e.den);
            self.edges[c] = e;
        }
        b.spend(work / 8)?;
        Ok(true)
    }

    /// The first of the integer positions whose value isn't an integer.
    pub(super) fn first_fraction(&self, integer: &[bool]) -> Option<usize> {
        let fractional = |p: &Point, k: usize| !p.den.is_one() && !p.num[k].is_divisible_by(&p.den);
        (0..integer.len()).find(|&k| integer[k] && fractional(&self.vertex, k))
    }

    /// Adds Gomory's cut for an integer position with a fractional value.
    pub(super) fn cut(&mut self, k: usize, b: &Budget) -> Result<Cut> {
        let pos = position(k);
        let mut p = Vec::with_capacity(self.edges.len());
        for e in &self.edges {
            match at(&e.v, pos) {
                None => p.push(Int::ZERO),
                Some(_) if !e.integer => return Ok(Cut::None),
                Some(x) => p.push(x.mod_floor(&e.den)),
            }
        }
        let value = -(-&self.vertex.num[k]).mod_floor(&self.vertex.den);
        let local = Local {
            p,
            value,
            value_m: Int::ZERO,
            integer: true,
            equality: false,
        };
        Ok(if self.exchange(&local, b)? { Cut::Done } else { Cut::Infeasible })
    }

    /// The value of a position rounded down.
    pub(super) fn floor(&self, k: usize) -> Int {
        self.vertex.num[k].div_floor(&self.vertex.den)
    }
}

/// How moving to the minimum ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The vertex is the minimum.
    Minimum,
    /// No point holds all lines.
    Infeasible,
    /// No point is less than the limit.
    Reached,
}

/// What came of trying a cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cut {
    /// The vertex was cut off.
    Done,
    /// The position is an integer nowhere.
    Infeasible,
    /// There is no such cut, because a continuous coordinate takes part.
    None,
}

/// A position as it is stored.
pub(super) fn position(k: usize) -> u32 {
    u32::try_from(k).expect("fewer than 2^32 variables fit in memory")
}

/// How much more an operation with a number costs when it has left 64 bits.
fn weight(x: &Int) -> u64 {
    match x.words() {
        1 => 1,
        w => 16 * w,
    }
}

/// Moves a point along an edge so that a value at it becomes zero.
fn step(point: &mut Point, pivot: &Int, value: &Int, edge: &Sparse) {
    if value.is_zero() {
        return;
    }
    let g = pivot.gcd(value);
    point.step(&pivot.div_exact(&g), &-value.div_exact(&g), edge);
}

/// The product of two sparse vectors.
fn dot(x: &Sparse, y: &Sparse) -> Int {
    let mut s = Int::ZERO;
    if x.len() * 8 < y.len() {
        for (k, a) in x {
            if let Some(v) = at(y, *k) {
                s.add_mul(a, v);
            }
        }
        return s;
    }
    let (mut i, mut j) = (0, 0);
    while i < x.len() && j < y.len() {
        match x[i].0.cmp(&y[j].0) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => {
                s.add_mul(&x[i].1, &y[j].1);
                i += 1;
                j += 1;
            }
        }
    }
    s
}
