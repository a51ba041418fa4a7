//! Choosing a program.

mod expr;
mod index;
mod structure;

use crate::model::{Array, Model, Place, Through, ValueId};
use crate::{Profile, chance, pick};
use arbitrary::{Result, Unstructured};
use tilia_program::ScalarType;

/// Values that parameters take.
const PARAM_VALUES: [(u32, i64); 7] = [(1, 0), (1, 1), (2, 2), (3, 4), (3, 5), (2, 7), (1, 9)];

/// Inputs of a case with parameters.
const INPUTS: usize = 3;

/// The state of choosing.
struct Chooser<'u, 'a, 'p> {
    u: &'u mut Unstructured<'a>,
    profile: &'p Profile,
    model: Model,
    /// Iterators in scope, outermost first.
    iterators: Vec<usize>,
    /// Values in scope.
    values: Vec<(ValueId, ScalarType)>,
    next_value: usize,
    /// Items that may still be made: what bounds the size of the text.
    budget: usize,
    /// Inside `affine.parallel`: statements must be independent.
    parallel: Option<usize>,
}

/// A program of the profile.
pub(crate) fn model(u: &mut Unstructured<'_>, profile: &Profile) -> Result<Model> {
    let scf = profile.scf && chance(u, 20)?;
    let params = choose_params(u)?;
    let arrays = choose_arrays(u, profile, params.is_empty())?;
    let model = Model {
        scf,
        vars: params.len(),
        params,
        arrays,
        body: Vec::new(),
    };
    let budget = 4 + profile.items * profile.depth;
    let mut chooser = Chooser {
        u,
        profile,
        model,
        iterators: Vec::new(),
        values: Vec::new(),
        next_value: 0,
        budget,
        parallel: None,
    };
    let mut body = Vec::new();
    let nests = chooser.u.int_in_range(1..=profile.items.max(1))?;
    for _ in 0..nests {
        let item = chooser.nest()?;
        body.extend(item);
    }
    chooser.model.body = body;
    Ok(chooser.model)
}

fn choose_params(u: &mut Unstructured<'_>) -> Result<Vec<Vec<i64>>> {
    let count = pick(u, &[(2, 0usize), (4, 1), (3, 2)])?;
    let mut params = Vec::new();
    for _ in 0..count {
        let values: Result<Vec<i64>> = (0..INPUTS).map(|_| pick(u, &PARAM_VALUES)).collect();
        params.push(values?);
    }
    Ok(params)
}

fn choose_arrays(u: &mut Unstructured<'_>, profile: &Profile, all_static: bool) -> Result<Vec<Array>> {
    let count = u.int_in_range(2..=4usize)?;
    let mut arrays = Vec::new();
    let main = element(u, profile)?;
    for n in 0..count {
        let rank = if n == 0 && profile.temporaries {
            0
        } else {
            pick(u, &[(1, 0usize), (4, 1), (5, 2), (2, 3)])?
        };
        // Mostly one element type, or few expressions could combine arrays.
        let elem = if chance(u, 70)? { main } else { element(u, profile)? };
        let private = n > 0 && profile.private && chance(u, 20)?;
        let place = if private { Place::Private } else { Place::Argument };
        let dynamic: Result<Vec<bool>> = (0..rank).map(|_| Ok(!private && !all_static && chance(u, 40)?)).collect();
        let dynamic = dynamic?;
        let through = choose_through(u, profile, &dynamic)?;
        let slack: Result<Vec<i64>> = (0..rank).map(|_| pick(u, &[(6, 0), (1, 1), (1, 3)])).collect();
        arrays.push(Array {
            elem,
            place,
            through,
            dynamic,
            slack: slack?,
        });
    }
    Ok(arrays)
}

fn choose_through(u: &mut Unstructured<'_>, profile: &Profile, dynamic: &[bool]) -> Result<Through> {
    if !profile.views || dynamic.is_empty() || dynamic.contains(&true) || !chance(u, 30)? {
        return Ok(Through::Itself);
    }
    if chance(u, 40)? {
        return Ok(Through::Cast);
    }
    let dims: Result<Vec<_>> = dynamic
        .iter()
        .map(|_| Ok((u.int_in_range(0..=2)?, pick(u, &[(3, 1), (1, 2)])?)))
        .collect();
    Ok(Through::SubView(dims?))
}

fn element(u: &mut Unstructured<'_>, profile: &Profile) -> Result<ScalarType> {
    if !profile.types {
        return Ok(ScalarType::F64);
    }
    pick(
        u,
        &[
            (12, ScalarType::F64),
            (4, ScalarType::F32),
            (3, ScalarType::Int(32)),
            (2, ScalarType::Int(64)),
            (1, ScalarType::F16),
        ],
    )
}
