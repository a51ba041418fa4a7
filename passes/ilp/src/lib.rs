//! Exact lexicographic integer programs, for the scheduler.
