//! Finite unions of conjunctions in one space: what sets and maps have in common.

mod affine_hull;
mod closure;
mod coalesce;
mod compare;
mod compose;
mod dims;
mod gist;
mod hull;
mod lexopt;
mod points;
mod polyhedral_hull;
mod query;
#[expect(clippy::module_inception, reason = "the type of the module's name")]
mod rel;
mod stride;
mod subtract;

pub(crate) use compare::Restriction;
pub(crate) use rel::Rel;
