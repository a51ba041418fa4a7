//! Functions: the last tuple of each piece holds expressions in the names of the first.

use super::object::{Declared, dim_id, lower_pieces, lower_region, param_ids};
use super::scope::{Scope, Source};
use super::value::{Fraction, Value};
use crate::error::Result;
use crate::func::{Aff, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff};
use crate::sets::Set;
use crate::space::{Id, Space, Tuple};
use crate::text::syntax::{Body, Entry, Expr, MultiKind, MultiTuple, Object, Piece, Pos, Tuple as TupleSyntax, TupleKind};
use crate::union::UnionSet;

/// One piece of a function.
struct FunctionPiece {
    /// The domain space.
    domain: Space,
    /// The part of the domain that the piece's conditions leave.
    region: Set,
    /// The tuple of the values.
    out: Tuple,
    /// For each dimension, expressions on disjoint sets.
    values: Vec<Vec<(Set, Aff)>>,
    pos: Pos,
}

impl FunctionPiece {
    fn new(piece: &Piece, outer: &Scope<'_>) -> Result<FunctionPiece> {
        let source = outer.source;
        let (domain_tuple, range) = match &piece.tuples[..] {
            [domain, range] => (Some(domain), range),
            [range] => (None, range),
            _ => return Err(source.error(piece.pos, "expected a function `tuple -> [expression]`")),
        };
        let mut declared = Declared::default();
        let params = outer.space.params().to_vec();
        let domain = match domain_tuple {
            Some(t) => Space::set(params, declared.tuple(t)),
            None => Space::params_only(params),
        };
        let region = lower_region(piece, &declared, outer)?;
        let scope = outer.with_dims(declared.names.iter().cloned());
        let mut entries = Vec::new();
        let out = range_tuple(range, &mut entries, source)?;
        let values = entries.iter().map(|e| integral(&scope, e, &domain)).collect::<Result<_>>()?;
        Ok(FunctionPiece {
            region: respace(&region, &domain),
            domain,
            out,
            values,
            pos: piece.pos,
        })
    }

    fn member(&self, i: usize) -> Result<PwAff> {
        let mut list = Vec::new();
        for (s, x) in &self.values[i] {
            list.push((s.intersect(&self.region)?, x.clone()));
        }
        Ok(PwAff::from_disjoint(&self.domain, list))
    }

    fn pw_aff(&self, source: Source<'_>) -> Result<PwAff> {
        if self.values.len() != 1 || self.out.name.is_some() || self.out.nested.is_some() {
            return Err(source.error(self.pos, "expected one expression in a nameless tuple, as in `[i] -> [2i]`"));
        }
        self.member(0)
    }

    /// The total function, when every dimension is one expression everywhere.
    fn multi_aff(&self) -> Option<MultiAff> {
        let single = |v: &Vec<(Set, Aff)>| match &v[..] {
            [(s, x)] if s.plain_is_universe() => Some(x.clone()),
            _ => None,
        };
        let affs = self.values.iter().map(single).collect::<Option<Vec<_>>>()?;
        Some(MultiAff::from_parts(self.domain.clone(), self.out.clone(), affs))
    }

    fn pw_multi_aff(&self, source: Source<'_>) -> Result<PwMultiAff> {
        match self.multi_aff() {
            Some(ma) => PwMultiAff::alloc(&self.region, &ma),
            None => self.multi_pw_aff()?.to_pw_multi_aff(source.budget),
        }
    }

    fn multi_pw_aff(&self) -> Result<MultiPwAff> {
        if self.values.is_empty() {
            return Ok(MultiPwAff::zero_dim(&self.region, self.out.clone()));
        }
        let members = (0..self.values.len()).map(|i| self.member(i)).collect::<Result<Vec<_>>>()?;
        MultiPwAff::new(&self.domain, self.out.clone(), &members)
    }
}

fn respace(set: &Set, space: &Space) -> Set {
    Set::from_rel(set.rel().with_space(space.clone()))
}

