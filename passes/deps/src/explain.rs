//! Why loops aren't tiled or fused: for each loop of any tree the dependence that forbids it, with one pair of iterations, or that nothing does.
//!
//! This answers for the tree as it is, whoever made it. Whether a loop is parallel is [`crate::mark_coincident`]'s to say.

use crate::carry::restrict;
use crate::parallel::{Pending, equal, pending};
use crate::position::{Position, Step, TreeError, positions};
use crate::tell::{counts_tiles, describe, loop_loc};
use std::cmp::Ordering;
use tilia_diag::{Loc, Remark};
use tilia_presburger::{Budget, Point};
use tilia_schedule::{Node, NodeKind, ScheduleTree};
use tilia_scop::{Deps, Scop};

/// For each loop: what keeps it from being tiled together with the loop around it (stage `tile`), and from being fused with the loop before it (stage `fuse`).
///
/// # Errors
/// When the tree has nodes that add or replace instances. A budget that runs out ends the explanations with a remark.
pub fn explain_loops(tree: &ScheduleTree, deps: &Deps, scop: &Scop, budget: &Budget) -> Result<Vec<Remark>, TreeError> {
    let all = positions(scop, tree)?;
    let pending = pending(scop, deps, &all, budget)?;
    let mut explainer = Explainer {
        scop,
        budget,
        remarks: Vec::new(),
    };
    let done = alive(all, budget).and_then(|all| explainer.visit(tree.root(), 0, &all, &pending, None));
    if done.is_err() {
        let message = "not all loops are explained: the budget is used up";
        explainer.remarks.push(Remark::declined("tile", scop.loc.clone(), message));
    }
    Ok(explainer.remarks)
}

/// The positions that have instances: of loops that never run nothing is said.
fn alive(all: Vec<Position>, budget: &Budget) -> tilia_presburger::Result<Vec<Position>> {
    let mut out = Vec::new();
    for p in all {
        if !p.domain.is_empty(budget)? {
            out.push(p);
        }
    }
    Ok(out)
}

/// A band right around a node: dependences that nothing above the band orders, and the place of its innermost loop.
struct Around<'a, 'd> {
    pending: &'a [Pending<'d>],
    loc: Loc,
}

struct Explainer<'a> {
    scop: &'a Scop,
    budget: &'a Budget,
    remarks: Vec<Remark>,
}

/// Either the sets library gave up, or the walk is done.
type Done = Result<(), tilia_presburger::Error>;

