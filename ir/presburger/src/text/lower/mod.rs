//! From the syntax tree to sets, relations and functions.
//!
//! Names become columns of one *flat* set space: parameters, then the dimensions of all tuples of the piece, then the variables of
//! the enclosing quantifiers. Conditions become sets in it; at the end the space is given its tuples back.

mod formula;
pub(crate) mod function;
mod object;
mod scope;
mod value;

pub(crate) use object::Lowered;
pub(crate) use scope::Source;
