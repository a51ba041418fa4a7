//! Static control parts: statements with integer-set domains, exact accesses, and the original schedule tree.
//!
//! A [`Scop`] describes a range of operations of one block of a [`tilia_program::Function`]. It doesn't copy their meaning: a statement names the program
//! operations that one instance executes ([`Stmt::ops`]) and the iterators they mention ([`Stmt::iters`]); executing an instance means executing these
//! operations with the iterators bound. What the sets say about it (domain, accesses) is what scheduling and code generation work with.
//!
//! SSA values that cross statements travel through *private cells* ([`ArrayKind::Cell`]), one array a value, expanded over the loops that surround its
//! definition, so that no false dependence is born; register promotion takes the cells away again after scheduling.
//! Buffers of the source may become such arrays, too ([`ArrayKind::Copy`]): temporaries that get a copy for each iteration.

mod dependence;
mod print;
mod scop;

pub use dependence::{Dep, DepKind, Deps};
pub use print::DepsText;
pub use scop::{
    Access, AccessKind, AccessSource, Array, ArrayId, ArrayKind, Assumption, AssumptionKind, COPY_BYTES, FloatOrder, OpRange, Param,
    ParamSource, Reduction, Scop, Stmt, StmtId, StmtKind,
};
