//! Chains of bands of a tree that says nothing of them: cut into maximal permutable bands.

use crate::Error;
use crate::steps::Steps;
use tilia_schedule::{Node, Path};
use tilia_transform::permutable_groups;

impl Steps<'_> {
    /// Joins the bands that stand right below each other from `at` on as far as dependences allow, with true flags.
    pub(crate) fn merge(&mut self, at: &Path) -> Result<(), Error> {
        let mut members = Vec::new();
        let mut node = self.tree.node(at);
        while let Some((band, child)) = node.and_then(|n| Some((n.as_band()?, n.child()?))) {
            if band.isolate.is_some() {
                return Ok(());
            }
            members.extend(band.members.iter().cloned());
            node = Some(child);
        }
        let Some(below) = node.filter(|n| !n.is_subtree_anchored()).cloned() else {
            return Ok(());
        };
        let open = self.transformer().open_at(&self.tree, at)?;
        let (groups, _) = permutable_groups(&members, &open, self.budget)?;
        let mut subtree = below;
        for g in groups.iter().rev() {
            subtree = Node::band(g.band.clone(), subtree);
        }
        self.tree = self.tree.replace(at, subtree)?;
        Ok(())
    }
}
