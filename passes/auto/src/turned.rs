//! Accumulations whose loop moves outwards: past the loop along which memory is contiguous, which then has no order.
//!
//! ```text
//! for i: for j: { M[i][j] += g(M[i][j-1]); for k < j: M[i][j] += f(M[i][k], M[k+1][j]) }
//!   =>  for i: for k: { M[i][k] += g(M[i][k-1]); for j > k: M[i][j] += f(M[i][k], M[k+1][j]) }
//! ```
//!
//! What stands beside the loop `k` runs where `k` reaches `j`. So an element gets its updates in another order, which operations may have that don't mind; dependences that only keep that order are left
//! out here, and the order that comes of it is what everything after it starts from. Then blocks of `i` and `j` may run in wavefronts, each of which finds in the cache what its rows have in common.

use crate::Error;
use crate::nest::{FORK, LEVEL, Request, Shaped, WAVEFRONT};
use crate::steps::Steps;
use std::sync::Arc;
use tilia_model::{Band as Modelled, Limits, MicroTile, cache_plan, contiguous, footprint, micro_tiles};
use tilia_presburger::{Budget, Int, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Member, Node, NodeKind, Path, ScheduleTree};
use tilia_scop::Scop;
use tilia_transform::{Pairs, chains, first_violation};

/// An order in which the loop of an accumulation has moved outwards.
#[derive(Debug, Clone)]
pub struct Turned {
    /// The order; legal but for the dependences that were left out.
    pub tree: ScheduleTree,
    /// The loop around both: its band has this member alone.
    around: Path,
    /// The loop along memory, of all statements.
    along: Member,
    /// Its band of the statements that run before, where there are such.
    before: Option<Path>,
    /// The band of the two loops that changed places.
    inside: Path,
    /// What is accumulated in the loop that moved.
    summed: UnionSet,
    /// Why statements may stand beside it that could run before: it wasn't found out.
    stayed: Option<String>,
}

/// The first nest of the tree in which the loop of an accumulation can move outwards, moved, where `kept` are the dependences that must be respected; `None` where there is no such nest.
///
/// # Errors
/// When the sets library gives up.
pub fn turned(tree: &ScheduleTree, kept: &Pairs, b: &Budget) -> Result<Option<Turned>, Error> {
    for chain in chains(tree) {
        let list = (0..chain.bands.len()).fold(chain.at.clone(), |p, _| p.child(0));
        let (Some((moving, outer)), Some(node)) = (chain.members.split_last(), tree.node(&list)) else {
            continue;
        };
        let (Some(last), Some(nest)) = (outer.len().checked_sub(1), Nest::of(node)) else {
            continue;
        };
        let around = (0..last).fold(chain.at.clone(), |p, _| p.child(0));
        let made = |first: &[bool]| -> Result<Option<Turned>, Error> {
            let (below, before, inside) = nest.arranged(moving, first, &around.child(0), b)?;
            let whole = outer
                .iter()
                .rev()
                .fold(below, |below, m| Node::band(Band::new(vec![plain(m)]), below));
            let tree = tree.replace(&chain.at, whole)?;
            let legal = first_violation(&tree, kept, b)?.is_none();
            Ok(legal.then(|| Turned {
                tree,
                around: around.clone(),
                along: plain(moving),
                before,
                inside,
                summed: nest.parts[nest.summing].0.clone(),
                stayed: None,
            }))
        };
        // Beside the loop as many statements as must be: each of the others runs before it, if it may.
        let mut first = vec![false; nest.parts.len()];
        let Some(mut found) = made(&first)? else { continue };
        for n in (0..nest.parts.len()).filter(|&n| n != nest.summing) {
            first[n] = true;
            match made(&first) {
                Ok(Some(better)) => found = better,
                Ok(None) => first[n] = false,
                // What is found is legal with more statements beside it, too.
                Err(why) => {
                    found.stayed = Some(why.to_string());
                    break;
                }
            }
        }
        return Ok(Some(found));
    }
    Ok(None)
}

