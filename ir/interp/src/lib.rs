//! tilia-interp
