//! Tuples of quasi-affine expressions.

use super::Aff;
use super::pieces::Piece;
use crate::basic::Basic;
use crate::error::{Error, Result};
use crate::num::Int;
use crate::rel::Rel;
use crate::sets::{BasicSet, Map, Point, Set};
use crate::space::{DimType, Space, Tuple};

/// A total function from a domain space to a tuple: one quasi-affine expression for each dimension.
///
/// The domain may be the space of the parameters alone; then it is a point that depends on the parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MultiAff {
    domain: Space,
    out: Tuple,
    affs: Vec<Aff>,
}

impl MultiAff {
    /// A function from its expressions; parameters are aligned.
    ///
    /// # Errors
    /// When an expression has another domain, or their number isn't that of the tuple's dimensions.
    pub fn new(domain: &Space, out: Tuple, affs: &[Aff]) -> Result<MultiAff> {
        let domain = affs.iter().fold(domain.wrap(), |d, a| d.align_params(a.space()).align_params(&d));
        if affs.len() != out.len() {
            return Err(Error::Unsupported(format!(
                "{} expressions for the {} dimensions of {out}",
                affs.len(),
                out.len()
            )));
        }
        let affs = affs.iter().map(|a| a.align_to(&domain)).collect::<Result<_>>()?;
        Ok(MultiAff { domain, out, affs })
    }

    pub(crate) fn from_parts(domain: Space, out: Tuple, affs: Vec<Aff>) -> MultiAff {
        debug_assert_eq!(out.len(), affs.len());
        debug_assert!(affs.iter().all(|a| a.space() == &domain));
        MultiAff { domain, out, affs }
    }

    /// The identity on a set space.
    pub fn identity(space: &Space) -> MultiAff {
        let domain = space.wrap();
        let affs = (0..domain.dim(DimType::Out)).map(|i| Aff::var(&domain, DimType::Out, i)).collect();
        MultiAff {
            out: domain.out().clone(),
            affs,
            domain,
        }
    }

    /// The function that keeps `n` dimensions from `first` on, as an anonymous tuple.
    pub fn project_on(space: &Space, first: usize, n: usize) -> MultiAff {
        let domain = space.wrap();
        let affs = (first..first + n).map(|i| Aff::var(&domain, DimType::Out, i)).collect();
        MultiAff {
            out: Tuple::anonymous(n),
            affs,
            domain,
        }
    }

    /// The function with value zero.
    pub fn zero(domain: &Space, out: Tuple) -> MultiAff {
        let domain = domain.wrap();
        let affs = vec![Aff::zero(&domain); out.len()];
        MultiAff { domain, out, affs }
    }

    /// One expression as a function to an anonymous tuple of one dimension.
    pub fn from_aff(aff: &Aff) -> MultiAff {
        MultiAff {
            domain: aff.space().clone(),
            out: Tuple::anonymous(1),
            affs: vec![aff.clone()],
        }
    }

    /// The domain space.
    pub fn domain_space(&self) -> &Space {
        &self.domain
    }

    /// The tuple of the values.
    pub fn out_tuple(&self) -> &Tuple {
        &self.out
    }

    /// The set space of the values.
    pub fn range_space(&self) -> Space {
        Space::set(self.domain.params().to_vec(), self.out.clone())
    }

    /// The map space from domain to range; for a function of the parameters alone, the range space.
    pub fn space(&self) -> Space {
        if self.domain.is_params() {
            self.range_space()
        } else {
            self.domain.map_to_tuple(self.out.clone())
        }
    }

    /// The number of expressions.
    pub fn len(&self) -> usize {
        self.affs.len()
    }

    /// Are there no expressions?
    pub fn is_empty(&self) -> bool {
        self.affs.is_empty()
    }

    /// The expressions.
    pub fn affs(&self) -> &[Aff] {
        &self.affs
    }

    /// One expression.
    pub fn get(&self, i: usize) -> &Aff {
        &self.affs[i]
    }

    /// The function with one expression replaced.
    ///
    /// # Errors
    /// When the expression has another domain.
    pub fn set_aff(&self, i: usize, aff: &Aff) -> Result<MultiAff> {
        let mut affs = self.affs.clone();
        affs[i] = aff.clone();
        MultiAff::new(&self.domain, self.out.clone(), &affs)
    }

