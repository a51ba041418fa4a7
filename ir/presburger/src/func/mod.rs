//! Functions over sets: quasi-affine expressions and what is built from them.
//!
//! | one expression | tuple of expressions | where |
//! |---|---|---|
//! | [`Aff`] | [`MultiAff`] | everywhere in one domain space |
//! | [`PwAff`] | [`PwMultiAff`] | on disjoint pieces of it |
//! | | [`MultiPwAff`] | each expression on pieces of its own |
//! | [`UnionPwAff`] | [`UnionPwMultiAff`] | on pieces of several spaces |
//! | | [`MultiUnionPwAff`] | each expression on pieces of its own, in several spaces |
//!
//! A `MultiUnionPwAff` is what a band of a schedule tree holds: for every statement, the values of the band's loops.

mod aff;
mod aff_view;
mod arith;
mod constraint;
mod graph;
mod multi_aff;
mod multi_pw_aff;
mod multi_union_pw_aff;
mod optimum;
mod pieces;
mod pw_aff;
mod pw_multi_aff;
mod union_pw_aff;
mod union_pw_multi_aff;

pub use aff::Aff;
pub use aff_view::Term;
pub use constraint::Constraint;
pub use multi_aff::MultiAff;
pub use multi_pw_aff::MultiPwAff;
pub use multi_union_pw_aff::MultiUnionPwAff;
pub use pw_aff::PwAff;
pub use pw_multi_aff::PwMultiAff;
pub use union_pw_aff::UnionPwAff;
pub use union_pw_multi_aff::UnionPwMultiAff;
