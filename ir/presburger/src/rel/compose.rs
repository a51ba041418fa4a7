//! Composition, products and the operations that reshape tuples.

use std::sync::Arc;

use super::Rel;
use crate::basic::Basic;
use crate::error::{Error, Result};
use crate::num::Int;
use crate::space::{DimType, Space, Tuple};

/// Where a new dimension column comes from: the column of the operand.
type Columns = Vec<Option<usize>>;

fn cols(space: &Space, t: DimType) -> impl Iterator<Item = Option<usize>> {
    let o = space.offset(t);
    (o..o + space.dim(t)).map(Some)
}

fn gap(n: usize) -> impl Iterator<Item = Option<usize>> {
    std::iter::repeat_n(None, n)
}

impl Rel {
    fn select(&self, space: Space, order: &Columns) -> Rel {
        let parts = self.parts.iter().map(|p| Arc::new(p.select_dims(order))).collect();
        Rel { space, parts }
    }

    /// Input and output exchanged.
    pub(crate) fn reverse(&self) -> Rel {
        let s = &self.space;
        let order = cols(s, DimType::Param)
            .chain(cols(s, DimType::Out))
            .chain(cols(s, DimType::In))
            .collect();
        self.select(s.reverse(), &order)
    }

    /// The inputs of the pairs.
    pub(crate) fn domain(&self) -> Rel {
        let col = self.space.offset(DimType::Out);
        let n = self.space.dim(DimType::Out);
        self.map_parts(self.space.domain(), |b| b.dims_to_divs(col, n))
    }

    /// The outputs of the pairs.
    pub(crate) fn range(&self) -> Rel {
        let col = self.space.offset(DimType::In);
        let n = self.space.dim(DimType::In);
        self.map_parts(self.space.range(), |b| b.dims_to_divs(col, n))
    }

    /// The parameter values for which there is an element.
    pub(crate) fn params(&self) -> Rel {
        let n = self.space.total_dim() - self.space.dim(DimType::Param);
        let col = 1 + self.space.dim(DimType::Param);
        self.map_parts(self.space.to_params(), |b| b.dims_to_divs(col, n))
    }

    /// All pairs `x -> z` with `x -> y` here and `y -> z` in the other map.
    pub(crate) fn apply_range(&self, other: &Rel) -> Result<Rel> {
        let (a, c) = self.align_params_both(other);
        if !c.space.input().is_some_and(|t| t.matches(a.space.out())) {
            return Err(Error::mismatch(&a.space, &c.space));
        }
        let n_mid = a.space.dim(DimType::Out);
        let n_in = a.space.dim(DimType::In);
        let n_out = c.space.dim(DimType::Out);
        // Columns: params, inputs, outputs, middle.
        let first: Columns = cols(&a.space, DimType::Param)
            .chain(cols(&a.space, DimType::In))
            .chain(gap(n_out))
            .chain(cols(&a.space, DimType::Out))
            .collect();
        let second: Columns = cols(&c.space, DimType::Param)
            .chain(gap(n_in))
            .chain(cols(&c.space, DimType::Out))
            .chain(cols(&c.space, DimType::In))
            .collect();
        let params = a.space.params().to_vec();
        let space = match a.space.input() {
            Some(t) => Space::map(params, t.clone(), c.space.out().clone()),
            None => Space::set(params, c.space.out().clone()),
        };
        let mid = 1 + space.total_dim();
        Ok(a.combine(&c, space, &first, &second, |b| b.dims_to_divs(mid, n_mid)))
    }

