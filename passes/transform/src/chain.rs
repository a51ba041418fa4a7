//! Loops by name: chains of bands that stand right below each other, and cutting them into the band that a transformation is about.
//!
//! Splitting a band and joining nested bands never changes the order of instances, so that a transformation may ask for any consecutive loops as one band.

use tilia_presburger::{Budget, DimType, Space, Term};
use tilia_schedule::{Edited, Error, Member, Node, Path, ScheduleTree};

/// Bands that stand right below each other, as many as there are.
#[derive(Debug, Clone)]
pub struct Chain {
    /// The outermost band.
    pub at: Path,
    /// How many members each band has.
    pub bands: Vec<usize>,
    /// All members, outermost first.
    pub members: Vec<Member>,
}

impl Chain {
    /// The position of the band that holds a member.
    #[must_use]
    pub fn band_of(&self, member: usize) -> Path {
        self.locate(member).0
    }

    /// The position of the band that holds a member, and the number of the band's first member.
    fn locate(&self, member: usize) -> (Path, usize) {
        let (mut at, mut first) = (self.at.clone(), 0);
        for n in &self.bands {
            if member < first + n {
                break;
            }
            first += n;
            at = at.child(0);
        }
        (at, first)
    }
}

/// All chains of a tree, from the root down.
#[must_use]
pub fn chains(tree: &ScheduleTree) -> Vec<Chain> {
    let mut out = Vec::new();
    for at in tree.paths() {
        let Some(node) = tree.node(&at) else { continue };
        let inner = at.parent().and_then(|p| tree.node(&p)).is_some_and(|p| p.as_band().is_some());
        if node.as_band().is_none() || inner {
            continue;
        }
        let mut chain = Chain {
            at,
            bands: Vec::new(),
            members: Vec::new(),
        };
        let mut node = node;
        while let (Some(band), Some(child)) = (node.as_band(), node.child()) {
            chain.bands.push(band.len());
            chain.members.extend(band.members.iter().cloned());
            node = child;
        }
        out.push(chain);
    }
    out
}

/// Joins and splits the bands of a chain so that `n` members from `first` on are a band of their own; the position is that band's. Always legal.
///
/// # Errors
/// When a band that would have to be joined has an isolate option, or the sets library gives up.
pub fn one_band(tree: &ScheduleTree, chain: &Chain, first: usize, n: usize, b: &Budget) -> Result<Edited, Error> {
    let (mut at, start) = chain.locate(first);
    let mut tree = tree.clone();
    if first > start {
        tree = tree.split_band(&at, first - start, b)?.tree;
        at = at.child(0);
    }
    let len = |t: &ScheduleTree| t.node(&at).and_then(|n| n.as_band()).map_or(0, |b| b.len());
    while len(&tree) < n {
        tree = tree.fuse_band(&at, false)?.tree;
    }
    if len(&tree) > n {
        tree = tree.split_band(&at, n, b)?.tree;
    }
    Ok(Edited { tree, at })
}

/// The name of a member's loop: the one that it was given, else the iterator that it scans, in the first statement (or in that one) that it has nothing but an iterator for.
#[must_use]
pub fn loop_name(member: &Member, stmt: Option<&Space>) -> Option<String> {
    if let Some(n) = &member.name {
        return Some(n.to_string());
    }
    let mut own = member
        .func
        .pw_affs()
        .iter()
        .filter(|f| stmt.is_none_or(|s| s.same_tuples(f.domain_space())));
    own.find_map(|f| {
        let aff = f.as_aff()?;
        let [
            Term::Dim {
                kind: DimType::Out,
                pos,
                coefficient,
            },
        ] = &aff.terms()[..]
        else {
            return None;
        };
        let plain = coefficient.is_one() && aff.constant_term().is_zero();
        let name = f.domain_space().dim_name(DimType::Out, *pos).map(ToString::to_string);
        plain.then(|| name.unwrap_or_else(|| format!("i{pos}")))
    })
}

/// The first node below a position that isn't a band, with the number of bands on the way.
pub(crate) fn below_bands<'t>(tree: &'t ScheduleTree, at: &Path) -> Option<(Vec<&'t tilia_schedule::Band>, &'t std::sync::Arc<Node>)> {
    let mut node = tree.node(at)?;
    let mut bands = Vec::new();
    while let (Some(band), Some(child)) = (node.as_band(), node.child()) {
        bands.push(band);
        node = child;
    }
    Some((bands, node))
}
