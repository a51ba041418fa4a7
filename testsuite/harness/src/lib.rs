//! tilia-harness