    /// Conjoins all pairs of pieces after placing their columns, edits and simplifies each.
    fn combine(&self, other: &Rel, space: Space, mine: &Columns, theirs: &Columns, edit: impl Fn(&mut Basic)) -> Rel {
        let left: Vec<Basic> = self.parts.iter().map(|p| p.select_dims(mine)).collect();
        let right: Vec<Basic> = other.parts.iter().map(|p| p.select_dims(theirs)).collect();
        let mut parts: Vec<Arc<Basic>> = Vec::with_capacity(left.len() * right.len());
        for p in &left {
            for q in &right {
                let mut b = p.clone();
                b.conjoin(q);
                edit(&mut b);
                b.simplify();
                if !b.empty && !parts.iter().any(|o| **o == b) {
                    parts.push(Arc::new(b));
                }
            }
        }
        Rel { space, parts }
    }

    /// Elements of a map whose input is in a set.
    pub(crate) fn intersect_domain(&self, set: &Rel) -> Result<Rel> {
        self.intersect_side(set, DimType::In)
    }

    /// Elements of a map whose output is in a set.
    pub(crate) fn intersect_range(&self, set: &Rel) -> Result<Rel> {
        self.intersect_side(set, DimType::Out)
    }

    /// Elements at the parameter values of a parameter set.
    pub(crate) fn intersect_params(&self, set: &Rel) -> Result<Rel> {
        self.intersect_side(set, DimType::Param)
    }

    fn intersect_side(&self, set: &Rel, t: DimType) -> Result<Rel> {
        let (a, s) = self.align_params_both(set);
        Ok(a.intersect_aligned(&s.embed(&a.space, t)?))
    }

    /// A set as the constraint on one side of the elements of `space`, which has the same parameters.
    pub(crate) fn embed(&self, space: &Space, t: DimType) -> Result<Rel> {
        let fits = match space.tuple(t) {
            None => t == DimType::Param && self.space.is_params(),
            Some(tuple) => !self.space.is_params() && tuple.matches(self.space.out()),
        };
        if !fits || !self.space.is_set() {
            return Err(Error::mismatch(space, &self.space));
        }
        let side = |s: DimType| -> Columns {
            if s == t {
                cols(&self.space, DimType::Out).collect()
            } else {
                gap(space.dim(s)).collect()
            }
        };
        let order = cols(&self.space, DimType::Param)
            .chain(side(DimType::In))
            .chain(side(DimType::Out))
            .collect();
        Ok(self.select(space.clone(), &order))
    }

    pub(crate) fn intersect_aligned(&self, other: &Rel) -> Rel {
        let mut parts = Vec::new();
        for p in &self.parts {
            for q in &other.parts {
                let r = if p.is_plain_universe() {
                    q.clone()
                } else if q.is_plain_universe() || Arc::ptr_eq(p, q) {
                    p.clone()
                } else {
                    Arc::new(p.intersect(q))
                };
                if !r.empty {
                    parts.push(r);
                }
            }
        }
        Rel {
            space: self.space.clone(),
            parts,
        }
    }

    /// Pairs of elements: `[A -> B]` of sets, `[A -> C] -> [B -> D]` of maps `A -> B` and `C -> D`.
    pub(crate) fn product(&self, other: &Rel) -> Result<Rel> {
        let (a, c) = self.align_params_both(other);
        if a.space.is_map() != c.space.is_map() {
            return Err(Error::mismatch(&a.space, &c.space));
        }
        let space = a.space.product(&c.space);
        Ok(a.pair(&c, space, [true; 2]))
    }

    /// `A -> [B -> C]` from `A -> B` and `A -> C`.
    pub(crate) fn range_product(&self, other: &Rel) -> Result<Rel> {
        let (a, c) = self.align_params_both(other);
        let space = match (a.space.input(), c.space.input()) {
            (Some(x), Some(y)) if x.matches(y) => a
                .space
                .with_tuple(DimType::Out, Tuple::wrapped(a.space.out().clone(), c.space.out().clone())),
            _ => return Err(Error::mismatch(&a.space, &c.space)),
        };
        Ok(a.pair(&c, space, [false, true]))
    }

    /// `[A -> B] -> C` from `A -> C` and `B -> C`.
    pub(crate) fn domain_product(&self, other: &Rel) -> Result<Rel> {
        Ok(self.reverse().range_product(&other.reverse())?.reverse())
    }

