//! tilia-ast
