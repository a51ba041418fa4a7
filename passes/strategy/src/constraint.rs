//! Custom constraints: affine comparisons of the coefficients of the row that is being computed.

use crate::{Code, Place, ProgramShape, StrategyError};
use std::collections::BTreeMap;
use std::fmt;
use tilia_presburger::Int;
use tilia_scop::StmtId;

/// A number, or a wildcard, in a coefficient's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Index {
    /// This one.
    At(usize),
    /// `i`: the sum over all.
    Sum,
    /// `*` (statements only): one constraint for each.
    Each,
}

/// Which part of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// `_it_k`: coefficient of an iterator.
    Iterator(Index),
    /// `_par_k`: coefficient of a parameter.
    Parameter(Index),
    /// `_cst`: the constant.
    Constant,
}

/// A variable as written in a constraint.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConstraintVariable {
    /// `S2_it_0` and kin.
    Coefficient(Index, Part),
    /// `u_k`: factor of parameter `k` in the proximity bound; `u_i` the sum.
    BoundFactor(Index),
    /// `w`: the constant of the proximity bound.
    Bound,
    /// A variable of `new_variables`.
    User(String),
}

/// A constraint as written: `sum of terms + constant >= 0`, or `= 0`. Read it with [`Constraint::parse`]; [`Constraint::expand`] gives what it means for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    /// The text it was read from.
    pub text: String,
    /// Terms.
    pub terms: Vec<(Int, ConstraintVariable)>,
    /// Constant.
    pub constant: Int,
    /// Whether it is an equality.
    pub equality: bool,
    /// Where it stands.
    pub place: Place,
}

/// An unknown of a dimension's integer program that strategies can name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unknown {
    /// Coefficient of a statement's iterator.
    Iterator(StmtId, usize),
    /// Coefficient of a parameter in a statement's row.
    Parameter(StmtId, usize),
    /// Constant of a statement's row.
    Constant(StmtId),
    /// Factor of a parameter in the proximity bound.
    BoundFactor(usize),
    /// Constant of the proximity bound.
    Bound,
    /// A user variable.
    User(String),
}

/// A constraint over unknowns: `sum of terms + constant >= 0`, or `= 0`. Each unknown occurs once, with a factor that isn't 0, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearConstraint {
    /// Terms.
    pub terms: Vec<(Unknown, Int)>,
    /// Constant.
    pub constant: Int,
    /// Whether it is an equality.
    pub equality: bool,
}

impl Constraint {
    /// What the constraint means for a program: one linear constraint, or with `S*` one for each statement that has the parts it names.
    ///
    /// A sum over statements leaves out those that lack the iterator it names.
    ///
    /// # Errors
    /// `E201` or `E202` for a statement, iterator or parameter that the program doesn't have.
    pub fn expand(&self, shape: &ProgramShape) -> Result<Vec<LinearConstraint>, StrategyError> {
        let each = self
            .terms
            .iter()
            .any(|(_, v)| matches!(v, ConstraintVariable::Coefficient(Index::Each, _)));
        if !each {
            return Ok(vec![self.for_statement(None, shape)?]);
        }
        let mut all = Vec::new();
        for stmt in 0..shape.depths.len() {
            let has_all = self.terms.iter().all(|(_, v)| match v {
                ConstraintVariable::Coefficient(Index::Each, Part::Iterator(Index::At(k))) => *k < shape.depths[stmt],
                _ => true,
            });
            if has_all {
                all.push(self.for_statement(Some(stmt), shape)?);
            }
        }
        let nowhere = self.terms.iter().find_map(|(_, v)| match v {
            ConstraintVariable::Coefficient(Index::Each, Part::Iterator(Index::At(k))) if shape.depths.iter().all(|d| k >= d) => Some(*k),
            _ => None,
        });
        match nowhere {
            Some(k) => Err(self.error(Code::UnknownIndex, format!("no statement has an iterator {k}"))),
            None => Ok(all),
        }
    }

    /// Whether it names a statement by number.
    #[must_use]
    pub fn names_statement(&self) -> bool {
        let named = |v: &ConstraintVariable| matches!(v, ConstraintVariable::Coefficient(Index::At(_), _));
        self.terms.iter().any(|(_, v)| named(v))
    }

