//! tilia-raise
