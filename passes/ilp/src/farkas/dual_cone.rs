//! The cone of the forms that are non-negative on a set.

use tilia_presburger::{BasicMap, BasicSet, Budget, ConstraintRows, DimType, Int};

use super::generators::{Generators, dot, generators};
use super::irredundant::{remove_implied, unique};
use crate::{Error, Linear, Outcome, Problem, Result, Row, RowKind, Session, Var};

/// With more rays than this the remaining constraints keep their multipliers.
const MAX_RAYS: usize = 1000;

/// An affine form on the elements of a set or map whose coefficients are expressions in the variables of a problem.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct AffineForm {
    /// The constant term.
    pub constant: Linear,
    /// One coefficient a parameter.
    pub params: Vec<Linear>,
    /// One coefficient an input dimension; none for a set.
    pub ins: Vec<Linear>,
    /// One coefficient an output or set dimension.
    pub outs: Vec<Linear>,
}

impl AffineForm {
    /// The form with something added to its constant term: "`form >= 1`" is "`form.plus(-1) >= 0`".
    #[must_use]
    pub fn plus(mut self, constant: i64) -> AffineForm {
        self.constant.constant += Int::new(constant);
        self
    }
}

/// A homogeneous constraint on the coefficients of a form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConeRow {
    /// For the form's constant term, then its coefficients of the parameters, the input and the output dimensions; then for the kept multipliers.
    pub coeffs: Vec<Int>,
    /// Is the sum at least zero, or zero?
    pub kind: RowKind,
}

/// The affine forms that are non-negative on a set: constraints on their coefficients. Compute it once for a dependence and use it for as many forms as you like.
///
/// ```
/// use tilia_ilp::{AffineForm, DualCone, Exact, Linear, Problem, Solver};
/// use tilia_presburger::{Budget, Int, Map};
///
/// # fn main() -> Result<(), tilia_ilp::Error> {
/// let b = Budget::default();
/// let m: Map = "[n] -> { [i] -> [i + 2] : 0 <= i < n }".parse().map_err(tilia_presburger::Error::from)?;
/// let cone = DualCone::of_map(&m.basic_maps()[0], &b)?;
/// // The least w with w - (j - i) >= 0 for all pairs i -> j.
/// let mut p = Problem::new();
/// let w = p.add_natural("w");
/// let form = AffineForm {
///     constant: Linear::var(w),
///     params: vec![Linear::zero()],
///     ins: vec![Linear::constant(1)],
///     outs: vec![Linear::constant(-1)],
/// };
/// cone.require(&form, &mut p);
/// assert_eq!(Exact.lexmin(&p, &b)?.solution().unwrap().values, [Int::new(2)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DualCone {
    n_param: usize,
    n_in: usize,
    n_out: usize,
    n_multiplier: usize,
    rows: Vec<ConeRow>,
}

impl DualCone {
    /// The dual cone of a map, usually a dependence. A form has a coefficient for each parameter, input and output dimension.
    ///
    /// # Errors
    /// [`Error::EmptySet`] when the map has no rational element; when the budget runs out.
    pub fn of_map(map: &BasicMap, b: &Budget) -> Result<DualCone> {
        let dims = [DimType::Param, DimType::In, DimType::Out].map(|t| map.dim(t));
        DualCone::with_limit(&map.constraint_rows(), dims, MAX_RAYS, b)
    }

    /// The dual cone of a set. A form has a coefficient for each parameter and dimension.
    ///
    /// # Errors
    /// [`Error::EmptySet`] when the set has no rational element; when the budget runs out.
    pub fn of_set(set: &BasicSet, b: &Budget) -> Result<DualCone> {
        let dims = [set.dim(DimType::Param), 0, set.dim(DimType::Out)];
        DualCone::with_limit(&set.constraint_rows(), dims, MAX_RAYS, b)
    }

    /// The dual cone of a set given by rows, with as many parameters, input and output dimensions, and a limit for the number of rows beyond which multipliers stay.
    ///
    /// # Errors
    /// [`Error::EmptySet`] when the rows have no rational solution; when the budget runs out.
    pub fn with_limit(rows: &ConstraintRows, dims: [usize; 3], limit: usize, b: &Budget) -> Result<DualCone> {
        let [n_param, n_in, n_out] = dims;
        let cols = 1 + n_param + n_in + n_out + rows.n_local;
        let mut positive = vec![Int::ZERO; cols];
        positive[0] = Int::ONE;
        let mut inequalities = vec![positive];
        inequalities.extend(rows.inequalities.iter().cloned());
        let g = generators(cols, &rows.equalities, &inequalities, limit, b)?;
        if is_empty(&g, b)? {
            return Err(Error::EmptySet);
        }
        Ok(DualCone {
            n_param,
            n_in,
            n_out,
            n_multiplier: g.kept.len(),
            rows: cone_rows(&g, cols - rows.n_local, rows.n_local > 0, b)?,
        })
    }

