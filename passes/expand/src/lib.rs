//! Expansion: temporaries get a copy for each iteration that uses them, so that their storage orders nothing.
//!
//! A scalar or row that each iteration of a loop writes before it reads is one location for all iterations: its anti and output dependences put the iterations in a row although no value
//! passes from one to the next. [`expand`] gives each *live range* of such a buffer (a set of accesses that value-based flow connects) an array of its own
//! ([`tilia_scop::ArrayKind::Copy`]), with the iterators as leading subscripts in which every read agrees with the write that it reads. Accesses of the copy are those of a private cell: the
//! statement reads it before its operations and writes it after them, so that everything that works on scops (validation, interpretation, lowering) works on the result.
//!
//! # When
//! - Each access is certain, unchecked, and touches one element, an affine function of the instance.
//! - Each read of the live range has a source, by exact value-based flow, that agrees with it in the iterators chosen. The value that the read of the copy then finds is the same: a later
//!   write of the copy's element would be a later write of the buffer's element.
//! - Only iterators are chosen along which storage orders two instances that touch one element. Where the buffer has dimensions of its own, the loop must be
//!   one that nothing else serialises, since its copies take much more memory.
//! - The buffer is allocated by the function and touched by nothing but this scop's loads and stores; else its last values are written back by a statement after all others, if for each element the
//!   last write is one affine function of the element.
//!
//! # Background
//! Feautrier, "Array expansion" (ICS 1988) and "Dataflow analysis of array and scalar references" (1991): here only as many dimensions are added as private values need, as in privatisation.
//!
//! # Homes
//! [`settle`] lets a number live in the element that it is stored to in the end, where nobody looks at that in the meantime: then it needs no copies.
//!
//! # Operands
//! [`prepare`] copies what loops read many times and nothing writes (any more) into arrays of the same kind, in an order that suits these loops and with what is computed of each element (packing).
//!
//! What it deliberately lacks: live ranges that only data-dependent control tells apart.

mod copy;
mod homes;
mod last;
mod live;
mod loops;
mod operands;
mod private;

pub use copy::{Expansion, Wish, expand};
pub use homes::settle;
pub use operands::prepare;
