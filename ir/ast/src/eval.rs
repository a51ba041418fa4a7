//! The value of expressions, and the instances that an AST executes, for given parameters.
//!
//! This is the meaning of the AST, written as plainly as possible: an oracle, not an interpreter of programs.

use crate::{Ast, Expr, For, Node, VarId};
use rustc_hash::FxHashMap;
use tilia_presburger::{Id, Int};

/// Why an expression has no value or an AST can't be executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// A parameter has no value.
    #[error("parameter {0} has no value")]
    UnboundParam(Id),
    /// An iterator is used outside its loop.
    #[error("iterator {0} is used outside its loop")]
    UnboundVar(u32),
    /// A condition stands where an integer is needed, or the other way round.
    #[error("{0}")]
    Kind(&'static str),
    /// A divisor isn't positive, or the promise of a non-negative dividend is broken.
    #[error("{0}")]
    Division(String),
    /// More steps than allowed.
    #[error("more than {0} steps")]
    OutOfFuel(u64),
}

/// Values of parameters and iterators.
#[derive(Debug, Clone, Default)]
pub struct Env {
    /// Parameters.
    pub params: FxHashMap<Id, Int>,
    /// Iterators, by [`VarId`].
    pub vars: Vec<Option<Int>>,
}

impl Env {
    /// The parameters' values.
    #[must_use]
    pub fn with_params(params: impl IntoIterator<Item = (Id, Int)>) -> Env {
        Env {
            params: params.into_iter().collect(),
            vars: Vec::new(),
        }
    }

    fn set(&mut self, var: VarId, value: Option<Int>) {
        let n = var.0 as usize;
        if self.vars.len() <= n {
            self.vars.resize(n + 1, None);
        }
        self.vars[n] = value;
    }
}

impl Expr {
    /// The value of an integer expression.
    ///
    /// # Errors
    /// On unbound names, a condition, or a broken promise about a dividend's sign.
    pub fn eval(&self, env: &Env) -> Result<Int, EvalError> {
        match self {
            Expr::Int(v) => Ok(v.clone()),
            Expr::Var(v) => env.vars.get(v.0 as usize).cloned().flatten().ok_or(EvalError::UnboundVar(v.0)),
            Expr::Param(p) => env.params.get(p).cloned().ok_or_else(|| EvalError::UnboundParam(p.clone())),
            Expr::Add(terms) => terms.iter().try_fold(Int::ZERO, |sum, t| Ok(&sum + &t.eval(env)?)),
            Expr::Mul(f, e) => Ok(f * &e.eval(env)?),
            Expr::FloorDiv { num, den, non_negative } => Ok(dividend(num, den, *non_negative, env)?.div_floor(den)),
            Expr::Mod { num, den, non_negative } => Ok(dividend(num, den, *non_negative, env)?.mod_floor(den)),
            Expr::Min(list) => best(list, env, |a, b| a < b),
            Expr::Max(list) => best(list, env, |a, b| a > b),
            Expr::Select(c, a, b) => {
                if c.holds(env)? {
                    a.eval(env)
                } else {
                    b.eval(env)
                }
            }
            _ => Err(EvalError::Kind("a condition stands where an integer is needed")),
        }
    }

