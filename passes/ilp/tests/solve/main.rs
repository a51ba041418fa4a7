//! Solvers against enumeration.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod brute;
mod exact;
mod float;
mod hostile;
mod large;
mod random;
mod session;