    /// The same function with the parameters of `space` first.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn align_params(&self, space: &Space) -> Result<MultiAff> {
        self.on(&self.domain.align_params(space))
    }

    /// The function with another name and shape of its tuple, of as many dimensions.
    ///
    /// # Errors
    /// When the number of dimensions differs.
    pub fn with_out_tuple(&self, out: Tuple) -> Result<MultiAff> {
        MultiAff::new(&self.domain, out, &self.affs)
    }

    /// Applies a function to each expression.
    pub(crate) fn each(&self, f: impl Fn(&Aff) -> Result<Aff>) -> Result<MultiAff> {
        let affs: Vec<Aff> = self.affs.iter().map(f).collect::<Result<_>>()?;
        MultiAff::new(&self.domain, self.out.clone(), &affs)
    }

    fn pairwise(&self, other: &MultiAff, f: impl Fn(&Aff, &Aff) -> Result<Aff>) -> Result<MultiAff> {
        if !self.out.matches(&other.out) {
            return Err(Error::mismatch(&self.space(), &other.space()));
        }
        let affs: Vec<Aff> = self.affs.iter().zip(&other.affs).map(|(x, y)| f(x, y)).collect::<Result<_>>()?;
        MultiAff::new(&self.domain, self.out.clone(), &affs)
    }

    /// The sum, dimension by dimension.
    ///
    /// # Errors
    /// When the spaces differ.
    pub fn add(&self, other: &MultiAff) -> Result<MultiAff> {
        self.pairwise(other, Aff::add)
    }

    /// The difference, dimension by dimension.
    ///
    /// # Errors
    /// When the spaces differ.
    pub fn sub(&self, other: &MultiAff) -> Result<MultiAff> {
        self.pairwise(other, Aff::sub)
    }

    /// The negation.
    ///
    /// # Errors
    /// Never for a valid function.
    pub fn neg(&self) -> Result<MultiAff> {
        self.each(|x| Ok(x.neg()))
    }

    /// Each dimension times a constant of its own.
    ///
    /// # Errors
    /// When the number of constants isn't that of the dimensions.
    pub fn scale(&self, factors: &[Int]) -> Result<MultiAff> {
        self.with_each(factors, |x, f| Ok(x.scale(f)))
    }

    /// `floor` of each dimension divided by a constant of its own.
    ///
    /// # Errors
    /// When the number of constants isn't that of the dimensions, or one isn't positive.
    pub fn floor_div(&self, divisors: &[Int]) -> Result<MultiAff> {
        self.with_each(divisors, Aff::floor_div)
    }

    /// Each dimension modulo a constant of its own.
    ///
    /// # Errors
    /// When the number of constants isn't that of the dimensions, or one isn't positive.
    pub fn mod_(&self, divisors: &[Int]) -> Result<MultiAff> {
        self.with_each(divisors, Aff::mod_)
    }

    fn with_each(&self, list: &[Int], f: impl Fn(&Aff, &Int) -> Result<Aff>) -> Result<MultiAff> {
        if list.len() != self.affs.len() {
            return Err(Error::Unsupported(format!(
                "{} constants for {} dimensions",
                list.len(),
                self.affs.len()
            )));
        }
        let affs: Vec<Aff> = self.affs.iter().zip(list).map(|(x, c)| f(x, c)).collect::<Result<_>>()?;
        MultiAff::new(&self.domain, self.out.clone(), &affs)
    }

    /// The function of a function: `self` after `inner`.
    ///
    /// # Errors
    /// When the range of `inner` isn't the domain of `self`.
    pub fn pullback(&self, inner: &MultiAff) -> Result<MultiAff> {
        let inner = inner.align_params(&self.domain)?;
        let affs: Vec<Aff> = self.affs.iter().map(|x| x.pullback(&inner)).collect::<Result<_>>()?;
        MultiAff::new(&inner.domain, self.out.clone(), &affs)
    }

    /// The values of both in one anonymous tuple.
    ///
    /// # Errors
    /// When the domain spaces differ.
    pub fn flat_range_product(&self, other: &MultiAff) -> Result<MultiAff> {
        let out = Tuple {
            dims: self.out.dims.iter().chain(&other.out.dims).cloned().collect(),
            ..Tuple::default()
        };
        self.product(other, out)
    }

    /// The values of both as a wrapped pair.
    ///
    /// # Errors
    /// When the domain spaces differ.
    pub fn range_product(&self, other: &MultiAff) -> Result<MultiAff> {
        self.product(other, Tuple::wrapped(self.out.clone(), other.out.clone()))
    }

    fn product(&self, other: &MultiAff, out: Tuple) -> Result<MultiAff> {
        let affs: Vec<Aff> = self.affs.iter().chain(&other.affs).cloned().collect();
        let domain = self.domain.align_params(&other.domain).align_params(&self.domain);
        MultiAff::new(&domain, out, &affs)
    }

    /// The value at a point of the domain space.
    ///
    /// # Errors
    /// When the point lives in another space or lacks a parameter.
    pub fn eval(&self, p: &Point) -> Result<Point> {
        let coords = self.affs.iter().map(|a| a.eval(p)).collect::<Result<_>>()?;
        let range = Space::set(p.space.params().to_vec(), self.out.clone());
        Ok(Point::new(range, p.params.clone(), coords))
    }

    /// The points that are mapped into a set of the range space.
    ///
    /// # Errors
    /// When the set isn't in the range space.
    pub fn preimage(&self, set: &Set) -> Result<Set> {
        let ma = self.align_params(set.space())?;
        let set = set.align_params(&ma.domain);
        set.space().check_same_tuples(&ma.range_space())?;
        let mut parts = Vec::new();
        for piece in set.basic_sets() {
            parts.push(if piece.has_known_divs() {
                let pulled = piece
                    .constraints()?
                    .iter()
                    .map(|c| Ok(c.with_aff(c.aff().pullback(&ma)?)))
                    .collect::<Result<Vec<_>>>()?;
                BasicSet::from_constraints(&ma.domain, &pulled)?.inner().clone()
            } else {
                ma.preimage_of(piece.inner())
            });
        }
        Ok(Set::from_rel(Rel::from_parts(ma.domain.clone(), parts)))
    }

    /// The points that are mapped into `b`, whose locals may be unknown: the values become locals that equalities define.
    fn preimage_of(&self, b: &Basic) -> Basic {
        let n_dim = self.domain.total_dim();
        let n_param = self.domain.dim(DimType::Param);
        let mut values = b.clone();
        values.insert_dims(1 + n_param, n_dim - n_param);
        let mut result = self.graph(None);
        result.conjoin(&values);
        result.dims_to_divs(1 + n_dim, self.out.len());
        result.simplify();
        result
    }

    /// The relation between points and their values, on a part of the domain (all of it without `part`).
    pub(crate) fn graph(&self, part: Option<&Basic>) -> Basic {
        let n_dim = self.domain.total_dim();
        let mut b = part.cloned().unwrap_or_else(|| Basic::universe(n_dim));
        b.insert_dims(1 + n_dim, self.out.len());
        let space = Space::set(
            self.domain.params().to_vec(),
            Tuple::anonymous(n_dim - self.domain.dim(DimType::Param) + self.out.len()),
        );
        for (i, aff) in self.affs.iter().enumerate() {
            if b.empty {
                break;
            }
            let aff = aff.extended(&space);
            let map = b.import_divs(aff.divs());
            let mut r = b.map_row(aff.row(), &map);
            r[1 + n_dim + i] = Int::NEG_ONE;
            b.add_eq(&r);
        }
        b.simplify();
        b
    }

    /// The relation that maps each point to its value. For a function of the parameters alone see [`MultiAff::as_set`].
    ///
    /// # Errors
    /// When the domain is the space of parameters.
    pub fn as_map(&self) -> Result<Map> {
        if self.domain.is_params() {
            return Err(Error::Unsupported("a function of the parameters alone is a set, not a map".into()));
        }
        Ok(Map::from_rel(Rel::from_basic(self.space(), self.graph(None))))
    }

    /// The set of the values of a function of the parameters alone.
    ///
    /// # Errors
    /// When the domain isn't the space of parameters.
    pub fn as_set(&self) -> Result<Set> {
        if !self.domain.is_params() {
            return Err(Error::Unsupported("only a function of the parameters alone is a set".into()));
        }
        Ok(Set::from_rel(Rel::from_basic(self.space(), self.graph(None))))
    }

    /// Do the functions look the same?
    pub fn plain_eq(&self, other: &MultiAff) -> bool {
        self.out.matches(&other.out) && self.affs.iter().zip(&other.affs).all(|(x, y)| x.plain_eq(y))
    }
}

impl Piece for MultiAff {
    fn on(&self, domain: &Space) -> Result<MultiAff> {
        self.domain.check_same_tuples(domain)?;
        let affs = self.affs.iter().map(|a| a.align_to(domain)).collect::<Result<_>>()?;
        Ok(MultiAff {
            domain: domain.clone(),
            out: self.out.clone(),
            affs,
        })
    }

    fn plain_eq(&self, other: &MultiAff) -> bool {
        MultiAff::plain_eq(self, other)
    }
}
