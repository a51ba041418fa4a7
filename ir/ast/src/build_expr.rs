//! Constructors of expressions that fold constants, flatten nests and keep the normal shape of each kind.
//!
//! They only use what holds for all integers; what is known of the surrounding loops is the generator's business.

use crate::{CmpOp, Expr};
use tilia_presburger::{Id, Int};

impl Expr {
    /// A constant.
    #[must_use]
    pub fn int(value: impl Into<Int>) -> Expr {
        Expr::Int(value.into())
    }

    /// A parameter.
    #[must_use]
    pub fn param(name: impl Into<Id>) -> Expr {
        Expr::Param(name.into())
    }

    /// The value of a constant.
    #[must_use]
    pub fn as_int(&self) -> Option<&Int> {
        match self {
            Expr::Int(v) => Some(v),
            _ => None,
        }
    }

    /// Is this a condition (as opposed to an integer)?
    #[must_use]
    pub fn is_condition(&self) -> bool {
        matches!(self, Expr::Bool(_) | Expr::Cmp(..) | Expr::And(_) | Expr::Or(_) | Expr::Not(_))
    }

    /// A sum: nested sums are flattened, multiples of one term gathered, constants put at the end, zero dropped.
    #[must_use]
    pub fn sum(terms: impl IntoIterator<Item = Expr>) -> Expr {
        let mut list = Vec::new();
        let mut constant = Int::ZERO;
        for t in terms {
            match t {
                Expr::Add(inner) => inner.into_iter().for_each(|t| add_term(&mut list, &mut constant, t)),
                t => add_term(&mut list, &mut constant, t),
            }
        }
        if list.is_empty() {
            return Expr::Int(constant);
        }
        if !constant.is_zero() {
            list.push(Expr::Int(constant));
        }
        match <[Expr; 1]>::try_from(list) {
            Ok([only]) => only,
            Err(list) => Expr::Add(list),
        }
    }

    /// `factor * self`; distributes over sums.
    #[must_use]
    pub fn times(self, factor: &Int) -> Expr {
        if factor.is_zero() {
            return Expr::Int(Int::ZERO);
        }
        if factor.is_one() {
            return self;
        }
        match self {
            Expr::Int(v) => Expr::Int(&v * factor),
            Expr::Mul(f, e) => e.times(&(&f * factor)),
            Expr::Add(terms) => Expr::sum(terms.into_iter().map(|t| t.times(factor))),
            e => Expr::Mul(factor.clone(), Box::new(e)),
        }
    }

    /// `self + value`.
    #[must_use]
    pub fn plus(self, value: impl Into<Int>) -> Expr {
        Expr::sum([self, Expr::Int(value.into())])
    }

    /// `floor(self / den)` for positive `den`.
    #[must_use]
    pub fn floor_div(self, den: &Int, non_negative: bool) -> Expr {
        if den.is_one() {
            return self;
        }
        match self {
            Expr::Int(v) => Expr::Int(v.div_floor(den)),
            e => Expr::FloorDiv {
                num: Box::new(e),
                den: den.clone(),
                non_negative,
            },
        }
    }

    /// `self mod den` for positive `den`.
    #[must_use]
    pub fn modulo(self, den: &Int, non_negative: bool) -> Expr {
        if den.is_one() {
            return Expr::Int(Int::ZERO);
        }
        match self {
            Expr::Int(v) => Expr::Int(v.mod_floor(den)),
            e => Expr::Mod {
                num: Box::new(e),
                den: den.clone(),
                non_negative,
            },
        }
    }

    /// The least of a non-empty list.
    #[must_use]
    pub fn min_of(list: Vec<Expr>) -> Expr {
        extremum(list, true)
    }

    /// The greatest of a non-empty list.
    #[must_use]
    pub fn max_of(list: Vec<Expr>) -> Expr {
        extremum(list, false)
    }

    /// A comparison.
    #[must_use]
    pub fn cmp(op: CmpOp, a: Expr, b: Expr) -> Expr {
        if let (Expr::Int(a), Expr::Int(b)) = (&a, &b) {
            return Expr::Bool(op.holds(a, b));
        }
        Expr::Cmp(op, Box::new(a), Box::new(b))
    }

    /// All of the conditions.
    #[must_use]
    pub fn all(list: impl IntoIterator<Item = Expr>) -> Expr {
        junction(list, true)
    }