impl Explainer<'_> {
    fn visit(
        &mut self,
        node: &Node,
        depth: usize,
        reaching: &[Position],
        pending: &[Pending<'_>],
        around: Option<&Around<'_, '_>>,
    ) -> Done {
        match node.kind() {
            NodeKind::Leaf => Ok(()),
            NodeKind::Sequence | NodeKind::Set => self.list(node, depth, reaching, pending, around),
            NodeKind::Band(band) => {
                let mut inside = pending.to_vec();
                if let Some(around) = around {
                    self.tiled(depth, reaching, around)?;
                }
                for m in 0..band.members.len() {
                    if m > 0 {
                        let loc = loop_loc(self.scop, depth + m - 1, reaching);
                        // In a permutable band nothing runs backwards: that is what the word says.
                        let open: &[Pending<'_>] = if band.permutable { &[] } else { pending };
                        self.tiled(depth + m, reaching, &Around { pending: open, loc })?;
                    }
                    inside = equal(&inside, depth + m, self.budget);
                }
                let below = depth + band.members.len();
                let Some(child) = node.children().first() else { return Ok(()) };
                let loc = loop_loc(self.scop, below.saturating_sub(1), reaching);
                let here = Around { pending, loc };
                self.visit(child, below, reaching, &inside, (!band.is_empty()).then_some(&here))
            }
            _ => match node.children().first() {
                Some(child) => self.visit(child, depth, reaching, pending, around),
                None => Ok(()),
            },
        }
    }

    /// Whether the loop at a step can be tiled together with the loop around it. Inside tiles there is nothing to say.
    fn tiled(&mut self, step: usize, reaching: &[Position], around: &Around<'_, '_>) -> Done {
        if reaching.is_empty() || (0..=step).any(|n| counts_tiles(n, reaching)) {
            return Ok(());
        }
        let loc = loop_loc(self.scop, step, reaching);
        if !loc.is_unknown() && loc == around.loc {
            return Ok(());
        }
        let inside = |p: &Position| reaching.iter().any(|r| r.stmt == p.stmt && same_steps(r, p, step));
        for p in around.pending.iter().filter(|p| inside(&p.source) && inside(&p.target)) {
            if let Some(point) = backwards(p, step, self.budget)? {
                let why = describe(self.scop, p, &point);
                let message = format!("the loop isn't tiled with the one at {}: {why} runs backwards in it", around.loc);
                self.remarks.push(Remark::declined("tile", loc, message));
                return Ok(());
            }
        }
        let message = format!("nothing forbids tiling the loop with the one at {}", around.loc);
        self.remarks.push(Remark::analysis("tile", loc, message));
        Ok(())
    }

    fn list(&mut self, node: &Node, depth: usize, reaching: &[Position], pending: &[Pending<'_>], around: Option<&Around<'_, '_>>) -> Done {
        let at = |p: &Position| match p.steps.get(depth) {
            Some(Step::Child(c) | Step::Unordered(c)) => Some(*c),
            _ => None,
        };
        for (n, child) in node.children().iter().enumerate() {
            let here: Vec<Position> = reaching.iter().filter(|p| at(p) == Some(n)).cloned().collect();
            if n > 0 && starts_with_band(child) && starts_with_band(&node.children()[n - 1]) {
                let before: Vec<Position> = reaching.iter().filter(|p| at(p) == Some(n - 1)).cloned().collect();
                let between = pending.iter().filter(|p| at(&p.source) == Some(n - 1) && at(&p.target) == Some(n));
                self.fused(depth + 1, (&before, &here), &between.collect::<Vec<_>>())?;
            }
            if let Some(around) = around.filter(|_| starts_with_band(child)) {
                let beside = reaching.iter().find(|p| at(p) != Some(n));
                self.not_alone(depth + 1, &here, around, beside);
            }
            let inside: Vec<Pending<'_>> = pending
                .iter()
                .filter(|p| at(&p.source) == Some(n) && at(&p.target) == Some(n))
                .cloned()
                .collect();
            self.visit(child, depth + 1, &here, &inside, None)?;
        }
        Ok(())
    }

    /// A loop beside something else in the body of the loop around it: the two aren't one band.
    fn not_alone(&mut self, step: usize, here: &[Position], around: &Around<'_, '_>, beside: Option<&Position>) {
        let Some(beside) = beside.filter(|_| !here.is_empty() && !(0..=step).any(|n| counts_tiles(n, here))) else {
            return;
        };
        let loc = loop_loc(self.scop, step, here);
        let other = &self.scop[beside.stmt];
        let message = format!(
            "the loop isn't tiled with the one at {}: it isn't alone in it, {} at {} stands beside it",
            around.loc, other.name, other.loc
        );
        self.remarks.push(Remark::declined("tile", loc, message));
    }

    /// Whether two neighbouring loops could be one, iteration by iteration.
    fn fused(&mut self, step: usize, (before, here): (&[Position], &[Position]), between: &[&Pending<'_>]) -> Done {
        if before.is_empty() || here.is_empty() {
            return Ok(());
        }
        let (first, loc) = (loop_loc(self.scop, step, before), loop_loc(self.scop, step, here));
        for p in between {
            if let Some(point) = backwards(p, step, self.budget)? {
                let why = describe(self.scop, p, &point);
                let message = format!("the loop isn't fused with the one before it at {first}: {why} would run backwards");
                self.remarks.push(Remark::declined("fuse", loc, message));
                return Ok(());
            }
        }
        let message = format!("nothing forbids fusing the loop with the one before it at {first}");
        self.remarks.push(Remark::analysis("fuse", loc, message));
        Ok(())
    }
}

/// Whether the steps above a number are the same decisions: two positions in one subtree.
fn same_steps(a: &Position, b: &Position, above: usize) -> bool {
    (0..above).all(|n| match (a.steps.get(n), b.steps.get(n)) {
        (Some(Step::Child(x) | Step::Unordered(x)), Some(Step::Child(y) | Step::Unordered(y))) => x == y,
        (Some(Step::Value(_)), Some(Step::Value(_))) => true,
        _ => false,
    })
}

/// Whether loops are the first thing in a subtree.
fn starts_with_band(node: &Node) -> bool {
    match node.kind() {
        NodeKind::Band(band) => !band.is_empty(),
        NodeKind::Filter(_) | NodeKind::Mark(_) | NodeKind::Context(_) | NodeKind::Guard(_) => {
            node.children().first().is_some_and(|c| starts_with_band(c))
        }
        _ => false,
    }
}

/// A pair of the dependence whose source has the greater value at the step.
fn backwards(p: &Pending<'_>, step: usize, budget: &Budget) -> tilia_presburger::Result<Option<Point>> {
    let (Some(Step::Value(f)), Some(Step::Value(g))) = (p.source.steps.get(step), p.target.steps.get(step)) else {
        return Ok(None);
    };
    let pairs = restrict(&p.pairs, f, g, Ordering::Less, budget)?;
    if pairs.plain_is_empty() {
        Ok(None)
    } else {
        pairs.sample_point(budget)
    }
}
