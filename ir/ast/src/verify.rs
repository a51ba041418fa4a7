//! Well-formedness of a loop AST.

use crate::{Ast, Expr, For, Node, VarId};
use std::fmt;

/// One violated rule, with the place where it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyError {
    /// Where: the iterators and statements on the way down, outermost first.
    pub path: Vec<String>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "in {}: {}", self.path.join(", "), self.message)
    }
}

impl std::error::Error for VerifyError {}

impl Ast {
    /// Checks that iterators are bound once and used only inside their loop, that steps and divisors are positive, that integers and conditions aren't mixed and
    /// that lists which need elements have them.
    ///
    /// # Errors
    /// All violations found.
    pub fn verify(&self) -> Result<(), Vec<VerifyError>> {
        let mut v = Verifier {
            ast: self,
            bound: vec![State::Unseen; self.vars.len()],
            path: Vec::new(),
            errors: Vec::new(),
        };
        v.node(&self.root);
        if v.errors.is_empty() { Ok(()) } else { Err(v.errors) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    Open,
    Closed,
}

struct Verifier<'a> {
    ast: &'a Ast,
    bound: Vec<State>,
    path: Vec<String>,
    errors: Vec<VerifyError>,
}

impl Verifier<'_> {
    fn error(&mut self, message: impl Into<String>) {
        self.errors.push(VerifyError {
            path: self.path.clone(),
            message: message.into(),
        });
    }

    fn name(&self, v: VarId) -> String {
        self.ast
            .vars
            .get(v.0 as usize)
            .map_or_else(|| format!("v{}", v.0), ToString::to_string)
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Block(list) => list.iter().for_each(|n| self.node(n)),
            Node::For(f) => self.for_loop(f),
            Node::If { cond, then, otherwise } => {
                self.condition(cond);
                self.node(then);
                if let Some(n) = otherwise {
                    self.node(n);
                }
            }
            Node::User { stmt, args } => {
                self.path.push(stmt.to_string());
                args.iter().for_each(|a| self.integer(a));
                self.path.pop();
            }
            Node::Mark { name, body } => {
                self.path.push(format!("mark {name}"));
                self.node(body);
                self.path.pop();
            }
        }
    }

    fn for_loop(&mut self, f: &For) {
        self.path.push(format!("for {}", self.name(f.var)));
        self.integer(&f.lower);
        self.integer(&f.upper);
        if !f.step.is_pos() {
            self.error(format!("the step {} isn't positive", f.step));
        }
        if f.marks.degenerate && f.lower != f.upper {
            self.error("a degenerate loop whose bounds differ");
        }
        let at = f.var.0 as usize;
        match self.bound.get(at).copied() {
            None => self.error("the iterator has no name"),
            Some(State::Unseen) => {
                self.bound[at] = State::Open;
                self.node(&f.body);
                self.bound[at] = State::Closed;
            }
            Some(_) => self.error("the iterator is bound twice"),
        }
        self.path.pop();
    }

    fn list(&mut self, what: &str, list: &[Expr], least: usize, condition: bool) {
        if list.len() < least {
            self.error(format!("a {what} of fewer than {least}"));
        }
        for e in list {
            if condition {
                self.condition(e);
            } else {
                self.integer(e);
            }
        }
    }

    fn integer(&mut self, e: &Expr) {
        match e {
            Expr::Int(_) | Expr::Param(_) => {}
            Expr::Var(v) => {
                if self.bound.get(v.0 as usize) != Some(&State::Open) {
                    let name = self.name(*v);
                    self.error(format!("iterator {name} is used outside its loop"));
                }
            }
            Expr::Add(list) => self.list("sum", list, 2, false),
            Expr::Min(list) => self.list("minimum", list, 2, false),
            Expr::Max(list) => self.list("maximum", list, 2, false),
            Expr::Mul(_, e) => self.integer(e),
            Expr::FloorDiv { num, den, .. } | Expr::Mod { num, den, .. } => {
                if !den.is_pos() {
                    self.error(format!("the divisor {den} isn't positive"));
                }
                self.integer(num);
            }
            Expr::Select(c, a, b) => {
                self.condition(c);
                self.integer(a);
                self.integer(b);
            }
            _ => self.error("a condition stands where an integer is needed"),
        }
    }

    fn condition(&mut self, e: &Expr) {
        match e {
            Expr::Bool(_) => {}
            Expr::Cmp(_, a, b) => {
                self.integer(a);
                self.integer(b);
            }
            Expr::And(list) => self.list("conjunction", list, 1, true),
            Expr::Or(list) => self.list("disjunction", list, 1, true),
            Expr::Not(e) => self.condition(e),
            _ => self.error("an integer stands where a condition is needed"),
        }
    }
}
