//! Kinds of operations.

use crate::{AffineMap, BlockId, FastMath, IntegerSet, PureOp, ScalarType};

/// A compile-time number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Constant {
    /// An integer, sign-extended from its type's width (an i1 is 0 or -1).
    Int(i64),
    /// The bits of a float in its own format, zero-extended.
    Float(u64),
    /// One element a lane, row-major.
    Vector(Vec<Constant>),
    /// The same element in all lanes.
    Splat(Box<Constant>),
}

/// How a memory access finds its element: the map's results are the subscripts. A vector access touches the box that starts there and has the
/// vector's shape in the innermost dimensions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Access {
    /// Subscripts in terms of the operands that follow the memref.
    pub map: AffineMap,
    /// Whether the subscripts must be checked against the memref's shape when it executes. The front end sets it; proofs clear it.
    pub checked: bool,
}

/// What an operation does with a memref that it has as an operand: see [`OpKind::memref_use`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemRefUse {
    /// Looks at the descriptor only: extents, strides, where the buffer lies.
    Descriptor,
    /// Reads or writes elements, now, and keeps nothing of the memref.
    Elements,
    /// Makes another descriptor of the same buffer, its result.
    View,
    /// Ends the buffer's life.
    Free,
    /// Anything else: hands it to a call, another block or iteration, or updates elements atomically.
    Other,
}

/// A loop's step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// A positive constant.
    Const(i64),
    /// A run-time value; executing with a step below 1 is a located run-time error.
    Value,
}

/// How a loop is to be executed. The front end gives `Serial`; lowering gives the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LoopExec {
    /// One iteration after the other.
    #[default]
    Serial,
    /// Iterations in any order on the thread pool; no iter_args. Nested parallel loops run serially.
    Parallel,
    /// The body works on several iterations at once through vector values; counted as a vector loop when it executes.
    Vector,
}

/// `affine.for`, `scf.for`, and each dimension of `affine.parallel` and `scf.parallel`.
///
/// Operands: those of `lower`, those of `upper`, the step when it is [`Step::Value`], then the initial values of the iter_args. The iterator starts at
/// the maximum of the results of `lower` and stays below the minimum of those of `upper` (signed). The one region has one block with arguments: iterator, iter_args; it ends in [`OpKind::Yield`].
/// Results: final iter_args.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ForOp {
    /// Lower bounds, inclusive.
    pub lower: AffineMap,
    /// Upper bounds, exclusive.
    pub upper: AffineMap,
    /// Distance of iterations.
    pub step: Step,
    /// Whether the source states that iterations are independent (`affine.parallel`, `scf.parallel`).
    pub independent: bool,
    /// How to execute it.
    pub exec: LoopExec,
    /// Iterations by which the loop is a full tile of a band (for the count of executed full tiles); false in source programs.
    pub full_tile: bool,
}

/// The condition of an `if`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum IfCond {
    /// `affine.if`: operands are the set's dims and symbols.
    Set(IntegerSet),
    /// `scf.if`: one i1 operand.
    Value,
}

/// One offset, size or stride of a subview: a constant, or the next operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SliceDim {
    /// Known at compile time.
    Const(i64),
    /// Taken from the operands, in order.
    Operand,
}

/// Offsets, sizes and strides of a subview or reinterpret_cast. Operands: the memref, then dynamic offsets, sizes, strides in that order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slice {
    /// Offsets (one per source dimension for a subview, exactly one for reinterpret_cast).
    pub offsets: Vec<SliceDim>,
    /// Sizes.
    pub sizes: Vec<SliceDim>,
    /// Strides.
    pub strides: Vec<SliceDim>,
    /// Source dimensions that a rank-reducing subview drops, ascending; empty otherwise.
    pub dropped: Vec<u32>,
}

