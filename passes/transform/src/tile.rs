//! Tiling of all permutable bands of a tree.
//!
//! # What it does
//! Nested bands are joined as far as dependences allow; each of the resulting bands `[f_1, .., f_n]` becomes `[f_1 - f_1 mod s_1, ..]` above `[f_1, .., f_n]`:
//!
//! ```text
//! for i, for j: S(i, j)    =>    for it step s1, for jt step s2, for i in it..it+s1, for j in jt..jt+s2: S(i, j)
//! ```
//!
//! # Why it is legal
//! No open pair has a negative distance in any member of a permutable band, hence none in any `floor(f / s)`: the tile of a pair's target never comes before that of
//! its source, and inside one tile the old order holds.
//!
//! # Declines when
//! the member runs a dependence the wrong way round, or a context, guard, extension or isolate option mentions the values of the band.

use crate::full::full_of;
use crate::permute::{Group, permutable_groups};
use crate::strides;
use crate::{Error, Pairs};
use std::sync::Arc;
use tilia_diag::{Loc, Remark};
use tilia_presburger::{Budget, Int};
use tilia_schedule::{Member, Node, NodeKind, Path, ScheduleTree, TileForm};

const STAGE: &str = "tile";

/// How to tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileOptions {
    /// Sizes in iterations, outermost first; the last repeats.
    pub sizes: Vec<Int>,
    /// Generate full tiles apart from partial ones.
    pub separate_full: bool,
    /// Least number of members that a band must have to be tiled.
    pub min_members: usize,
}

impl TileOptions {
    /// Tiles of these sizes, not separated, bands of any number of members.
    #[must_use]
    pub fn new(sizes: Vec<Int>) -> TileOptions {
        TileOptions {
            sizes,
            separate_full: false,
            min_members: 1,
        }
    }

    fn size(&self, k: usize) -> Int {
        let at = k.min(self.sizes.len().saturating_sub(1));
        self.sizes.get(at).cloned().unwrap_or(Int::ONE)
    }
}

/// Tiles every permutable band. What isn't tiled is left as it is, with a remark that says why; remarks are located at `loc`.
///
/// # Errors
/// When the sets library gives up.
pub fn tile(
    tree: &ScheduleTree,
    dependences: &Pairs,
    loc: &Loc,
    options: &TileOptions,
    b: &Budget,
) -> Result<(ScheduleTree, Vec<Remark>), Error> {
    let mut t = Tiler {
        options,
        loc: loc.clone(),
        remarks: Vec::new(),
        tree: tree.clone(),
        budget: b,
    };
    t.visit(&Path::root(), dependences)?;
    Ok((t.tree, t.remarks))
}

struct Tiler<'a> {
    options: &'a TileOptions,
    loc: Loc,
    remarks: Vec<Remark>,
    tree: ScheduleTree,
    budget: &'a Budget,
}

