//! Statements on their way through the generator: which instances run at which values of the schedule dimensions.

use crate::ask::{Oracle, ask};
use crate::convert::{cons_of, set_of, with_known_divs};
use crate::lin::{Con, Lin};
use crate::options::Error;
use crate::project::project_out;
use std::sync::Arc;
use tilia_presburger::{BasicMap, DimType, Id, Map, Set, Space, Tuple};

/// Instances of one statement with their schedule values so far.
///
/// `map` relates an instance to the values of all dimensions of the bands entered so far. `levels[k]` covers the values of the first `k` dimensions that occur in
/// the piece of code that is being generated; it may be too large by what projection over the rationals adds. What the piece restricts the values to is kept
/// exactly in `limits`.
#[derive(Debug, Clone)]
pub(crate) struct Exe {
    pub(crate) stmt: Id,
    pub(crate) map: Arc<Map>,
    pub(crate) levels: Vec<Set>,
    limits: Vec<Set>,
}

impl Exe {
    /// All instances of the domain, without schedule values.
    pub(crate) fn new(domain: &Set, b: &Oracle<'_>) -> Result<Exe, Error> {
        let target = domain.space().map_to_tuple(Tuple::anonymous(0));
        Exe::from_map(Map::universe(&target).intersect_domain(domain)?, b)
    }

    /// The instances of a map to schedule values.
    pub(crate) fn from_map(map: Map, b: &Oracle<'_>) -> Result<Exe, Error> {
        let stmt = map.space().tuple_name(DimType::In).cloned().unwrap_or_else(|| Id::new(""));
        let map = Arc::new(known(&map, b)?);
        let mut exe = Exe {
            stmt,
            map,
            levels: Vec::new(),
            limits: Vec::new(),
        };
        exe.fill_levels(b)?;
        Ok(exe)
    }

    /// Computes the levels that are missing.
    fn fill_levels(&mut self, b: &Oracle<'_>) -> Result<(), Error> {
        let depth = self.depth();
        let first = self.levels.len();
        if first > depth {
            return Ok(());
        }
        let mut unions: Vec<Vec<Vec<Con>>> = vec![Vec::new(); depth + 1 - first];
        for part in self.map.basic_maps() {
            b.spend(1)?;
            let mut conj = prefix_first(&part)?;
            let mut covered = depth + part.dim(DimType::In);
            loop {
                if covered <= depth && !unions[covered - first].contains(&conj) {
                    unions[covered - first].push(conj.clone());
                }
                if covered == first {
                    break;
                }
                covered -= 1;
                match project_out(&conj, covered) {
                    Some(c) => conj = c,
                    None => break,
                }
            }
        }
        let params = self.space().params().to_vec();
        for (k, conjunctions) in (first..=depth).zip(unions) {
            let space = Space::set(params.clone(), Tuple::anonymous(k));
            let mut set = Set::empty(&space);
            for c in &conjunctions {
                set = set.union(&set_of(c, &space)?)?;
            }
            if set.n_basic() > 1 {
                set = with_known_divs(&set, b)?;
            }
            self.levels.push(set);
        }
        Ok(())
    }

    pub(crate) fn depth(&self) -> usize {
        self.map.space().dim(DimType::Out)
    }

    /// Has dimension `d` of the schedule one constant value?
    pub(crate) fn is_constant(&self, d: usize) -> bool {
        self.levels
            .get(d + 1)
            .is_some_and(|l| l.plain_get_val_if_fixed(DimType::Out, d).is_some())
    }

    pub(crate) fn space(&self) -> &Space {
        self.map.space()
    }

    /// The instances with more schedule values, those of `more`.
    pub(crate) fn extend(&self, more: &Map, b: &Oracle<'_>) -> Result<Exe, Error> {
        let mut exe = Exe {
            map: Arc::new(known(&self.map.flat_range_product(more)?, b)?),
            ..self.clone()
        };
        let first = exe.levels.len();
        exe.fill_levels(b)?;
        for l in self.limits.clone() {
            exe.narrow(first, &l)?;
        }
        Ok(exe)
    }

    /// Only instances whose values of the first dimensions are in the set.
    pub(crate) fn restrict(&self, set: &Set) -> Result<Exe, Error> {
        let mut exe = self.clone();
        exe.narrow(0, set)?;
        exe.limits.push(set.clone());
        Ok(exe)
    }

    /// Intersects the levels from `first` on with a set over the first dimensions.
    fn narrow(&mut self, first: usize, set: &Set) -> Result<(), Error> {
        let n = set.space().dim(DimType::Out);
        for k in first.max(n)..self.levels.len() {
            self.levels[k] = self.levels[k].intersect(&set.add_dims(DimType::Out, k - n)?)?;
        }
        Ok(())
    }

    /// Only instances in the set.
    pub(crate) fn restrict_instances(&self, keep: &Set, b: &Oracle<'_>) -> Result<Exe, Error> {
        self.with_map(self.map.intersect_domain(keep)?, b)
    }

    /// Another map to the same dimensions, under the present restrictions.
    pub(crate) fn with_map(&self, map: Map, b: &Oracle<'_>) -> Result<Exe, Error> {
        let mut exe = Exe::from_map(map, b)?;
        for l in &self.limits {
            exe.narrow(0, l)?;
        }
        exe.limits.clone_from(&self.limits);
        Ok(exe)
    }

    /// The schedule values that occur, exactly.
    pub(crate) fn exact_values(&self, b: &Oracle<'_>) -> Result<Set, Error> {
        let mut set = with_known_divs(&self.map.range(), b)?;
        for l in &self.limits {
            let n = l.dim(DimType::Out);
            set = set.intersect(&l.add_dims(DimType::Out, self.depth() - n)?)?;
        }
        Ok(set)
    }

    /// Can certainly no instance run?
    pub(crate) fn is_empty_in(&self, domain: &Set, depth: usize, b: &Oracle<'_>) -> Result<bool, Error> {
        crate::ask::surely_empty(&self.levels[depth].intersect(domain)?, b)
    }
}

/// The map with all existentials as divisions, without parts that are certainly empty: a filter leaves of a piecewise schedule often only one.
fn known(map: &Map, b: &Oracle<'_>) -> Result<Map, Error> {
    let map = if map.basic_maps().iter().all(BasicMap::has_known_divs) {
        map.clone()
    } else {
        map.compute_divs(b)?
    };
    let parts = map.basic_maps();
    if parts.len() <= 1 {
        return Ok(map);
    }
    let mut kept = Map::empty(map.space());
    for p in &parts {
        let part = Map::from_basic_map(p);
        if !ask(b, |s| Ok(part.is_empty(s)?))?.unwrap_or(false) {
            kept = kept.union(&part)?;
        }
    }
    Ok(kept)
}

/// The constraints of a map (instance -> values) with the values numbered first, then the instance's dimensions.
fn prefix_first(map: &BasicMap) -> Result<Vec<Con>, Error> {
    let (n, depth) = (map.dim(DimType::In), map.dim(DimType::Out));
    let renumber = |d: usize| Lin::dim(if d < n { depth + d } else { d - n });
    Ok(cons_of_map(map)?.iter().map(|c| c.substitute(&renumber)).collect())
}

/// The constraints of a map, the instance's dimensions numbered first.
pub(crate) fn cons_of_map(map: &BasicMap) -> Result<Vec<Con>, Error> {
    match &map.to_union().wrap().basic_sets()[..] {
        [] => Ok(vec![Con::ge(Lin::constant(-1))]),
        sets => {
            let mut out = Vec::new();
            for s in sets {
                out.extend(cons_of(s)?);
            }
            Ok(out)
        }
    }
}
