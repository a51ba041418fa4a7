//! Objectives: the columns that each cost function contributes, and the rows that tie them to the unknowns (see docs/strategies.md, and PolyTOPS (Consolaro et al., CGO 2024)).

use crate::constrain;
use crate::edge::Edge;
use crate::error::Result;
use crate::program::Program;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use tilia_ilp::{DualCone, Linear, Var};
use tilia_presburger::{Budget, Int};
use tilia_strategy::{CostFunction, NewVariable};

/// What costs need to know beside the edges.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CostInput<'a> {
    /// Statements of the component.
    pub(crate) stmts: &'a [usize],
    /// Edges within the component that count.
    pub(crate) edges: &'a [&'a Edge],
    /// Pairs of reads of one element, whose distances proximity bounds, too.
    pub(crate) reuse: &'a [Edge],
    /// In which order the parameters' factors are minimised.
    pub(crate) param_order: &'a [usize],
    /// For each statement, for each iterator: its rank for contiguity; the best vector iterator has the largest.
    pub(crate) contiguity: &'a [Vec<Int>],
    /// For each statement, for each iterator: its rank by extent; the largest loop has 1.
    pub(crate) big_loops: &'a [Vec<Int>],
    /// Cones of the statements' domain pieces, for latency.
    pub(crate) domains: &'a [Vec<Arc<DualCone>>],
    /// User variables.
    pub(crate) variables: &'a [NewVariable],
    /// Counts the integer programs that took more than their share of the budget.
    pub(crate) given_up: &'a Cell<usize>,
}

/// The columns of each objective, in the order of the cost functions.
pub(crate) type Columns = Vec<Vec<usize>>;

/// Adds the columns of the objectives: they come first, so that they are minimised first.
pub(crate) fn add_columns(program: &mut Program, cost: &[CostFunction], input: CostInput<'_>) -> Columns {
    cost.iter().map(|c| columns(program, c, input)).collect()
}

fn columns(program: &mut Program, cost: &CostFunction, input: CostInput<'_>) -> Vec<usize> {
    match cost {
        CostFunction::Proximity => bound_columns(program, input.param_order),
        CostFunction::Latency => {
            let mut all: Vec<usize> = input.param_order.iter().map(|q| program.natural(format!("L_{q}"))).collect();
            all.push(program.natural("l"));
            all
        }
        CostFunction::Contiguity | CostFunction::BigLoopsFirst => {
            let name = cost.name();
            let mut all = vec![program.natural(format!("{name}_sum"))];
            all.extend(input.stmts.iter().map(|s| program.natural(format!("{name}_S{s}"))));
            all
        }
        CostFunction::Feautrier | CostFunction::SkewSum => vec![program.natural(cost.name())],
        CostFunction::Parallelism => vec![program.binary(cost.name())],
        CostFunction::Variable(name) => {
            let declared = input.variables.iter().find(|v| v.name == *name);
            declared.map(|v| vec![variable(program, v)]).unwrap_or_default()
        }
    }
}

/// The column of a user variable, made once.
pub(crate) fn variable(program: &mut Program, v: &NewVariable) -> usize {
    if let Some(&col) = program.user.get(&v.name) {
        return col;
    }
    let col = program.column(Var {
        integer: v.integer,
        ..Var::integer(v.name.clone(), v.min.map(Int::from), v.max.map(Int::from))
    });
    program.user.insert(v.name.clone(), col);
    col
}

/// The columns of the proximity bound, made once, in the order in which they are minimised.
pub(crate) fn bound_columns(program: &mut Program, order: &[usize]) -> Vec<usize> {
    if program.bound.is_none() {
        let mut u = vec![0; order.len()];
        for &q in order {
            u[q] = program.natural(format!("u_{q}"));
        }
        let w = program.natural("w");
        program.bound = Some((u, w));
    }
    let Some((u, w)) = &program.bound else { return Vec::new() };
    order.iter().map(|&q| u[q]).chain([*w]).collect()
}

