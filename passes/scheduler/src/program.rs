//! The integer program of one dimension and component: its columns in the order in which they are minimised, and its rows, each once (the order is Pluto's).

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use tilia_ilp::{Linear, Problem, Row, RowKind, Solution, Var};
use tilia_presburger::Int;

/// What coefficients may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Largest coefficient.
    pub(crate) coefficient: Int,
    /// Largest constant.
    pub(crate) constant: Int,
    /// With negative coefficients: the largest absolute value.
    pub(crate) negative: Option<Int>,
    /// May rows shift by parameters?
    pub(crate) parametric: bool,
}

/// The unknowns of one statement's row, as forms over the program's columns.
#[derive(Debug, Clone)]
pub(crate) struct StmtForms {
    /// One for each iterator, outermost first.
    pub(crate) iters: Vec<Linear>,
    /// One for each parameter; zero without parametric shifting.
    pub(crate) params: Vec<Linear>,
    pub(crate) constant: Linear,
    /// Sizes of the iterators' coefficients.
    pub(crate) sizes: Vec<Linear>,
}

/// A program being put together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    problem: Problem,
    seen: FxHashSet<Row>,
    /// The program can't have a solution: a row without variables is false.
    contradicts: bool,
    /// Statements by number.
    pub(crate) stmts: BTreeMap<usize, StmtForms>,
    /// Bounds of proximity: factors of the parameters, and the constant.
    pub(crate) bound: Option<(Vec<usize>, usize)>,
    /// User variables by name.
    pub(crate) user: BTreeMap<String, usize>,
}

/// Like terms added up, ordered by column, divided by their common divisor where the row is an inequality (the constant rounded down: columns are integers).
fn tidy(form: Linear, kind: RowKind, integer: bool) -> Row {
    let mut sum: BTreeMap<usize, Int> = BTreeMap::new();
    for (v, c) in form.terms {
        let entry = sum.entry(v).or_insert(Int::ZERO);
        *entry = &*entry + &c;
    }
    let mut terms: Vec<(usize, Int)> = sum.into_iter().filter(|(_, c)| !c.is_zero()).collect();
    let mut constant = form.constant;
    let g = terms.iter().fold(Int::ZERO, |g, (_, c)| g.gcd(c));
    if !g.is_zero() && !g.is_one() && (integer && kind == RowKind::Ge || constant.is_divisible_by(&g)) {
        terms.iter_mut().for_each(|(_, c)| *c = c.div_exact(&g));
        constant = constant.div_floor(&g);
    }
    Row { terms, constant, kind }
}

impl Program {
    /// A new column, behind all others.
    pub(crate) fn column(&mut self, var: Var) -> usize {
        self.problem.add_var(var)
    }

    /// A new integer column of at least zero.
    pub(crate) fn natural(&mut self, name: impl Into<String>) -> usize {
        self.problem.add_natural(name)
    }

    /// A new column of 0 or 1.
    pub(crate) fn binary(&mut self, name: impl Into<String>) -> usize {
        self.problem.add_bounded(name, 0, 1)
    }

    /// `form >= 0`.
    pub(crate) fn ge(&mut self, form: Linear) {
        self.add(form, RowKind::Ge);
    }

    /// `form = 0`.
    pub(crate) fn eq(&mut self, form: Linear) {
        self.add(form, RowKind::Eq);
    }

    /// A row as it stands.
    pub(crate) fn row(&mut self, row: Row) {
        let form = Linear {
            terms: row.terms,
            constant: row.constant,
        };
        self.add(form, row.kind);
    }

    fn add(&mut self, form: Linear, kind: RowKind) {
        let integer = form.terms.iter().all(|(v, _)| self.problem.vars[*v].integer);
        let row = tidy(form, kind, integer);
        if row.terms.is_empty() {
            let holds = match kind {
                RowKind::Ge => !row.constant.is_neg(),
                RowKind::Eq => row.constant.is_zero(),
            };
            self.contradicts |= !holds;
        } else if self.is_new(&row) {
            self.problem.add_row(row);
        }
    }

