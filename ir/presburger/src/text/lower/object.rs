//! Pieces and whole objects as unions of relations.

use super::formula::{Condition, Conjuncts};
use super::scope::{Scope, Source};
use crate::error::{Error, Result};
use crate::rel::Rel;
use crate::sets::{Map, Set};
use crate::space::{Id, Space, Tuple};
use crate::text::syntax::{Body, CompareOp, Entry, Expr, Name, Object, Piece, Pos, Tuple as TupleSyntax, TupleKind};
use crate::union::{UnionMap, UnionSet};

/// A braces object: relations in different spaces, in order of appearance.
#[derive(Debug, Clone)]
pub(crate) struct Lowered {
    /// The declared parameters.
    pub(crate) params: Vec<Id>,
    /// One union for each space.
    pub(crate) members: Vec<Rel>,
}

/// Tuples on the way into a scope.
#[derive(Debug, Default)]
pub(super) struct Declared<'s> {
    /// The names of the dimensions, as far as they can be referred to.
    pub(super) names: Vec<Option<String>>,
    /// What is said about the values of dimensions.
    definitions: Vec<(usize, Definition<'s>)>,
}

#[derive(Debug)]
enum Definition<'s> {
    Equal(&'s Expr, Pos),
    Range(Option<&'s Expr>, Option<&'s Expr>),
}

impl<'s> Declared<'s> {
    /// Declares the dimensions of a tuple and returns its shape.
    pub(super) fn tuple(&mut self, t: &'s TupleSyntax) -> Tuple {
        let shape = match &t.kind {
            TupleKind::Nested(a, b) => {
                let first = self.tuple(a);
                Tuple::wrapped(first, self.tuple(b))
            }
            TupleKind::Flat(entries) => Tuple {
                dims: entries.iter().map(|e| self.entry(e)).collect(),
                ..Tuple::default()
            },
        };
        Tuple {
            name: t.name.as_deref().map(Id::new),
            ..shape
        }
    }

    fn entry(&mut self, e: &'s Entry) -> Option<Id> {
        let pos = self.names.len();
        self.names.push(None);
        match e {
            Entry::Anonymous => None,
            Entry::Declared(name, value) => {
                self.names[pos] = Some(name.text.clone());
                if let Some(value) = value {
                    self.definitions.push((pos, Definition::Equal(value, name.pos)));
                }
                Some(dim_id(name))
            }
            Entry::Expr(value) => {
                self.definitions.push((pos, Definition::Equal(value, value.pos)));
                None
            }
            Entry::Range(low, high) => {
                self.definitions.push((pos, Definition::Range(low.as_ref(), high.as_ref())));
                None
            }
        }
    }

    /// The conditions that the definitions say, in a scope that has the dimensions.
    pub(super) fn conditions(&self, scope: &Scope<'_>) -> Result<Vec<Condition>> {
        let mut out = Vec::new();
        for (pos, definition) in &self.definitions {
            match definition {
                Definition::Equal(e, at) => out.push(scope.define(*pos, e, *at)?),
                Definition::Range(low, high) => {
                    for (op, e) in [(CompareOp::Ge, low), (CompareOp::Le, high)] {
                        if let Some(e) = e {
                            out.push(scope.bound(*pos, op, e)?);
                        }
                    }
                }
            }
        }
        Ok(out)
    }
}

/// The name of a dimension. Primes only tell apart dimensions of the same name in one text, so they are dropped.
pub(super) fn dim_id(name: &Name) -> Id {
    Id::new(name.text.trim_end_matches('\''))
}

/// The parameters of an object.
pub(super) fn param_ids(object: &Object) -> Vec<Id> {
    object.params.iter().map(|p| Id::new(&p.text)).collect()
}

impl Lowered {
    /// Lowers an object in braces.
    pub(crate) fn new(object: &Object, source: Source<'_>) -> Result<Lowered> {
        let Body::Braces(pieces) = &object.body else {
            return Err(source.error(object.pos, "expected a set or map in braces, found a tuple of functions"));
        };
        let params = param_ids(object);
        let members = lower_pieces(pieces, &Scope::new(source, params.clone()))?;
        Ok(Lowered { params, members })
    }

