//! Cutting the values of one dimension into pieces, each of which becomes one loop.

use crate::ask::{Oracle, ask, surely_empty};
use crate::bounds::bounds;
use crate::build::{Build, implied};
use crate::convert::{disjuncts, set_of};
use crate::exe::Exe;
use crate::generate::Generator;
use crate::lin::Con;
use crate::options::Error;
use crate::order::{follows, sorted_components};
use crate::project::project_out;
use tilia_presburger::{DimType, Set, Space};
use tilia_schedule::LoopType;

/// A loop of so many statements may hold the conditions of all of them.
const FEW: usize = 6;

/// A conjunction over the dimensions up to the present one, split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// Constraints on the present dimension: what a loop can enforce.
    pub(crate) own: Vec<Con>,
    /// Constraints on outer dimensions alone; where they fail, nothing of the group runs.
    pub(crate) outer: Vec<Con>,
}

impl Group {
    fn new(conj: &[Con], dim: usize) -> Group {
        let (own, outer) = conj.iter().cloned().partition(|c| c.lin.mentions(dim));
        Group { own, outer }
    }

    /// All constraints.
    pub(crate) fn all(&self) -> Vec<Con> {
        self.own.iter().chain(&self.outer).cloned().collect()
    }
}

/// Values that one loop covers, as groups of constraints whose union they are, and the statements that run in it.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub(crate) groups: Vec<Group>,
    pub(crate) exes: Vec<Exe>,
}

impl Generator<'_> {
    /// The pieces of the statements' values of dimension `build.depth()`, in order. `at_once` says that the iterations may run at once.
    pub(crate) fn pieces(&mut self, exes: Vec<Exe>, build: &Build, (kind, at_once): (LoopType, bool)) -> Result<Vec<Piece>, Error> {
        let dim = build.depth();
        let b = self.budget;
        let mut owned: Vec<Vec<Con>> = Vec::new();
        let mut kept = Vec::with_capacity(exes.len());
        for e in exes {
            let conjunctions = disjuncts(&e.levels[dim + 1], b)?;
            if !conjunctions.is_empty() {
                owned.extend(conjunctions);
                kept.push(e);
            }
        }
        let groups = explicit_groups(&owned, build, b)?;
        let one_set = groups.len() <= 1 && (kind != LoopType::Separate || kept.len() <= 1);
        if one_set || kind == LoopType::Atomic {
            return Ok(vec![Piece { groups, exes: kept }]);
        }
        // Whether one loop does is worth a longer look. Not so for parallel loops: those for which that takes longer were seen to start more often than their parts.
        let units = if at_once || kept.len() > FEW { *b } else { b.thorough() };
        let cut = match kind {
            LoopType::Separate => ask(b, |s| separated(&kept, build, s))?.flatten(),
            _ if ask(&units, |s| is_convex(&groups, build, s))?.unwrap_or(false) => None,
            _ => ask(b, |s| disjoint(&groups, build, s))?.flatten(),
        };
        let Some(sets) = cut.filter(|c| c.len() > 1 && self.affordable(c.len(), kept.len(), kind)) else {
            return Ok(vec![Piece { groups, exes: kept }]);
        };
        self.pieces_of_sets(&sets, &kept, build)
    }

    /// The pieces for the values in each of the sets, which don't overlap, in order.
    pub(crate) fn pieces_of_sets(&self, sets: &[Set], exes: &[Exe], build: &Build) -> Result<Vec<Piece>, Error> {
        let mut out = Vec::new();
        for run in sorted(sets, build, self.budget)? {
            out.push(self.piece_of_sets(&run, exes, build)?);
        }
        out.retain(|p| !p.exes.is_empty());
        Ok(out)
    }

    /// One piece from sets that must share a loop.
    fn piece_of_sets(&self, sets: &[&Set], exes: &[Exe], build: &Build) -> Result<Piece, Error> {
        let (b, dim) = (self.budget, build.depth());
        let mut union = sets[0].clone();
        for s in &sets[1..] {
            union = union.union(s)?;
        }
        let mut inside = Vec::new();
        let domain = build.domain.add_dims(DimType::Out, 1)?;
        for e in exes {
            let e = e.restrict(&union)?;
            if !e.is_empty_in(&domain, dim + 1, b)? {
                inside.push(e);
            }
        }
        let mut owned = Vec::new();
        for e in &inside {
            owned.extend(disjuncts(&e.levels[dim + 1].intersect(&domain)?, b)?);
        }
        let groups = match sets {
            [_] => explicit_groups(&disjuncts(&union, b)?, build, b)?,
            _ => explicit_groups(&owned, build, b)?,
        };
        Ok(Piece { groups, exes: inside })
    }

    fn affordable(&mut self, pieces: usize, stmts: usize, kind: LoopType) -> bool {
        let fits = pieces <= self.options.max_copies && self.copies + pieces * stmts <= self.options.max_nodes;
        if !fits {
            let what = if kind == LoopType::Separate {
                "`separate`"
            } else {
                "disjoint pieces"
            };
            self.declined(format!(
                "{what} would make {pieces} loops of one: conditions inside one loop instead"
            ));
        }
        fits
    }
}