    /// At least one of the conditions.
    #[must_use]
    pub fn any(list: impl IntoIterator<Item = Expr>) -> Expr {
        junction(list, false)
    }

    /// The negation.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a constructor by value like its siblings")]
    pub fn not(self) -> Expr {
        match self {
            Expr::Bool(b) => Expr::Bool(!b),
            Expr::Not(e) => *e,
            Expr::Cmp(op, a, b) => Expr::Cmp(op.negated(), a, b),
            e => Expr::Not(Box::new(e)),
        }
    }

    /// `if cond then a else b`.
    #[must_use]
    pub fn select(cond: Expr, a: Expr, b: Expr) -> Expr {
        match cond {
            Expr::Bool(true) => a,
            Expr::Bool(false) => b,
            _ if a == b => a,
            cond => Expr::Select(Box::new(cond), Box::new(a), Box::new(b)),
        }
    }
}

impl CmpOp {
    /// Does the comparison hold?
    #[must_use]
    pub fn holds(self, a: &Int, b: &Int) -> bool {
        match self {
            CmpOp::Eq => a == b,
            CmpOp::Ne => a != b,
            CmpOp::Lt => a < b,
            CmpOp::Le => a <= b,
            CmpOp::Gt => a > b,
            CmpOp::Ge => a >= b,
        }
    }

    /// The comparison that holds exactly when this one doesn't.
    #[must_use]
    pub fn negated(self) -> CmpOp {
        match self {
            CmpOp::Eq => CmpOp::Ne,
            CmpOp::Ne => CmpOp::Eq,
            CmpOp::Lt => CmpOp::Ge,
            CmpOp::Le => CmpOp::Gt,
            CmpOp::Gt => CmpOp::Le,
            CmpOp::Ge => CmpOp::Lt,
        }
    }

    /// As in C.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            CmpOp::Eq => "==",
            CmpOp::Ne => "!=",
            CmpOp::Lt => "<",
            CmpOp::Le => "<=",
            CmpOp::Gt => ">",
            CmpOp::Ge => ">=",
        }
    }
}

/// Adds a term that isn't a sum.
fn add_term(list: &mut Vec<Expr>, constant: &mut Int, term: Expr) {
    if let Expr::Int(v) = &term {
        *constant += v;
        return;
    }
    let Some(at) = list.iter().position(|t| factored(t).1 == factored(&term).1) else {
        list.push(term);
        return;
    };
    let (f, base) = factored(&list[at]);
    let sum = f + factored(&term).0;
    let base = base.clone();
    if sum.is_zero() {
        list.remove(at);
    } else {
        list[at] = base.times(&sum);
    }
}

fn factored(e: &Expr) -> (&Int, &Expr) {
    match e {
        Expr::Mul(f, e) => (f, e),
        e => (&Int::ONE, e),
    }
}

fn extremum(list: Vec<Expr>, least: bool) -> Expr {
    let mut out: Vec<Expr> = Vec::with_capacity(list.len());
    let mut constant: Option<Int> = None;
    for e in list {
        match e {
            Expr::Int(v) => {
                let better = constant.as_ref().is_none_or(|c| if least { v < *c } else { v > *c });
                if better {
                    constant = Some(v);
                }
            }
            e if out.contains(&e) => {}
            e => out.push(e),
        }
    }
    if let Some(c) = constant {
        out.push(Expr::Int(c));
    }
    match <[Expr; 1]>::try_from(out) {
        Ok([only]) => only,
        Err(out) if least => Expr::Min(out),
        Err(out) => Expr::Max(out),
    }
}

fn junction(list: impl IntoIterator<Item = Expr>, all: bool) -> Expr {
    let mut out: Vec<Expr> = Vec::new();
    for e in list {
        match e {
            Expr::Bool(b) if b == all => {}
            Expr::Bool(b) => return Expr::Bool(b),
            Expr::And(inner) if all => out.extend(inner),
            Expr::Or(inner) if !all => out.extend(inner),
            e if out.contains(&e) => {}
            e => out.push(e),
        }
    }
    match <[Expr; 1]>::try_from(out) {
        Ok([only]) => only,
        Err(out) if out.is_empty() => Expr::Bool(all),
        Err(out) if all => Expr::And(out),
        Err(out) => Expr::Or(out),
    }
}
