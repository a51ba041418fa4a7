//! One integer program: from the edges, objectives and constraints of a component to the rows of its statements.

use crate::Row;
use crate::constrain;
use crate::cost::{self, CostInput};
use crate::dump;
use crate::edge::Edge;
use crate::error::{Error, Result, out_of_budget};
use crate::program::{Bounds, Program, value};
use crate::progress::{self, Independence, Needy};
use std::collections::BTreeMap;
use tilia_ilp::{Linear, Outcome, Solver};
use tilia_presburger::{Budget, Int};
use tilia_strategy::{CostFunction, LinearConstraint, Unknown};

/// What a directive demands of the row that is being computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Demand {
    /// The coefficient of a statement's iterator is zero.
    Without(usize, usize),
    /// The row of the statement is that iterator alone.
    Alone(usize, usize),
    /// Active edges with an end in the statement are at distance zero.
    Coincident(usize),
    /// Active edges from the statement to itself are at distance zero.
    SelfCoincident(usize),
}

/// A question to the solver.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    /// Depth of each statement of the scop.
    pub(crate) depths: &'a [usize],
    /// Statements that need rank.
    pub(crate) needy: &'a [Needy],
    /// Objectives.
    pub(crate) cost: &'a [CostFunction],
    /// Statements and edges, and what objectives know of them.
    pub(crate) input: CostInput<'a>,
    /// Edges that the row needn't respect, since the live ranges at their ends stay local.
    pub(crate) given_up: &'a [&'a Edge],
    /// The flow within these live ranges: at distance zero.
    pub(crate) local: &'a [&'a Edge],
    /// Custom constraints that name these statements.
    pub(crate) constraints: &'a [LinearConstraint],
    /// What directives demand.
    pub(crate) demands: &'a [Demand],
    /// Limits of the coefficients.
    pub(crate) bounds: &'a Bounds,
    /// May rows mix iterators?
    pub(crate) skewing: bool,
    /// Who answers.
    pub(crate) solver: &'a dyn Solver,
    /// Only objectives that are less than these are wanted.
    pub(crate) below: Option<&'a [Int]>,
    /// Is the program wanted as text?
    pub(crate) dump: bool,
}

/// Rows for the statements of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) rows: BTreeMap<usize, Row>,
    /// Factors of the parameters in the bound of the distances, where proximity was asked for.
    pub(crate) u: Vec<Int>,
    /// Constant of that bound.
    pub(crate) w: Option<Int>,
    /// Values of the objectives' columns.
    pub(crate) objective: Vec<Int>,
    /// Legal, but not proven to be the least.
    pub(crate) approximate: bool,
    /// The program as text, where that was asked for.
    pub(crate) dump: Option<String>,
}

/// Units of work of one integer program, and more for each statement: three times what the largest of PolyBench needs (adi under `pluto+`, 555,000 for 14 statements).
const PROGRAM_BUDGET: u64 = 1_000_000;
const PROGRAM_BUDGET_A_STATEMENT: u64 = 50_000;

/// Runs a search within its own share of the budget. Where only the share runs out, nothing was found; that is counted, for a remark.
fn within<T>(input: CostInput<'_>, b: &Budget, run: impl FnOnce(&Budget) -> Result<Option<T>>) -> Result<Option<T>> {
    let units = PROGRAM_BUDGET.saturating_add(PROGRAM_BUDGET_A_STATEMENT.saturating_mul(input.stmts.len() as u64));
    let share = b.part(units);
    let out = run(&share);
    b.spend(share.used().min(b.remaining()))?;
    match out {
        Err(Error::Sets(e)) if out_of_budget(&e) && b.remaining() > 0 => {
            input.given_up.set(input.given_up.get() + 1);
            Ok(None)
        }
        other => other,
    }
}

