//! Lexicographic integer programs: variables in order of priority, linear rows.

use tilia_presburger::Int;

/// A variable. Variables are minimised in their order, the first one first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    /// For dumps and messages only.
    pub name: String,
    /// The least value, `None` where there is no limit.
    pub lower: Option<Int>,
    /// The greatest value, `None` where there is no limit.
    pub upper: Option<Int>,
    /// Only integer values?
    pub integer: bool,
    /// Is it minimised? Any feasible value will do for a variable that isn't (a Farkas multiplier, say).
    pub lex: bool,
}

impl Var {
    /// An integer variable within limits.
    pub fn integer(name: impl Into<String>, lower: Option<Int>, upper: Option<Int>) -> Var {
        Var {
            name: name.into(),
            lower,
            upper,
            integer: true,
            lex: true,
        }
    }

    /// A non-negative rational variable that isn't minimised: a multiplier of Farkas' lemma.
    pub fn multiplier(name: impl Into<String>) -> Var {
        Var {
            name: name.into(),
            lower: Some(Int::ZERO),
            upper: None,
            integer: false,
            lex: false,
        }
    }
}

/// What a row says about its expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RowKind {
    /// `expression >= 0`.
    Ge,
    /// `expression = 0`.
    Eq,
}

/// An affine expression over the variables of a problem. A variable may occur in several terms; they add up.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Linear {
    /// Variables and their coefficients.
    pub terms: Vec<(usize, Int)>,
    /// The constant term.
    pub constant: Int,
}

impl Linear {
    /// Zero.
    pub fn zero() -> Linear {
        Linear::default()
    }

    /// A constant.
    pub fn constant(value: impl Into<Int>) -> Linear {
        Linear {
            terms: Vec::new(),
            constant: value.into(),
        }
    }

    /// A variable.
    pub fn var(v: usize) -> Linear {
        Linear::term(v, 1)
    }

    /// A multiple of a variable.
    pub fn term(v: usize, coefficient: impl Into<Int>) -> Linear {
        Linear {
            terms: vec![(v, coefficient.into())],
            constant: Int::ZERO,
        }
    }

    /// Adds a multiple of a variable.
    pub fn add_term(&mut self, v: usize, coefficient: impl Into<Int>) {
        self.terms.push((v, coefficient.into()));
    }

    /// Adds a multiple of another expression.
    pub fn add_scaled(&mut self, factor: &Int, other: &Linear) {
        if !factor.is_zero() {
            self.terms.extend(other.terms.iter().map(|(v, a)| (*v, a * factor)));
            self.constant.add_mul(factor, &other.constant);
        }
    }

    /// The expression times -1.
    #[must_use]
    pub fn negated(&self) -> Linear {
        let mut out = Linear::zero();
        out.add_scaled(&Int::NEG_ONE, self);
        out
    }
}

/// A constraint.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Row {
    /// Variables and their coefficients; a variable may occur in several terms, they add up.
    pub terms: Vec<(usize, Int)>,
    /// The constant term.
    pub constant: Int,
    /// What is said of the sum.
    pub kind: RowKind,
}

impl Row {
    /// `e >= 0`.
    pub fn non_negative(e: Linear) -> Row {
        Row {
            terms: e.terms,
            constant: e.constant,
            kind: RowKind::Ge,
        }
    }

    /// `e = 0`.
    pub fn zero(e: Linear) -> Row {
        Row {
            kind: RowKind::Eq,
            ..Row::non_negative(e)
        }
    }

    /// Adds the terms of each variable up, sorts them and divides all by their common divisor.
    pub fn simplify(&mut self) {
        self.terms.sort_by_key(|t| t.0);
        self.terms.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 += &b.1;
            }
            same
        });
        self.terms.retain(|t| !t.1.is_zero());
        let g = self.terms.iter().fold(self.constant.abs(), |g, t| g.gcd(&t.1));
        if !g.is_zero() && !g.is_one() {
            self.constant = self.constant.div_exact(&g);
            for t in &mut self.terms {
                t.1 = t.1.div_exact(&g);
            }
        }
    }
}

/// A lexicographic integer program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Problem {
    /// The variables, the most important one first.
    pub vars: Vec<Var>,
    /// The constraints.
    pub rows: Vec<Row>,
}

impl Problem {
    /// A problem without variables and rows.
    pub fn new() -> Problem {
        Problem::default()
    }

    /// Adds a variable behind the others and returns its number.
    pub fn add_var(&mut self, var: Var) -> usize {
        self.vars.push(var);
        self.vars.len() - 1
    }

    /// Adds an integer variable with the limits `lower..=upper`.
    pub fn add_bounded(&mut self, name: impl Into<String>, lower: i64, upper: i64) -> usize {
        self.add_var(Var::integer(name, Some(lower.into()), Some(upper.into())))
    }

    /// Adds an integer variable of at least zero.
    pub fn add_natural(&mut self, name: impl Into<String>) -> usize {
        self.add_var(Var::integer(name, Some(Int::ZERO), None))
    }

    /// Adds an integer variable without limits.
    pub fn add_free(&mut self, name: impl Into<String>) -> usize {
        self.add_var(Var::integer(name, None, None))
    }

    /// Adds a row.
    pub fn add_row(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Adds `e >= 0`.
    pub fn add_ge(&mut self, e: Linear) {
        self.rows.push(Row::non_negative(e));
    }

    /// Adds `e = 0`.
    pub fn add_eq(&mut self, e: Linear) {
        self.rows.push(Row::zero(e));
    }
}
