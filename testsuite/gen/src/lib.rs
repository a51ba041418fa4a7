//! tilia-gen
