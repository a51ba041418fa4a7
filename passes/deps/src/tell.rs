//! Loops and dependences in words for who wrote the source.

use crate::parallel::Pending;
use crate::position::{Position, Step};
use tilia_diag::Loc;
use tilia_presburger::{Aff, DimType, Int, Point, Set, Term};
use tilia_scop::{Array, ArrayKind, Scop};

/// The place of the source's loop that the member at a step scans, or whose tiles it scans; where it scans none, of a statement inside.
pub(crate) fn loop_loc(scop: &Scop, step: usize, reaching: &[Position]) -> Loc {
    let source_loop = reaching.iter().find_map(|p| {
        let Some(Step::Value(cases)) = p.steps.get(step) else { return None };
        // Of several iterators the innermost: a skewed row scans it for fixed outer ones.
        let pos = cases.iter().filter_map(|(_, aff)| innermost(aff)).max()?;
        let iter = scop[p.stmt].iters.get(pos)?;
        scop.loops.iter().find(|(v, _)| v == iter).map(|(_, loc)| loc.clone())
    });
    source_loop.unwrap_or_else(|| reaching.first().map_or_else(|| scop.loc.clone(), |p| scop[p.stmt].loc.clone()))
}

/// A dependence with one pair of its instances.
pub(crate) fn describe(scop: &Scop, p: &Pending<'_>, point: &Point) -> String {
    let (source, target) = (&scop[p.dep.source], &scop[p.dep.target]);
    let n = p.pairs.space().dim(DimType::In);
    let list = |v: &[Int]| v.iter().map(Int::to_string).collect::<Vec<_>>().join(", ");
    let params: Vec<String> = point
        .space
        .params()
        .iter()
        .zip(&point.params)
        .map(|(n, v)| format!("{n} = {v}"))
        .collect();
    let with = if params.is_empty() {
        String::new()
    } else {
        format!(" (with {})", params.join(", "))
    };
    let what = if scop.is_accumulation(p.dep) {
        "accumulation into".to_owned()
    } else {
        format!("{} dependence on", p.dep.kind)
    };
    let (a, b) = point.coords.split_at(n.min(point.coords.len()));
    format!(
        "{what} {} from {}[{}] at {} to {}[{}] at {}{with}",
        array_text(&scop[p.dep.array]),
        source.name,
        list(a),
        source.loc,
        target.name,
        list(b),
        target.loc
    )
}

/// Whether the value at a step is that of a loop over tiles: a quotient.
pub(crate) fn counts_tiles(step: usize, reaching: &[Position]) -> bool {
    let quotient = |aff: &Aff| aff.terms().iter().any(|t| matches!(t, Term::Div { .. }));
    reaching
        .iter()
        .any(|p| matches!(p.steps.get(step), Some(Step::Value(cases)) if cases.iter().any(|(_, aff): &(Set, Aff)| quotient(aff))))
}

/// The innermost iterator that an expression mentions, also inside a quotient.
fn innermost(aff: &Aff) -> Option<usize> {
    aff.terms()
        .iter()
        .filter_map(|t| match t {
            Term::Dim {
                kind: DimType::Out, pos, ..
            } => Some(*pos),
            Term::Dim { .. } => None,
            Term::Div { numerator, .. } => innermost(numerator),
        })
        .max()
}

/// The array in words that mean something to who wrote the source.
fn array_text(array: &Array) -> String {
    match array.kind {
        ArrayKind::Root(_) => array.name.to_string(),
        ArrayKind::Cell(_) => format!("the value of {}", array.loc),
        ArrayKind::Copy(_) => format!("the copies {}", array.name),
        ArrayKind::World => "the outside world".to_owned(),
    }
}
