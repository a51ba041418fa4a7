//! The library against isl, and functions and texts against enumeration of points.

mod formula;
mod isl;
mod isl_cases;
mod rng;