    /// Conjoins with the input and output columns side by side (`both[side]`) or shared.
    fn pair(&self, other: &Rel, space: Space, both: [bool; 2]) -> Rel {
        let (a, c) = (&self.space, &other.space);
        let mut mine: Columns = cols(a, DimType::Param).collect();
        let mut theirs: Columns = cols(c, DimType::Param).collect();
        for (t, apart) in [DimType::In, DimType::Out].into_iter().zip(both) {
            mine.extend(cols(a, t));
            if apart {
                mine.extend(gap(c.dim(t)));
                theirs.extend(gap(a.dim(t)));
            }
            theirs.extend(cols(c, t));
        }
        self.combine(other, space, &mine, &theirs, |_| ())
    }

    /// The same elements with all nesting (and, where there was nesting, names) of the tuples gone.
    pub(crate) fn flatten(&self) -> Rel {
        let mut space = self.space.clone();
        for t in [DimType::In, DimType::Out] {
            if let Some(tuple) = space.tuple(t)
                && tuple.nested.is_some()
            {
                let flat = Tuple {
                    name: None,
                    dims: tuple.dims.clone(),
                    nested: None,
                };
                space = space.with_tuple(t, flat);
            }
        }
        self.with_space(space)
    }

    /// The set of `out - in` over all pairs.
    pub(crate) fn deltas(&self) -> Result<Rel> {
        let s = &self.space;
        if !s.input().is_some_and(|t| t.matches(s.out())) {
            return Err(Error::mismatch(&s.domain(), &s.range()));
        }
        let (np, n) = (s.dim(DimType::Param), s.dim(DimType::Out));
        // Columns: params, deltas, inputs, outputs.
        let order: Columns = cols(s, DimType::Param)
            .chain(gap(n))
            .chain(cols(s, DimType::In))
            .chain(cols(s, DimType::Out))
            .collect();
        let wide = Rel {
            space: self.space.clone(),
            parts: self.parts.iter().map(|p| Arc::new(p.select_dims(&order))).collect(),
        };
        Ok(wide.map_parts(s.range(), |b| {
            for i in 0..n {
                let mut r = vec![Int::ZERO; b.cols()];
                r[1 + np + i] = Int::ONE;
                r[1 + np + n + i] = Int::ONE;
                r[1 + np + 2 * n + i] = Int::NEG_ONE;
                b.add_eq(&r);
            }
            b.dims_to_divs(1 + np + n, 2 * n);
        }))
    }

    /// The part of a wrapped pair on one side of a map (or of a set, `Out`): keeps the first or second half.
    pub(crate) fn factor(&self, t: DimType, second: bool) -> Result<Rel> {
        let Some(halves) = self.space.tuple(t).and_then(|t| t.nested.as_deref()) else {
            return Err(Error::Unsupported(format!("{} has no product on that side", self.space)));
        };
        let (keep, first, n) = if second {
            (&halves.1, 0, halves.0.len())
        } else {
            (&halves.0, halves.0.len(), halves.1.len())
        };
        let col = self.space.offset(t) + first;
        let space = self.space.with_tuple(t, keep.clone());
        Ok(self.map_parts(space, |b| b.dims_to_divs(col, n)))
    }

    /// `[A -> B] -> C` as `A -> [B -> C]`.
    pub(crate) fn curry(&self) -> Result<Rel> {
        match self.space.input().and_then(|t| t.nested.as_deref()) {
            Some((a, b)) => {
                let out = Tuple::wrapped(b.clone(), self.space.out().clone());
                Ok(self.with_space(Space::map(self.space.params().to_vec(), a.clone(), out)))
            }
            None => Err(Error::Unsupported(format!("{} can't be curried", self.space))),
        }
    }

