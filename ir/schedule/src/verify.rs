//! The invariants that only sets can decide.

use crate::prefix::Prefix;
use crate::{Band, Node, NodeKind, Path, ScheduleTree};
use std::fmt;
use std::sync::Arc;
use tilia_presburger::{Budget, DimType, Id, Map, Set, UnionMap, UnionSet};

/// A violated invariant, with the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The node.
    pub at: Path,
    /// Kind of the node.
    pub node: &'static str,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}: {}", self.node, self.at, self.message)
    }
}

impl ScheduleTree {
    /// Checks what the shape alone doesn't tell: the filters below a sequence or set partition the instances that reach it, bands are total, parameters are known,
    /// extensions add new instances for values of the bands above, expansions and contractions are inverse, isolate options fit their band.
    ///
    /// What `coincident` and `permutable` promise is about dependences, of which this crate knows nothing: `passes/validate` checks it.
    ///
    /// Returns all violations found; an empty list means that the tree is right.
    ///
    /// # Errors
    /// When the sets library gives up.
    pub fn verify(&self, b: &Budget) -> Result<Vec<Violation>, crate::Error> {
        let mut v = Verifier {
            found: Vec::new(),
            budget: b,
        };
        let state = State {
            prefix: Prefix { maps: Vec::new() },
            params: Vec::new(),
            depth: 0,
        };
        v.node(self.root(), &Path::root(), &state)?;
        Ok(v.found)
    }
}

#[derive(Clone)]
struct State {
    prefix: Prefix,
    params: Vec<Id>,
    depth: usize,
}

struct Verifier<'a> {
    found: Vec<Violation>,
    budget: &'a Budget,
}

type Checked<T> = Result<T, crate::Error>;

impl Verifier<'_> {
    fn report(&mut self, at: &Path, node: &Node, message: impl Into<String>) {
        self.found.push(Violation {
            at: at.clone(),
            node: node.kind().name(),
            message: message.into(),
        });
    }

    fn node(&mut self, node: &Arc<Node>, at: &Path, state: &State) -> Checked<()> {
        let b = self.budget;
        let mut inner = state.clone();
        self.params(node, at, &mut inner);
        match node.kind() {
            NodeKind::Domain(d) => inner.prefix = Prefix::of_domain(d)?,
            NodeKind::Band(band) => {
                if self.band(node, band, at, state)? {
                    inner.prefix = state.prefix.with_band(band)?;
                    inner.depth += band.len();
                } else {
                    // What is below can't be judged.
                    return Ok(());
                }
            }
            NodeKind::Filter(f) => inner.prefix = state.prefix.filtered(f, b)?,
            NodeKind::Sequence | NodeKind::Set => self.partition(node, at, state)?,
            NodeKind::Context(s) | NodeKind::Guard(s) => {
                if !s.space().is_params() && s.dim(DimType::Out) > state.depth {
                    let message = format!("{s} has more dimensions than there are band members above ({})", state.depth);
                    self.report(at, node, message);
                }
            }
            NodeKind::Extension(m) => self.extension(node, m, at, state, &mut inner)?,
            NodeKind::Expansion { contraction, expansion } => {
                self.expansion(node, contraction, expansion, at, state)?;
                inner.prefix = state.prefix.expanded(expansion)?;
            }
            NodeKind::Mark(_) | NodeKind::Leaf => {}
        }
        for (i, c) in node.children().iter().enumerate() {
            self.node(c, &at.child(i), &inner)?;
        }
        Ok(())
    }

    /// Every parameter in use comes from the domain or a context.
    fn params(&mut self, node: &Arc<Node>, at: &Path, state: &mut State) {
        let used = params_of(node.kind());
        if matches!(node.kind(), NodeKind::Domain(_) | NodeKind::Context(_))
            || (matches!(node.kind(), NodeKind::Extension(_)) && at.0.is_empty())
        {
            for p in used {
                if !state.params.contains(&p) {
                    state.params.push(p);
                }
            }
            return;
        }
        for p in used {
            if !state.params.contains(&p) {
                self.report(at, node, format!("parameter {p} is in neither the domain nor a context above"));
            }
        }
    }

    /// Is the band fit for what is below?
    fn band(&mut self, node: &Arc<Node>, band: &Band, at: &Path, state: &State) -> Checked<bool> {
        let mut fit = true;
        for m in &state.prefix.maps {
            let space = m.space().domain();
            let name = space.out().name.clone().map_or_else(|| space.out().to_string(), |n| n.to_string());
            for (k, member) in band.members.iter().enumerate() {
                let Some(f) = member.func.extract(&space) else {
                    self.report(at, node, format!("member {k} has no value for {name}"));
                    fit = false;
                    continue;
                };
                let total = f.n_piece() == 1 && f.domain().plain_is_universe();
                if total {
                    continue;
                }
                let left = m.domain().subtract(&f.domain(), self.budget)?;
                if let Some(p) = left.sample_point(self.budget)? {
                    self.report(at, node, format!("member {k} has no value for {name}, for example at {p}"));
                    fit = false;
                }
            }
        }
        if let Some(i) = &band.isolate
            && (i.dim(DimType::In) != state.depth || i.dim(DimType::Out) != band.len())
        {
            let message = format!(
                "the isolate option relates {} to {} values where the tree has {} outer and {} own ones",
                i.dim(DimType::In),
                i.dim(DimType::Out),
                state.depth,
                band.len()
            );
            self.report(at, node, message);
        }
        Ok(fit)
    }

    fn partition(&mut self, node: &Arc<Node>, at: &Path, state: &State) -> Checked<()> {
        let b = self.budget;
        let mut filters: Vec<&UnionSet> = Vec::new();
        for c in node.children() {
            if let NodeKind::Filter(f) = c.kind() {
                filters.push(f);
            }
        }
        for m in &state.prefix.maps {
            let all = m.domain();
            let parts: Vec<(usize, Set)> = own_parts(&filters, &all)?;
            let mut left = all.clone();
            for (i, (child, part)) in parts.iter().enumerate() {
                for (other, later) in &parts[i + 1..] {
                    if let Some(p) = part.intersect(later)?.sample_point(b)? {
                        self.report(at, node, format!("children {child} and {other} both have {p}"));
                    }
                }
                left = if *part == all {
                    Set::empty(all.space())
                } else {
                    left.subtract(part, b)?
                };
            }
            if let Some(p) = left.sample_point(b)? {
                self.report(at, node, format!("no child has {p}"));
            }
        }
        Ok(())
    }

    fn extension(&mut self, node: &Arc<Node>, added: &UnionMap, at: &Path, state: &State, inner: &mut State) -> Checked<()> {
        let b = self.budget;
        let present = state.prefix.instances()?;
        let mut fit = true;
        for m in added.maps() {
            if m.dim(DimType::In) != state.depth {
                let message = format!(
                    "{m} takes {} values where there are {} band members above",
                    m.dim(DimType::In),
                    state.depth
                );
                self.report(at, node, message);
                fit = false;
                continue;
            }
            let new = m.range();
            for old in present.sets() {
                if old.space().same_tuples(new.space())
                    && let Some(p) = old.intersect(&new)?.sample_point(b)?
                {
                    self.report(at, node, format!("{p} is added although it is there already"));
                }
            }
        }
        if fit {
            for m in added.maps() {
                inner.prefix.maps.push(m.reverse().set_tuple_name(DimType::Out, None));
            }
        }
        Ok(())
    }

    fn expansion(&mut self, node: &Arc<Node>, contraction: &UnionMap, expansion: &UnionMap, at: &Path, state: &State) -> Checked<()> {
        let b = self.budget;
        let reaching = state.prefix.instances()?;
        let expansion = expansion.intersect_domain(&reaching)?;
        let used = contraction.intersect_domain(&expansion.range()?)?.intersect_range(&reaching)?;
        if !used.is_single_valued(b)? {
            self.report(at, node, "the contraction isn't single-valued");
        }
        if !used.reverse()?.is_equal(&expansion, b)? {
            self.report(at, node, "the contraction isn't the inverse of the expansion");
        }
        let missing = reaching.subtract(&expansion.domain()?, b)?;
        if !missing.is_empty(b)? {
            self.report(at, node, format!("the expansion says nothing about {missing}"));
        }
        Ok(())
    }
}

