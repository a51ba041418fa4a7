//! tilia-diag
