//! A calculator for sets: isl's notation, and operations as functions named as in isl.
//!
//! ```
//! use tilia_presburger::{Budget, calc};
//!
//! let text = "lexmin(intersect([n] -> { [i] : 0 <= i < n }, { [i] : i mod 3 = 1 }))";
//! let value = calc::eval(text, &Budget::default()).map_err(|e| e.render(text)).unwrap();
//! assert_eq!(value.to_string(), "[n] -> { [i = 1] : n >= 2 }");
//! ```
//!
//! An expression is an object in isl's notation, a number, `true` or `false`, a call `name(argument, ..)`, or a variable that was given a
//! value by `name := expression` in the same [`Session`]. Dimensions are named by `param`, `in`, `out` (or `set`) and a position from 0.
//!
//! What an object in braces is depends on who takes it: `{ [i] -> [2i] }` is a map to `reverse` and an affine function to `floor_div`. A
//! function is chosen by the kinds of its arguments, the one that needs the least conversion.

mod convert;
mod error;
mod functions;
mod history;
mod parse;
mod session;
mod table;
mod value;

pub use error::CalcError;
pub use history::History;
pub use session::{Session, eval};
pub use table::{FunctionInfo, functions};
pub use value::{Kind, Value};
