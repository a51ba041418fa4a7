//! Operations without side effects on numbers, lane by lane on vectors: `arith` and `math`.

/// Integer comparison predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in arith.cmpi")]
pub enum CmpI {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

/// Floating-point comparison predicates: `O..` ordered (false on NaN), `U..` unordered (true on NaN).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in arith.cmpf")]
pub enum CmpF {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}

/// Functions of the `math` dialect. One implementation of each serves the interpreter and every back end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in the math dialect")]
pub enum MathFn {
    AbsF,
    AbsI,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atan2,
    Atanh,
    Cbrt,
    Ceil,
    ClampF,
    CopySign,
    Cos,
    Cosh,
    CtLz,
    CtPop,
    CtTz,
    Erf,
    Erfc,
    Exp,
    Exp2,
    ExpM1,
    Floor,
    Fma,
    FPowI,
    IPowI,
    IsFinite,
    IsInf,
    IsNaN,
    IsNormal,
    Log,
    Log10,
    Log1p,
    Log2,
    PowF,
    Round,
    RoundEven,
    Rsqrt,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
    Trunc,
}

/// An operation on numbers. Operand and result types are as in MLIR (`arith`, `math`), each also on vectors of one shape.
///
/// Where MLIR calls a result poison or undefined (division by zero, `MIN / -1`, shifts by the width or more, float to integer out of range), every oracle
/// and back end agrees on: integer division by zero and `MIN / -1` are a located run-time error; over-long shifts give 0 (`shl`, `shrui`) or the
/// sign (`shrsi`); float to integer saturates, NaN gives 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in the arith dialect")]
pub enum PureOp {
    AddI,
    SubI,
    MulI,
    DivSI,
    DivUI,
    CeilDivSI,
    CeilDivUI,
    FloorDivSI,
    RemSI,
    RemUI,
    AndI,
    OrI,
    XOrI,
    ShLI,
    ShRSI,
    ShRUI,
    MaxSI,
    MaxUI,
    MinSI,
    MinUI,
    /// Two results: wrapped sum and the carry (i1).
    AddUIExtended,
    /// Two results: low and high half.
    MulSIExtended,
    /// Two results: low and high half.
    MulUIExtended,
    CmpI(CmpI),
    AddF,
    SubF,
    MulF,
    DivF,
    RemF,
    NegF,
    /// NaN if either is NaN; -0 < +0.
    MaximumF,
    /// NaN if either is NaN; -0 < +0.
    MinimumF,
    /// The other operand if one is NaN.
    MaxNumF,
    /// The other operand if one is NaN.
    MinNumF,
    CmpF(CmpF),
    /// Condition (i1 or vector of i1), then-value, else-value; any type, also memrefs.
    Select,
    ExtSI,
    ExtUI,
    TruncI,
    ExtF,
    TruncF,
    SIToFP,
    UIToFP,
    FPToSI,
    FPToUI,
    /// Sign-extends or truncates between `index` and integers.
    IndexCast,
    /// Zero-extends or truncates between `index` and integers.
    IndexCastUI,
    /// Same bits, other type of the same width.
    Bitcast,
    Math(MathFn),
    /// A scalar into all lanes of the result's vector type.
    Splat,
    /// One lane of a vector, by row-major number.
    Extract(u32),
    /// Operands: scalar, vector. The vector with one lane, by row-major number, replaced.
    Insert(u32),
}

/// Fast-math flags of one operation, as written in the source. `--fp=strict` ignores them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "named as in arith::FastMathFlags")]
#[expect(clippy::struct_excessive_bools, reason = "a set of independent flags given by MLIR")]
pub struct FastMath {
    pub reassoc: bool,
    pub nnan: bool,
    pub ninf: bool,
    pub nsz: bool,
    pub arcp: bool,
    pub contract: bool,
    pub afn: bool,
}
