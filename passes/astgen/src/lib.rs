//! tilia-astgen