    /// The only set.
    pub(crate) fn into_set(self) -> Result<Set> {
        let rel = self.into_single("set")?;
        if rel.space.is_map() {
            Err(wrong("a set", "a map"))
        } else {
            Ok(Set::from_rel(rel))
        }
    }

    /// The only map.
    pub(crate) fn into_map(self) -> Result<Map> {
        let rel = self.into_single("map")?;
        if rel.space.is_map() {
            Ok(Map::from_rel(rel))
        } else {
            Err(wrong("a map", "a set"))
        }
    }

    /// Sets of any spaces.
    pub(crate) fn into_union_set(self) -> Result<UnionSet> {
        if self.members.iter().any(|m| m.space.is_map()) {
            return Err(wrong("a union of sets", "a union of maps"));
        }
        let sets: Vec<Set> = self.members.into_iter().map(Set::from_rel).collect();
        Ok(UnionSet::from_members(&sets)?.align_params(&Space::params_only(self.params)))
    }

    /// Maps of any spaces.
    pub(crate) fn into_union_map(self) -> Result<UnionMap> {
        if self.members.iter().any(|m| !m.space.is_map()) {
            return Err(wrong("a union of maps", "a union of sets"));
        }
        let maps: Vec<Map> = self.members.into_iter().map(Map::from_rel).collect();
        Ok(UnionMap::from_members(&maps)?.align_params(&Space::params_only(self.params)))
    }

    fn into_single(mut self, what: &str) -> Result<Rel> {
        match (self.members.pop(), self.members.is_empty()) {
            (Some(rel), true) => Ok(rel),
            (Some(_), false) => Err(Error::Unsupported(format!(
                "a {what} has one space, this has several: use the union type"
            ))),
            (None, _) => Err(Error::Unsupported(format!(
                "a {what} needs a space: write `{{ [i] : false }}` for an empty one"
            ))),
        }
    }
}

pub(super) fn wrong(wanted: &str, found: &str) -> Error {
    Error::Unsupported(format!("expected {wanted}, found {found}"))
}

/// Lowers pieces and joins those that have the same space.
pub(super) fn lower_pieces(pieces: &[Piece], scope: &Scope<'_>) -> Result<Vec<Rel>> {
    let mut members: Vec<Rel> = Vec::new();
    for piece in pieces {
        let rel = lower_piece(piece, scope)?;
        if members.first().is_some_and(|m| m.space.is_map() != rel.space.is_map()) {
            return Err(scope.source.error(piece.pos, "sets and maps can't be in one union"));
        }
        match members.iter_mut().find(|m| m.space.same_tuples(&rel.space)) {
            Some(m) => *m = scope.at(piece.pos, m.union(&rel))?,
            None => members.push(rel),
        }
    }
    Ok(members)
}

fn lower_piece(piece: &Piece, outer: &Scope<'_>) -> Result<Rel> {
    let mut declared = Declared::default();
    let tuples: Vec<Tuple> = piece.tuples.iter().map(|t| declared.tuple(t)).collect();
    let params = outer.space.params().to_vec();
    let space = match <[Tuple; 2]>::try_from(tuples) {
        Ok([input, out]) => Space::map(params, input, out),
        Err(mut tuples) => match tuples.pop() {
            Some(tuple) => Space::set(params, tuple),
            None => Space::params_only(params),
        },
    };
    let set = lower_region(piece, &declared, outer)?;
    Ok(set.rel().with_space(space))
}

/// The points that satisfy the definitions and the formula of a piece, in the flat space.
pub(super) fn lower_region(piece: &Piece, declared: &Declared<'_>, outer: &Scope<'_>) -> Result<Set> {
    let scope = outer.with_dims(declared.names.iter().cloned());
    let mut all = Conjuncts::default();
    for c in declared.conditions(&scope)? {
        all.push(c);
    }
    if let Some(f) = &piece.formula {
        all.push(scope.lower(f)?);
    }
    scope.at(piece.pos, all.into_set(&scope))
}
