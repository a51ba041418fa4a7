//! Exact integer sets, relations and quasi-affine functions.
//!
//! The objects are those of Presburger arithmetic in disjunctive form: a [`BasicSet`] is a conjunction of affine constraints
//! over integers with existentially quantified local variables, a [`Set`] a finite union of them, a [`Map`] a set of pairs.
//! Names and notation are isl's. Values are immutable; every heavy operation takes a counted [`Budget`].

mod basic;
pub mod calc;
mod error;
mod func;
mod lexmin;
mod num;
mod rel;
mod sets;
mod simplex;
mod space;
mod text;
mod union;

pub use error::{Error, Result};
pub use func::{Aff, Constraint, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, Term, UnionPwAff, UnionPwMultiAff};
pub use num::{Budget, Int, ParseIntError};
pub use sets::{BasicMap, BasicSet, Map, Point, Set};
pub use simplex::Optimum;
pub use space::{DimType, Id, Space, Tuple};
pub use text::{Parse, ParseError};
pub use union::{UnionMap, UnionSet};
