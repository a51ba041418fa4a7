//! Exact integer sets, relations and quasi-affine functions.
//!
//! The objects are those of Presburger arithmetic in disjunctive form: a [`BasicSet`] is a conjunction of affine constraints
//! over integers with existentially quantified local variables, a [`Set`] a finite union of them, a [`Map`] a set of pairs.
//! Names and notation are isl's. Values are immutable; every heavy operation takes a counted [`Budget`].
//!
//! # Example
//!
//! Which iteration last wrote what an iteration of `for i in 0..n { a[i + 2] = a[i]; }` reads?
//!
//! ```
//! use tilia_presburger::{Budget, Map, Set};
//!
//! # fn main() -> Result<(), tilia_presburger::Error> {
//! let b = Budget::default();
//! let domain: Set = "[n] -> { S[i] : 0 <= i < n }".parse()?;
//! let write: Map = "{ S[i] -> a[i + 2] }".parse()?;
//! let read: Map = "{ S[i] -> a[i] }".parse()?;
//! let same_cell = read.apply_range(&write.reverse())?.intersect_domain(&domain)?.intersect_range(&domain)?;
//! let before = Map::lex_gt(domain.space());
//! let last = same_cell.intersect(&before)?.lexmax(&b)?;
//! let expected: Map = "[n] -> { S[i] -> S[i - 2] : 2 <= i < n }".parse()?;
//! assert!(last.is_equal(&expected, &b)?);
//! # Ok(())
//! # }
//! ```
//!
//! Definitions and algorithms: `docs/maths/sets.md`.

mod basic;
pub mod calc;
mod count;
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

pub use basic::Answers;
pub use count::{Monomial, PwQPolynomial, QPolynomial};
pub use error::{Error, Result};
pub use func::{Aff, Constraint, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, Term, UnionPwAff, UnionPwMultiAff};
pub use num::{Budget, Int, ParseIntError, Ratio};
pub use sets::{BasicMap, BasicSet, Closure, ConstraintRows, Map, Point, Set};
pub use simplex::{Limits, Optimum};
pub use space::{DimType, Id, Space, Tuple};
pub use text::{Parse, ParseError};
pub use union::{UnionMap, UnionSet};
