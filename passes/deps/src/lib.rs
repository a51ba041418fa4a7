//! tilia-deps
