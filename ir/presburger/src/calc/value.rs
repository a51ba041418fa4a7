//! What expressions evaluate to.

use std::fmt;
use std::sync::Arc;

use crate::count::PwQPolynomial;
use crate::func::{Aff, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff};
use crate::num::Int;
use crate::sets::{Map, Point, Set};
use crate::space::DimType;
use crate::text::syntax::Object;
use crate::union::{UnionMap, UnionSet};

macro_rules! kinds {
    ($($kind:ident($type:ty): $name:literal,)*) => {
        /// The kinds of values.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind {
            $(#[doc = concat!("A value of kind `", $name, "`.")] $kind,)*
        }

        impl Kind {
            /// The name of the kind, as in isl.
            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)*
                }
            }
        }

        /// The value of an expression.
        #[derive(Debug, Clone)]
        pub enum Value {
            $(#[doc = concat!("A `", $name, "`.")] $kind($type),)*
            /// An object as it was written, whose kind is decided by its use.
            Literal(Literal),
        }

        impl Value {
            /// The kind; for an object as written, the one it has by itself.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Value::$kind(_) => Kind::$kind,)*
                    Value::Literal(l) => l.natural.kind(),
                }
            }
        }

        impl fmt::Display for Value {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Value::$kind(x) => x.fmt(f),)*
                    Value::Literal(l) => l.natural.fmt(f),
                }
            }
        }

        $(impl From<$type> for Value {
            fn from(x: $type) -> Value {
                Value::$kind(x)
            }
        })*

        $(impl Extract for $type {
            const KIND: Kind = Kind::$kind;

            fn extract(value: Value) -> Option<$type> {
                match value {
                    Value::$kind(x) => Some(x),
                    _ => None,
                }
            }
        })*
    };
}

/// A type that a value can hold.
pub(super) trait Extract: Sized {
    /// Its kind.
    const KIND: Kind;

    /// The content of a value of this kind.
    fn extract(value: Value) -> Option<Self>;
}

kinds! {
    Set(Set): "set",
    Map(Map): "map",
    UnionSet(UnionSet): "union_set",
    UnionMap(UnionMap): "union_map",
    Aff(Aff): "aff",
    PwAff(PwAff): "pw_aff",
    MultiAff(MultiAff): "multi_aff",
    PwMultiAff(PwMultiAff): "pw_multi_aff",
    MultiPwAff(MultiPwAff): "multi_pw_aff",
    UnionPwAff(UnionPwAff): "union_pw_aff",
    UnionPwMultiAff(UnionPwMultiAff): "union_pw_multi_aff",
    MultiUnionPwAff(MultiUnionPwAff): "multi_union_pw_aff",
    PwQPolynomial(PwQPolynomial): "pw_qpolynomial",
    Point(Point): "point",
    Int(Int): "integer",
    Bool(bool): "boolean",
    Dim(Dim): "dim_type",
    Text(String): "text",
}

/// A kind of dimension, as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dim(pub DimType);

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            DimType::Param => "param",
            DimType::In => "in",
            DimType::Out => "out",
        })
    }
}

/// An object as it was written.
#[derive(Debug, Clone)]
pub struct Literal {
    /// The text that its places refer to.
    pub(super) text: Arc<str>,
    /// Its syntax tree.
    pub(super) object: Arc<Object>,
    /// Its value as the kind that it has by itself: a set, a map, a union of them, or a tuple of union functions.
    pub(super) natural: Box<Value>,
}
