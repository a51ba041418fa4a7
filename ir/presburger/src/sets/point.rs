//! Points: one value for each parameter and dimension of a set space.

use std::fmt;

use crate::num::Int;
use crate::space::Space;

/// An integer point of a set space. A pair of a map is a point of the wrapped space.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Point {
    /// The space of the set that the point is meant for.
    pub space: Space,
    /// The values of the parameters.
    pub params: Vec<Int>,
    /// The values of the dimensions.
    pub coords: Vec<Int>,
}

impl Point {
    /// A point; the values must be as many as the space has parameters and dimensions.
    pub fn new(space: Space, params: Vec<Int>, coords: Vec<Int>) -> Point {
        Point { space, params, coords }
    }

    /// `[1, params.., coords..]`.
    pub(crate) fn to_row(&self) -> Vec<Int> {
        std::iter::once(&Int::ONE)
            .chain(&self.params)
            .chain(&self.coords)
            .cloned()
            .collect()
    }

    /// The point of `[1, params.., coords..]`.
    pub(crate) fn from_row(space: &Space, row: &[Int]) -> Point {
        let np = space.params().len();
        let space = space.wrap();
        Point {
            params: row[1..=np].to_vec(),
            coords: row[1 + np..=space.total_dim()].to_vec(),
            space,
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |v: &[Int]| v.iter().map(Int::to_string).collect::<Vec<_>>().join(", ");
        if !self.params.is_empty() {
            let names = self.space.params().iter().zip(&self.params);
            let parts: Vec<_> = names.map(|(n, v)| format!("{n} = {v}")).collect();
            write!(f, "[{}] -> ", parts.join(", "))?;
        }
        let name = self.space.out().name.as_ref().map_or("", |n| n.as_str());
        write!(f, "{{ {name}[{}] }}", list(&self.coords))
    }
}
