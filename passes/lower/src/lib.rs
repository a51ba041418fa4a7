//! tilia-lower
