//! Finite unions of conjunctions in one space: what sets and maps have in common.

mod coalesce;
mod compose;
mod dims;
mod gist;
mod hull;
mod lexopt;
mod query;
#[expect(clippy::module_inception, reason = "the type of the module's name")]
mod rel;
mod subtract;

pub(crate) use lexopt::OptPiece;
pub(crate) use rel::Rel;