/// Statements in a row that are tried at most beside an accumulation.
const MOST_STATEMENTS: usize = 8;

/// A sequence of statements, one of which stands in a loop of its own.
struct Nest {
    parts: Vec<(UnionSet, Arc<Node>)>,
    /// Which one.
    summing: usize,
    /// Its loop.
    member: Member,
}

impl Nest {
    fn of(list: &Node) -> Option<Nest> {
        if !matches!(list.kind(), NodeKind::Sequence) || !(2..=MOST_STATEMENTS).contains(&list.children().len()) {
            return None;
        }
        let mut parts = Vec::new();
        let mut found = None;
        for (n, c) in list.children().iter().enumerate() {
            let (NodeKind::Filter(filter), Some(below)) = (c.kind(), c.child()) else {
                return None;
            };
            match below.as_band() {
                None if below.is_leaf() => {}
                Some(band) if band.len() == 1 && found.is_none() && below.child().is_some_and(|n| n.is_leaf()) => {
                    found = Some((n, band.members[0].clone()));
                }
                _ => return None,
            }
            parts.push((filter.clone(), Node::leaf()));
        }
        let (summing, member) = found?;
        Some(Nest { parts, summing, member })
    }

    /// What stands at `at` when the loop has moved outwards: those of `first` in a loop `moving` of their own, if there are any, then the two loops with everything else, which runs where the loop that
    /// moves reaches `moving`. With the positions of both bands.
    fn arranged(&self, moving: &Member, first: &[bool], at: &Path, b: &Budget) -> Result<(Arc<Node>, Option<Path>, Path), Error> {
        let chosen = |want: bool| -> Vec<(UnionSet, Arc<Node>)> {
            let of = self.parts.iter().zip(first).filter(|(_, f)| **f == want);
            of.map(|(p, _)| p.clone()).collect()
        };
        let (before, beside) = (chosen(true), chosen(false));
        let mut func = UnionPwAff::empty(moving.func.params_space());
        for (n, (filter, _)) in self.parts.iter().enumerate().filter(|(n, _)| !first[*n]) {
            let own = if n == self.summing { &self.member } else { moving };
            for f in own.func.pw_affs() {
                if filter.find(f.domain_space()).is_some() {
                    func = func.add_pw_aff(f, b).map_err(tilia_schedule::Error::from)?;
                }
            }
        }
        let along = |parts: &[(UnionSet, Arc<Node>)]| -> Result<Member, Error> {
            let mut func = UnionPwAff::empty(moving.func.params_space());
            for f in moving.func.pw_affs() {
                if parts.iter().any(|(filter, _)| filter.find(f.domain_space()).is_some()) {
                    func = func.add_pw_aff(f, b).map_err(tilia_schedule::Error::from)?;
                }
            }
            Ok(plain(&moving.with_func(func)))
        };
        let whole = |parts: &[(UnionSet, Arc<Node>)]| -> Result<UnionSet, Error> {
            let sets = parts.iter().flat_map(|(f, _)| f.sets());
            Ok(UnionSet::from_members(sets).map_err(tilia_schedule::Error::from)?)
        };
        let band = Band::new(vec![Member::new(func), along(&beside)?]);
        let filter = whole(&beside)?;
        let inner = Node::band(band, one_or_all(beside));
        if before.is_empty() {
            return Ok((inner, None, at.clone()));
        }
        let own = Node::band(Band::new(vec![along(&before)?]), one_or_all(before.clone()));
        let list = Node::sequence(vec![(whole(&before)?, own), (filter, inner)]);
        Ok((list, Some(at.child(0).child(0)), at.child(1).child(0)))
    }
}

/// A sequence, or nothing where only one statement is left: its filter stands above.
fn one_or_all(parts: Vec<(UnionSet, Arc<Node>)>) -> Arc<Node> {
    if parts.len() == 1 { Node::leaf() } else { Node::sequence(parts) }
}

/// The member without claims.
fn plain(m: &Member) -> Member {
    Member {
        coincident: false,
        reduces: false,
        ..m.clone()
    }
}

