//! Moving a band down to the leaves.

use super::{Edited, not_anchored};
use crate::{Band, Error, Member, Node, NodeKind, Path, ScheduleTree};
use std::sync::Arc;
use tilia_presburger::{Budget, Space, UnionPwAff};

impl ScheduleTree {
    /// Removes a band and puts it back above every leaf of its subtree, for the statements that reach that leaf. The position is that of what stood below the band.
    ///
    /// # Errors
    /// When there is no band, or the subtree is anchored or holds an expansion.
    pub fn sink_band(&self, at: &Path, b: &Budget) -> Result<Edited, Error> {
        let (band, child) = self.target_band("sink_band", at)?;
        not_anchored("sink_band", at, self.target("sink_band", at)?)?;
        let reaching = self.reaching(at, b)?;
        let spaces: Vec<Space> = reaching.sets().iter().map(|s| s.space().clone()).collect();
        let sunk = sink(child, band, &spaces, at, b)?;
        self.put(at, sunk)
    }
}

fn sink(node: &Arc<Node>, band: &Band, spaces: &[Space], at: &Path, b: &Budget) -> Result<Arc<Node>, Error> {
    match node.kind() {
        NodeKind::Leaf => Ok(Node::band(for_spaces(band, spaces, b)?, Node::leaf())),
        NodeKind::Expansion { .. } => Err(Error::refused("sink_band", at, "a band can't be moved below an expansion")),
        kind => {
            let kept: Vec<Space> = match kind {
                NodeKind::Filter(f) => spaces.iter().filter(|s| f.find(s).is_some()).cloned().collect(),
                _ => spaces.to_vec(),
            };
            let children = node
                .children()
                .iter()
                .map(|c| sink(c, band, &kept, at, b))
                .collect::<Result<_, _>>()?;
            Ok(Node::raw(kind.clone(), children))
        }
    }
}

/// The band with the functions of these statements only.
pub(super) fn for_spaces(band: &Band, spaces: &[Space], b: &Budget) -> Result<Band, Error> {
    let mut members = Vec::with_capacity(band.len());
    for m in &band.members {
        let mut func = UnionPwAff::empty(m.func.params_space());
        for f in m.func.pw_affs() {
            if spaces.iter().any(|s| s.same_tuples(f.domain_space())) {
                func = func.add_pw_aff(f, b)?;
            }
        }
        members.push(Member { func, ..m.clone() });
    }
    Ok(Band { members, ..band.clone() })
}
