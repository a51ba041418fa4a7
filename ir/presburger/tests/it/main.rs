//! The library against isl, and functions and texts against enumeration of points.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod calc;
mod formula;
mod functions;
mod isl;
mod isl_cases;
mod rng;
mod text;
mod work;
