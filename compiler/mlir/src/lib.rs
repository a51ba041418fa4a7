//! tilia-mlir
