//! Which scheduling dimensions an entry of a configuration speaks of.

use std::fmt;

/// Dimensions of the produced schedule, scalar rows counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DimensionSelector {
    /// All (the least specific).
    #[default]
    Default,
    /// The last loop row: after it every statement has its full rank.
    Last,
    /// From the first to the second, both included.
    Range(usize, usize),
    /// This one (the most specific).
    At(usize),
}

impl DimensionSelector {
    /// Whether dimension `dim` is meant; `last` says whether it is the last loop row.
    #[must_use]
    pub fn matches(self, dim: usize, last: bool) -> bool {
        match self {
            Self::Default => true,
            Self::Last => last,
            Self::Range(low, high) => (low..=high).contains(&dim),
            Self::At(d) => d == dim,
        }
    }

    /// How specific it is; where several match, the largest wins.
    #[must_use]
    pub fn specificity(self) -> u8 {
        match self {
            Self::Default => 0,
            Self::Last => 1,
            Self::Range(..) => 2,
            Self::At(_) => 3,
        }
    }
}

impl fmt::Display for DimensionSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Last => f.write_str("last"),
            Self::Range(low, high) => write!(f, "[{low}, {high}]"),
            Self::At(d) => write!(f, "{d}"),
        }
    }
}