/// The shape of a tuple of expressions, and the expressions.
fn range_tuple<'s>(t: &'s TupleSyntax, entries: &mut Vec<&'s Expr>, source: Source<'_>) -> Result<Tuple> {
    let shape = match &t.kind {
        TupleKind::Nested(a, b) => {
            let first = range_tuple(a, entries, source)?;
            Tuple::wrapped(first, range_tuple(b, entries, source)?)
        }
        TupleKind::Flat(list) => {
            let mut dims = Vec::with_capacity(list.len());
            for entry in list {
                let (name, e) = match entry {
                    Entry::Expr(e) => (None, e),
                    Entry::Declared(name, Some(e)) => (Some(dim_id(name)), e),
                    Entry::Declared(name, None) => {
                        return Err(source.error(name.pos, format!("unknown name `{}`: a function needs a value here", name.text)));
                    }
                    Entry::Anonymous | Entry::Range(..) => {
                        return Err(source.error(t.pos, "every dimension of a function needs a value"));
                    }
                };
                dims.push(name);
                entries.push(e);
            }
            Tuple { dims, ..Tuple::default() }
        }
    };
    Ok(Tuple {
        name: t.name.as_deref().map(Id::new),
        ..shape
    })
}

/// The value of an expression piece by piece; it must be an integer.
fn integral(scope: &Scope<'_>, e: &Expr, domain: &Space) -> Result<Vec<(Set, Aff)>> {
    let value = scope.value(e)?;
    let pieces = match value {
        Value::Min(list) | Value::Max(list) if list.len() == 1 => list.into_iter().map(|x| (Set::universe(&scope.space), x)).collect(),
        other => scope.at(e.pos, other.pieces(scope))?,
    };
    let integer = |(s, x): (Set, Fraction)| {
        if x.den.is_one() {
            Ok((respace(&s, domain), x.num.with_space(domain)))
        } else {
            Err(scope
                .source
                .error(e.pos, "this value may be a fraction: write `floor(...)` around it"))
        }
    };
    pieces.into_iter().map(integer).collect()
}

fn pieces_of<'o>(object: &'o Object, source: Source<'_>) -> Result<&'o [Piece]> {
    match &object.body {
        Body::Braces(pieces) => Ok(pieces),
        Body::Multi { .. } => Err(source.error(object.pos, "expected a function in braces, found a tuple of them")),
    }
}

fn lower_all(object: &Object, source: Source<'_>) -> Result<Vec<FunctionPiece>> {
    let scope = Scope::new(source, param_ids(object));
    pieces_of(object, source)?.iter().map(|p| FunctionPiece::new(p, &scope)).collect()
}

fn one<T>(mut list: Vec<T>, object: &Object, source: Source<'_>) -> Result<T> {
    match (list.pop(), list.is_empty()) {
        (Some(x), true) => Ok(x),
        _ => Err(source.error(object.pos, "expected exactly one piece")),
    }
}

/// A total function.
pub(crate) fn multi_aff(object: &Object, source: Source<'_>) -> Result<MultiAff> {
    let piece = one(lower_all(object, source)?, object, source)?;
    if !piece.region.plain_is_universe() {
        return Err(source.error(object.pos, "a total function has no conditions"));
    }
    piece
        .multi_aff()
        .ok_or_else(|| source.error(piece.pos, "expected one expression for each dimension, found a piecewise one"))
}

/// One expression everywhere.
pub(crate) fn aff(object: &Object, source: Source<'_>) -> Result<Aff> {
    let ma = multi_aff(object, source)?;
    match ma.affs() {
        [aff] if ma.out_tuple().name.is_none() => Ok(aff.clone()),
        _ => Err(source.error(object.pos, "expected one expression in a nameless tuple, as in `[i] -> [2i]`")),
    }
}

/// Joins the pieces of a function of one space.
fn joined<T>(
    object: &Object,
    source: Source<'_>,
    make: impl Fn(&FunctionPiece) -> Result<T>,
    join: impl Fn(&T, &T) -> Result<T>,
) -> Result<T> {
    let mut result: Option<T> = None;
    for piece in lower_all(object, source)? {
        let new = make(&piece)?;
        result = Some(match result {
            None => new,
            Some(old) => join(&old, &new).map_err(|e| source.locate(piece.pos, e))?,
        });
    }
    result.ok_or_else(|| {
        source.error(
            object.pos,
            "a function needs a domain: write `{ [i] -> [0] : false }` for an empty one",
        )
    })
}

