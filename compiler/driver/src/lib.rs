//! tilia-driver
