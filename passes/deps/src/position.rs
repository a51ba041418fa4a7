//! Where a schedule tree puts the instances of each statement.

use tilia_presburger::{Aff, Set, UnionSet};
use tilia_schedule::{Node, NodeKind, ScheduleTree};
use tilia_scop::{Scop, StmtId};

/// One decision on the way from the root to a leaf.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A band member: its value, case by case.
    Value(Vec<(Set, Aff)>),
    /// A child of a sequence.
    Child(usize),
    /// A child of a set: no order between children.
    Unordered(usize),
}

/// Instances of one statement that reach one leaf.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    pub(crate) stmt: StmtId,
    pub(crate) domain: Set,
    pub(crate) steps: Vec<Step>,
}

/// Why a tree can't be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TreeError {
    /// A node that adds or replaces instances.
    #[error("a {0} node isn't supported here")]
    Node(&'static str),
    /// The sets library gave up.
    #[error(transparent)]
    Sets(#[from] tilia_presburger::Error),
}

/// The positions of all statements of a scop in a tree, in the tree's order.
pub(crate) fn positions(scop: &Scop, tree: &ScheduleTree) -> Result<Vec<Position>, TreeError> {
    let mut start = Vec::new();
    for (n, s) in scop.stmts.iter().enumerate() {
        let stmt = StmtId(u32::try_from(n).unwrap_or(u32::MAX));
        start.push(Position {
            stmt,
            domain: s.domain.clone(),
            steps: Vec::new(),
        });
    }
    let mut out = Vec::new();
    walk(tree.root(), start, &mut out)?;
    Ok(out)
}

/// The part of the position whose instances are in the filter.
fn filtered(p: &Position, filter: &UnionSet) -> Result<Option<Position>, TreeError> {
    let Some(part) = filter.find(p.domain.space()) else {
        return Ok(None);
    };
    let domain = if part.plain_is_universe() {
        p.domain.clone()
    } else {
        p.domain.intersect(part)?
    };
    Ok((!domain.plain_is_empty()).then(|| Position { domain, ..p.clone() }))
}

fn all_filtered(list: &[Position], filter: &UnionSet) -> Result<Vec<Position>, TreeError> {
    list.iter().filter_map(|p| filtered(p, filter).transpose()).collect()
}

fn walk(node: &Node, reaching: Vec<Position>, out: &mut Vec<Position>) -> Result<(), TreeError> {
    match node.kind() {
        NodeKind::Leaf => {
            out.extend(reaching);
            return Ok(());
        }
        NodeKind::Sequence | NodeKind::Set => {
            for (n, child) in node.children().iter().enumerate() {
                let mut inside = reaching.clone();
                let step = if matches!(node.kind(), NodeKind::Sequence) {
                    Step::Child(n)
                } else {
                    Step::Unordered(n)
                };
                inside.iter_mut().for_each(|p| p.steps.push(step.clone()));
                walk(child, inside, out)?;
            }
            return Ok(());
        }
        kind => {
            let reaching = match kind {
                // The tree speaks of the scop's instances: its domain is theirs.
                NodeKind::Domain(d) | NodeKind::Filter(d) => all_filtered(&reaching, d)?,
                NodeKind::Band(band) => {
                    let mut reaching = reaching;
                    for p in &mut reaching {
                        for m in &band.members {
                            let cases = m.func.extract(p.domain.space()).map(|f| f.pieces().to_vec()).unwrap_or_default();
                            p.steps.push(Step::Value(cases));
                        }
                    }
                    reaching
                }
                NodeKind::Mark(_) | NodeKind::Context(_) | NodeKind::Guard(_) => reaching,
                _ => return Err(TreeError::Node(node.kind().name())),
            };
            for child in node.children() {
                walk(child, reaching.clone(), out)?;
            }
        }
    }
    Ok(())
}
