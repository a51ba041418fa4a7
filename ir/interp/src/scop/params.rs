//! The parameters' values, and points of spaces with these parameters.

use tilia_presburger::{Budget, DimType, Id, Int, Map, Point, Set, Space};

/// Values of a scop's parameters by name.
#[derive(Debug, Clone)]
pub(crate) struct Params(pub(crate) Vec<(Id, Int)>);

impl Params {
    fn of(&self, space: &Space) -> Result<Vec<Int>, String> {
        let value = |name: &Id| {
            let found = self.0.iter().find(|p| p.0 == *name);
            found.map(|p| p.1.clone()).ok_or_else(|| format!("parameter {name} has no value"))
        };
        space.params().iter().map(value).collect()
    }

    /// Whether a set over the parameters alone holds.
    pub(crate) fn satisfy(&self, set: &Set, budget: &Budget) -> Result<bool, String> {
        let point = Point::new(set.space().clone(), self.of(set.space())?, Vec::new());
        set.contains(&point, budget).map_err(|e| e.to_string())
    }

    /// A point of a set space.
    pub(crate) fn point(&self, space: &Space, coords: &[i64]) -> Result<Point, String> {
        let coords = coords.iter().map(|&c| Int::from(c)).collect();
        Ok(Point::new(space.clone(), self.of(space)?, coords))
    }

    /// Whether a set holds these values.
    pub(crate) fn contains(&self, set: &Set, coords: &[i64], budget: &Budget) -> Result<bool, String> {
        set.contains(&self.point(set.space(), coords)?, budget).map_err(|e| e.to_string())
    }

    /// What a relation relates the values to.
    pub(crate) fn image(map: &Map, values: &[i64]) -> Result<Set, String> {
        let mut fixed = map.clone();
        for (n, &v) in values.iter().enumerate() {
            fixed = fixed.fix(DimType::In, n, Int::from(v)).map_err(|e| e.to_string())?;
        }
        Ok(fixed.range())
    }
}

/// Integers of 64 bits; instances beyond have no iterators to hold them.
pub(crate) fn narrow(values: &[Int]) -> Result<Vec<i64>, String> {
    let one = |v: &Int| v.to_i64().ok_or_else(|| format!("the iterator value {v} doesn't fit 64 bits"));
    values.iter().map(one).collect()
}
