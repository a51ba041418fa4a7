//! tilia-codegen
