//! Dependence edges: convex pieces of dependence relations, and which of their instances the rows so far have ordered.

use crate::Row;
use crate::error::{Error, Result, out_of_budget};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use tilia_ilp::DualCone;
use tilia_presburger::{Aff, BasicMap, Budget, Constraint, DimType, Int, Map, Space, Term};
use tilia_scop::{AccessKind, Deps, Scop};

/// How far an edge is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Some instances are still at equal dates.
    Active,
    /// All instances are ordered, by a row of the band that is being built: rows of this band must not turn them round.
    InBand,
    /// All instances are ordered by earlier bands or scalar rows.
    Done,
}

/// A convex piece of the dependences between two statements.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    pub(crate) source: usize,
    pub(crate) target: usize,
    /// Indices of the dependences that it stands for.
    pub(crate) deps: Vec<usize>,
    /// Instances that were at equal dates when the current band began.
    piece: BasicMap,
    /// Instances that are at equal dates now.
    rest: BasicMap,
    pub(crate) progress: Progress,
    /// The dimension that ordered the last instance.
    pub(crate) satisfied_at: Option<usize>,
    /// Orders nothing: a reduction may accumulate in any order, but its instances can't run at once.
    pub(crate) relaxed: bool,
    /// Which live ranges it is about.
    pub(crate) live: Liveness,
    /// Some row had another distance than zero: the live ranges within which it is the flow are no longer at single dates.
    pub(crate) moved: bool,
    /// A row of the current band may have turned pairs round, with the live ranges at their ends.
    pub(crate) turned: bool,
    cone: OnceLock<Option<Arc<DualCone>>>,
    distance: OnceLock<Option<Vec<i64>>>,
}

/// What an edge has to do with live ranges: their groups, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Liveness {
    /// Nothing.
    #[default]
    None,
    /// It is the flow within them.
    Within(BTreeSet<usize>),
    /// It keeps two of them apart, whichever comes first.
    Between(BTreeSet<usize>),
}

/// How an edge's remaining instances lie in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Distance {
    /// All at zero.
    Zero,
    /// All at one or more.
    Positive,
    /// None negative, otherwise unknown.
    Mixed,
}

impl Edge {
    fn new(source: usize, target: usize, dep: usize, piece: BasicMap) -> Edge {
        Edge {
            source,
            target,
            deps: vec![dep],
            rest: piece.clone(),
            piece,
            progress: Progress::Active,
            satisfied_at: None,
            relaxed: false,
            live: Liveness::None,
            moved: false,
            turned: false,
            cone: OnceLock::new(),
            distance: OnceLock::new(),
        }
    }

    /// The instances may change places.
    pub(crate) fn relax(&mut self) {
        self.relaxed = true;
        self.progress = Progress::Done;
    }

    pub(crate) fn is_active(&self) -> bool {
        self.progress == Progress::Active
    }

    /// Does the next row have to respect it?
    pub(crate) fn counts(&self) -> bool {
        self.progress != Progress::Done
    }

    /// The affine forms that are non-negative on the instances from the band's start; `None` where there are none, so that any form would do.
    pub(crate) fn cone(&self, b: &Budget) -> Result<Option<Arc<DualCone>>> {
        if let Some(c) = self.cone.get() {
            return Ok(c.clone());
        }
        let made = match DualCone::of_map(&self.piece, b) {
            Ok(cone) => Some(Arc::new(cone)),
            Err(tilia_ilp::Error::EmptySet) => None,
            Err(e) => return Err(e.into()),
        };
        Ok(self.cone.get_or_init(|| made).clone())
    }

    /// Does it keep live ranges apart, whichever comes first?
    pub(crate) fn is_conditional(&self) -> bool {
        matches!(self.live, Liveness::Between(_))
    }

    /// Is it about nothing but live ranges of these groups?
    pub(crate) fn is_about(&self, groups: &BTreeSet<usize>) -> bool {
        match &self.live {
            Liveness::None => false,
            Liveness::Within(own) => !own.is_disjoint(groups),
            Liveness::Between(own) => own.is_subset(groups),
        }
    }

    /// Does a new band change anything of the edge?
    pub(crate) fn knows_band(&self) -> bool {
        self.turned
            || match self.progress {
                Progress::Active => self.piece != self.rest,
                Progress::InBand => true,
                Progress::Done => false,
            }
    }

    /// A new band begins: what is ordered already no longer matters.
    pub(crate) fn begin_band(&mut self) {
        self.turned = false;
        match self.progress {
            Progress::Active if self.piece != self.rest => {
                self.piece = self.rest.clone();
                self.cone = OnceLock::new();
            }
            Progress::InBand => self.progress = Progress::Done,
            Progress::Active | Progress::Done => {}
        }
    }

