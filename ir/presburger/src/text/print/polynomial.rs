//! Quasi-polynomials as text, as isl prints them.

use std::fmt;

use super::function::{condition_suffix, domain_prefix};
use super::names::{Names, params_prefix};
use crate::count::{PwQPolynomial, QPolynomial};
use crate::num::{Int, Ratio};

fn terms_text(q: &QPolynomial) -> String {
    let mut out = String::new();
    for (i, t) in q.terms().iter().enumerate() {
        let negative = t.coefficient.numerator().is_neg();
        let size = if negative { t.coefficient.neg() } else { t.coefficient.clone() };
        out += match (i, negative) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        let mut factors: Vec<String> = Vec::new();
        if t.factors.is_empty() || size != Ratio::from(Int::ONE) {
            factors.push(size.to_string());
        }
        for (a, power) in &t.factors {
            let base = a.to_expr_string();
            factors.push(if *power == 1 { base } else { format!("{base}^{power}") });
        }
        out += &factors.join(" * ");
    }
    if out.is_empty() { "0".to_owned() } else { out }
}

impl fmt::Display for QPolynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&terms_text(self))
    }
}

impl fmt::Display for PwQPolynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = self.space();
        let names = Names::new(space);
        let domain = domain_prefix(space, &names);
        let pieces: Vec<String> = self
            .pieces()
            .iter()
            .map(|(set, q)| format!("{domain}({}){}", terms_text(q), condition_suffix(set, &names)))
            .collect();
        let body = if pieces.is_empty() {
            format!("{domain}0")
        } else {
            pieces.join("; ")
        };
        write!(f, "{}{{ {body} }}", params_prefix(space))
    }
}
