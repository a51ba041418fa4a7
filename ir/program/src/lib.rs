//! tilia-program