    /// How many multipliers were kept: 0 but for sets with very many vertices.
    pub fn n_multipliers(&self) -> usize {
        self.n_multiplier
    }

    /// The constraints on the coefficients.
    pub fn cone_rows(&self) -> &[ConeRow] {
        &self.rows
    }

    /// The rows that say `form >= 0` on the set. Multipliers, if there are any, are the variables from `first_multiplier` on.
    ///
    /// Rows that hold anyway are left out; one without variables that doesn't hold stays, so that the problem is infeasible.
    ///
    /// # Panics
    /// When the form's dimensions aren't those of the set.
    pub fn rows(&self, form: &AffineForm, first_multiplier: usize) -> Vec<Row> {
        assert_eq!(
            [form.params.len(), form.ins.len(), form.outs.len()],
            [self.n_param, self.n_in, self.n_out],
            "a coefficient for each dimension"
        );
        let columns: Vec<&Linear> = std::iter::once(&form.constant)
            .chain(&form.params)
            .chain(&form.ins)
            .chain(&form.outs)
            .collect();
        let mut out: Vec<Row> = Vec::with_capacity(self.rows.len());
        for r in &self.rows {
            let row = r.substitute(&columns, first_multiplier);
            let always = row.terms.is_empty()
                && if row.kind == RowKind::Eq {
                    row.constant.is_zero()
                } else {
                    !row.constant.is_neg()
                };
            if !always && !out.contains(&row) {
                out.push(row);
            }
        }
        out
    }

    /// Adds rows that say `form >= 0` on the set, and the multipliers they need.
    ///
    /// # Panics
    /// When the form's dimensions aren't those of the set.
    pub fn require(&self, form: &AffineForm, p: &mut Problem) {
        let first = p.vars.len();
        for k in 0..self.n_multiplier {
            p.add_var(Var::multiplier(format!("lambda_{}", first + k)));
        }
        p.rows.extend(self.rows(form, first));
    }
}

impl ConeRow {
    /// The row over the variables that the form's coefficients are made of, terms sorted and in lowest terms.
    fn substitute(&self, columns: &[&Linear], first_multiplier: usize) -> Row {
        let mut sum = Linear::zero();
        for (a, c) in self.coeffs.iter().zip(columns) {
            sum.add_scaled(a, c);
        }
        for (k, a) in self.coeffs[columns.len()..].iter().enumerate().filter(|(_, a)| !a.is_zero()) {
            sum.add_term(first_multiplier + k, a.clone());
        }
        let mut row = match self.kind {
            RowKind::Ge => Row::non_negative(sum),
            RowKind::Eq => Row::zero(sum),
        };
        row.simplify();
        row
    }
}

/// Has the set no rational point? The generators' first coordinate is positive where they are points.
fn is_empty(g: &Generators, b: &Budget) -> Result<bool> {
    if g.rays.iter().all(|r| r[0].is_zero()) {
        return Ok(true);
    }
    if g.kept.is_empty() {
        return Ok(false);
    }
    // Is there a combination of the generators that is a point and respects the other constraints?
    let mut p = Problem::new();
    let mut sums: Vec<Linear> = g.kept.iter().map(|_| Linear::zero()).collect();
    let mut point = Linear::constant(-1);
    for (v, line) in g.rays.iter().map(|r| (r, false)).chain(g.lines.iter().map(|l| (l, true))) {
        let mut var = Var::multiplier("");
        if line {
            var.lower = None;
        }
        let x = p.add_var(var);
        point.add_term(x, v[0].clone());
        for (s, c) in sums.iter_mut().zip(&g.kept) {
            s.add_term(x, dot(c, v));
        }
    }
    p.add_eq(point);
    sums.into_iter().for_each(|s| p.add_ge(s));
    Ok(matches!(Session::new(&p)?.solve(b)?, Outcome::Infeasible))
}

/// One row a generator: the form less the combination of the kept constraints isn't negative on a ray and zero on a line.
fn cone_rows(g: &Generators, form_cols: usize, has_locals: bool, b: &Budget) -> Result<Vec<ConeRow>> {
    let extended = |v: &Vec<Int>| {
        let mut r = v[..form_cols].to_vec();
        r.extend(g.kept.iter().map(|c| -dot(c, v)));
        r
    };
    let lines: Vec<_> = g.lines.iter().map(extended).collect();
    let rays: Vec<_> = g.rays.iter().map(extended).collect();
    // Projections may coincide or lie inside the others' hull.
    let (equalities, mut rays) = unique(lines, rays);
    if has_locals && g.kept.is_empty() {
        remove_implied(&equalities, &mut rays, b)?;
    }
    let row = |kind| move |coeffs| ConeRow { coeffs, kind };
    let equalities = equalities.into_iter().map(row(RowKind::Eq));
    Ok(equalities.chain(rays.into_iter().map(row(RowKind::Ge))).collect())
}
