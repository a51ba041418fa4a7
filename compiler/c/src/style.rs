//! Choices of the printer.

use std::collections::BTreeMap;

/// Known extents of a function's memref parameters, by parameter number.
pub type Extents = BTreeMap<usize, Vec<i64>>;

/// How to write a function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Style {
    /// Extents of parameters of dynamic shape, where they are known: written as constants.
    pub extents: Extents,
    /// Index values and loop counters are `int`, as people write them, instead of `int64_t`. Only right when all of them fit.
    pub int_indices: bool,
    /// Add `restrict` to array parameters.
    pub restrict: bool,
    /// Also write `void tilia_entry(void **args)`, which calls the function with arguments taken from memory: integers through `int64_t *`, arrays as they are.
    pub entry: bool,
    /// The C compiler may fuse multiply-adds as it likes. Else the text forbids it: which ones fuse is said by calls of `fma`.
    pub may_contract: bool,
}
