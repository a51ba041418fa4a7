//! tilia-pool
