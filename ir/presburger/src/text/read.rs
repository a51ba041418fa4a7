//! Reading: `FromStr` of every object, and the same with a budget.

use std::str::FromStr;

use super::lower::{Lowered, Source, function};
use super::parser::Parser;
use super::syntax::Object;
use crate::error::{Error, Result};
use crate::func::{Aff, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff};
use crate::num::Budget;
use crate::sets::{BasicMap, BasicSet, Map, Set};
use crate::union::{UnionMap, UnionSet};

/// The syntax tree of a text that holds one object and nothing else.
pub(super) fn parse_object(text: &str) -> Result<Object> {
    let mut parser = Parser::new(text)?;
    let object = parser.object()?;
    parser.expect_end()?;
    Ok(object)
}

/// An object that has a text form.
pub trait Parse: Sized {
    /// Reads an object; negations, quantifiers and the like may cost some of the budget.
    ///
    /// # Errors
    /// [`Error::Parse`] with the place of the first mistake, or [`Error::OutOfBudget`].
    fn parse(text: &str, b: &Budget) -> Result<Self>;
}

fn lowered<T>(text: &str, budget: &Budget, finish: impl FnOnce(Lowered) -> Result<T>) -> Result<T> {
    let object = parse_object(text)?;
    let source = Source { text, budget };
    finish(Lowered::new(&object, source)?).map_err(|e| source.locate(object.pos, e))
}

impl Parse for Set {
    fn parse(text: &str, b: &Budget) -> Result<Set> {
        lowered(text, b, Lowered::into_set)
    }
}

impl Parse for Map {
    fn parse(text: &str, b: &Budget) -> Result<Map> {
        lowered(text, b, Lowered::into_map)
    }
}

impl Parse for UnionSet {
    fn parse(text: &str, b: &Budget) -> Result<UnionSet> {
        lowered(text, b, Lowered::into_union_set)
    }
}

impl Parse for UnionMap {
    fn parse(text: &str, b: &Budget) -> Result<UnionMap> {
        lowered(text, b, Lowered::into_union_map)
    }
}

impl Parse for BasicSet {
    fn parse(text: &str, b: &Budget) -> Result<BasicSet> {
        let set = Set::parse(text, b)?;
        match &set.basic_sets()[..] {
            [] => Ok(BasicSet::empty(set.space())),
            [one] => Ok(one.clone()),
            _ => Err(several(text)),
        }
    }
}

impl Parse for BasicMap {
    fn parse(text: &str, b: &Budget) -> Result<BasicMap> {
        let map = Map::parse(text, b)?;
        match &map.basic_maps()[..] {
            [] => Ok(BasicMap::empty(map.space())),
            [one] => Ok(one.clone()),
            _ => Err(several(text)),
        }
    }
}

macro_rules! parse_function {
    ($($object:ty: $lower:ident),*) => {$(
        impl Parse for $object {
            fn parse(text: &str, b: &Budget) -> Result<Self> {
                let object = parse_object(text)?;
                let source = Source { text, budget: b };
                function::$lower(&object, source).map_err(|e| source.locate(object.pos, e))
            }
        }
    )*};
}

parse_function!(
    Aff: aff,
    MultiAff: multi_aff,
    PwAff: pw_aff,
    PwMultiAff: pw_multi_aff,
    MultiPwAff: multi_pw_aff,
    UnionPwAff: union_pw_aff,
    UnionPwMultiAff: union_pw_multi_aff,
    MultiUnionPwAff: multi_union_pw_aff
);

fn several(text: &str) -> Error {
    Error::Parse(super::ParseError::at(text, 0, "this has more than one piece, so it is not basic"))
}

macro_rules! from_str {
    ($($object:ty),*) => {$(
        impl FromStr for $object {
            type Err = Error;

            /// Reads isl's notation, with the default budget.
            fn from_str(text: &str) -> Result<Self> {
                Self::parse(text, &Budget::default())
            }
        }
    )*};
}

from_str!(Set, Map, BasicSet, BasicMap, UnionSet, UnionMap);
from_str!(
    Aff,
    MultiAff,
    PwAff,
    PwMultiAff,
    MultiPwAff,
    UnionPwAff,
    UnionPwMultiAff,
    MultiUnionPwAff
);
