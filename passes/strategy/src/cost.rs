//! Cost functions: what the integer program of one scheduling dimension minimises.

use std::fmt;

/// One entry of an ordered list of objectives; the first is minimised first, lexicographically.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CostFunction {
    /// Pluto's bound on dependence distances: `(u, w)` with `u.N + w` at least each distance.
    Proximity,
    /// Feautrier's: the number of dependences that the row doesn't carry.
    Feautrier,
    /// Feautrier's latency: a bound `(L, l)` with `L.N + l` at least each date.
    Latency,
    /// Iterators that move through memory contiguously come last.
    Contiguity,
    /// Iterators with the largest extents come first.
    BigLoopsFirst,
    /// 1 if some dependence isn't at distance 0 everywhere, else 0: parallel rows first, without ranking those that aren't.
    Parallelism,
    /// `sum |T_it| - 1`: rows that mix few iterators first.
    SkewSum,
    /// A variable of `new_variables`.
    Variable(String),
}

impl CostFunction {
    /// The built-in functions with their names in configuration files, in the order in which messages list them.
    pub const BUILT_IN: [(&'static str, Self); 7] = [
        ("proximity", Self::Proximity),
        ("feautrier", Self::Feautrier),
        ("latency", Self::Latency),
        ("contiguity", Self::Contiguity),
        ("bigLoopsFirst", Self::BigLoopsFirst),
        ("parallelism", Self::Parallelism),
        ("skewSum", Self::SkewSum),
    ];

    /// The name in configuration files.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Variable(name) => name,
            built_in => Self::BUILT_IN.iter().find(|(_, c)| c == built_in).map_or("", |(name, _)| name),
        }
    }
}

impl fmt::Display for CostFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