    /// `A -> [B -> C]` as `[A -> B] -> C`.
    pub(crate) fn uncurry(&self) -> Result<Rel> {
        match (self.space.input(), self.space.out().nested.as_deref()) {
            (Some(a), Some((b, c))) => {
                let input = Tuple::wrapped(a.clone(), b.clone());
                Ok(self.with_space(Space::map(self.space.params().to_vec(), input, c.clone())))
            }
            _ => Err(Error::Unsupported(format!("{} can't be uncurried", self.space))),
        }
    }

    /// The pairs as elements of a set of wrapped pairs.
    pub(crate) fn wrap(&self) -> Rel {
        self.with_space(self.space.wrap())
    }

    /// The wrapped pairs as a map.
    pub(crate) fn unwrap(&self) -> Result<Rel> {
        Ok(self.with_space(self.space.unwrap()?))
    }

    /// `[A -> B] -> A` (or `B`) on the pairs of the map.
    pub(crate) fn domain_or_range_map(&self, second: bool) -> Result<Rel> {
        let s = &self.space;
        let Some(input) = s.input() else {
            return Err(Error::Unsupported(format!("{s} is no map")));
        };
        let out = if second { s.out().clone() } else { input.clone() };
        let n = out.len();
        let space = Space::map(s.params().to_vec(), Tuple::wrapped(input.clone(), s.out().clone()), out);
        let order: Columns = (1..=s.total_dim()).map(Some).chain(gap(n)).collect();
        let from = if second { s.offset(DimType::Out) } else { s.offset(DimType::In) };
        let to = space.offset(DimType::Out);
        let wide = self.select(space.clone(), &order);
        Ok(wide.map_parts(space, |b| {
            for i in 0..n {
                let mut r = vec![Int::ZERO; b.cols()];
                r[from + i] = Int::ONE;
                r[to + i] = Int::NEG_ONE;
                b.add_eq(&r);
            }
        }))
    }

    /// `x -> x` for the elements of a set space.
    pub(crate) fn identity_on(&self) -> Result<Rel> {
        let s = &self.space;
        if !s.is_set() || s.is_params() {
            return Err(Error::Unsupported(format!("no identity on {s}")));
        }
        let n = s.dim(DimType::Out);
        let space = s.map_to(s);
        let order: Columns = (1..=s.total_dim()).map(Some).chain(gap(n)).collect();
        let (from, to) = (space.offset(DimType::In), space.offset(DimType::Out));
        let wide = self.select(space.clone(), &order);
        Ok(wide.map_parts(space, |b| {
            for i in 0..n {
                let mut r = vec![Int::ZERO; b.cols()];
                r[from + i] = Int::ONE;
                r[to + i] = Int::NEG_ONE;
                b.add_eq(&r);
            }
        }))
    }

    /// The lexicographic order on a set space: one piece for each dimension that may decide.
    pub(crate) fn lex(space: &Space, ascending: bool, reflexive: bool) -> Rel {
        let map = space.map_to(space);
        let n = space.dim(DimType::Out);
        let (x, y) = (map.offset(DimType::In), map.offset(DimType::Out));
        if n == 0 {
            return if reflexive { Rel::universe(map) } else { Rel::empty(map) };
        }
        let (low, high) = if ascending { (x, y) } else { (y, x) };
        let mut parts = Vec::with_capacity(n);
        for k in 0..n {
            let mut b = Basic::universe(map.total_dim());
            for i in 0..k {
                let mut r = vec![Int::ZERO; b.cols()];
                r[x + i] = Int::ONE;
                r[y + i] = Int::NEG_ONE;
                b.add_eq(&r);
            }
            let mut r = vec![Int::ZERO; b.cols()];
            r[high + k] = Int::ONE;
            r[low + k] = Int::NEG_ONE;
            if !(reflexive && k + 1 == n) {
                r[0] = Int::NEG_ONE;
            }
            b.add_ineq(&r);
            b.simplify();
            parts.push(b);
        }
        Rel::from_parts(map, parts)
    }
}
