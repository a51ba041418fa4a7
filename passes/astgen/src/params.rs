//! The parameters that a tree mentions anywhere.

use tilia_presburger::{Id, Set, Space};
use tilia_schedule::{NodeKind, ScheduleTree};

/// All parameters of the context and of every payload of the tree, those of the domain first.
pub(crate) fn all_params(tree: &ScheduleTree, context: &Set) -> Vec<Id> {
    let mut all = Vec::new();
    for path in tree.paths() {
        let Some(node) = tree.node(&path) else { continue };
        match node.kind() {
            NodeKind::Domain(s) | NodeKind::Filter(s) => s.sets().iter().for_each(|s| add(&mut all, s.space())),
            NodeKind::Context(s) | NodeKind::Guard(s) => add(&mut all, s.space()),
            NodeKind::Extension(m) => m.maps().iter().for_each(|m| add(&mut all, m.space())),
            NodeKind::Expansion { contraction, expansion } => {
                contraction.maps().iter().for_each(|m| add(&mut all, m.space()));
                expansion.maps().iter().for_each(|m| add(&mut all, m.space()));
            }
            NodeKind::Band(b) => {
                for m in &b.members {
                    m.func.pw_affs().iter().for_each(|p| add(&mut all, p.domain_space()));
                }
                b.isolate.iter().for_each(|i| add(&mut all, i.space()));
            }
            NodeKind::Sequence | NodeKind::Set | NodeKind::Mark(_) | NodeKind::Leaf => {}
        }
    }
    add(&mut all, context.space());
    all
}

fn add(all: &mut Vec<Id>, space: &Space) {
    for p in space.params() {
        if !all.contains(p) {
            all.push(p.clone());
        }
    }
}