/// For the instances of one statement: the part that each filter keeps.
fn own_parts(filters: &[&UnionSet], all: &Set) -> Checked<Vec<(usize, Set)>> {
    let mut parts = Vec::new();
    for (i, f) in filters.iter().enumerate() {
        for s in f.sets() {
            if s.space().same_tuples(all.space()) {
                let part = if s.plain_is_universe() { all.clone() } else { s.intersect(all)? };
                parts.push((i, part));
            }
        }
    }
    Ok(parts)
}

fn params_of(kind: &NodeKind) -> Vec<Id> {
    let of_set = |s: &Set| -> Vec<Id> {
        let params = s.space().params().iter().enumerate();
        params
            .filter(|(i, _)| s.involves_dims(DimType::Param, *i, 1))
            .map(|(_, p)| p.clone())
            .collect()
    };
    let of_map = |m: &Map| of_set(&m.wrap());
    match kind {
        NodeKind::Domain(s) => s.sets().iter().flat_map(|s| s.space().params().to_vec()).collect(),
        NodeKind::Context(s) => s.space().params().to_vec(),
        NodeKind::Filter(s) => s.sets().iter().flat_map(of_set).collect(),
        NodeKind::Guard(s) => of_set(s),
        NodeKind::Extension(m) => m.maps().iter().flat_map(of_map).collect(),
        NodeKind::Expansion { contraction, expansion } => contraction.maps().iter().chain(expansion.maps()).flat_map(of_map).collect(),
        NodeKind::Band(band) => {
            let funcs = band.members.iter().flat_map(|m| m.func.pw_affs());
            let mut out = Vec::new();
            for (set, aff) in funcs.flat_map(|f| f.pieces()) {
                out.extend(of_set(set));
                let params = aff.space().params().iter().enumerate();
                out.extend(params.filter(|(i, _)| aff.involves_dim(DimType::Param, *i)).map(|(_, p)| p.clone()));
            }
            out.extend(band.isolate.iter().flat_map(of_map));
            out
        }
        NodeKind::Sequence | NodeKind::Set | NodeKind::Mark(_) | NodeKind::Leaf => Vec::new(),
    }
}
