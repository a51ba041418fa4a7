//! Instances and schedule values at a position of a tree.

use crate::{Band, Error, NodeKind, Path, ScheduleTree};
use std::sync::Arc;
use tilia_presburger::{Aff, Budget, DimType, Int, Map, Set, Tuple, UnionMap, UnionSet};

/// Statement instances with the schedule values that they have got so far, one map for each statement.
#[derive(Debug, Clone)]
pub(crate) struct Prefix {
    pub(crate) maps: Vec<Map>,
}

impl Prefix {
    /// All instances of a domain, no values.
    pub(crate) fn of_domain(domain: &UnionSet) -> Result<Prefix, Error> {
        let mut maps = Vec::new();
        for set in domain.sets() {
            let space = set.space().map_to_tuple(Tuple::anonymous(0));
            maps.push(Map::universe(&space).intersect_domain(set)?);
        }
        Ok(Prefix { maps })
    }

    /// The instances.
    pub(crate) fn instances(&self) -> Result<UnionSet, Error> {
        let domains: Vec<Set> = self.maps.iter().map(Map::domain).collect();
        Ok(UnionSet::from_members(&domains)?)
    }

    /// The relation as a union map.
    pub(crate) fn to_union_map(&self) -> Result<UnionMap, Error> {
        Ok(UnionMap::from_members(&self.maps)?)
    }

    /// With the values of a band's members; instances for which a member has no value are lost.
    pub(crate) fn with_band(&self, band: &Band) -> Result<Prefix, Error> {
        let mut maps = Vec::new();
        'stmt: for m in &self.maps {
            let mut all = m.clone();
            for member in &band.members {
                let Some(f) = member.func.extract(&m.space().domain()) else {
                    continue 'stmt;
                };
                all = all.flat_range_product(&Map::from_pw_aff(f)?)?;
            }
            maps.push(all);
        }
        Ok(Prefix { maps })
    }

    /// With a constant appended.
    pub(crate) fn with_constant(&self, value: usize) -> Result<Prefix, Error> {
        let mut maps = Vec::with_capacity(self.maps.len());
        for m in &self.maps {
            let c = Map::from_aff(&Aff::constant(&m.space().domain(), Int::from(value)))?;
            maps.push(m.flat_range_product(&c)?);
        }
        Ok(Prefix { maps })
    }

    /// Only the instances in the filter.
    pub(crate) fn filtered(&self, keep: &UnionSet, b: &Budget) -> Result<Prefix, Error> {
        let mut maps = Vec::new();
        for m in &self.maps {
            for set in keep.sets() {
                if set.space().same_tuples(&m.space().domain()) {
                    let kept = if set.plain_is_universe() {
                        m.clone()
                    } else {
                        m.intersect_domain(set)?
                    };
                    if !kept.is_empty(b)? {
                        maps.push(kept);
                    }
                }
            }
        }
        Ok(Prefix { maps })
    }

    /// With each instance replaced by those that the expansion gives for it.
    pub(crate) fn expanded(&self, expansion: &UnionMap) -> Result<Prefix, Error> {
        let mut maps = Vec::new();
        for m in &self.maps {
            for e in expansion.maps() {
                if e.space().domain().same_tuples(&m.space().domain()) {
                    maps.push(e.reverse().apply_range(m)?);
                }
            }
        }
        Ok(Prefix { maps })
    }

    /// With the instances that an extension adds; `outer` is the prefix of band values only.
    fn extended(&self, added: &UnionMap, outer: &Prefix) -> Result<Prefix, Error> {
        let mut reached: Option<Set> = None;
        for m in &outer.maps {
            let values = m.range();
            reached = Some(match reached {
                Some(r) => r.union(&values)?,
                None => values,
            });
        }
        let mut maps = self.maps.clone();
        if let Some(reached) = reached {
            for m in added.maps() {
                let back = m.reverse().set_tuple_name(DimType::Out, None);
                maps.push(back.intersect_range(&reached)?);
            }
        }
        Ok(Prefix { maps })
    }
}

impl ScheduleTree {
    /// The instances that reach a node.
    ///
    /// # Errors
    /// When there is no such node or the sets library gives up.
    pub fn reaching(&self, at: &Path, b: &Budget) -> Result<UnionSet, Error> {
        self.walk_to(at, false, b)?.instances()
    }

