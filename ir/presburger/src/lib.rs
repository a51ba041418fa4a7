//! tilia-presburger