    /// The date difference `target - source` of a row, on the pairs.
    fn difference(&self, source: &Row, target: &Row) -> Result<Aff> {
        let space = self.rest.space();
        let wrapped = space.wrap();
        let n = space.dim(DimType::In);
        let mut aff = Aff::constant(&wrapped, &target.constant - &source.constant);
        let mut add = |t: DimType, pos: usize, c: Int| -> Result<()> {
            if !c.is_zero() {
                aff = aff.add(&Aff::var(&wrapped, t, pos).scale(&c))?;
            }
            Ok(())
        };
        for (q, (s, t)) in source.params.iter().zip(&target.params).enumerate() {
            add(DimType::Param, q, t - s)?;
        }
        for (k, c) in source.iters.iter().enumerate() {
            add(DimType::Out, k, -c)?;
        }
        for (k, c) in target.iters.iter().enumerate() {
            add(DimType::Out, n + k, c.clone())?;
        }
        Ok(aff)
    }

    /// The remaining instances whose difference is at least `least` (or, negated, at most `-least`).
    fn with_difference(&self, difference: &Aff, least: i64) -> Result<BasicMap> {
        let c = Constraint::ineq(difference.add_constant(&Int::from(-least)));
        Ok(self.rest.add_constraint(&c)?)
    }

    /// How the remaining instances lie in a row that turns none of them round.
    pub(crate) fn distance(&self, source: &Row, target: &Row, b: &Budget) -> Result<Distance> {
        let difference = self.difference(source, target)?;
        if difference.is_constant() {
            let constant = difference.constant_term();
            return Ok(match (constant.is_pos(), constant.is_zero()) {
                (true, _) => Distance::Positive,
                (false, true) => Distance::Zero,
                (false, false) => Distance::Mixed,
            });
        }
        if self.with_difference(&difference, 1)?.is_empty(b)? {
            return Ok(Distance::Zero);
        }
        if self.with_difference(&difference.neg(), 0)?.is_empty(b)? {
            return Ok(Distance::Positive);
        }
        Ok(Distance::Mixed)
    }

    /// Whether both ends of all remaining instances are at the same date in a row, which may turn them round.
    pub(crate) fn stands_still(&self, source: &Row, target: &Row, b: &Budget) -> Result<bool> {
        let difference = self.difference(source, target)?;
        Ok(self.with_difference(&difference, 1)?.is_empty(b)? && self.with_difference(&difference.neg(), 1)?.is_empty(b)?)
    }

    /// Takes a row that may turn instances round into account, for an edge that keeps live ranges apart.
    fn advance_either_way(&mut self, source: &Row, target: &Row, dim: usize, b: &Budget) -> Result<Distance> {
        let difference = self.difference(source, target)?;
        let known = |answer: tilia_presburger::Result<bool>| match answer {
            Err(e) if out_of_budget(&e) => Ok(false),
            other => other,
        };
        let never = |pieces: &BasicMap, form: &Aff, least: i64| -> Result<bool> {
            let c = Constraint::ineq(form.add_constant(&Int::from(-least)));
            Ok(known(pieces.add_constraint(&c)?.is_empty(b))?)
        };
        // Loops of a band may change places: pairs that are ordered already count, too.
        self.turned |= !never(&self.piece, &difference.neg(), 1)?;
        if !self.is_active() || (never(&self.rest, &difference, 1)? && never(&self.rest, &difference.neg(), 1)?) {
            return Ok(Distance::Zero);
        }
        let open = self.rest.add_constraint(&Constraint::eq(difference))?;
        if known(open.is_empty(b))? {
            self.progress = Progress::InBand;
            self.satisfied_at = Some(dim);
            return Ok(Distance::Positive);
        }
        self.rest = open;
        Ok(Distance::Mixed)
    }

    /// Takes a row of the current band, which is at dimension `dim`, into account. Where the budget is too small for an answer, the remaining instances are those that may remain.
    pub(crate) fn advance(&mut self, source: &Row, target: &Row, dim: usize, b: &Budget) -> Result<Distance> {
        if self.is_conditional() {
            return self.advance_either_way(source, target, dim, b);
        }
        let distance = match self.distance(source, target, b) {
            Err(Error::Sets(e)) if out_of_budget(&e) => Distance::Mixed,
            other => other?,
        };
        self.moved |= distance != Distance::Zero;
        match distance {
            Distance::Zero => {}
            Distance::Positive => {
                self.progress = Progress::InBand;
                self.satisfied_at = Some(dim);
            }
            Distance::Mixed => self.rest = self.with_difference(&self.difference(source, target)?.neg(), 0)?,
        }
        Ok(distance)
    }

