//! Statements on their way through the generator: which instances run at which values of the schedule dimensions.

use crate::options::Error;
use std::sync::Arc;
use tilia_presburger::{Budget, DimType, Id, Map, Set, Space, Tuple};

/// Instances of one statement with their schedule values so far.
///
/// `map` relates an instance to the values of all dimensions of the bands entered so far; `levels[k]` is the set of values of the first `k` dimensions that occur,
/// restricted to the piece of code that is being generated. The restriction isn't applied to `map`.
#[derive(Debug, Clone)]
pub(crate) struct Exe {
    pub(crate) stmt: Id,
    pub(crate) map: Arc<Map>,
    pub(crate) levels: Vec<Set>,
}

impl Exe {
    /// All instances of the domain, without schedule values.
    pub(crate) fn new(domain: &Set, b: &Budget) -> Result<Exe, Error> {
        let space = domain.space();
        let stmt = space.out().name.clone().unwrap_or_else(|| Id::new(""));
        let target = space.map_to_tuple(Tuple::anonymous(0));
        let map = Map::universe(&target).intersect_domain(domain)?;
        Exe::from_map(stmt, map, 0, &[], b)
    }

    /// From a map to `depth` values, of whose levels the first are known.
    fn from_map(stmt: Id, map: Map, depth: usize, known: &[Set], b: &Budget) -> Result<Exe, Error> {
        let mut down = Vec::new();
        let mut set = map.range();
        for k in (known.len()..=depth).rev() {
            if k < depth {
                set = set.project_out(DimType::Out, k, 1, b)?;
            }
            set = crate::convert::with_known_divs(&set, b)?;
            down.push(set.clone());
        }
        let mut levels = known.to_vec();
        levels.extend(down.into_iter().rev());
        Ok(Exe {
            stmt,
            map: Arc::new(map),
            levels,
        })
    }

    pub(crate) fn depth(&self) -> usize {
        self.map.space().dim(DimType::Out)
    }

    pub(crate) fn space(&self) -> &Space {
        self.map.space()
    }

    /// The instances with more schedule values, those of `more`.
    pub(crate) fn extend(&self, more: &Map, b: &Budget) -> Result<Exe, Error> {
        let map = self.map.flat_range_product(more)?;
        let restriction = self.levels[self.depth()].clone();
        let depth = map.space().dim(DimType::Out);
        let exe = Exe::from_map(self.stmt.clone(), map, depth, &self.levels, b)?;
        exe.restrict_from(self.depth() + 1, &restriction)
    }

    /// Only instances whose values of the first dimensions are in the set.
    pub(crate) fn restrict(&self, set: &Set) -> Result<Exe, Error> {
        self.restrict_from(set.space().dim(DimType::Out), set)
    }

    /// As `restrict`, for the levels from `first` on.
    fn restrict_from(&self, first: usize, set: &Set) -> Result<Exe, Error> {
        let n = set.space().dim(DimType::Out);
        let mut levels = self.levels.clone();
        for (k, level) in levels.iter_mut().enumerate().skip(first) {
            let wide = if k == n { set.clone() } else { set.add_dims(DimType::Out, k - n)? };
            *level = level.intersect(&wide)?;
        }
        Ok(Exe { levels, ..self.clone() })
    }

    /// Only instances in the set.
    pub(crate) fn restrict_instances(&self, keep: &Set, b: &Budget) -> Result<Exe, Error> {
        let map = self.map.intersect_domain(keep)?;
        let depth = self.depth();
        let exe = Exe::from_map(self.stmt.clone(), map, depth, &[], b)?;
        exe.restrict_levels(&self.levels)
    }

    /// The same statement with another map to the same dimensions, under the present restrictions.
    pub(crate) fn with_map(&self, map: Map, b: &Budget) -> Result<Exe, Error> {
        let stmt = map.space().tuple_name(DimType::In).cloned().unwrap_or_else(|| Id::new(""));
        let exe = Exe::from_map(stmt, map, self.depth(), &[], b)?;
        exe.restrict_levels(&self.levels)
    }

    fn restrict_levels(mut self, restrictions: &[Set]) -> Result<Exe, Error> {
        for (level, r) in self.levels.iter_mut().zip(restrictions) {
            *level = level.intersect(r)?;
        }
        Ok(self)
    }

    /// With the levels of a map to `depth` values.
    pub(crate) fn with_levels(&self, depth: usize, b: &Budget) -> Result<Exe, Error> {
        Exe::from_map(self.stmt.clone(), (*self.map).clone(), depth, &[], b)
    }

    /// Can't any instance run?
    pub(crate) fn is_empty_in(&self, domain: &Set, depth: usize, b: &Budget) -> Result<bool, Error> {
        Ok(self.levels[depth].intersect(domain)?.is_empty(b)?)
    }
}