/// Which edges a row must carry strictly, as 0/1 columns: Feautrier's objective needs them in place of plain legality.
pub(crate) type Carried = BTreeMap<usize, usize>;

/// Adds the rows of the objectives; the statements' columns are there already. `carried`: for the position of an edge among the input's, the column that says whether it is carried.
pub(crate) fn add_rows(
    program: &mut Program,
    (cost, columns): (&[CostFunction], &Columns),
    carried: &Carried,
    input: CostInput<'_>,
    b: &Budget,
) -> Result<()> {
    for (c, cols) in cost.iter().zip(columns) {
        match c {
            CostFunction::Feautrier => {
                // missed = sum (1 - carried)
                let mut missed = Linear::var(cols[0]);
                for &e in carried.values() {
                    missed.add_term(e, 1);
                }
                missed.constant = -Int::from(carried.len());
                program.eq(missed);
            }
            CostFunction::Latency => latency(program, cols, input),
            CostFunction::Contiguity => ranked(program, cols, input.stmts, input.contiguity),
            CostFunction::BigLoopsFirst => ranked(program, cols, input.stmts, input.big_loops),
            CostFunction::SkewSum => skew_sum(program, cols[0], input.stmts),
            CostFunction::Parallelism => parallelism(program, cols[0]),
            CostFunction::Proximity | CostFunction::Variable(_) => {}
        }
    }
    for e in input.edges.iter().copied().chain(input.reuse) {
        constrain::bounded(program, e, b)?;
    }
    Ok(())
}

fn latency(program: &mut Program, cols: &[usize], input: CostInput<'_>) {
    let Some((&l, factors)) = cols.split_last() else { return };
    let mut by_param = vec![0; factors.len()];
    for (&q, &col) in input.param_order.iter().zip(factors) {
        by_param[q] = col;
    }
    for &s in input.stmts {
        for cone in &input.domains[s] {
            constrain::latency(program, s, cone, (&by_param, l));
        }
    }
}

/// `value_S = sum_k T_k * rank_k` for each statement, and their sum.
fn ranked(program: &mut Program, cols: &[usize], stmts: &[usize], ranks: &[Vec<Int>]) {
    let mut total = Linear::var(cols[0]);
    for (&s, &col) in stmts.iter().zip(&cols[1..]) {
        let mut form = Linear::var(col);
        for (t, rank) in program.stmts[&s].iters.iter().zip(&ranks[s]) {
            form.add_scaled(&-rank, t);
        }
        program.eq(form);
        total.add_term(col, -1);
    }
    program.eq(total);
}

/// `sum over statements and iterators of |T| - 1`, at least 0.
fn skew_sum(program: &mut Program, col: usize, stmts: &[usize]) {
    let mut form = Linear::var(col);
    for s in stmts {
        for size in &program.stmts[s].sizes {
            form.add_scaled(&Int::NEG_ONE, size);
        }
        form.constant = &form.constant + &Int::ONE;
    }
    program.ge(form);
}

/// Larger than any bound on distances that is worth having.
const LARGE: i64 = 1 << 20;

/// The bound is zero unless the column is 1.
fn parallelism(program: &mut Program, col: usize) {
    let Some((u, w)) = program.bound.clone() else { return };
    for v in u.into_iter().chain([w]) {
        let mut form = Linear::term(col, LARGE);
        form.add_term(v, -1);
        program.ge(form);
    }
}

/// A column for each edge that the row may carry strictly.
pub(crate) fn carried_columns(program: &mut Program, cost: &[CostFunction], edges: &[&Edge]) -> Carried {
    if !cost.contains(&CostFunction::Feautrier) {
        return Carried::new();
    }
    let open = edges.iter().enumerate().filter(|(_, e)| e.is_active());
    open.map(|(n, e)| {
        (
            n,
            program.column(Var::integer(
                format!("e_{}_{}_{n}", e.source, e.target),
                Some(Int::ZERO),
                Some(Int::ONE),
            )),
        )
    })
    .collect()
}
