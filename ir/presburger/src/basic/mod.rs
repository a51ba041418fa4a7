//! Conjunctions of affine constraints with local variables: the convex pieces that sets and maps are made of.
//!
//! Sets and maps share one representation, [`Basic`], that knows columns but no names; the space is kept beside it.

mod answers;
#[expect(clippy::module_inception, reason = "the type of the module's name")]
mod basic;
mod dim_search;
mod divs;
mod divs_normal;
mod eliminate;
mod query;
mod redundancy;
mod simplify;

pub use answers::Answers;
pub(crate) use answers::Optimise;
pub(crate) use basic::Basic;
pub(crate) use divs::Divs;
pub(crate) use eliminate::fm_combine;
pub(crate) use simplify::normalise_ineq;