    /// Are there no pairs that differ in iterator `k` alone? (For edges from a statement to itself.)
    pub(crate) fn stands_still_but(&self, k: usize, b: &Budget) -> Result<bool> {
        let space = self.piece.space();
        let wrapped = space.wrap();
        let n = space.dim(DimType::In);
        let step = |i: usize| Aff::var(&wrapped, DimType::Out, n + i).sub(&Aff::var(&wrapped, DimType::Out, i));
        let mut pairs = self.piece.clone();
        for i in (0..n).filter(|&i| i != k) {
            pairs = pairs.add_constraint(&Constraint::eq(step(i)?))?;
        }
        for moved in [step(k)?, step(k)?.neg()] {
            let moved = Constraint::ineq(moved.add_constant(&Int::NEG_ONE));
            if !pairs.add_constraint(&moved)?.is_empty(b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A scalar row orders all of it.
    pub(crate) fn cut(&mut self, dim: usize) {
        self.progress = Progress::Done;
        self.satisfied_at = Some(dim);
        self.moved = true;
    }

    /// The distance in each common iterator, where equalities fix it.
    pub(crate) fn constant_distance(&self) -> Option<Vec<i64>> {
        self.distance.get_or_init(|| constant_distance(&self.piece)).clone()
    }
}

/// The distance in each common iterator, where equalities of the piece fix it.
fn constant_distance(piece: &BasicMap) -> Option<Vec<i64>> {
    let n = piece.dim(DimType::In);
    let depth = n.min(piece.dim(DimType::Out));
    let equalities: Vec<_> = piece.constraints().ok()?.into_iter().filter(Constraint::is_equality).collect();
    (0..depth)
        .map(|k| {
            equalities.iter().find_map(|c| {
                let a = c.aff();
                let sign = a.coefficient(DimType::Out, n + k).clone();
                let only = a.terms().len() == 2 && sign.is_unit() && *a.coefficient(DimType::Out, k) == -&sign;
                // sign * (target - source) + constant = 0
                only.then(|| (-&(&sign * a.constant_term())).to_i64()).flatten()
            })
        })
        .collect()
}

/// Pieces of one pair of statements up to which they are kept as they are; more are coalesced.
const COALESCE_THRESHOLD: usize = 32;

/// The edges of a list of dependences over these parameters: one for each convex piece, equal pieces once.
pub(crate) fn edges(deps: &Deps, params: &Space, threshold: Option<u64>, b: &Budget) -> Result<Vec<Edge>> {
    let mut pairs: std::collections::BTreeMap<(usize, usize), Vec<(usize, Map)>> = std::collections::BTreeMap::new();
    for (n, d) in deps.memory.iter().enumerate() {
        let map = d.relation.align_params(params).detect_equalities(b)?;
        pairs.entry((d.source.0 as usize, d.target.0 as usize)).or_default().push((n, map));
    }
    let limit = threshold.map_or(COALESCE_THRESHOLD, |t| usize::try_from(t).unwrap_or(usize::MAX));
    let mut out = Vec::new();
    for ((source, target), mut list) in pairs {
        let count: usize = list.iter().map(|(_, m)| m.basic_maps().len()).sum();
        if count > limit {
            for (_, m) in &mut list {
                *m = m.coalesce(b)?;
            }
        }
        let mut found: Vec<Edge> = Vec::new();
        for (n, map) in &list {
            for piece in map.basic_maps() {
                if piece.is_empty(b)? {
                    continue;
                }
                let piece = tightened(piece, b)?;
                match found.iter_mut().find(|e| e.piece == piece) {
                    Some(e) => e.deps.push(*n),
                    None => found.push(Edge::new(source, target, *n, piece)),
                }
            }
        }
        out.extend(found);
    }
    Ok(out)
}

/// The piece with the equalities that hold at all its integer points. Farkas' lemma sees only the rational hull: where `16l + k = 16l' + k'` and `0 <= k, k' < 16`, it must be told that `l = l'`.
fn tightened(piece: BasicMap, b: &Budget) -> Result<BasicMap> {
    let fractional = |c: &Constraint| c.is_equality() && c.aff().terms().iter().any(|t| !has_unit_factor(t));
    if !piece.constraints().is_ok_and(|l| l.iter().any(fractional)) {
        return Ok(piece);
    }
    Ok(piece.intersect(&piece.affine_hull(b)?)?)
}

fn has_unit_factor(term: &Term) -> bool {
    match term {
        Term::Dim { coefficient, .. } | Term::Div { coefficient, .. } => coefficient.is_unit(),
    }
}

/// Pairs of reads of one element of an array, both ways: what proximity may bring together (input dependences).
pub(crate) fn reuse(scop: &Scop, params: &Space, b: &Budget) -> Result<Vec<Edge>> {
    let mut reads = Vec::new();
    for (n, s) in scop.stmts.iter().enumerate() {
        for a in s.accesses.iter().filter(|a| a.kind == AccessKind::Read && scop[a.array].rank > 0) {
            reads.push((
                n,
                a.array,
                a.relation.align_params(params).intersect_domain(&s.domain.align_params(params))?,
            ));
        }
    }
    let mut out: Vec<Edge> = Vec::new();
    for (m, array, x) in &reads {
        for (n, _, y) in reads.iter().filter(|(_, other, _)| other == array) {
            let pairs = x.apply_range(&y.reverse())?.intersect_params(&scop.context)?;
            for piece in pairs.detect_equalities(b)?.basic_maps() {
                if !piece.is_empty(b)? && !out.iter().any(|e| e.source == *m && e.target == *n && e.piece == piece) {
                    out.push(Edge::new(*m, *n, 0, tightened(piece, b)?));
                }
            }
        }
    }
    Ok(out)
}
