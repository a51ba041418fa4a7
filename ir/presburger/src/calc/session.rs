//! Evaluation.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::CalcError;
use super::parse::{Expr, Statement, statement};
use super::table;
use super::value::{Dim, Literal, Value};
use crate::num::Budget;
use crate::space::DimType;
use crate::text::syntax::Pos;

type Result<T> = std::result::Result<T, CalcError>;

/// Evaluates one expression.
///
/// # Errors
/// With the place of what is wrong: syntax, an unknown name, arguments that don't fit, an operation that has no result.
pub fn eval(text: &str, budget: &Budget) -> Result<Value> {
    Ok(Session::new().run(text, budget)?.1)
}

/// Variables that live from one expression to the next.
#[derive(Debug, Clone, Default)]
pub struct Session {
    variables: BTreeMap<String, Value>,
}

impl Session {
    /// No variables yet.
    pub fn new() -> Session {
        Session::default()
    }

    /// Evaluates `expression` or `name := expression`; gives the name, if there is one, and the value.
    ///
    /// # Errors
    /// With the place of what is wrong; variables are then unchanged.
    pub fn run(&mut self, text: &str, budget: &Budget) -> Result<(Option<String>, Value)> {
        let Statement { target, expr, pos } = statement(text)?;
        let run = Run {
            text: Arc::from(text),
            variables: &self.variables,
            budget,
        };
        let value = run.eval(&expr, pos)?;
        if let Some(name) = &target {
            self.variables.insert(name.clone(), value.clone());
        }
        Ok((target, value))
    }

    /// The variables and their values, by name.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.variables.iter().map(|(n, v)| (n.as_str(), v))
    }
}

struct Run<'a> {
    text: Arc<str>,
    variables: &'a BTreeMap<String, Value>,
    budget: &'a Budget,
}

impl Run<'_> {
    fn error(&self, at: Pos, message: impl Into<String>) -> CalcError {
        CalcError::at(&self.text, at, message)
    }

    /// Evaluates an expression; the recursion is bounded by the parser's depth.
    fn eval(&self, expr: &Expr, pos: Pos) -> Result<Value> {
        match expr {
            Expr::Object(object) => {
                let literal = Literal::new(&self.text, object.clone(), self.budget);
                literal
                    .map(Value::Literal)
                    .map_err(|e| CalcError::from_error(&self.text, object.pos, e))
            }
            Expr::Number(digits) => match digits.parse() {
                Ok(n) => Ok(Value::Int(n)),
                Err(_) => Err(self.error(pos, format!("`{digits}` is no number"))),
            },
            Expr::Name(name, at) => self.name(name, *at),
            Expr::Call { name, args, pos } => {
                let mut values = Vec::with_capacity(args.len());
                for (arg, at) in args {
                    values.push(self.eval(arg, *at)?);
                }
                table::call(name, &values, self.budget).map_err(|e| match e {
                    table::CallError::Choice(message) => self.error(*pos, message),
                    table::CallError::Argument(i, e) => CalcError::from_error(&self.text, args[i].1, e),
                    table::CallError::Failed(e) => CalcError::from_error(&self.text, *pos, e),
                })
            }
        }
    }

    fn name(&self, name: &str, at: Pos) -> Result<Value> {
        if let Some(value) = self.variables.get(name) {
            return Ok(value.clone());
        }
        Ok(match name {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "param" => Value::Dim(Dim(DimType::Param)),
            "in" => Value::Dim(Dim(DimType::In)),
            "out" | "set" => Value::Dim(Dim(DimType::Out)),
            _ if table::exists(name) => {
                return Err(self.error(at, format!("`{name}` is a function: write its arguments in parentheses")));
            }
            _ => return Err(self.error(at, format!("unknown name `{name}`"))),
        })
    }
}
