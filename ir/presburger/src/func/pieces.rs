//! What piecewise functions have in common: a list of disjoint domains with a function on each.

use crate::error::Result;
use crate::num::Budget;
use crate::rel::Rel;
use crate::sets::Set;
use crate::space::Space;

/// A function on one piece.
pub(crate) trait Piece: Clone {
    /// The same function over the domain space `domain`, which has the same tuple and all the parameters.
    fn on(&self, domain: &Space) -> Result<Self>;

    /// Do the functions look the same?
    fn plain_eq(&self, other: &Self) -> bool;
}

/// Disjoint sets of one domain space, each with a function. Outside all of them the whole is undefined.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pieces<F> {
    domain: Space,
    list: Vec<(Set, F)>,
}

impl<F: Piece> Pieces<F> {
    /// Defined nowhere.
    pub(crate) fn empty(domain: Space) -> Self {
        Pieces { domain, list: Vec::new() }
    }

    /// One piece. The function and the set must have domain space `domain` up to parameters.
    pub(crate) fn single(set: Set, function: &F) -> Result<Self> {
        let domain = set.space().clone();
        let mut pieces = Pieces::empty(domain);
        pieces.push(set, function.on(&pieces.domain)?);
        Ok(pieces)
    }

    /// Adds a piece that is disjoint from the others.
    pub(crate) fn push(&mut self, set: Set, function: F) {
        debug_assert!(set.space().same_tuples(&self.domain) && set.space().same_params(&self.domain));
        if !set.plain_is_empty() {
            self.list.push((set, function));
        }
    }

    /// The domain space.
    pub(crate) fn space(&self) -> &Space {
        &self.domain
    }

    /// The pieces.
    pub(crate) fn list(&self) -> &[(Set, F)] {
        &self.list
    }

    /// The same with the parameters of `space` first.
    pub(crate) fn align_params(&self, space: &Space) -> Result<Self> {
        if self.domain.same_params(space) {
            return Ok(self.clone());
        }
        let domain = self.domain.align_params(space);
        let list = self.list.iter().map(|(s, f)| Ok((s.align_params(&domain), f.on(&domain)?)));
        Ok(Pieces {
            list: list.collect::<Result<_>>()?,
            domain,
        })
    }

    /// Both with the same parameters; the domain tuples must match.
    pub(crate) fn aligned<G: Piece>(&self, other: &Pieces<G>) -> Result<(Self, Pieces<G>)> {
        self.domain.check_same_tuples(&other.domain)?;
        let a = self.align_params(&other.domain)?.align_params(&self.domain)?;
        let b = other.align_params(&a.domain)?;
        Ok((a, b))
    }

    /// Applies a function to each value.
    pub(crate) fn map<G: Piece>(&self, f: impl Fn(&F) -> Result<G>) -> Result<Pieces<G>> {
        let list = self.list.iter().map(|(s, x)| Ok((s.clone(), f(x)?)));
        Ok(Pieces {
            domain: self.domain.clone(),
            list: list.collect::<Result<_>>()?,
        })
    }

    /// Combines the values where both are defined.
    pub(crate) fn combine<G: Piece, H: Piece>(&self, other: &Pieces<G>, f: impl Fn(&F, &G) -> Result<H>, b: &Budget) -> Result<Pieces<H>> {
        let (x, y) = self.aligned(other)?;
        let mut out = Pieces::empty(x.domain.clone());
        for (s, v) in &x.list {
            for (t, w) in &y.list {
                b.spend(1)?;
                let both = s.intersect(t)?;
                if !both.is_empty(b)? {
                    out.push(both, f(v, w)?);
                }
            }
        }
        Ok(out)
    }

    /// Where the whole is defined.
    pub(crate) fn domain(&self) -> Set {
        let parts = self.list.iter().flat_map(|(s, _)| s.rel().parts.iter().cloned()).collect();
        Set::from_rel(Rel {
            space: self.domain.clone(),
            parts,
        })
    }

    /// Changes each set; empty results go.
    pub(crate) fn map_sets(&self, f: impl Fn(&Set) -> Result<Set>, b: &Budget) -> Result<Self> {
        let mut out = Pieces::empty(self.domain.clone());
        for (s, x) in &self.list {
            let s = f(s)?;
            if !s.is_empty(b)? {
                out.list.push((s, x.clone()));
            }
        }
        Ok(out)
    }

    /// Restricts the domain.
    pub(crate) fn intersect_domain(&self, set: &Set, b: &Budget) -> Result<Self> {
        let me = self.align_params(set.space())?;
        let set = set.align_params(&me.domain);
        me.map_sets(|s| s.intersect(&set), b)
    }

    /// Removes points from the domain.
    pub(crate) fn subtract_domain(&self, set: &Set, b: &Budget) -> Result<Self> {
        let me = self.align_params(set.space())?;
        let set = set.align_params(&me.domain);
        me.map_sets(|s| s.subtract(&set, b), b)
    }

    /// Defined where either is; where both are, `f` combines the values.
    pub(crate) fn union_with(&self, other: &Self, f: impl Fn(&F, &F) -> Result<F>, b: &Budget) -> Result<Self> {
        let (x, y) = self.aligned(other)?;
        if x.list.is_empty() {
            return Ok(y);
        }
        if y.list.is_empty() {
            return Ok(x);
        }
        let mut out = x.combine(&y, f, b)?;
        out.list.extend(x.outside(&y, b)?);
        out.list.extend(y.outside(&x, b)?);
        Ok(out)
    }

    /// The pieces without the points where `other`, with the same parameters, is defined.
    fn outside(&self, other: &Self, b: &Budget) -> Result<Vec<(Set, F)>> {
        let mut out = Vec::new();
        for (s, x) in &self.list {
            let mut rest = s.clone();
            for (t, _) in &other.list {
                b.spend(1)?;
                if !s.intersect(t)?.is_empty(b)? {
                    rest = rest.subtract(t, b)?;
                }
            }
            if !rest.is_empty(b)? {
                out.push((rest, x.clone()));
            }
        }
        Ok(out)
    }

    /// Joins pieces whose values look the same.
    pub(crate) fn merged(&self) -> Result<Self> {
        let mut out: Self = Pieces::empty(self.domain.clone());
        for (s, x) in &self.list {
            match out.list.iter_mut().find(|(_, y)| y.plain_eq(x)) {
                Some((t, _)) => *t = t.union(s)?,
                None => out.list.push((s.clone(), x.clone())),
            }
        }
        Ok(out)
    }

    /// Pieces with values that look the same joined, and each domain coalesced.
    pub(crate) fn coalesce(&self, b: &Budget) -> Result<Self> {
        self.merged()?.map_sets(|s| s.coalesce(b), b)
    }

    /// The domains simplified, given that only points of `context` matter. Pieces that don't meet it go.
    pub(crate) fn gist(&self, context: &Set, b: &Budget) -> Result<Self> {
        let me = self.align_params(context.space())?;
        let context = context.align_params(&me.domain);
        let mut out = Pieces::empty(me.domain.clone());
        for (s, x) in &me.list {
            if !s.intersect(&context)?.is_empty(b)? {
                out.list.push((s.gist(&context, b)?, x.clone()));
            }
        }
        Ok(out)
    }
}