/// Is the union of the groups all of what their common constraints allow?
fn is_convex(groups: &[Group], build: &Build, b: &Oracle<'_>) -> Result<bool, Error> {
    let domain = build.domain.add_dims(DimType::Out, 1)?;
    let mut union = Set::empty(domain.space());
    let mut hull = domain.clone();
    for g in groups {
        union = union.union(&set_of(&g.own, domain.space())?)?;
        // Where a group has no value the loop may be too large.
        let feasible = project_out(&g.own, build.depth()).unwrap_or_default();
        hull = hull.intersect(&set_of(&feasible, domain.space())?)?;
    }
    // Where all of them run is what counts, if there is such a place.
    let outer: Vec<Con> = groups.iter().flat_map(|g| g.outer.clone()).collect();
    let main = hull.intersect(&set_of(&outer, domain.space())?)?;
    let mut domain = domain;
    if !surely_empty(&main, b)? {
        domain = domain.intersect(&set_of(&outer, domain.space())?)?;
        hull = main;
    }
    let mut bounded = (false, false);
    for c in groups.iter().flat_map(|g| &g.own) {
        if implied_by_all(c, groups, &domain, b)? {
            if !c.lin.mentions_inside(build.depth()) {
                let a = c.lin.coefficient(build.depth());
                bounded.0 |= c.eq || a.is_pos();
                bounded.1 |= c.eq || a.is_neg();
            }
            hull = hull.intersect(&set_of(std::slice::from_ref(c), domain.space())?)?;
        }
    }
    if all_but_one_single(groups, build.depth()) {
        for lower in [true, false] {
            if let Some(side) = beyond_first(groups, build.depth(), lower, hull.space())? {
                hull = hull.intersect(&side)?;
                *(if lower { &mut bounded.0 } else { &mut bounded.1 }) = true;
            }
        }
    }
    Ok(bounded == (true, true) && hull.subtract(&union, b)?.is_empty(b)?)
}

/// Are all of the groups but one, at the most, single values?
pub(crate) fn all_but_one_single(groups: &[Group], dim: usize) -> bool {
    let single = |g: &&Group| g.own.iter().any(|c| c.eq && c.lin.mentions(dim) && !c.lin.mentions_inside(dim));
    groups.iter().filter(single).count() + 1 >= groups.len()
}

/// The values from the least lower bound of the groups on, or up to the greatest upper one; nothing when one of them has no plain bound.
pub(crate) fn beyond_first(groups: &[Group], dim: usize, lower: bool, space: &Space) -> Result<Option<Set>, Error> {
    let mut side = Set::empty(space);
    for g in groups {
        let mine = bounds(&g.own, dim, lower);
        if mine.is_empty() {
            return Ok(None);
        }
        side = side.union(&set_of(&mine, space)?)?;
    }
    Ok(Some(side))
}