impl Tiler<'_> {
    fn declined(&mut self, message: String) {
        self.remarks.push(Remark::declined(STAGE, self.loc.clone(), message));
    }

    fn visit(&mut self, at: &Path, open: &Pairs) -> Result<(), Error> {
        let Some(node) = self.tree.node(at).cloned() else { return Ok(()) };
        match node.kind() {
            NodeKind::Band(_) => self.chain(at, &node, open),
            NodeKind::Filter(f) => {
                let inside = open.within(f, self.budget)?;
                self.visit(&at.child(0), &inside)
            }
            NodeKind::Extension(_) | NodeKind::Expansion { .. } => {
                self.declined(format!("what stands below the {} isn't tiled", node.kind().name()));
                Ok(())
            }
            _ => {
                for i in 0..node.children().len() {
                    self.visit(&at.child(i), open)?;
                }
                Ok(())
            }
        }
    }

    /// Bands that stand right below each other.
    fn chain(&mut self, at: &Path, first: &Arc<Node>, open: &Pairs) -> Result<(), Error> {
        let mut members: Vec<Member> = Vec::new();
        let mut node = first;
        let mut isolated = false;
        while let (Some(band), Some(child)) = (node.as_band(), node.child()) {
            members.extend(band.members.iter().cloned());
            isolated |= band.isolate.is_some();
            node = child;
        }
        let below = node.clone();
        if isolated || below.is_subtree_anchored() {
            self.declined(format!("{} isn't tiled: options below mention its values", names(&members)));
            return Ok(());
        }
        let (groups, left) = permutable_groups(&members, open, self.budget)?;
        // From the inside out, so that each group stands above what is already done.
        let mut subtree = below;
        let mut depth = 0;
        for g in groups.iter().rev() {
            subtree = Node::band(g.band.clone(), subtree);
        }
        self.tree = self.tree.replace(at, subtree)?;
        let mut here = at.clone();
        for g in &groups {
            let tiled = self.group(&here, g)?;
            for _ in 0..if tiled { 2 } else { 1 } {
                here = here.child(0);
                depth += 1;
            }
        }
        tracing::debug!(depth, groups = groups.len(), "tiled a chain of bands");
        self.visit(&here, &left)
    }

    /// Tiles one group in place; says whether.
    fn group(&mut self, at: &Path, g: &Group) -> Result<bool, Error> {
        let loops = names(&g.band.members);
        if !g.legal {
            let pair = g.stopped_by.as_ref().map_or("", |v| &v.text);
            self.declined(format!("{loops} isn't tiled: it runs the dependence {pair} the wrong way round"));
            return Ok(false);
        }
        if g.band.len() < self.options.min_members {
            let why = g.stopped_by.as_ref().map_or_else(
                || "it stands alone".to_string(),
                |v| format!("the next loop may not join it because of the dependence {}", v.text),
            );
            self.declined(format!("{loops} isn't tiled: {why}"));
            return Ok(false);
        }
        let iterations: Vec<Int> = (0..g.band.len()).map(|k| self.options.size(k)).collect();
        let strides = strides(&self.tree, at, self.budget)?;
        let sizes: Vec<Int> = iterations.iter().zip(&strides).map(|(n, s)| n * s).collect();
        let tiled = self.tree.tile_band(at, &sizes, TileForm::default())?;
        self.tree = tiled.tree;
        let list: Vec<String> = iterations.iter().map(Int::to_string).collect();
        let mut message = format!("{loops} tiled by {}", list.join(" x "));
        if let Some(v) = &g.stopped_by {
            message.push_str(&format!("; the next loop stays outside because of the dependence {}", v.text));
        }
        if self.options.separate_full {
            self.separate(at, &sizes)?;
        }
        self.remarks.push(Remark::applied(STAGE, self.loc.clone(), message));
        Ok(true)
    }

    /// Isolates the full tiles of the tile band at a position.
    fn separate(&mut self, at: &Path, sizes: &[Int]) -> Result<(), Error> {
        let full = match full_of(&self.tree, at, &at.child(0), sizes, self.budget)? {
            Ok(full) => full,
            Err(why) => {
                let message = format!("full tiles aren't separated: {why}");
                self.remarks.push(Remark::declined(STAGE, self.loc.clone(), message));
                return Ok(());
            }
        };
        let Some(node) = self.tree.node(at) else { return Ok(()) };
        if let (Some(band), Some(child)) = (node.as_band(), node.child()) {
            let mut band = band.clone();
            band.isolate = Some(full);
            self.tree = self.tree.replace(at, Node::band(band, child.clone()))?;
        }
        Ok(())
    }
}

fn names(members: &[Member]) -> String {
    let list: Vec<&str> = members.iter().map(|m| m.name.as_ref().map_or("a loop", |n| n.as_str())).collect();
    match &list[..] {
        [one] => format!("loop {one}"),
        _ => format!("loops {}", list.join(", ")),
    }
}
