//! Finite unions of conjunctions in one space: what sets and maps have in common.

mod compose;
mod dims;
mod query;
#[expect(clippy::module_inception, reason = "the type of the module's name")]
mod rel;

pub(crate) use rel::Rel;
