//! tilia-schedule
