//! The loop AST: what the generator makes of a schedule tree.
//!
//! Loops, conditions and statement instances over exact integer expressions, with the marks `parallel`, `vector`, `full_tile` that the tree allowed. It knows statements
//! by name only; their bodies live in the scop. `passes/lower` turns it into operations of the program IR.
//!
//! Shape of a loop: `for (v = lower; v <= upper; v += step)`, `step` a positive constant, `upper` inclusive and not mentioning `v`, so that every consumer can
//! know the trip count before the loop starts.

mod build_expr;
mod eval;
mod expr;
mod node;
mod print;
mod simplify;
mod substitute;
mod verify;

pub use eval::{Env, EvalError, Instance, Trace};
pub use expr::{CmpOp, Expr, VarId};
pub use node::{Ast, For, ForMarks, Node};
pub use verify::VerifyError;