/// What an operation does. Operand order is stated where it isn't obvious.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// A number known at compile time.
    Constant(Constant),
    /// Arithmetic.
    Pure(PureOp, FastMath),
    /// `affine.apply`: one result. Overflow of 64 bits is a located run-time error.
    Apply(AffineMap),
    /// `affine.min`.
    Min(AffineMap),
    /// `affine.max`.
    Max(AffineMap),

    /// Operands: memref, map operands. The result is a scalar or a vector.
    Load(Access),
    /// Operands: value (scalar or vector), memref, map operands.
    Store(Access),
    /// Operands: dynamic sizes. `stack`: freed when the function returns.
    Alloc {
        /// `memref.alloca`.
        stack: bool,
        /// Alignment in bytes, a power of two; 0 when unstated.
        align: u64,
    },
    /// Operand: memref.
    Dealloc,
    /// Operands: source, target, of equal shape; may overlap only if identical.
    Copy,
    /// Operands: memref (ranked or unranked), dimension (index).
    Dim,
    /// Operand: memref. `memref.rank`.
    Rank,
    /// Operand: memref. `memref.extract_aligned_pointer_as_index`: where the buffer starts, without the view's offset. A number: nothing can be read through it.
    Address,
    /// Operand: a ranked memref. Elements between neighbours along that dimension. Made by lowering for run-time checks.
    Stride(u32),
    /// `memref.cast` and `memref.memory_space_cast`: operand memref to the result's type (also to and from unranked). A shape that contradicts the type is a located run-time error.
    CastMemRef,
    /// Operands as of [`Slice`].
    SubView(Slice),
    /// Operands as of [`Slice`].
    ReinterpretCast(Slice),
    /// Dimensions of the operand permuted: result dimension k is source dimension `perm[k]`.
    Transpose(Vec<u32>),
    /// `memref.collapse_shape` and `memref.expand_shape`: groups of dimensions of the finer shape, one group per dimension of the coarser. Operands: memref, then the dynamic sizes of an expanded shape.
    Reshape {
        /// Whether the result is the coarser shape.
        collapse: bool,
        /// The groups.
        groups: Vec<Vec<u32>>,
    },
    /// The buffer of `Program::globals[n]`.
    GetGlobal(u32),
    /// Operands: two memrefs. Result i1: whether their byte ranges share an element. Made by lowering for run-time checks.
    Overlap,

    /// A loop.
    For(ForOp),
    /// Regions: then, else (the else region may be empty of blocks when there are no results). Both end in [`OpKind::Yield`].
    If(IfCond),
    /// `scf.while`. Operands: initial values. Regions: before (ends in [`OpKind::Condition`]), after (ends in [`OpKind::Yield`]).
    While,
    /// `scf.execute_region`: one region, possibly of several blocks, whose [`OpKind::Yield`]s give the results.
    ExecuteRegion,
    /// Ends the before region of a while. Operands: i1, then values passed on.
    Condition,
    /// Ends a region of a structured operation. Operands: its results.
    Yield,

    /// Call of the function of that name.
    Call(String),
    /// Ends a function. Operands: its results.
    Return,
    /// Operands: target block's arguments.
    Br(BlockId),
    /// Operands: i1, then arguments of the first target, then those of the second.
    CondBr {
        /// Target when true.
        then: BlockId,
        /// Target when false.
        otherwise: BlockId,
        /// How many operands belong to `then`.
        then_args: u32,
    },
    /// Operands: flag, then arguments for the default target, then those of each case in order.
    Switch {
        /// Target when no case matches, with the number of its arguments.
        default: (BlockId, u32),
        /// Value (sign-extended), target and number of arguments of each case.
        cases: Vec<(i64, BlockId, u32)>,
    },
    /// `cf.assert`: operand i1; a located run-time error with this text when false.
    Assert(String),
    /// Execution never gets here (a located run-time error if it does); ends a block.
    Unreachable,

    /// Something that the compiler can't execute: kept, may touch all memory, a located run-time error if reached.
    Unsupported {
        /// The MLIR operation's name.
        name: String,
        /// Why, and what to do about it.
        reason: String,
    },
}

impl OpKind {
    /// A pure operation without fast-math flags.
    #[must_use]
    pub fn pure(op: PureOp) -> Self {
        Self::Pure(op, FastMath::default())
    }

    /// The constant integer `value` (of whatever integer type the result has).
    #[must_use]
    pub fn int(value: i64) -> Self {
        Self::Constant(Constant::Int(value))
    }

    /// Whether it has no side effect and needs no memory, so that it may be repeated, moved or dropped. Integer division counts as pure only
    /// for moving within what executes it anyway: see [`OpKind::may_trap`].
    #[must_use]
    pub fn is_pure(&self) -> bool {
        matches!(
            self,
            Self::Constant(_)
                | Self::Pure(..)
                | Self::Apply(_)
                | Self::Min(_)
                | Self::Max(_)
                | Self::Dim
                | Self::Rank
                | Self::Stride(_)
                | Self::Address
        )
    }

    /// Whether its result is the same buffer under another descriptor.
    #[must_use]
    pub fn is_view(&self) -> bool {
        self.memref_use() == MemRefUse::View
    }

    /// What it does with a memref among its operands.
    #[must_use]
    pub fn memref_use(&self) -> MemRefUse {
        match self {
            Self::Dim | Self::Rank | Self::Stride(_) | Self::Address | Self::Overlap => MemRefUse::Descriptor,
            Self::Load(_) | Self::Store(_) | Self::Copy => MemRefUse::Elements,
            Self::CastMemRef | Self::SubView(_) | Self::ReinterpretCast(_) | Self::Transpose(_) | Self::Reshape { .. } => MemRefUse::View,
            Self::Dealloc => MemRefUse::Free,
            _ => MemRefUse::Other,
        }
    }

    /// Whether executing it can end in a run-time error even on valid memory, so that it must not execute where the source wouldn't.
    #[must_use]
    pub fn may_trap(&self) -> bool {
        match self {
            Self::Pure(op, _) => matches!(
                op,
                PureOp::DivSI | PureOp::DivUI | PureOp::CeilDivSI | PureOp::CeilDivUI | PureOp::FloorDivSI | PureOp::RemSI | PureOp::RemUI
            ),
            Self::Constant(_) => false,
            _ => true,
        }
    }

    /// Whether it ends a block.
    #[must_use]
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Self::Yield | Self::Condition | Self::Return | Self::Br(_) | Self::CondBr { .. } | Self::Switch { .. } | Self::Unreachable
        )
    }
}

/// The element type that a constant of `ty` in memory has; a convenience for builders of constants.
impl Constant {
    /// A float constant of type `ty` (f32 or f64; narrower formats are made by their own conversion).
    #[must_use]
    pub fn float(ty: ScalarType, value: f64) -> Option<Self> {
        match ty {
            ScalarType::F64 => Some(Self::Float(value.to_bits())),
            #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is meant")]
            ScalarType::F32 => Some(Self::Float(u64::from((value as f32).to_bits()))),
            _ => None,
        }
    }
}
