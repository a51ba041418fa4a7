//! Conversions between kinds: a set is a union set, an affine function a piecewise one, a text whatever it can be read as.

use std::sync::Arc;

use super::value::{Kind, Literal, Value};
use crate::error::Result;
use crate::func::{MultiAff, MultiPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff};
use crate::num::Budget;
use crate::text::lower::{Lowered, Source, function};
use crate::text::syntax::{Body, Object};
use crate::union::{UnionMap, UnionSet};

impl Literal {
    /// Reads an object as the kind it has by itself.
    pub(super) fn new(text: &Arc<str>, object: Object, budget: &Budget) -> Result<Literal> {
        let source = Source { text, budget };
        let natural = match &object.body {
            Body::Multi { .. } => Value::from(function::multi_union_pw_aff(&object, source)?),
            Body::Braces(_) => braces(Lowered::new(&object, source)?)?,
        };
        Ok(Literal {
            text: text.clone(),
            object: Arc::new(object),
            natural: Box::new(natural),
        })
    }

    /// Reads the object as a function of this kind.
    fn as_function(&self, kind: Kind, budget: &Budget) -> Option<Result<Value>> {
        let source = Source { text: &self.text, budget };
        let object = &self.object;
        if matches!(object.body, Body::Multi { .. }) {
            return None;
        }
        Some(match kind {
            Kind::Aff => function::aff(object, source).map(Value::from),
            Kind::PwAff => function::pw_aff(object, source).map(Value::from),
            Kind::MultiAff => function::multi_aff(object, source).map(Value::from),
            Kind::PwMultiAff => function::pw_multi_aff(object, source).map(Value::from),
            Kind::MultiPwAff => function::multi_pw_aff(object, source).map(Value::from),
            Kind::UnionPwAff => function::union_pw_aff(object, source).map(Value::from),
            Kind::UnionPwMultiAff => function::union_pw_multi_aff(object, source).map(Value::from),
            _ => return None,
        })
    }
}

/// The set, map, or union of them.
fn braces(lowered: Lowered) -> Result<Value> {
    match &lowered.members[..] {
        [one] if one.space.is_map() => Ok(Value::from(lowered.into_map()?)),
        [_] => Ok(Value::from(lowered.into_set()?)),
        [first, ..] if first.space.is_map() => Ok(Value::from(lowered.into_union_map()?)),
        _ => Ok(Value::from(lowered.into_union_set()?)),
    }
}

impl Value {
    /// How far the value is from a kind: 0 when it is of it, more the more conversion it takes, nothing when there is none.
    pub(super) fn distance(&self, kind: Kind) -> Option<u32> {
        if self.kind() == kind {
            return Some(0);
        }
        if let Value::Literal(l) = self {
            let is_empty_union = matches!(&*l.natural, Value::UnionSet(u) if u.plain_is_empty());
            if let Some(d) = l.natural.distance(kind) {
                return Some(d);
            }
            if kind == Kind::UnionMap && is_empty_union {
                return Some(1);
            }
            let functions = [
                Kind::Aff,
                Kind::MultiAff,
                Kind::PwAff,
                Kind::PwMultiAff,
                Kind::MultiPwAff,
                Kind::UnionPwAff,
                Kind::UnionPwMultiAff,
            ];
            let is_braces = matches!(l.object.body, Body::Braces(_));
            return functions.iter().position(|&f| f == kind && is_braces).map(|p| 10 + p as u32);
        }
        let chain: &[Kind] = match self.kind() {
            Kind::Set => &[Kind::UnionSet],
            Kind::Map => &[Kind::UnionMap],
            Kind::Aff => &[
                Kind::PwAff,
                Kind::MultiAff,
                Kind::PwMultiAff,
                Kind::UnionPwAff,
                Kind::UnionPwMultiAff,
            ],
            Kind::PwAff => &[Kind::UnionPwAff, Kind::PwMultiAff, Kind::UnionPwMultiAff],
            Kind::MultiAff => &[Kind::PwMultiAff, Kind::MultiPwAff, Kind::UnionPwMultiAff],
            Kind::PwMultiAff => &[Kind::MultiPwAff, Kind::UnionPwMultiAff],
            _ => &[],
        };
        chain.iter().position(|&k| k == kind).map(|p| 1 + p as u32)
    }

    /// The value as a kind that it has a distance to.
    pub(super) fn convert(&self, kind: Kind, budget: &Budget) -> Result<Value> {
        if let Value::Literal(l) = self {
            if l.natural.distance(kind).is_some() {
                return l.natural.convert(kind, budget);
            }
            if let (Kind::UnionMap, Value::UnionSet(u)) = (kind, &*l.natural) {
                return Ok(Value::from(UnionMap::empty(u.params_space())));
            }
            return l.as_function(kind, budget).unwrap_or_else(|| Ok((*l.natural).clone()));
        }
        Ok(match (self, kind) {
            (Value::Set(x), Kind::UnionSet) => Value::from(UnionSet::from_set(x)),
            (Value::Map(x), Kind::UnionMap) => Value::from(UnionMap::from_map(x)),
            (Value::Aff(x), Kind::PwAff) => Value::from(PwAff::from_aff(x)),
            (Value::Aff(x), Kind::MultiAff) => Value::from(MultiAff::from_aff(x)),
            (Value::Aff(x), Kind::PwMultiAff) => Value::from(PwMultiAff::from_multi_aff(&MultiAff::from_aff(x))),
            (Value::Aff(x), Kind::UnionPwAff) => Value::from(UnionPwAff::from_aff(x)),
            (Value::Aff(x), Kind::UnionPwMultiAff) => Value::from(UnionPwMultiAff::from_multi_aff(&MultiAff::from_aff(x))),
            (Value::PwAff(x), Kind::UnionPwAff) => Value::from(UnionPwAff::from_pw_aff(x)),
            (Value::PwAff(x), Kind::PwMultiAff) => Value::from(PwMultiAff::from_pw_aff(x)),
            (Value::PwAff(x), Kind::UnionPwMultiAff) => Value::from(UnionPwMultiAff::from_pw_multi_aff(&PwMultiAff::from_pw_aff(x))),
            (Value::MultiAff(x), Kind::PwMultiAff) => Value::from(PwMultiAff::from_multi_aff(x)),
            (Value::MultiAff(x), Kind::MultiPwAff) => Value::from(MultiPwAff::from_multi_aff(x)),
            (Value::MultiAff(x), Kind::UnionPwMultiAff) => Value::from(UnionPwMultiAff::from_multi_aff(x)),
            (Value::PwMultiAff(x), Kind::MultiPwAff) => Value::from(MultiPwAff::from_pw_multi_aff(x)),
            (Value::PwMultiAff(x), Kind::UnionPwMultiAff) => Value::from(UnionPwMultiAff::from_pw_multi_aff(x)),
            (same, _) => same.clone(),
        })
    }
}
