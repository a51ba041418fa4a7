//! Types of values.

use std::fmt;

/// A scalar type. Integers are signless, as in MLIR; `index` is a 64-bit integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScalarType {
    /// Integer of 1 to 64 bits.
    Int(u8),
    /// `index`: 64 bits.
    Index,
    /// IEEE half precision.
    F16,
    /// bfloat16.
    BF16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl ScalarType {
    /// Whether this is an integer or `index`.
    #[must_use]
    pub fn is_int(self) -> bool {
        matches!(self, Self::Int(_) | Self::Index)
    }

    /// Whether this is a floating-point type.
    #[must_use]
    pub fn is_float(self) -> bool {
        !self.is_int()
    }

    /// Number of significant bits.
    #[must_use]
    pub fn bits(self) -> u8 {
        match self {
            Self::Int(bits) => bits,
            Self::Index | Self::F64 => 64,
            Self::F16 | Self::BF16 => 16,
            Self::F32 => 32,
        }
    }

    /// Bytes an element takes in memory: the next power of two that holds the bits, as LLVM lays out arrays of integers (i1 takes one byte).
    #[must_use]
    pub fn bytes(self) -> u64 {
        u64::from(self.bits()).div_ceil(8).next_power_of_two()
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(bits) => write!(f, "i{bits}"),
            Self::Index => f.write_str("index"),
            Self::F16 => f.write_str("f16"),
            Self::BF16 => f.write_str("bf16"),
            Self::F32 => f.write_str("f32"),
            Self::F64 => f.write_str("f64"),
        }
    }
}

/// A vector of constant shape; elements are numbered row-major.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VectorType {
    /// Extent of each dimension, outermost first; may be empty (one element).
    pub shape: Vec<u64>,
    /// Element type.
    pub elem: ScalarType,
}

impl VectorType {
    /// Number of elements, or `None` beyond 2^32.
    #[must_use]
    pub fn lanes(&self) -> Option<u64> {
        self.shape.iter().try_fold(1u64, |n, &d| n.checked_mul(d).filter(|&n| n <= 1 << 32))
    }
}

/// How a memref's elements lie in its buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Row-major, contiguous, offset 0.
    Identity,
    /// Element `[i, j, ..]` lies at `offset + sum of stride * index`, in elements; `None` means known at run time only.
    Strided {
        /// Offset of the first element.
        offset: Option<i64>,
        /// One stride a dimension.
        strides: Vec<Option<i64>>,
    },
}

/// Type of a ranked memref.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MemRefType {
    /// Element type.
    pub elem: ScalarType,
    /// Extents, outermost first; `None` is dynamic. Empty for rank 0.
    pub shape: Vec<Option<u64>>,
    /// Layout.
    pub layout: Layout,
}

impl MemRefType {
    /// Number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }
}

/// Type of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// A number.
    Scalar(ScalarType),
    /// A short vector of numbers.
    Vector(VectorType),
    /// A ranked buffer descriptor.
    MemRef(MemRefType),
    /// A buffer descriptor whose rank is known at run time only.
    UnrankedMemRef(ScalarType),
    /// A value of a type that execution doesn't know; only opaque operations use it. Holds the type's MLIR text.
    Opaque(String),
}

impl Type {
    /// Shorthand for the scalar type `index`.
    pub const INDEX: Self = Self::Scalar(ScalarType::Index);
    /// Shorthand for the scalar type `i1`.
    pub const BOOL: Self = Self::Scalar(ScalarType::Int(1));

    /// The scalar type of a number or of a vector's elements.
    #[must_use]
    pub fn element(&self) -> Option<ScalarType> {
        match self {
            Self::Scalar(s) => Some(*s),
            Self::Vector(v) => Some(v.elem),
            Self::MemRef(m) => Some(m.elem),
            Self::UnrankedMemRef(s) => Some(*s),
            Self::Opaque(_) => None,
        }
    }

    /// The memref type, if it is one.
    #[must_use]
    pub fn as_memref(&self) -> Option<&MemRefType> {
        match self {
            Self::MemRef(m) => Some(m),
            _ => None,
        }
    }
}

impl fmt::Display for VectorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("vector<")?;
        for d in &self.shape {
            write!(f, "{d}x")?;
        }
        write!(f, "{}>", self.elem)
    }
}

impl fmt::Display for MemRefType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let maybe = |v: Option<i64>| v.map_or_else(|| "?".to_owned(), |v| v.to_string());
        f.write_str("memref<")?;
        for d in &self.shape {
            match d {
                Some(d) => write!(f, "{d}x")?,
                None => f.write_str("?x")?,
            }
        }
        write!(f, "{}", self.elem)?;
        if let Layout::Strided { offset, strides } = &self.layout {
            let strides: Vec<_> = strides.iter().map(|&s| maybe(s)).collect();
            write!(f, ", strided<[{}], offset: {}>", strides.join(", "), maybe(*offset))?;
        }
        f.write_str(">")
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(s) => s.fmt(f),
            Self::Vector(v) => v.fmt(f),
            Self::MemRef(m) => m.fmt(f),
            Self::UnrankedMemRef(s) => write!(f, "memref<*x{s}>"),
            Self::Opaque(text) => f.write_str(text),
        }
    }
}
