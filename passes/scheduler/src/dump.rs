//! Integer programs as text in the LP format, for other solvers and for people.

use std::fmt::Write;
use tilia_ilp::{Problem, RowKind};

/// The problem with the objective to minimise its first variable; the lexicographic order is the variables'.
pub(crate) fn lp(problem: &Problem) -> String {
    let mut out = String::from("Minimize\n");
    // Writing to a string can't fail.
    let _ = match problem.vars.first() {
        Some(v) => writeln!(out, " obj: {}", v.name),
        None => writeln!(out, " obj: 0"),
    };
    out.push_str("Subject To\n");
    for (n, row) in problem.rows.iter().enumerate() {
        let _ = write!(out, " r{n}:");
        for (v, c) in &row.terms {
            let sign = if c.is_neg() { '-' } else { '+' };
            let _ = write!(out, " {sign} {} {}", c.abs(), problem.vars[*v].name);
        }
        let relation = match row.kind {
            RowKind::Ge => ">=",
            RowKind::Eq => "=",
        };
        let _ = writeln!(out, " {relation} {}", -&row.constant);
    }
    out.push_str("Bounds\n");
    for v in &problem.vars {
        let limit = |l: &Option<tilia_presburger::Int>, none: &str| l.as_ref().map_or_else(|| none.to_owned(), ToString::to_string);
        let _ = writeln!(out, " {} <= {} <= {}", limit(&v.lower, "-inf"), v.name, limit(&v.upper, "+inf"));
    }
    let integers: Vec<&str> = problem.vars.iter().filter(|v| v.integer).map(|v| v.name.as_str()).collect();
    let _ = write!(out, "General\n {}\nEnd", integers.join(" "));
    out
}