    fn error(&self, code: Code, message: impl Into<String>) -> StrategyError {
        StrategyError::new(code, self.place.clone(), format!("{} (in \"{}\")", message.into(), self.text))
    }

    fn for_statement(&self, each: Option<usize>, shape: &ProgramShape) -> Result<LinearConstraint, StrategyError> {
        let mut sum: BTreeMap<Unknown, Int> = BTreeMap::new();
        for (factor, variable) in &self.terms {
            for unknown in self.unknowns(variable, each, shape)? {
                let entry = sum.entry(unknown).or_insert_with(|| Int::from(0));
                *entry = &*entry + factor;
            }
        }
        Ok(LinearConstraint {
            terms: sum.into_iter().filter(|(_, f)| !f.is_zero()).collect(),
            constant: self.constant.clone(),
            equality: self.equality,
        })
    }

    fn unknowns(&self, variable: &ConstraintVariable, each: Option<usize>, shape: &ProgramShape) -> Result<Vec<Unknown>, StrategyError> {
        let parameters = |k: Index| match k {
            Index::At(k) if k >= shape.params => {
                let message = format!("there is no parameter {k}: the program has {}", shape.params);
                Err(self.error(Code::UnknownIndex, message))
            }
            Index::At(k) => Ok(k..k + 1),
            Index::Sum | Index::Each => Ok(0..shape.params),
        };
        let (stmts, part) = match variable {
            ConstraintVariable::User(name) => return Ok(vec![Unknown::User(name.clone())]),
            ConstraintVariable::Bound => return Ok(vec![Unknown::Bound]),
            ConstraintVariable::BoundFactor(k) => return Ok(parameters(*k)?.map(Unknown::BoundFactor).collect()),
            ConstraintVariable::Coefficient(stmts, part) => (*stmts, *part),
        };
        let range = match stmts {
            Index::At(s) if s >= shape.depths.len() => return Err(self.error(Code::UnknownStatement, shape.no_statement(s))),
            Index::At(s) => s..s + 1,
            Index::Each => each.map_or(0..0, |s| s..s + 1),
            Index::Sum => 0..shape.depths.len(),
        };
        let mut all = Vec::new();
        for s in range {
            let id = shape.id(s);
            match part {
                Part::Constant => all.push(Unknown::Constant(id)),
                Part::Parameter(k) => all.extend(parameters(k)?.map(|k| Unknown::Parameter(id, k))),
                Part::Iterator(Index::At(k)) if k < shape.depths[s] => all.push(Unknown::Iterator(id, k)),
                Part::Iterator(Index::At(k)) => {
                    if let Index::At(_) = stmts {
                        return Err(self.error(Code::UnknownIndex, shape.no_iterator(s, k)));
                    }
                }
                Part::Iterator(Index::Sum | Index::Each) => all.extend((0..shape.depths[s]).map(|k| Unknown::Iterator(id, k))),
            }
        }
        Ok(all)
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iterator(s, k) => write!(f, "S{}_it_{k}", s.0),
            Self::Parameter(s, k) => write!(f, "S{}_par_{k}", s.0),
            Self::Constant(s) => write!(f, "S{}_cst", s.0),
            Self::BoundFactor(k) => write!(f, "u_{k}"),
            Self::Bound => f.write_str("w"),
            Self::User(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for LinearConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (unknown, factor)) in self.terms.iter().enumerate() {
            let sign = if factor.signum() < 0 { "-" } else { "+" };
            match n {
                0 if factor.signum() < 0 => f.write_str("-")?,
                0 => {}
                _ => write!(f, " {sign} ")?,
            }
            let size = factor.abs();
            if size == Int::from(1) {
                write!(f, "{unknown}")?;
            } else {
                write!(f, "{size}*{unknown}")?;
            }
        }
        match (self.terms.is_empty(), self.constant.signum()) {
            (true, _) => write!(f, "{}", self.constant)?,
            (false, 0) => {}
            (false, s) => write!(f, " {} {}", if s < 0 { "-" } else { "+" }, self.constant.abs())?,
        }
        f.write_str(if self.equality { " == 0" } else { " >= 0" })
    }
}
