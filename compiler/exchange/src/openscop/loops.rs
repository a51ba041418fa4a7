//! The extension `loop`: which dimensions of the scattering are parallel loops, and which vector loops.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tilia_schedule::{Node, NodeKind, ScheduleTree};
use tilia_scop::Scop;

/// `OSL_LOOP_DIRECTIVE_PARALLEL`.
const PARALLEL: u32 = 1;
/// `OSL_LOOP_DIRECTIVE_VECTOR`.
const VECTOR: u32 = 4;

/// A loop dimension on the way to a statement.
#[derive(Clone, Copy)]
struct Dim {
    number: usize,
    coincident: bool,
}

/// The text of the extension; `None` where no loop is parallel. The outermost coincident loop around a statement is its parallel loop, the innermost loop, if it is another one and coincident,
/// its vector loop.
pub(super) fn loop_marks(tree: &ScheduleTree, scop: &Scop) -> Option<String> {
    let all: BTreeSet<usize> = (0..scop.stmts.len()).collect();
    let mut marks: BTreeMap<(usize, u32), BTreeSet<usize>> = BTreeMap::new();
    let mut path = Vec::new();
    walk(tree.root(), scop, &all, 0, &mut path, &mut marks);
    if marks.is_empty() {
        return None;
    }
    let mut text = format!("# Number of loops\n{}\n", marks.len());
    for (n, ((dim, directive), stmts)) in marks.iter().enumerate() {
        let _ = write!(
            text,
            "# ===========================================\n# Loop number {}\n# Iterator name\nt{}\n# Number of stmts\n{}\n# Statement identifiers\n",
            n + 1,
            dim + 1,
            stmts.len()
        );
        for s in stmts {
            let _ = writeln!(text, "{}", s + 1);
        }
        let _ = writeln!(text, "# Private variables\n(null)\n# Directive\n{directive}");
    }
    Some(text)
}

fn walk(
    node: &Node,
    scop: &Scop,
    stmts: &BTreeSet<usize>,
    depth: usize,
    path: &mut Vec<Dim>,
    marks: &mut BTreeMap<(usize, u32), BTreeSet<usize>>,
) {
    let known = path.len();
    let mut depth = depth;
    let mut here = stmts.clone();
    match node.kind() {
        NodeKind::Band(band) => {
            for m in &band.members {
                path.push(Dim {
                    number: depth,
                    coincident: m.coincident,
                });
                depth += 1;
            }
        }
        NodeKind::Sequence | NodeKind::Set => depth += 1,
        NodeKind::Filter(keep) => here.retain(|&s| keep.sets().iter().any(|set| set.space().same_tuples(scop.stmts[s].domain.space()))),
        NodeKind::Leaf => leaf(&here, path, marks),
        _ => {}
    }
    for child in node.children() {
        walk(child, scop, &here, depth, path, marks);
    }
    path.truncate(known);
}

fn leaf(stmts: &BTreeSet<usize>, path: &[Dim], marks: &mut BTreeMap<(usize, u32), BTreeSet<usize>>) {
    let outer = path.iter().find(|d| d.coincident);
    if let Some(outer) = outer {
        marks.entry((outer.number, PARALLEL)).or_default().extend(stmts);
        if let Some(inner) = path.last().filter(|d| d.coincident && d.number != outer.number) {
            marks.entry((inner.number, VECTOR)).or_default().extend(stmts);
        }
    }
}
