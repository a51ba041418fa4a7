//! The lexicographic dual simplex tableau.
//!
//! A row is `[den, const, big-M, columns.., symbols..]`. Each free variable `x` is held as `x' = x + M >= 0` for an `M` larger
//! than, and divisible by, everything else; all column unknowns are non-negative integers. *Invariant*: the column vectors,
//! read in the order of the variables, are lexicographically positive, so the point with all column unknowns at zero is the
//! minimum as soon as no constraint row is negative there.

use crate::error::Result;
use crate::num::{Budget, Int, Mat, row};

/// Where an unknown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Row(usize),
    Col(usize),
}

/// Columns before those of unknowns.
const LEAD: usize = 3;

#[derive(Clone, Debug)]
pub(super) struct LexTableau {
    n_var: usize,
    rows: Mat,
    /// The variable that owns a row, `None` for a constraint.
    row_var: Vec<Option<usize>>,
    col_var: Vec<Option<usize>>,
    place: Vec<Place>,
    /// Constraint rows known not to be negative in the present context.
    pub(super) non_negative: Vec<bool>,
}

impl LexTableau {
    pub(super) fn new(n_var: usize, n_sym: usize) -> LexTableau {
        LexTableau {
            n_var,
            rows: Mat::new(LEAD + n_var + n_sym),
            row_var: Vec::new(),
            col_var: (0..n_var).map(Some).collect(),
            place: (0..n_var).map(Place::Col).collect(),
            non_negative: Vec::new(),
        }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn is_constraint(&self, r: usize) -> bool {
        self.row_var[r].is_none()
    }

    pub(super) fn place(&self, var: usize) -> Place {
        self.place[var]
    }

    /// The place of a variable, if there is that one.
    pub(super) fn try_place(&self, var: usize) -> Option<Place> {
        self.place.get(var).copied()
    }

    fn sym_start(&self) -> usize {
        LEAD + self.n_var
    }

    /// Appends a symbol.
    pub(super) fn add_symbol(&mut self) {
        let c = self.rows.cols();
        self.rows.insert_cols(c, 1);
    }

    /// Adds `const + syms + vars >= 0`, all variables still being columns.
    pub(super) fn add_initial(&mut self, constant: &Int, syms: &[Int], vars: &[Int]) {
        let n = self.n_var;
        let start = self.sym_start();
        let r = self.rows.push_zero();
        r[0] = Int::ONE;
        r[1] = constant.clone();
        for (j, a) in vars.iter().enumerate() {
            // x = x' - M.
            r[2] -= a;
            r[LEAD + j] = a.clone();
        }
        debug_assert_eq!(vars.len(), n);
        r[start..start + syms.len()].clone_from_slice(syms);
        self.row_var.push(None);
        self.non_negative.push(false);
    }

    /// The big-M coefficient of a row.
    pub(super) fn big_m(&self, r: usize) -> &Int {
        &self.rows[r][2]
    }

    /// The denominator of a row.
    pub(super) fn den(&self, r: usize) -> &Int {
        &self.rows[r][0]
    }

    /// The numerator of the constant part of a row: `[const, syms..]`.
    pub(super) fn symbolic(&self, r: usize) -> Vec<Int> {
        let row = &self.rows[r];
        std::iter::once(row[1].clone())
            .chain(row[self.sym_start()..].iter().cloned())
            .collect()
    }

    /// Adds a row that is zero in the present context (`[const, syms..]`) to the numerator of row `r`.
    pub(super) fn add_to_symbolic(&mut self, r: usize, zero: &[Int]) {
        let start = self.sym_start();
        let row = &mut self.rows[r];
        row[1] += &zero[0];
        for (x, z) in row[start..].iter_mut().zip(&zero[1..]) {
            *x += z;
        }
        normalise(row);
    }

    /// Moves constraint row `r`, which is negative, to a column; false when that can't be: the row is negative everywhere.
    pub(super) fn raise(&mut self, r: usize, b: &Budget) -> Result<bool> {
        let mut best: Option<usize> = None;
        for c in 0..self.n_var {
            if self.rows[r][LEAD + c].is_pos() {
                best = Some(best.map_or(c, |o| self.smaller_change(r, o, c)));
            }
        }
        match best {
            Some(c) => {
                self.pivot(r, c, b)?;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Which of two columns changes the variables less, lexicographically, when it raises row `r` to zero?
    fn smaller_change(&self, r: usize, c1: usize, c2: usize) -> usize {
        let (a1, a2) = (&self.rows[r][LEAD + c1], &self.rows[r][LEAD + c2]);
        for place in &self.place {
            let d = match *place {
                Place::Row(u) => Int::cross(&self.rows[u][LEAD + c1], a2, &self.rows[u][LEAD + c2], a1).signum(),
                Place::Col(c) if c == c1 => 1,
                Place::Col(c) if c == c2 => -1,
                Place::Col(_) => 0,
            };
            match d {
                0 => {}
                d if d < 0 => return c1,
                _ => return c2,
            }
        }
        c1
    }

    fn pivot(&mut self, r: usize, c: usize, b: &Budget) -> Result<()> {
        let col = LEAD + c;
        b.spend(1 + (self.rows.len() * self.rows.cols() / 8) as u64 * row::weight(&self.rows[r]))?;
        std::mem::swap(&mut self.row_var[r], &mut self.col_var[c]);
        if let Some(v) = self.row_var[r] {
            self.place[v] = Place::Row(r);
        }
        if let Some(v) = self.col_var[c] {
            self.place[v] = Place::Col(c);
        }
        self.non_negative[r] = false;
        solve_row(&mut self.rows[r], col);
        for i in 0..self.rows.len() {
            if i != r && !self.rows[i][col].is_zero() {
                let (dst, src) = self.rows.pair_mut(i, r);
                substitute(dst, src, col);
                self.non_negative[i] = false;
            }
        }
        Ok(())
    }

    /// Adds the cut `(Σ (b_j mod d)·col_j - R + d·q) / d >= 0` for row `r`, where `q` is symbol `sym` (or zero).
    pub(super) fn add_cut(&mut self, r: usize, remainder: &[Int], sym: Option<usize>) {
        let d = self.rows[r][0].clone();
        let start = self.sym_start();
        let mut cut = vec![Int::ZERO; self.rows.cols()];
        cut[0] = d.clone();
        cut[1] = -&remainder[0];
        for (j, x) in remainder[1..].iter().enumerate() {
            cut[start + j] = -x;
        }
        if let Some(q) = sym {
            cut[start + q] += &d;
        }
        for (c, x) in cut[LEAD..start].iter_mut().zip(&self.rows[r][LEAD..start]) {
            *c = x.mod_floor(&d);
        }
        normalise(&mut cut);
        self.rows.push_vec(cut);
        self.row_var.push(None);
        self.non_negative.push(false);
    }

    /// `R = (-numerator mod d)` of the constant part: the row is an integer exactly where the column part is `R` modulo `d`.
    pub(super) fn remainder(&self, r: usize) -> Vec<Int> {
        let d = &self.rows[r][0];
        self.symbolic(r).iter().map(|x| (-x).mod_floor(d)).collect()
    }
}

fn solve_row(r: &mut [Int], col: usize) {
    let (head, tail) = r.split_at_mut(1);
    std::mem::swap(&mut head[0], &mut tail[col - 1]);
    if r[0].is_neg() {
        r[0].negate();
        r[col].negate();
    } else {
        for (j, x) in r.iter_mut().enumerate().skip(1) {
            if j != col && !x.is_zero() {
                x.negate();
            }
        }
    }
    normalise(r);
}

fn substitute(dst: &mut [Int], src: &[Int], col: usize) {
    let x = std::mem::take(&mut dst[col]);
    let d = src[0].clone();
    dst[0] *= &d;
    row::combine(&mut dst[1..], &d, &x, &src[1..]);
    normalise(dst);
}

fn normalise(r: &mut [Int]) {
    if !r[0].is_one() {
        let g = row::gcd(r);
        if !g.is_one() {
            row::div_exact(r, &g);
        }
    }
}