/// Widths of blocks along memory that are tried, the widest first.
const WIDTHS: [u64; 5] = [512, 256, 128, 64, 32];

/// Iterations of the loop around in a block.
const HEIGHT: u64 = 64;

/// The part of the cache that what a block's iterations have in common may fill.
const FILL: f64 = 0.75;

/// Shapes a turned order: blocks of the loop around and of the one along memory, in wavefronts where there are threads, with each statement's innermost loop parallel. `pairs` are all dependences of the
/// turned order. Gives nothing, and says why, where that isn't legal or has no use.
///
/// # Errors
/// When the sets library gives up.
pub fn blocks(scop: &Scop, order: &Turned, pairs: &Pairs, request: &Request<'_>, b: &Budget) -> Result<Result<Shaped, String>, Error> {
    let no = |why: &str| Ok(Err(why.to_owned()));
    let none = Pairs::from_maps(Vec::new());
    let mut steps = Steps {
        tree: order.tree.clone(),
        remarks: Vec::new(),
        pairs,
        none: &none,
        loc: &scop.loc,
        budget: b,
    };
    if let Some(why) = &order.stayed {
        steps.decline(&format!("statements stay beside an accumulation that might run before it: {why}"));
    }
    let mut band = Modelled::of(scop, &order.tree, &order.inside, request.estimates, b)?;
    // Beside what is accumulated, statements have few instances.
    let summed = |r: &tilia_model::Reference| order.summed.find(scop[r.stmt].domain.space()).is_some();
    band.references.retain(summed);
    band.statements = 1;
    if contiguous(&band) != Some(1) || !steps.free(&order.inside, 1, None)? {
        return no("memory isn't contiguous along the loop that moves inwards, or its iterations depend on each other");
    }
    band.members[1].free = true;
    let around = order
        .tree
        .node(&order.around)
        .and_then(|n| n.as_band())
        .and_then(|b| b.members.last().cloned());
    let (Some(around), along) = (around, &order.along) else {
        return no("there is no loop around");
    };
    let open = steps.transformer().open_at(&order.tree, &order.around)?;
    if open.violated_by(&around, b)?.is_some() || open.violated_by(along, b)?.is_some() {
        return no("blocks would run a dependence the wrong way round");
    }
    let trips = |k: usize| band.members[k].trips.map_or(1000.0, |t| t as f64);
    let rows = band.outer.last().copied().unwrap_or(1.0);
    let threads = request.threads.max(1) as f64;
    let fits = |&&w: &&u64| {
        let cache = request.machine.caches.get(LEVEL);
        let bytes = |line: u64| footprint(&band, &[trips(0), w as f64], line);
        cache.is_some_and(|c| bytes(c.line) <= FILL * c.share() as f64) && trips(1) / w as f64 >= 4.0 * threads
    };
    let Some(&width) = WIDTHS.iter().find(fits) else {
        return no("no block is both small enough for the cache and one of many");
    };
    let tile = |m: &Member, size: u64| -> Result<Member, Error> {
        let func = m.func.floor_div(&Int::from(size)).map_err(tilia_schedule::Error::from)?;
        Ok(Member::new(func))
    };
    let Some(nest) = order.tree.node(&order.around).cloned() else {
        return no("there is no loop around");
    };
    let mut tiles = Band::new(vec![tile(&around, HEIGHT)?, tile(along, width)?]);
    tiles.permutable = true;
    steps.tree = order.tree.replace(&order.around, Node::band(tiles, nest))?;
    let (fronts, at_once) = (rows / HEIGHT as f64 + trips(1) / width as f64, WAVEFRONT * threads);
    if request.threads > 1 {
        let t = steps.transformer();
        if steps.quietly(t.wavefront(&steps.tree, &order.around))?.is_none() {
            return no("blocks don't run in wavefronts");
        }
        steps.tree = steps.tree.split_band(&order.around, 1, b)?.tree;
        if steps.quietly(t.parallel(&steps.tree, &order.around.child(0), 0))?.is_none() {
            return no("blocks of a wavefront depend on each other");
        }
    } else {
        steps.tree = steps.tree.split_band(&order.around, 1, b)?.tree;
    }
    // Both bands stand below the two of blocks now.
    let moved = |p: &Path| Path([&order.around.0[..], &[0, 0], &p.0[order.around.0.len()..]].concat());
    for at in order.before.iter().chain([&order.inside]) {
        steps.free_innermost(&moved(at))?;
    }
    steps.say(&format!(
        "an accumulation's loop moves outwards, past the one along memory, in blocks of {HEIGHT}x{width}{}",
        if request.threads > 1 { " that run in wavefronts" } else { "" }
    ));
    let unrolled = |m: &MicroTile| m.sizes.iter().filter(|&&s| s > 1).count();
    let vector = micro_tiles(&band, request.machine, usize::MAX)
        .into_iter()
        .find(|m| unrolled(m) <= 1 && m.vector == Some(1));
    let limits = Limits {
        micro: vector.as_ref(),
        innermost: Some(1),
        resident: true,
        ..Limits::default()
    };
    let work = band.instances * cache_plan(&band, request.machine, LEVEL, &limits).cycles;
    let cycles = if request.threads > 1 {
        work / at_once.max(1.0) + fronts * FORK
    } else {
        work
    };
    Ok(Ok(Shaped {
        tree: steps.tree,
        remarks: steps.remarks,
        cycles,
        decisions: Vec::new(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilia_presburger::Map;

    /// `for i: for j { A(i, j); for k < j: S(i, j, k); B(i, j) }`, where `A` and `S` change the same element.
    const NEST: &str = r#"
domain: "[n] -> { A[i, j] : 0 <= i, j < n; S[i, j, k] : 0 <= i, j < n and 0 <= k < j; B[i, j] : 0 <= i, j < n }"
child:
  schedule: "[n] -> [{ A[i, j] -> [(i)]; S[i, j, k] -> [(i)]; B[i, j] -> [(i)] }]"
  child:
    schedule: "[n] -> [{ A[i, j] -> [(j)]; S[i, j, k] -> [(j)]; B[i, j] -> [(j)] }]"
    child:
      sequence:
      - filter: "[n] -> { A[i, j] }"
      - filter: "[n] -> { S[i, j, k] }"
        child:
          schedule: "[n] -> [{ S[i, j, k] -> [(k)] }]"
      - filter: "[n] -> { B[i, j] }"
"#;

    /// An element is used by the later ones of its row once it is done; `B` comes after that.
    fn kept() -> Pairs {
        let maps = [
            "[n] -> { S[i, j, k] -> S[i, l, j] : 0 <= i < n and 0 <= k < j < l < n }",
            "[n] -> { S[i, j, k] -> B[i, j] : 0 <= i < n and 0 <= k < j < n }",
        ];
        Pairs::from_maps(maps.iter().map(|t| t.parse::<Map>().unwrap()).collect())
    }

    #[test]
    fn a_nest_that_is_found_stays_found_when_the_budget_runs_out() {
        let tree: ScheduleTree = NEST.parse().unwrap();
        let whole = turned(&tree, &kept(), &Budget::unlimited()).unwrap().expect("a nest");
        assert!(first_violation(&whole.tree, &kept(), &Budget::unlimited()).unwrap().is_none());
        // From the budget on that finds it, every larger one does; in between, fewer statements leave the accumulation's side.
        let mut found = 0;
        let mut others = 0;
        for units in (0..).map(|n| n * STEP) {
            let Ok(some) = turned(&tree, &kept(), &Budget::new(units)) else {
                assert_eq!(found, 0, "found before, not with {units}");
                continue;
            };
            found += 1;
            let some = some.expect("a nest");
            assert!(first_violation(&some.tree, &kept(), &Budget::unlimited()).unwrap().is_none());
            if some.stayed.is_none() {
                assert_eq!(some.tree, whole.tree);
                break;
            }
            others += 1;
        }
        assert!(others > 0, "nothing was found before the budget ran out");
    }

    /// Steps of the budget that are tried.
    const STEP: u64 = 20;
}
