//! Counting: the number of elements of a set as a function of its parameters.
//!
//! The sum over all dimensions of the constant 1, one variable at a time. Divisions that depend on the dimensions become
//! variables themselves: they have exactly one value, so the number of points stays. What is left between are polynomials,
//! linear constraints, and divisions of the parameters, that is, quasi-polynomials on pieces of the parameter space. Unlike
//! Barvinok's algorithm the method is not polynomial in the size of the coefficients; the sets of loop nests have small ones.
//! Deliberately missing: weights other than 1,
//! generating functions, and bounds with large coefficients on several dimensions (declined as unsupported).

mod api;
mod degree;
mod eliminate;
mod piecewise;
mod poly;
mod state;
mod sum;

pub use piecewise::{Monomial, PwQPolynomial, QPolynomial};
