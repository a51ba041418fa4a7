//! Between matrices and sets or maps.

use super::{Error, Matrix, Relation};
use tilia_presburger::{Aff, BasicMap, BasicSet, Budget, Constraint, DimType, Int, Map, Set, Space, Term, Tuple};

/// What the sets library says, at a line.
pub(super) fn at(line: u32) -> impl Fn(tilia_presburger::Error) -> Error {
    move |e| Error::new(line, e.to_string())
}

/// The set of the output dimensions; `space` has as many.
pub(super) fn to_set(r: &Relation, space: &Space, b: &Budget) -> Result<Set, Error> {
    let mut all = Set::empty(space);
    for m in &r.parts {
        let wide = if space.is_params() {
            Space::set(space.params().to_vec(), Tuple::anonymous(m.locals))
        } else {
            space.insert_dims(DimType::Out, m.outputs, m.locals)
        };
        let constraints = rows(m, &wide, |k| if k < m.outputs { k } else { k - m.inputs }, m.locals);
        let part = BasicSet::from_constraints(&wide, &constraints).map_err(at(m.line))?;
        let part = if space.is_params() {
            part.to_union().params()
        } else {
            part.project_out(DimType::Out, m.outputs, m.locals, b)
                .map_err(at(m.line))?
                .to_union()
        };
        let part = part.compute_divs(b).map_err(at(m.line))?;
        all = unnamed_as(&part, space).and_then(|p| all.union(&p)).map_err(at(m.line))?;
    }
    Ok(all)
}

/// The same set in a space with the same dimensions.
fn unnamed_as(set: &Set, space: &Space) -> tilia_presburger::Result<Set> {
    if space.is_params() {
        return Ok(set.clone());
    }
    let mut named = set.set_tuple_name(DimType::Out, space.tuple_name(DimType::Out).cloned());
    for n in 0..space.dim(DimType::Out) {
        named = named.set_dim_name(DimType::Out, n, space.dim_name(DimType::Out, n).cloned())?;
    }
    Ok(named)
}

/// The map from the input to the output dimensions; `space` has as many.
pub(super) fn to_map(r: &Relation, space: &Space, b: &Budget) -> Result<Map, Error> {
    let mut all = Map::empty(space);
    for m in &r.parts {
        let wide = space.insert_dims(DimType::Out, m.outputs, m.locals);
        // In the file output dimensions come first, in the wrapped space input dimensions do.
        let place = |k: usize| match k {
            k if k < m.outputs => m.inputs + k,
            k if k < m.outputs + m.inputs => k - m.outputs,
            k => k,
        };
        let constraints = rows(m, &wide.wrap(), place, m.locals);
        let part = BasicMap::from_constraints(&wide, &constraints).map_err(at(m.line))?;
        let part = part
            .project_out(DimType::Out, m.outputs, m.locals, b)
            .map_err(at(m.line))?
            .to_union();
        let part = part.compute_divs(b).map_err(at(m.line))?;
        let part = part.set_tuple_name(DimType::Out, space.tuple_name(DimType::Out).cloned());
        all = all.union(&part).map_err(at(m.line))?;
    }
    Ok(all)
}

/// The rows as constraints over a set space whose dimension `place(k)` is column `1 + k`, `k` counting output, input and local dimensions.
fn rows(m: &Matrix, space: &Space, place: impl Fn(usize) -> usize, locals: usize) -> Vec<Constraint> {
    let dims = m.outputs + m.inputs + locals;
    m.rows
        .iter()
        .map(|row| {
            let mut terms: Vec<(DimType, usize, Int)> = Vec::new();
            for k in 0..dims {
                if !row[1 + k].is_zero() {
                    terms.push((DimType::Out, place(k), row[1 + k].clone()));
                }
            }
            for k in 0..m.params {
                if !row[1 + dims + k].is_zero() {
                    terms.push((DimType::Param, k, row[1 + dims + k].clone()));
                }
            }
            let aff = Aff::linear(space, row[row.len() - 1].clone(), terms);
            if row[0].is_zero() {
                Constraint::eq(aff)
            } else {
                Constraint::ineq(aff)
            }
        })
        .collect()
}

/// Columns of a matrix to be made: where dimension `k` of the (wrapped) set space goes among output and input dimensions.
struct Shape<'a> {
    outputs: usize,
    inputs: usize,
    params: usize,
    place: &'a dyn Fn(usize) -> usize,
}

/// Matrices of a set: its dimensions are the output dimensions.
pub(super) fn from_set(set: &Set, b: &Budget) -> tilia_presburger::Result<Vec<Matrix>> {
    let outputs = if set.is_params() { 0 } else { set.dim(DimType::Out) };
    let shape = Shape {
        outputs,
        inputs: 0,
        params: set.dim(DimType::Param),
        place: &|k| k,
    };
    let parts = set.compute_divs(b)?;
    let mut all = Vec::new();
    for basic in parts.basic_sets() {
        all.push(matrix(&basic.remove_redundancies(b)?.constraints()?, &shape));
    }
    Ok(or_empty(all, &shape))
}

