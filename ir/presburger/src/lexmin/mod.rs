//! Parametric integer programming: the lexicographic minimum of a conjunction as a function of its symbols.
//!
//! Feautrier's algorithm ("Parametric integer programming", 1988) in the form of isl's `isl_tab_pip` and MLIR's
//! `SymbolicLexSimplex`: a dual simplex whose constant terms are affine in the *symbols*. Where the sign of such a term is
//! not the same on the whole *context* (the set of symbol values under consideration), the context is split. Rational optima
//! are cut off by parametric Gomory cuts, which may add divisions to the context. States live on an explicit stack.

mod build;
mod context;
mod frame;
mod solve;
mod tableau;

pub(crate) use build::{Goal, lex_optimum, quantifier_free};
pub(crate) use solve::LexPiece;
