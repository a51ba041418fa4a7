//! Reads constraints: `expr (>= | <= | == | = | > | <) expr` with affine expressions over coefficients, `u_i`, `w` and user variables.

use crate::{Code, Constraint, ConstraintVariable, Index, NewVariable, Part, Place, StrategyError};
use tilia_presburger::Int;

/// Longest constraint, in bytes. What people write is a hundred times shorter.
const MAX_LENGTH: usize = 20_000;

impl Constraint {
    /// Reads a constraint that stands at `place` (of its first character) and may use `variables`.
    ///
    /// # Errors
    /// `E105` with the column of what isn't understood.
    pub fn parse(text: &str, place: &Place, variables: &[NewVariable]) -> Result<Self, StrategyError> {
        if text.len() > MAX_LENGTH {
            return Err(StrategyError::new(
                Code::BadConstraint,
                place.clone(),
                format!("a constraint longer than {MAX_LENGTH} bytes"),
            ));
        }
        let mut parser = Parser {
            text,
            at: 0,
            place,
            variables,
        };
        parser.constraint()
    }
}

/// How a variable's name is understood, as [`variable`] finds it.
pub(crate) fn reserved(name: &str) -> bool {
    matches!(variable(name), Some(Ok(_) | Err(_)))
}

/// The coefficient or bound that a name stands for; `None` if it looks like neither.
fn variable(name: &str) -> Option<Result<ConstraintVariable, String>> {
    if name == "w" {
        return Some(Ok(ConstraintVariable::Bound));
    }
    if let Some(k) = name.strip_prefix("u_")
        && let Some(k) = index(k, false)
    {
        return Some(Ok(ConstraintVariable::BoundFactor(k)));
    }
    let rest = name.strip_prefix('S')?;
    let (stmt, part) = rest.split_once('_')?;
    let stmt = index(stmt, true)?;
    let bad = |what: &str| Some(Err(format!("'{name}' is no coefficient: {what}")));
    let part = match part.split_once('_') {
        None if part == "cst" => Part::Constant,
        Some(("it", k)) => match index(k, false) {
            Some(k) => Part::Iterator(k),
            None => return bad("after _it_ comes the iterator's number, or i for the sum over all"),
        },
        Some(("par", k)) => match index(k, false) {
            Some(k) => Part::Parameter(k),
            None => return bad("after _par_ comes the parameter's number, or i for the sum over all"),
        },
        _ => return bad("coefficients are S0_it_1 (iterator), S0_par_1 (parameter) and S0_cst (constant)"),
    };
    Some(Ok(ConstraintVariable::Coefficient(stmt, part)))
}

