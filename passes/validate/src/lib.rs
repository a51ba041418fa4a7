//! tilia-validate
