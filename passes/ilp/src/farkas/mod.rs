//! Farkas' lemma: which affine forms are non-negative on a set?
//!
//! `c·x + c0 >= 0` for all `x` of `{ A·x + a >= 0 }`, if that isn't empty, exactly if the form is a non-negative combination of the constraints and a constant. The forms are a
//! cone, the *dual cone*, and its constraints are what is wanted: rows over `(c0, c)`. Eliminating the multipliers of the combination by Fourier and Motzkin is the same as
//! computing the vertices and rays of the set, one row each; the latter way makes no redundant rows. Equalities become lines (by Gauss). Where there are too many rays, some
//! constraints keep their multipliers, which then are continuous variables of the problem.
//!
//! Local variables (divisions, existentials) are dimensions like any other whose coefficient in a form is zero; the rational hull of the set with its local variables is
//! used. That is sound: a form that is accepted is non-negative on the set.

mod dual_cone;
mod generators;
mod irredundant;

pub use dual_cone::{AffineForm, ConeRow, DualCone};