    /// The truth of a condition.
    ///
    /// # Errors
    /// As [`Expr::eval`], and on integers.
    pub fn holds(&self, env: &Env) -> Result<bool, EvalError> {
        match self {
            Expr::Bool(b) => Ok(*b),
            Expr::Cmp(op, a, b) => Ok(op.holds(&a.eval(env)?, &b.eval(env)?)),
            Expr::And(list) => {
                for e in list {
                    if !e.holds(env)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Expr::Or(list) => {
                for e in list {
                    if e.holds(env)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Expr::Not(e) => Ok(!e.holds(env)?),
            _ => Err(EvalError::Kind("an integer stands where a condition is needed")),
        }
    }
}

fn dividend(num: &Expr, den: &Int, non_negative: bool, env: &Env) -> Result<Int, EvalError> {
    let n = num.eval(env)?;
    if !den.is_pos() {
        return Err(EvalError::Division(format!("divisor {den} isn't positive")));
    }
    if non_negative && n.is_neg() {
        return Err(EvalError::Division(format!("the dividend {n} was promised to be non-negative")));
    }
    Ok(n)
}

fn best(list: &[Expr], env: &Env, better: impl Fn(&Int, &Int) -> bool) -> Result<Int, EvalError> {
    let mut it = list.iter();
    let mut out = it
        .next()
        .ok_or(EvalError::Kind("an empty minimum or maximum has no value"))?
        .eval(env)?;
    for e in it {
        let v = e.eval(env)?;
        if better(&v, &out) {
            out = v;
        }
    }
    Ok(out)
}

/// One executed statement instance.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance {
    /// The statement.
    pub stmt: Id,
    /// Its arguments.
    pub args: Vec<Int>,
}

/// What an execution did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// The instances, in the order of execution.
    pub instances: Vec<Instance>,
    /// Conditions evaluated (those of `if`).
    pub conditions: u64,
    /// Comparisons evaluated in them.
    pub comparisons: u64,
    /// Iterations of loops.
    pub iterations: u64,
    /// Loops entered that ran no iteration: conditions in disguise.
    pub vain: u64,
}

impl Ast {
    /// Executes the AST: loops in order, statement instances recorded.
    ///
    /// # Errors
    /// On unbound names or after `fuel` nodes.
    pub fn execute(&self, params: impl IntoIterator<Item = (Id, Int)>, fuel: u64) -> Result<Trace, EvalError> {
        let mut run = Run {
            env: Env::with_params(params),
            trace: Trace::default(),
            fuel,
            left: fuel,
        };
        run.node(&self.root)?;
        Ok(run.trace)
    }
}

struct Run {
    env: Env,
    trace: Trace,
    fuel: u64,
    left: u64,
}

impl Run {
    fn step(&mut self) -> Result<(), EvalError> {
        self.left = self.left.checked_sub(1).ok_or(EvalError::OutOfFuel(self.fuel))?;
        Ok(())
    }

    fn node(&mut self, node: &Node) -> Result<(), EvalError> {
        self.step()?;
        match node {
            Node::Block(list) => list.iter().try_for_each(|n| self.node(n)),
            Node::For(f) => self.run_loop(f),
            Node::If { cond, then, otherwise } => {
                self.trace.conditions += 1;
                if self.test(cond)? {
                    self.node(then)
                } else {
                    otherwise.as_ref().map_or(Ok(()), |n| self.node(n))
                }
            }
            Node::User { stmt, args } => {
                let args = args.iter().map(|a| a.eval(&self.env)).collect::<Result<_, _>>()?;
                self.trace.instances.push(Instance { stmt: stmt.clone(), args });
                Ok(())
            }
            Node::Mark { body, .. } => self.node(body),
        }
    }

    /// As [`Expr::holds`], counting.
    fn test(&mut self, cond: &Expr) -> Result<bool, EvalError> {
        match cond {
            Expr::And(list) => {
                for e in list {
                    if !self.test(e)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Expr::Or(list) => {
                for e in list {
                    if self.test(e)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Expr::Not(e) => Ok(!self.test(e)?),
            e => {
                self.trace.comparisons += 1;
                e.holds(&self.env)
            }
        }
    }

    fn run_loop(&mut self, f: &For) -> Result<(), EvalError> {
        if !f.step.is_pos() {
            return Err(EvalError::Division(format!("step {} isn't positive", f.step)));
        }
        let upper = f.upper.eval(&self.env)?;
        let mut v = f.lower.eval(&self.env)?;
        self.trace.vain += u64::from(v > upper);
        while v <= upper {
            self.step()?;
            self.trace.iterations += 1;
            self.env.set(f.var, Some(v.clone()));
            self.node(&f.body)?;
            v += &f.step;
        }
        self.env.set(f.var, None);
        Ok(())
    }
}
