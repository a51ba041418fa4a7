//! Values of operations while a program runs.

use super::View;
use std::rc::Rc;
use tilia_abi::Value;
use tilia_program::{Constant, ScalarType, Type};

/// A value: scalars as integers sign-extended to 64 bits or the bits of a float, vectors as one such word a lane.
#[derive(Debug, Clone)]
pub(crate) enum Slot {
    /// Not computed yet.
    Empty,
    Bits(u64),
    Lanes(Rc<[u64]>),
    MemRef(Rc<View>),
}

impl Slot {
    pub(crate) fn int(v: i64) -> Self {
        Self::Bits(v.cast_unsigned())
    }

    pub(crate) fn bits(&self) -> Result<u64, String> {
        match self {
            Self::Bits(b) => Ok(*b),
            other => Err(other.wrong("a number")),
        }
    }

    pub(crate) fn as_int(&self) -> Result<i64, String> {
        self.bits().map(u64::cast_signed)
    }

    pub(crate) fn view(&self) -> Result<&Rc<View>, String> {
        match self {
            Self::MemRef(v) => Ok(v),
            other => Err(other.wrong("a memref")),
        }
    }

    /// The word of a lane; a scalar counts as a vector of that value.
    pub(crate) fn lane(&self, n: usize) -> Result<u64, String> {
        match self {
            Self::Bits(b) => Ok(*b),
            Self::Lanes(lanes) => lanes.get(n).copied().ok_or_else(|| format!("the vector has no lane {n}")),
            other => Err(other.wrong("a number or vector")),
        }
    }

    fn wrong(&self, wanted: &str) -> String {
        let what = match self {
            Self::Empty => "nothing",
            Self::Bits(_) => "a number",
            Self::Lanes(_) => "a vector",
            Self::MemRef(_) => "a memref",
        };
        format!("{wanted} is needed, but the operand holds {what}")
    }

    /// The value of a constant of that type.
    pub(crate) fn constant(c: &Constant, ty: &Type) -> Result<Self, String> {
        let word = |c: &Constant| match c {
            Constant::Int(v) => Ok(v.cast_unsigned()),
            Constant::Float(bits) => Ok(*bits),
            _ => Err("a constant that isn't a number".to_owned()),
        };
        match (c, ty) {
            (Constant::Vector(lanes), _) => Ok(Self::Lanes(lanes.iter().map(word).collect::<Result<_, _>>()?)),
            (Constant::Splat(c), Type::Vector(v)) => Ok(Self::Lanes(vec![word(c)?; lanes(v)?].into())),
            (c, _) => word(c).map(Self::Bits),
        }
    }

    /// The value that the host sees.
    pub(crate) fn to_value(&self, ty: &Type) -> Result<Value, String> {
        match self {
            Self::Empty => Err(self.wrong("a value")),
            Self::Bits(b) if ty.element().is_some_and(ScalarType::is_int) => Ok(Value::Int(b.cast_signed())),
            Self::Bits(b) => Ok(Value::Float(*b)),
            Self::Lanes(lanes) => Ok(Value::Vector(lanes.to_vec())),
            Self::MemRef(v) => {
                v.usable(false)?;
                Ok(Value::MemRef(v.to_value()))
            }
        }
    }
}

/// Lanes that an interpreted vector may have.
const MAX_LANES: u64 = 1 << 20;

/// Number of lanes of a vector type.
pub(crate) fn lanes(ty: &tilia_program::VectorType) -> Result<usize, String> {
    let lanes = ty.lanes().filter(|&n| n <= MAX_LANES).and_then(|n| usize::try_from(n).ok());
    lanes.ok_or_else(|| format!("vectors of type {ty} are too long to be interpreted"))
}