/// A piecewise expression.
pub(crate) fn pw_aff(object: &Object, source: Source<'_>) -> Result<PwAff> {
    joined(object, source, |p| p.pw_aff(source), |x, y| x.union_add(y, source.budget))
}

/// A piecewise function.
pub(crate) fn pw_multi_aff(object: &Object, source: Source<'_>) -> Result<PwMultiAff> {
    joined(object, source, |p| p.pw_multi_aff(source), |x, y| x.union_add(y, source.budget))
}

/// A tuple of piecewise expressions.
pub(crate) fn multi_pw_aff(object: &Object, source: Source<'_>) -> Result<MultiPwAff> {
    one(lower_all(object, source)?, object, source)?.multi_pw_aff()
}

fn union_of(pieces: &[Piece], scope: &Scope<'_>) -> Result<UnionPwAff> {
    let mut union = UnionPwAff::empty(&scope.space);
    for p in pieces {
        let piece = FunctionPiece::new(p, scope)?.pw_aff(scope.source)?;
        union = scope.at(p.pos, union.add_pw_aff(&piece, scope.source.budget))?;
    }
    Ok(union)
}

/// Piecewise expressions of several spaces.
pub(crate) fn union_pw_aff(object: &Object, source: Source<'_>) -> Result<UnionPwAff> {
    union_of(pieces_of(object, source)?, &Scope::new(source, param_ids(object)))
}

/// Piecewise functions of several spaces.
pub(crate) fn union_pw_multi_aff(object: &Object, source: Source<'_>) -> Result<UnionPwMultiAff> {
    let params = Space::params_only(param_ids(object));
    let mut union = UnionPwMultiAff::empty(&params);
    for piece in lower_all(object, source)? {
        let new = UnionPwMultiAff::from_pw_multi_aff(&piece.pw_multi_aff(source)?);
        union = union.union_add(&new, source.budget).map_err(|e| source.locate(piece.pos, e))?;
    }
    Ok(union)
}

/// A tuple of piecewise expressions of several spaces.
pub(crate) fn multi_union_pw_aff(object: &Object, source: Source<'_>) -> Result<MultiUnionPwAff> {
    let Body::Multi { tuple, domain } = &object.body else {
        return Err(source.error(object.pos, "expected a tuple of functions, as in `[{ S[i] -> [i] }]`"));
    };
    let scope = Scope::new(source, param_ids(object));
    let mut members = Vec::new();
    let out = multi_shape(tuple, &mut members, &scope)?;
    let domain = match domain {
        Some(pieces) => {
            let sets: Vec<Set> = lower_pieces(pieces, &scope)?.into_iter().map(Set::from_rel).collect();
            Some(UnionSet::from_members(&sets)?)
        }
        None => None,
    };
    let params = scope.space.to_params();
    let result = match (members.is_empty(), domain) {
        (true, domain) => MultiUnionPwAff::zero_dim(&params, out, domain),
        (false, None) => MultiUnionPwAff::new(out, &members)?,
        (false, Some(set)) => MultiUnionPwAff::new(out, &members)?.intersect_domain(&set, source.budget)?,
    };
    result.align_params(&params)
}

fn multi_shape(t: &MultiTuple, members: &mut Vec<UnionPwAff>, scope: &Scope<'_>) -> Result<Tuple> {
    let shape = match &t.kind {
        MultiKind::Nested(a, b) => {
            let first = multi_shape(a, members, scope)?;
            Tuple::wrapped(first, multi_shape(b, members, scope)?)
        }
        MultiKind::Flat(list) => {
            for pieces in list {
                members.push(union_of(pieces, scope)?);
            }
            Tuple::anonymous(list.len())
        }
    };
    Ok(Tuple {
        name: t.name.as_deref().map(Id::new),
        ..shape
    })
}
