//! tilia-scop