/// Matrices of a map.
pub(super) fn from_map(map: &Map, b: &Budget) -> tilia_presburger::Result<Vec<Matrix>> {
    let (inputs, outputs) = (map.dim(DimType::In), map.dim(DimType::Out));
    let place = |k: usize| if k < inputs { outputs + k } else { k - inputs };
    let shape = Shape {
        outputs,
        inputs,
        params: map.dim(DimType::Param),
        place: &place,
    };
    let parts = map.compute_divs(b)?;
    let mut all = Vec::new();
    for basic in parts.basic_maps() {
        all.push(matrix(&basic.remove_redundancies(b)?.constraints()?, &shape));
    }
    Ok(or_empty(all, &shape))
}

/// A relation without parts has one that can't be satisfied: `-1 >= 0`.
fn or_empty(mut parts: Vec<Matrix>, shape: &Shape<'_>) -> Vec<Matrix> {
    if parts.is_empty() {
        let mut row = vec![Int::from(0); 2 + shape.outputs + shape.inputs + shape.params];
        row[0] = Int::from(1);
        let last = row.len() - 1;
        row[last] = Int::from(-1);
        parts.push(Matrix {
            outputs: shape.outputs,
            inputs: shape.inputs,
            locals: 0,
            params: shape.params,
            rows: vec![row],
            line: 0,
        });
    }
    parts
}

/// A row over dimensions, divisions, parameters and the constant.
#[derive(Default, Clone)]
struct Sparse {
    dims: Vec<(usize, Int)>,
    divs: Vec<(usize, Int)>,
    params: Vec<(usize, Int)>,
    constant: Int,
    equality: bool,
}

/// A division: its numerator's row, and the denominator.
type Division = (Aff, Int);

fn matrix(constraints: &[Constraint], shape: &Shape<'_>) -> Matrix {
    let mut divisions: Vec<Division> = Vec::new();
    let mut rows: Vec<Sparse> = constraints
        .iter()
        .map(|c| Sparse {
            equality: c.is_equality(),
            ..sparse(c.aff(), &mut divisions)
        })
        .collect();
    // A division q of n by d is the local dimension with d q <= n <= d q + d - 1. Numerators may bring in further divisions.
    let mut n = 0;
    while n < divisions.len() {
        let (numerator, denominator) = divisions[n].clone();
        let mut low = sparse(&numerator, &mut divisions);
        low.divs.push((n, -&denominator));
        let mut high = negated(&low);
        high.constant = &high.constant + &(&denominator - &Int::from(1));
        rows.push(low);
        rows.push(high);
        n += 1;
    }
    let locals = divisions.len();
    let mut dense: Vec<Vec<Int>> = rows.iter().map(|r| dense(r, shape, locals)).collect();
    // What defines the first output dimension comes first; conditions come last, in their order.
    dense.sort_by_key(|r| {
        let first = r[1..=shape.outputs].iter().position(|c| !c.is_zero()).unwrap_or(shape.outputs);
        if r[0].is_zero() { (0, first) } else { (1, 0) }
    });
    Matrix {
        outputs: shape.outputs,
        inputs: shape.inputs,
        locals,
        params: shape.params,
        rows: dense,
        line: 0,
    }
}

fn sparse(aff: &Aff, divisions: &mut Vec<Division>) -> Sparse {
    let mut row = Sparse {
        constant: aff.constant_term().clone(),
        ..Sparse::default()
    };
    for term in aff.terms() {
        match term {
            Term::Dim {
                kind: DimType::Param,
                pos,
                coefficient,
            } => row.params.push((pos, coefficient)),
            Term::Dim { pos, coefficient, .. } => row.dims.push((pos, coefficient)),
            Term::Div {
                coefficient,
                numerator,
                denominator,
            } => {
                let known = divisions.iter().position(|(a, d)| a.plain_eq(&numerator) && *d == denominator);
                let n = known.unwrap_or_else(|| {
                    divisions.push((numerator, denominator));
                    divisions.len() - 1
                });
                row.divs.push((n, coefficient));
            }
        }
    }
    row
}

fn negated(row: &Sparse) -> Sparse {
    let flip = |list: &[(usize, Int)]| list.iter().map(|(k, c)| (*k, -c)).collect();
    Sparse {
        dims: flip(&row.dims),
        divs: flip(&row.divs),
        params: flip(&row.params),
        constant: -&row.constant,
        equality: row.equality,
    }
}

fn dense(sparse: &Sparse, shape: &Shape<'_>, locals: usize) -> Vec<Int> {
    let dims = shape.outputs + shape.inputs;
    let mut row = vec![Int::from(0); 2 + dims + locals + shape.params];
    let mut add = |column: usize, c: &Int| row[column] = &row[column] + c;
    sparse.dims.iter().for_each(|(k, c)| add(1 + (shape.place)(*k), c));
    sparse.divs.iter().for_each(|(k, c)| add(1 + dims + k, c));
    sparse.params.iter().for_each(|(k, c)| add(1 + dims + locals + k, c));
    let last = row.len() - 1;
    row[last] = sparse.constant.clone();
    if sparse.equality {
        // As the format's library writes it: the output dimension that is defined has a negative coefficient.
        if let Some(first) = row[1..=shape.outputs].iter().find(|c| !c.is_zero())
            && first.signum() > 0
            && shape.inputs > 0
        {
            row.iter_mut().for_each(|c| *c = -&*c);
        }
    } else {
        row[0] = Int::from(1);
    }
    row
}
