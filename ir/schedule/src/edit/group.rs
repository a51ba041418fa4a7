//! Grouping: the instances that reach a node stand for one group instance for each combination of outer values.

use super::{Edited, not_anchored};
use crate::{Band, Error, Member, Node, NodeKind, Path, ScheduleTree};
use tilia_presburger::{Aff, Budget, DimType, Id, Map, PwAff, Set, Space, Tuple, UnionMap, UnionSet};

impl ScheduleTree {
    /// Replaces the instances that reach a node by instances `name[outer values]`, one for each combination of values of the bands above, and expands these again right above the node. Everything above
    /// then speaks of the group: it may be moved as one statement. The position is the expansion's.
    ///
    /// # Errors
    /// At the root, between a list and its filter, below anchors, when the name is taken, or when the sets library gives up.
    pub fn group(&self, at: &Path, name: impl Into<Id>, b: &Budget) -> Result<Edited, Error> {
        let name = name.into();
        let node = self.target("group", at)?;
        let Some(parent) = at.parent() else {
            return Err(Error::refused("group", at, "the root can't be grouped"));
        };
        if self.target("group", &parent)?.is_list() {
            return Err(Error::refused(
                "group",
                at,
                "nothing can stand between a sequence or set and its filter",
            ));
        }
        let nodes = self.nodes_on(at)?;
        let above = &nodes[..nodes.len() - 1];
        if let Some(n) = above
            .iter()
            .find(|n| n.kind().is_anchor() || matches!(n.kind(), NodeKind::Expansion { .. }))
        {
            let reason = format!("a {} above is about instances that would be replaced", n.kind().name());
            return Err(Error::refused("group", at, reason));
        }
        not_anchored("group", at, node)?;
        let reaching = self.reaching(at, b)?;
        let taken = self
            .domain()
            .is_some_and(|d| d.sets().iter().any(|s| s.space().out().name.as_ref() == Some(&name)));
        if taken {
            return Err(Error::refused("group", at, format!("there are instances {name} already")));
        }
        let g = Group::new(&self.outer_values(at, b)?, &name, self.schedule_depth(at)?, reaching)?;
        let mut subtree = Node::expansion(g.contraction.clone(), g.contraction.reverse()?, node.clone());
        let mut first = g.space.dim(DimType::Out);
        for (n, &i) in above.iter().zip(&at.0).rev() {
            let kind = match n.kind() {
                NodeKind::Domain(d) => NodeKind::Domain(d.subtract(&g.reaching, b)?.union(&g.instances)?),
                NodeKind::Filter(f) => NodeKind::Filter(
                    f.subtract(&g.reaching, b)?
                        .union(&UnionSet::from_members([&Set::universe(&g.space)])?)?,
                ),
                NodeKind::Band(band) => {
                    first -= band.len();
                    NodeKind::Band(g.band(band, first, b)?)
                }
                other => other.clone(),
            };
            let mut children = n.children().to_vec();
            children[i] = subtree;
            subtree = Node::raw(kind, children);
        }
        Ok(Edited {
            tree: ScheduleTree::from_root(subtree)?,
            at: at.clone(),
        })
    }
}

/// What replaces the instances.
struct Group {
    space: Space,
    /// From instances to their groups.
    contraction: UnionMap,
    instances: UnionSet,
    reaching: UnionSet,
}

impl Group {
    fn new(values: &UnionMap, name: &Id, depth: usize, reaching: UnionSet) -> Result<Group, Error> {
        let maps: Vec<Map> = values
            .maps()
            .iter()
            .map(|m| m.set_tuple_name(DimType::Out, Some(name.clone())))
            .collect();
        let params = maps.iter().fold(Space::params_only([]), |s, m| s.align_params(m.space()));
        let contraction = UnionMap::from_members(&maps)?;
        Ok(Group {
            space: Space::set(params.params().to_vec(), Tuple::named(name.clone(), depth)),
            instances: contraction.range()?,
            contraction,
            reaching,
        })
    }

    /// The band with the group's values, from dimension `first` on, in place of those of the statements that are gone.
    fn band(&self, band: &Band, first: usize, b: &Budget) -> Result<Band, Error> {
        let mut members = Vec::with_capacity(band.len());
        for (k, m) in band.members.iter().enumerate() {
            // Statements that are gone may keep their values: nothing asks for them.
            let own = Aff::var(&self.space, DimType::Out, first + k);
            let func = m.func.add_pw_aff(&PwAff::from_aff(&own), b)?;
            members.push(Member { func, ..m.clone() });
        }
        Ok(Band { members, ..band.clone() })
    }
}