    /// Isn't the row there already, or implied by the columns' lower bounds?
    fn is_new(&mut self, row: &Row) -> bool {
        let implied = row.kind == RowKind::Ge
            && !row.constant.is_neg()
            && row
                .terms
                .iter()
                .all(|(v, c)| c.is_pos() && self.problem.vars[*v].lower.as_ref().is_some_and(|l| !l.is_neg()));
        !implied && self.seen.insert(row.clone())
    }

    /// Adds the unknowns of a statement: the innermost iterator first, so that the lexicographic minimum prefers the outermost one. Where rows may shift by parameters or turn
    /// iterators round, the sum of all sizes comes before (else a shift would be bought with a needless skew).
    pub(crate) fn add_stmt(&mut self, stmt: usize, depth: usize, params: usize, bounds: &Bounds) {
        let mut forms = StmtForms {
            iters: vec![Linear::zero(); depth],
            params: vec![Linear::zero(); params],
            constant: Linear::zero(),
            sizes: vec![Linear::zero(); depth],
        };
        let total = (bounds.parametric || bounds.negative.is_some()).then(|| self.natural(format!("S{stmt}_sum")));
        if bounds.parametric {
            self.add_shift(stmt, &mut forms, bounds);
        }
        for k in (0..depth).rev() {
            match &bounds.negative {
                None => {
                    let name = format!("S{stmt}_it_{k}");
                    let v = self.column(Var::integer(name, Some(Int::ZERO), Some(bounds.coefficient.clone())));
                    forms.iters[k] = Linear::var(v);
                    forms.sizes[k] = Linear::var(v);
                }
                Some(b) => {
                    // T = size - 2 * minus, 0 <= minus <= size: the smaller size first, then the positive sign.
                    let size = self.column(Var::integer(format!("S{stmt}_abs_{k}"), Some(Int::ZERO), Some(b.clone())));
                    let minus = self.column(Var::integer(format!("S{stmt}_neg_{k}"), Some(Int::ZERO), Some(b.clone())));
                    forms.iters[k] = Linear::var(size);
                    forms.iters[k].add_term(minus, -2);
                    forms.sizes[k] = Linear::var(size);
                    let mut room = Linear::var(size);
                    room.add_term(minus, -1);
                    self.ge(room);
                }
            }
        }
        if let Some(total) = total {
            let mut sum = Linear::var(total);
            let parts = forms.sizes.iter().chain(&forms.params);
            parts.for_each(|p| sum.add_scaled(&Int::NEG_ONE, p));
            self.eq(sum);
        }
        let name = format!("S{stmt}_cst");
        let v = self.column(Var::integer(name, Some(Int::ZERO), Some(bounds.constant.clone())));
        forms.constant = Linear::var(v);
        self.stmts.insert(stmt, forms);
    }

    fn add_shift(&mut self, stmt: usize, forms: &mut StmtForms, bounds: &Bounds) {
        for (q, form) in forms.params.iter_mut().enumerate() {
            let name = format!("S{stmt}_par_{q}");
            let v = self
                .problem
                .add_var(Var::integer(name, Some(Int::ZERO), Some(bounds.coefficient.clone())));
            *form = Linear::var(v);
        }
    }

    /// The problem for a solver; `None` when a constant row is false.
    pub(crate) fn problem(&self) -> Option<&Problem> {
        (!self.contradicts).then_some(&self.problem)
    }
}

/// The value of a form in a solution.
pub(crate) fn value(form: &Linear, solution: &Solution) -> Int {
    form.terms
        .iter()
        .fold(form.constant.clone(), |s, (v, c)| s + c * &solution.values[*v])
}

/// `sum of factor * form` over pairs.
pub(crate) fn combination<'a>(terms: impl IntoIterator<Item = (&'a Int, &'a Linear)>) -> Linear {
    let mut out = Linear::zero();
    for (c, f) in terms {
        out.add_scaled(c, f);
    }
    out
}
