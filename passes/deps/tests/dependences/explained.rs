//! What forbids tiling and fusion, against enumeration.

use crate::truth::{Instance, conflict, instances};
use crate::{VALUE, program};
use tilia_deps::{dependences, explain_loops};
use tilia_diag::RemarkKind;
use tilia_presburger::Budget;
use tilia_schedule::{Node, NodeKind, Step};

/// Whether a pair of conflicting instances, the first before the second and equal in the steps above `same`, has the greater value first at `step`.
fn backwards(before: &[Instance], after: &[Instance], same: usize, step: usize) -> bool {
    before.iter().any(|a| {
        after.iter().any(|b| {
            let (x, y) = (&a.execution.key, &b.execution.key);
            let ordered = x[..same] == y[..same] && runs_before(a, b);
            let values = matches!((x.get(step), y.get(step)), (Some(Step::Values(v)), Some(Step::Values(w))) if v > w);
            ordered && values && conflict(a, b)
        })
    })
}

fn runs_before(a: &Instance, b: &Instance) -> bool {
    a.execution.order(&b.execution) == tilia_schedule::Order::Before
}

/// The answers in the order of the tree: stage, and whether something forbids.
fn expected(node: &Node, step: usize, here: &[Instance], around: Option<usize>, out: &mut Vec<(&'static str, bool)>) {
    match node.kind() {
        NodeKind::Sequence => {
            let child = |n: usize| -> Vec<Instance> {
                let inside = here.iter().filter(|i| i.execution.key.get(step) == Some(&Step::Child(n)));
                inside.cloned().collect()
            };
            let is_loop = |n: usize| matches!(node.children()[n].children()[0].kind(), NodeKind::Band(_));
            for n in 0..node.children().len() {
                // Of loops that never run nothing is said.
                if n > 0 && is_loop(n) && is_loop(n - 1) && !child(n - 1).is_empty() && !child(n).is_empty() {
                    out.push(("fuse", backwards(&child(n - 1), &child(n), step, step + 1)));
                }
                // Something else of the outer loop's body runs beside this loop.
                let beside = (0..node.children().len()).any(|m| m != n && !child(m).is_empty());
                if around.is_some() && is_loop(n) && beside && !child(n).is_empty() {
                    out.push(("tile", true));
                }
                expected(&node.children()[n].children()[0], step + 1, &child(n), None, out);
            }
        }
        NodeKind::Band(_) => {
            if let Some(outer) = around.filter(|_| !here.is_empty()) {
                out.push(("tile", backwards(here, here, outer, step)));
            }
            expected(&node.children()[0], step + 1, here, Some(step), out);
        }
        _ => node.children().iter().for_each(|c| expected(c, step, here, around, out)),
    }
}

#[test]
fn what_forbids_is_what_enumeration_finds() {
    let budget = Budget::default();
    let (mut forbidden, mut allowed) = ([0, 0], [0, 0]);
    for seed in 0..700 {
        let Some(scop) = program::scop(seed).filter(|s| s.params.is_empty()) else {
            continue;
        };
        let all = instances(&scop, &scop.schedule, VALUE);
        let (deps, _) = dependences(&scop, &budget).unwrap();
        let said = explain_loops(&scop.schedule, &deps, &scop, &budget).unwrap();
        let found: Vec<(&str, bool)> = said.iter().map(|r| (r.stage, r.kind == RemarkKind::Declined)).collect();
        let mut wanted = Vec::new();
        expected(scop.schedule.root(), 0, &all, None, &mut wanted);
        assert_eq!(found, wanted, "seed {seed}\n{said:#?}\n{scop}");
        for (stage, forbids) in wanted {
            let count = if forbids { &mut forbidden } else { &mut allowed };
            count[usize::from(stage == "fuse")] += 1;
        }
    }
    assert!(
        forbidden.iter().chain(&allowed).all(|n| *n > 10),
        "{forbidden:?} {allowed:?}: the test is idle"
    );
}
