//! Printing in isl's notation; `Display` of every object is here, and what it prints reads back as the same object.

mod conjunction;
mod function;
mod linear;
mod names;
mod polynomial;
mod relation;