    /// The values of all band members above a node for the instances that reach it: `S[..] -> [outer values]`.
    ///
    /// # Errors
    /// When there is no such node or the sets library gives up.
    pub fn outer_values(&self, at: &Path, b: &Budget) -> Result<UnionMap, Error> {
        self.walk_to(at, false, b)?.to_union_map()
    }

    /// As [`ScheduleTree::outer_values`], with the position in each sequence on the way as one more value.
    ///
    /// # Errors
    /// When there is no such node, an extension lies on the way, or the sets library gives up.
    pub fn prefix_schedule(&self, at: &Path, b: &Budget) -> Result<UnionMap, Error> {
        self.walk_to(at, true, b)?.to_union_map()
    }

    fn walk_to(&self, at: &Path, positions: bool, b: &Budget) -> Result<Prefix, Error> {
        let nodes = self.nodes_on(at)?;
        let mut prefix = Prefix { maps: Vec::new() };
        for (node, &child) in nodes.iter().zip(&at.0) {
            prefix = step(&prefix, node.kind(), child, positions, b).map_err(|e| match e {
                StepError::Other(e) => e,
                StepError::Extension => Error::refused("prefix schedule", at, "an extension adds instances on the way"),
            })?;
        }
        Ok(prefix)
    }

    /// The tree as one relation from instances to schedule values, padded with zeros to one length. A sequence counts as a value (the child's position); a set, whose
    /// children aren't ordered, doesn't.
    ///
    /// # Errors
    /// When the tree adds instances by an extension, or the sets library gives up.
    pub fn to_union_map(&self, b: &Budget) -> Result<UnionMap, Error> {
        let mut leaves: Vec<Map> = Vec::new();
        let mut stack = vec![(Path::root(), Arc::clone(self.root()), Prefix { maps: Vec::new() })];
        while let Some((path, node, prefix)) = stack.pop() {
            if node.is_leaf() {
                leaves.extend(prefix.maps);
                continue;
            }
            for (i, c) in node.children().iter().enumerate() {
                let next = step(&prefix, node.kind(), i, true, b).map_err(|e| match e {
                    StepError::Other(e) => e,
                    StepError::Extension => {
                        Error::refused("to_union_map", &path, "a relation can't hold the instances that an extension adds")
                    }
                })?;
                stack.push((path.child(i), Arc::clone(c), next));
            }
        }
        let depth = leaves.iter().map(|m| m.dim(DimType::Out)).max().unwrap_or(0);
        let mut all = Prefix { maps: Vec::new() };
        for m in leaves {
            let mut padded = Prefix { maps: vec![m] };
            while padded.maps[0].dim(DimType::Out) < depth {
                padded = padded.with_constant(0)?;
            }
            all.maps.append(&mut padded.maps);
        }
        all.to_union_map()
    }
}

enum StepError {
    Other(Error),
    Extension,
}

impl<E: Into<Error>> From<E> for StepError {
    fn from(e: E) -> StepError {
        StepError::Other(e.into())
    }
}

/// The prefix below a node, at its child `child`.
fn step(prefix: &Prefix, kind: &NodeKind, child: usize, positions: bool, b: &Budget) -> Result<Prefix, StepError> {
    Ok(match kind {
        NodeKind::Domain(d) => Prefix::of_domain(d)?,
        NodeKind::Band(band) => prefix.with_band(band)?,
        NodeKind::Filter(f) => prefix.filtered(f, b)?,
        NodeKind::Sequence if positions => prefix.with_constant(child)?,
        NodeKind::Expansion { expansion, .. } => prefix.expanded(expansion)?,
        NodeKind::Extension(_) if positions => return Err(StepError::Extension),
        NodeKind::Extension(added) if prefix.maps.is_empty() => {
            // The root of a tree that is meant for grafting.
            let maps = added
                .maps()
                .iter()
                .map(|m| m.reverse().set_tuple_name(DimType::Out, None))
                .collect();
            Prefix { maps }
        }
        NodeKind::Extension(added) => prefix.extended(added, prefix)?,
        NodeKind::Sequence | NodeKind::Set | NodeKind::Mark(_) | NodeKind::Context(_) | NodeKind::Guard(_) | NodeKind::Leaf => {
            prefix.clone()
        }
    })
}