fn index(text: &str, each: bool) -> Option<Index> {
    match text {
        "i" => Some(Index::Sum),
        "*" if each => Some(Index::Each),
        digits if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok().map(Index::At),
        _ => None,
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    place: &'a Place,
    variables: &'a [NewVariable],
}

/// A sum: terms and constant.
type Sum = (Vec<(Int, ConstraintVariable)>, Int);

impl Parser<'_> {
    fn constraint(&mut self) -> Result<Constraint, StrategyError> {
        let left = self.expression()?;
        let at = self.skip();
        let operator = [">=", "<=", "==", ">", "<", "="]
            .into_iter()
            .find(|op| self.text[at..].starts_with(op));
        let Some(operator) = operator else {
            let what = self.found(at);
            return Err(self.error(
                at,
                format!("expected a comparison (>=, <=, ==, > or <) or another term, found {what}"),
            ));
        };
        self.at = at + operator.len();
        let right = self.expression()?;
        let end = self.skip();
        if end < self.text.len() {
            let what = self.found(end);
            return Err(self.error(end, format!("expected the end of the constraint or another term, found {what}")));
        }
        // `left op right` as `terms + constant >= 0`.
        let (large, small) = if operator.starts_with('<') { (right, left) } else { (left, right) };
        let mut terms = large.0;
        terms.extend(small.0.into_iter().map(|(f, v)| (-&f, v)));
        let mut constant = &large.1 - &small.1;
        if operator.len() == 1 && operator != "=" {
            if let Some(name) = self.rational(&terms) {
                return Err(self.error(
                    at,
                    format!("'{operator}' needs integers, and {name} may be a fraction: write {operator}="),
                ));
            }
            constant = &constant - &Int::from(1);
        }
        Ok(Constraint {
            text: self.text.to_owned(),
            terms,
            constant,
            equality: operator.starts_with('=') || operator == "==",
            place: self.place.clone(),
        })
    }

    fn rational<'b>(&self, terms: &'b [(Int, ConstraintVariable)]) -> Option<&'b str> {
        terms.iter().find_map(|(_, v)| match v {
            ConstraintVariable::User(name) if self.variables.iter().any(|d| &d.name == name && !d.integer) => Some(name.as_str()),
            _ => None,
        })
    }

    fn expression(&mut self) -> Result<Sum, StrategyError> {
        let mut sum: Sum = (Vec::new(), Int::from(0));
        let mut first = true;
        loop {
            let at = self.skip();
            let negative = match self.text.as_bytes().get(at) {
                Some(b'+') => false,
                Some(b'-') => true,
                _ if first => {
                    self.term(false, &mut sum)?;
                    first = false;
                    continue;
                }
                _ => return Ok(sum),
            };
            self.at = at + 1;
            self.term(negative, &mut sum)?;
            first = false;
        }
    }

    fn term(&mut self, negative: bool, sum: &mut Sum) -> Result<(), StrategyError> {
        let sign = |n: Int| if negative { -&n } else { n };
        let start = self.skip();
        if let Some(number) = self.number()? {
            if !self.star() {
                sum.1 = &sum.1 + &sign(number);
                return Ok(());
            }
            let at = self.skip();
            if let Some(second) = self.number()? {
                sum.1 = &sum.1 + &sign(&number * &second);
                return Ok(());
            }
            let Some(variable) = self.variable()? else {
                let what = self.found(at);
                return Err(self.error(at, format!("expected a variable after '*', found {what}")));
            };
            sum.0.push((sign(number), variable));
            return Ok(());
        }
        let Some(variable) = self.variable()? else {
            let what = self.found(start);
            return Err(self.error(start, format!("expected a number or a variable, found {what}")));
        };
        let mut factor = Int::from(1);
        if self.star() {
            let at = self.skip();
            match self.number()? {
                Some(n) => factor = n,
                None if self.variable()?.is_some() => {
                    return Err(self.error(start, "a product of variables isn't affine"));
                }
                None => {
                    let what = self.found(at);
                    return Err(self.error(at, format!("expected a number after '*', found {what}")));
                }
            }
        }
        sum.0.push((sign(factor), variable));
        Ok(())
    }

    fn star(&mut self) -> bool {
        let at = self.skip();
        let found = self.text[at..].starts_with('*');
        if found {
            self.at = at + 1;
        }
        found
    }

    fn number(&mut self) -> Result<Option<Int>, StrategyError> {
        let at = self.skip();
        let digits = self.text[at..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Ok(None);
        }
        let end = at + digits;
        if let Some(c) = self.text[end..].chars().next()
            && (c == '.' || c == '_' || c.is_alphabetic())
        {
            let message = if c == '.' {
                "coefficients are integers"
            } else {
                "a number runs into a name: write 2*x for a product"
            };
            return Err(self.error(end, message));
        }
        let value: i64 = self.text[at..end]
            .parse()
            .map_err(|_| self.error(at, "this number leaves 64 bits"))?;
        self.at = end;
        Ok(Some(Int::from(value)))
    }

    fn variable(&mut self) -> Result<Option<ConstraintVariable>, StrategyError> {
        let at = self.skip();
        let rest = &self.text[at..];
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Ok(None);
        }
        // `S*_` is the one name with a star inside.
        let head = if rest.starts_with("S*_") { 2 } else { 0 };
        let tail = rest[head..].bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let name = &rest[..head + tail];
        self.at = at + name.len();
        if self.variables.iter().any(|v| v.name == name) {
            return Ok(Some(ConstraintVariable::User(name.to_owned())));
        }
        match variable(name) {
            Some(Ok(v)) => Ok(Some(v)),
            Some(Err(message)) => Err(self.error(at, message)),
            None => {
                let error = self.error(at, format!("unknown variable '{name}'"));
                let known = self.variables.iter().map(|v| v.name.as_str());
                Err(match crate::suggest::closest(name, known) {
                    Some(near) => error.help(format!("did you mean '{near}'?")),
                    None => error.help(
                        "variables are S0_it_1, S0_par_1, S0_cst (i for a sum over all, S* for each statement), u_0, w, and those of new_variables",
                    ),
                })
            }
        }
    }

    fn skip(&mut self) -> usize {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.at
    }

    fn found(&self, at: usize) -> String {
        match self.text[at..].chars().next() {
            None => "the end".to_owned(),
            Some(c) => format!("'{c}'"),
        }
    }

    fn error(&self, at: usize, message: impl Into<String>) -> StrategyError {
        let mut place = self.place.clone();
        if place.line > 0 {
            place.column = place.column.saturating_add(u32::try_from(at).unwrap_or(0));
        }
        StrategyError::new(
            Code::BadConstraint,
            place,
            format!("{} (in \"{}\", column {})", message.into(), shorten(self.text), at + 1),
        )
    }
}

/// The text, or its beginning.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(80) {
        None => text.to_owned(),
        Some((n, _)) => format!("{}...", &text[..n]),
    }
}
