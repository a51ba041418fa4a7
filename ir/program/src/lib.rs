//! The program IR: what an MLIR module says, in plain Rust data.
//!
//! The front end translates MLIR operation by operation into a [`Program`]; raising finds static control parts in it; after scheduling, the
//! loop AST is lowered back into operations of this same IR, which every back end (interpreter, Cranelift, MLIR, C) consumes. So there
//! is one executable level, and it can be built, printed, verified and run without MLIR.
//!
//! A [`Function`] owns arenas of values, operations, blocks and regions, referred to by typed ids. Control flow is structured
//! ([`OpKind::For`], [`OpKind::If`], [`OpKind::While`]) or a graph of blocks ([`OpKind::Br`] and kin) within a region. Memory is reached only through memref
//! values; every access is an affine map of index operands (the identity map for `memref.load`).
//!
//! What it deliberately lacks: memref layouts given by affine maps (the front end rewrites them to plain storage), vectors of memrefs, attributes without meaning for
//! execution (they stay in the MLIR module, which the exporter edits in place; see [`Op::origin`]).

mod affine;
mod edit;
mod function;
mod graph;
mod op;
mod print;
mod pure_op;
mod types;
mod verify;

pub use affine::{AffineExpr, AffineMap, IntegerSet};
pub use edit::ValueMap;
pub use function::{
    Block, BlockId, Function, Global, GlobalInit, Op, OpId, OriginId, Program, Region, RegionId, ValueData, ValueDef, ValueId,
};
pub use op::{Access, Constant, ForOp, IfCond, LoopExec, MemRefUse, OpKind, Slice, SliceDim, Step};
pub use pure_op::{CmpF, CmpI, FastMath, MathFn, PureOp};
pub use types::{Layout, MemRefType, ScalarType, Type, VectorType};
pub use verify::verify;