impl Ask<'_> {
    /// The rows with the least objectives under a form of progression; `None` when there are none.
    pub(crate) fn solve(&self, how: Independence, b: &Budget) -> Result<Option<Answer>> {
        within(self.input, b, |b| {
            let (mut program, columns) = self.base(b)?;
            let needy = match how {
                Independence::Orthant | Independence::Sum | Independence::Lazy => self.signed(&program, b)?,
                Independence::Exact | Independence::None => self.needy.to_vec(),
            };
            if self.bounds.negative.is_none() && matches!(how, Independence::Orthant | Independence::Sum | Independence::Exact) {
                needy.iter().for_each(|n| progress::not_zero(&mut program, n.stmt));
            }
            let bound = self.bounds.negative.as_ref().unwrap_or(&self.bounds.coefficient);
            progress::require(&mut program, &needy, how, bound);
            self.minimum(&program, &columns, b)
        })
    }

    /// Everything but progression.
    fn base(&self, b: &Budget) -> Result<(Program, cost::Columns)> {
        let mut program = Program::default();
        let columns = cost::add_columns(&mut program, self.cost, self.input);
        for v in self.input.variables {
            cost::variable(&mut program, v);
        }
        if self.names_bound() {
            cost::bound_columns(&mut program, self.input.param_order);
        }
        for &s in self.input.stmts {
            program.add_stmt(s, self.depths[s], self.input.param_order.len(), self.bounds);
        }
        let carried = cost::carried_columns(&mut program, self.cost, self.input.edges);
        for (n, edge) in self.input.edges.iter().enumerate() {
            let least = carried.get(&n).map_or_else(Linear::zero, |&e| Linear::var(e));
            constrain::at_least(&mut program, edge, &least, b)?;
        }
        for edge in self.local {
            constrain::zero(&mut program, edge, b)?;
        }
        cost::add_rows(&mut program, (self.cost, &columns), &carried, self.input, b)?;
        self.constraint_rows(&mut program);
        self.demand_rows(&mut program, b)?;
        Ok((program, columns))
    }

    /// Does anything but an objective speak of the bound of proximity?
    fn names_bound(&self) -> bool {
        let names = |c: &LinearConstraint| c.terms.iter().any(|(u, _)| matches!(u, Unknown::Bound | Unknown::BoundFactor(_)));
        self.cost.contains(&CostFunction::Parallelism) || self.constraints.iter().any(names)
    }

    fn constraint_rows(&self, program: &mut Program) {
        for c in self.constraints {
            let mut form = Linear::constant(c.constant.clone());
            for (unknown, factor) in &c.terms {
                if let Some(f) = form_of(program, unknown) {
                    form.add_scaled(factor, &f);
                }
            }
            if c.equality {
                program.eq(form);
            } else {
                program.ge(form);
            }
        }
        if !self.skewing {
            for s in self.input.stmts {
                let mut room = Linear::constant(1);
                program.stmts[s].sizes.iter().for_each(|f| room.add_scaled(&Int::NEG_ONE, f));
                program.ge(room);
            }
        }
    }

    fn demand_rows(&self, program: &mut Program, b: &Budget) -> Result<()> {
        for d in self.demands {
            match *d {
                Demand::Without(s, k) => {
                    let form = program.stmts[&s].iters[k].clone();
                    program.eq(form);
                }
                Demand::Alone(s, k) => {
                    for (n, mut form) in program.stmts[&s].iters.clone().into_iter().enumerate() {
                        form.constant = if n == k { Int::NEG_ONE } else { Int::ZERO };
                        program.eq(form);
                    }
                }
                Demand::Coincident(s) | Demand::SelfCoincident(s) => {
                    let own = matches!(d, Demand::SelfCoincident(_));
                    let meant = |e: &&&Edge| {
                        let (from, to) = (e.source == s, e.target == s);
                        e.is_active() && if own { from && to } else { from || to }
                    };
                    for e in self.input.edges.iter().chain(self.given_up).filter(meant) {
                        constrain::zero(program, e, b)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The kernel bases with signs that the other rows allow: where a product can't be 1 or more, its vector is turned round. Vectors without negative entries need no test while
    /// coefficients are non-negative.
    fn signed(&self, program: &Program, b: &Budget) -> Result<Vec<Needy>> {
        let mut out = self.needy.to_vec();
        for n in &mut out {
            for j in 0..n.basis.len() {
                let plain = n.basis[j].iter().all(|x| !x.is_neg());
                if plain && self.bounds.negative.is_none() {
                    continue;
                }
                let mut trial = program.clone();
                let mut form = n.product(&trial, j);
                form.constant = &form.constant - &Int::ONE;
                trial.ge(form);
                if !self.feasible(&trial, b)? {
                    n.basis[j].iter_mut().for_each(|x| *x = -&*x);
                }
            }
        }
        Ok(out)
    }

    fn feasible(&self, program: &Program, b: &Budget) -> Result<bool> {
        let Some(problem) = program.problem() else { return Ok(false) };
        let mut problem = problem.clone();
        problem.vars.iter_mut().for_each(|v| v.lex = false);
        Ok(matches!(self.solver.lexmin(&problem, b)?, Outcome::Optimal(_)))
    }

    fn minimum(&self, program: &Program, columns: &cost::Columns, b: &Budget) -> Result<Option<Answer>> {
        let Some(problem) = program.problem() else { return Ok(None) };
        // The limit speaks of the first columns.
        let first = columns.iter().flatten().enumerate().all(|(n, &v)| n == v);
        let below = self.below.filter(|_| first);
        let outcome = match below {
            Some(below) => self.solver.lexmin_below(problem, below, b)?,
            None => self.solver.lexmin(problem, b)?,
        };
        let Outcome::Optimal(solution) = outcome else {
            return Ok(None);
        };
        let all = |forms: &[Linear]| forms.iter().map(|f| value(f, &solution)).collect();
        let rows = program.stmts.iter().map(|(&s, f)| {
            let row = Row {
                iters: all(&f.iters),
                params: all(&f.params),
                constant: value(&f.constant, &solution),
            };
            (s, row)
        });
        let at = |v: usize| solution.values[v].clone();
        Ok(Some(Answer {
            rows: rows.collect(),
            u: program
                .bound
                .as_ref()
                .map(|(u, _)| u.iter().map(|&v| at(v)).collect())
                .unwrap_or_default(),
            w: program.bound.as_ref().map(|(_, w)| at(*w)),
            objective: columns.iter().flatten().map(|&v| at(v)).collect(),
            approximate: solution.approximate,
            dump: self.dump.then(|| dump::lp(problem)),
        }))
    }
}

/// The form of an unknown that a constraint names; `None` for a statement that isn't part of the program.
fn form_of(program: &Program, unknown: &Unknown) -> Option<Linear> {
    let stmt = |id: &tilia_scop::StmtId| program.stmts.get(&(id.0 as usize));
    match unknown {
        Unknown::Iterator(s, k) => stmt(s)?.iters.get(*k).cloned(),
        Unknown::Parameter(s, q) => stmt(s)?.params.get(*q).cloned(),
        Unknown::Constant(s) => Some(stmt(s)?.constant.clone()),
        Unknown::BoundFactor(q) => program.bound.as_ref()?.0.get(*q).map(|&v| Linear::var(v)),
        Unknown::Bound => program.bound.as_ref().map(|(_, w)| Linear::var(*w)),
        Unknown::User(name) => program.user.get(name).map(|&v| Linear::var(v)),
    }
}
