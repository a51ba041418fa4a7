//! Transformations that say how loops are to be generated and don't change the order: parallel, vector, unroll, mark, peel.
//!
//! | transformation | what it does to the tree | condition |
//! |---|---|---|
//! | parallel | the member's `coincident` flag | no open dependence has a distance in it |
//! | vector | a mark `vector` above the innermost band | as parallel, and nothing but statements inside |
//! | unroll | the member's loop type | none; a loop without a small constant trip count stays one, with a remark of the generator |
//! | mark | a mark above the band | none |
//! | peel | an isolate option that leaves out the first or last values | none |

use crate::register::not_parallel;
use crate::transformer::{ANCHORED, edited};
use crate::{Error, Outcome, Transformed, Transformer};
use tilia_presburger::{Aff, DimType, Int, Map, MultiAff, Set, Space, Tuple};
use tilia_schedule::{Band, Edited, LoopType, Node, Path, ScheduleTree};

impl Transformer<'_> {
    /// Declares a member parallel, after proof.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn parallel(&self, tree: &ScheduleTree, at: &Path, member: usize) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        let Some(m) = band.members.get(member) else {
            return Ok(Outcome::unfit(format!("the band has no member {member}")));
        };
        if let Some(found) = self.open_at(tree, at)?.moved_by(m, self.budget)? {
            return Ok(not_parallel(&found));
        }
        let mut band = band.clone();
        band.members[member].coincident = true;
        let new = edited!(tree.replace(at, Node::band(band, child.clone())));
        Ok(Outcome::Done(Edited { tree: new, at: at.clone() }))
    }

    /// Marks the only member of a band as the vector loop, after proof. The position is the mark's.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn vector(&self, tree: &ScheduleTree, at: &Path) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        let [m] = &band.members[..] else {
            return Ok(Outcome::unfit("one loop becomes the vector loop"));
        };
        if holds_band(child) {
            return Ok(Outcome::unfit("a loop stands inside; the vector loop must be innermost"));
        }
        if let Some(found) = self.open_at(tree, at)?.moved_by(m, self.budget)? {
            return Ok(not_parallel(&found));
        }
        let mut band = band.clone();
        band.members[0].coincident = true;
        let new = edited!(tree.replace(at, Node::band(band, child.clone())));
        self.mark(&new, at, "vector")
    }

    /// Puts a mark above a node.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn mark(&self, tree: &ScheduleTree, at: &Path, name: &str) -> Transformed {
        Ok(Outcome::Done(edited!(tree.insert_mark(at, name))))
    }

    /// Asks for a member's loop to be written out.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn unroll(&self, tree: &ScheduleTree, at: &Path, member: usize) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        let mut band = band.clone();
        let Some(m) = band.members.get_mut(member) else {
            return Ok(Outcome::unfit(format!("the band has no member {member}")));
        };
        m.loop_type = LoopType::Unroll;
        m.isolated_loop_type = LoopType::Unroll;
        let new = edited!(tree.replace(at, Node::band(band, child.clone())));
        Ok(Outcome::Done(Edited { tree: new, at: at.clone() }))
    }

    /// Generates the first and last iterations of the only member of a band apart from the others.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn peel(&self, tree: &ScheduleTree, at: &Path, first: &Int, last: &Int) -> Transformed {
        let (band, child) = match Self::band(tree, at) {
            Ok(found) => found,
            Err(declined) => return Ok(declined),
        };
        if band.len() != 1 {
            return Ok(Outcome::unfit("iterations are peeled off one loop"));
        }
        if first.is_neg() || last.is_neg() || (first.is_zero() && last.is_zero()) {
            return Ok(Outcome::unfit("the numbers of iterations to peel must be positive"));
        }
        if tree.node(at).is_some_and(|n| n.is_subtree_anchored()) {
            return Ok(Outcome::unfit(ANCHORED));
        }
        let values = tree.outer_values(&at.child(0), self.budget)?;
        let mut all: Option<Set> = None;
        for m in values.maps() {
            let own = m.range();
            all = Some(match all {
                Some(set) => set.union(&own)?,
                None => own,
            });
        }
        let Some(all) = all else {
            return Ok(Outcome::unfit("nothing is executed there"));
        };
        let all = all.coalesce(self.budget)?;
        let inner = all.intersect(&moved(&all, first)?)?.intersect(&moved(&all, &-last)?)?;
        let isolate = as_option(&inner, self)?;
        let band = Band {
            isolate: Some(isolate),
            ..band.clone()
        };
        self.put(tree, at, Node::band(band, child.clone()))
    }
}

fn holds_band(node: &Node) -> bool {
    node.as_band().is_some() || node.children().iter().any(|c| holds_band(c))
}

/// The set with its last dimension moved by a constant.
fn moved(set: &Set, by: &Int) -> Result<Set, Error> {
    let n = set.dim(DimType::Out);
    let space = set.space().clone();
    let mut affs: Vec<Aff> = (0..n).map(|k| Aff::var(&space, DimType::Out, k)).collect();
    if let Some(last) = affs.pop() {
        affs.push(last.add_constant(&-by));
    }
    Ok(MultiAff::new(&space, space.out().clone(), &affs)?.preimage(set)?)
}

/// A set of outer values and one more as an isolate option.
fn as_option(set: &Set, t: &Transformer<'_>) -> Result<Map, Error> {
    let n = set.dim(DimType::Out) - 1;
    let space = Space::map(set.space().params().to_vec(), Tuple::anonymous(n), Tuple::anonymous(1));
    let flat = set.set_tuple_name(DimType::Out, None).compute_divs(t.budget)?;
    let mut out = Map::empty(&space);
    for part in flat.basic_sets() {
        out = out.union(&crate::full::as_map(&part, &space)?.to_union())?;
    }
    Ok(out)
}