/// Does the constraint hold on all groups?
pub(crate) fn implied_by_all(c: &Con, groups: &[Group], domain: &Set, b: &Oracle<'_>) -> Result<bool, Error> {
    for g in groups {
        if !g.own.iter().any(|k| k.plainly_implies(c)) && !implied(&domain.intersect(&set_of(&g.all(), domain.space())?)?, c, b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The conjunctions as groups, without those that lie inside what the loop of another covers.
pub(crate) fn explicit_groups(conjunctions: &[Vec<Con>], build: &Build, b: &Oracle<'_>) -> Result<Vec<Group>, Error> {
    let mut groups: Vec<Group> = Vec::new();
    // A group that has taken in another must cover all that its loop covers.
    let mut stands_in: Vec<bool> = Vec::new();
    for c in conjunctions {
        let mut conj = Vec::with_capacity(c.len());
        for c in c {
            let c = build.with_known_quotients(c, b)?;
            if c.constant_truth() != Some(true) && !conj.contains(&c) {
                conj.push(c);
            }
        }
        let g = Group::new(&conj, build.depth());
        match groups.iter().position(|f| f.own == g.own) {
            Some(at) => {
                groups[at].outer.retain(|c| g.outer.contains(c));
                stands_in[at] = true;
            }
            None => {
                groups.push(g);
                stands_in.push(false);
            }
        }
    }
    if groups.len() == 1 {
        return Ok(groups);
    }
    let domain = build.domain.add_dims(DimType::Out, 1)?;
    let mut keep = vec![true; groups.len()];
    for i in 0..groups.len() {
        let given = if stands_in[i] { groups[i].own.clone() } else { groups[i].all() };
        let inside = domain.intersect(&set_of(&given, domain.space())?)?;
        for j in 0..groups.len() {
            if i != j && keep[j] && all_implied(&inside, &given, &groups[j].own, b)? {
                keep[i] = false;
                stands_in[j] = true;
                let mine = groups[i].outer.clone();
                groups[j].outer.retain(|c| mine.contains(c));
                break;
            }
        }
    }
    Ok(groups.into_iter().zip(keep).filter(|(_, k)| *k).map(|(g, _)| g).collect())
}

fn all_implied(inside: &Set, given: &[Con], wanted: &[Con], b: &Oracle<'_>) -> Result<bool, Error> {
    for w in wanted {
        if !given.iter().any(|g| g.plainly_implies(w)) && !implied(inside, w, b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The groups as sets that don't overlap. Later ones are kept whole, so that a first iteration is peeled rather than a last.
fn disjoint(groups: &[Group], build: &Build, b: &Oracle<'_>) -> Result<Option<Vec<Set>>, Error> {
    let domain = build.domain.add_dims(DimType::Out, 1)?;
    let mut out: Vec<Set> = Vec::new();
    for g in groups.iter().rev() {
        let mut rest = set_of(&g.own, domain.space())?;
        for done in &out {
            rest = rest.subtract(done, b)?;
        }
        split(&rest, &domain, &mut out, b)?;
    }
    Ok(Some(out))
}

/// Sets in each of which the same statements run.
fn separated(exes: &[Exe], build: &Build, b: &Oracle<'_>) -> Result<Option<Vec<Set>>, Error> {
    let dim = build.depth();
    let domain = build.domain.add_dims(DimType::Out, 1)?;
    let mut values = Vec::with_capacity(exes.len());
    for e in exes {
        let mut own = Set::empty(domain.space());
        for c in disjuncts(&e.levels[dim + 1], b)? {
            let explicit: Vec<Con> = c.into_iter().filter(|c| c.lin.mentions(dim)).collect();
            own = own.union(&set_of(&explicit, domain.space())?)?;
        }
        values.push(own);
    }
    same_statements(&values, &domain, b)
}

/// The union of the sets, cut so that each part lies inside or outside of each of them; parts without values in `domain` are left out.
pub(crate) fn same_statements(values: &[Set], domain: &Set, b: &Oracle<'_>) -> Result<Option<Vec<Set>>, Error> {
    let mut pieces: Vec<Set> = Vec::new();
    for own in values {
        let mut next = Vec::new();
        let mut rest = own.clone();
        for p in &pieces {
            split(&p.intersect(own)?, domain, &mut next, b)?;
            split(&p.subtract(own, b)?, domain, &mut next, b)?;
            rest = rest.subtract(p, b)?;
        }
        split(&rest, domain, &mut next, b)?;
        pieces = next;
        if pieces.len() > 256 {
            return Ok(None);
        }
    }
    Ok(Some(pieces))
}

/// The parts that [`same_statements`] makes of the sets, joined where only statements tell them apart that have no values anyway for the outer values in question.
pub(crate) fn joined(mut parts: Vec<Set>, values: &[Set], domain: &Set, b: &Oracle<'_>) -> Result<Vec<Set>, Error> {
    let dim = domain.dim(DimType::Out) - 1;
    // For each part and statement: does it run there, could it for the part's outer values?
    let describe = |p: &Set| -> Result<Vec<(bool, bool)>, Error> {
        let mut around = Set::empty(domain.space());
        for conj in disjuncts(&p.intersect(domain)?, b)? {
            if let Some(outer) = project_out(&conj, dim) {
                around = around.union(&set_of(&outer, domain.space())?)?;
            }
        }
        let possible = |own: &Set| -> Result<(bool, bool), Error> {
            let own = own.intersect(domain)?;
            Ok((!surely_empty(&own.intersect(p)?, b)?, !surely_empty(&own.intersect(&around)?, b)?))
        };
        values.iter().map(possible).collect()
    };
    let mut known: Vec<Vec<(bool, bool)>> = parts.iter().map(describe).collect::<Result<_, _>>()?;
    let mut i = 0;
    while i < parts.len() {
        let mut joins = None;
        for j in (i + 1)..parts.len() {
            // Where one runs in a part only, it mustn't be able to run beside the other.
            let free = known[i].iter().zip(&known[j]).all(|(a, b)| match (a.0, b.0) {
                (true, false) => !b.1,
                (false, true) => !a.1,
                _ => true,
            });
            if !free {
                continue;
            }
            let both = parts[i].union(&parts[j])?.coalesce(b)?;
            if both.n_basic() == 1 {
                joins = Some((j, both));
                break;
            }
        }
        let Some((j, both)) = joins else {
            i += 1;
            continue;
        };
        let other = known.remove(j);
        known[i].iter_mut().zip(other).for_each(|(a, b)| *a = (a.0 || b.0, a.1 || b.1));
        parts.remove(j);
        parts[i] = both;
        i = 0;
    }
    Ok(parts)
}

/// The non-empty conjunctions of a set, made disjoint.
fn split(set: &Set, domain: &Set, out: &mut Vec<Set>, b: &Oracle<'_>) -> Result<(), Error> {
    let parts = set.make_disjoint(b)?;
    for p in parts.basic_sets() {
        let p = p.to_union();
        if !surely_empty(&p.intersect(domain)?, b)? {
            out.push(p);
        }
    }
    Ok(())
}

/// The sets in an order in which values ascend for the same outer values; those that interleave stay together.
fn sorted<'a>(sets: &'a [Set], build: &Build, b: &Oracle<'_>) -> Result<Vec<Vec<&'a Set>>, Error> {
    let n = sets.len();
    let mut after = vec![vec![false; n]; n];
    for i in 0..n {
        for j in 0..n {
            after[i][j] = i != j && follows(&sets[i], &sets[j], build, true, b)?;
        }
    }
    Ok(sorted_components(&after)
        .into_iter()
        .map(|g| g.into_iter().map(|i| &sets[i]).collect())
        .collect())
}
