//! Writing files: deterministic, with the comments that the format's own library writes.

use super::{Extension, Matrix, OpenScop, Relation, RelationKind, Statement};
use std::fmt;

impl fmt::Display for OpenScop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "<OpenScop>\n\n{}\n# Language\n{}\n", rule("Global"), self.language)?;
        writeln!(f, "# Context")?;
        let params = self.param_names();
        relation(
            f,
            &self.context,
            &Names {
                outputs: "",
                inputs: &[],
                params: &params,
            },
        )?;
        match &self.params {
            Some(names) if !names.is_empty() => writeln!(f, "# Parameters are provided\n1\n<strings>\n{}\n</strings>\n", params.join(" "))?,
            _ => writeln!(f, "# Parameters are not provided\n0\n")?,
        }
        writeln!(f, "# Number of statements\n{}\n", self.statements.len())?;
        for (n, s) in self.statements.iter().enumerate() {
            writeln!(f, "{}", rule(&format!("Statement {}", n + 1)))?;
            statement(f, s, n + 1, &params)?;
        }
        if !self.extensions.is_empty() {
            writeln!(f, "{}", rule("Extensions"))?;
        }
        self.extensions.iter().try_for_each(|e| extension(f, e))?;
        writeln!(f, "</OpenScop>")
    }
}

impl OpenScop {
    /// The names of parameters, made up where the file has none.
    pub(crate) fn param_names(&self) -> Vec<String> {
        let count = self.context.parts.first().map_or(0, |m| m.params);
        self.params.clone().unwrap_or_else(|| (0..count).map(|n| format!("P{n}")).collect())
    }
}

fn rule(title: &str) -> String {
    format!("# =============================================== {title}")
}

fn statement(f: &mut fmt::Formatter<'_>, s: &Statement, n: usize, params: &[String]) -> fmt::Result {
    let count = 1 + usize::from(s.scattering.is_some()) + s.accesses.len();
    writeln!(f, "# Number of relations describing the statement:\n{count}\n")?;
    let iters = s.iterator_names();
    writeln!(f, "# ----------------------------------------------  {n}.1 Domain")?;
    let names = |outputs, inputs| Names { outputs, inputs, params };
    relation_named(f, &s.domain, &names("", &[]), &iters)?;
    if let Some(r) = &s.scattering {
        writeln!(f, "# ----------------------------------------------  {n}.2 Scattering")?;
        relation(f, r, &names("t", &iters))?;
    }
    if !s.accesses.is_empty() {
        writeln!(f, "# ----------------------------------------------  {n}.3 Access")?;
    }
    for r in &s.accesses {
        relation(f, r, &names("[", &iters))?;
    }
    writeln!(f, "# ----------------------------------------------  {n}.4 Statement Extensions")?;
    writeln!(f, "# Number of Statement Extensions\n{}", s.extensions.len())?;
    s.extensions.iter().try_for_each(|e| extension(f, e))?;
    writeln!(f)
}

fn extension(f: &mut fmt::Formatter<'_>, e: &Extension) -> fmt::Result {
    write!(f, "<{}>\n{}", e.tag, e.text)?;
    if !e.text.is_empty() && !e.text.ends_with('\n') {
        writeln!(f)?;
    }
    writeln!(f, "</{}>\n", e.tag)
}

/// Names of columns, for the comment above a relation.
struct Names<'a> {
    outputs: &'a str,
    inputs: &'a [String],
    params: &'a [String],
}

fn relation(f: &mut fmt::Formatter<'_>, r: &Relation, names: &Names<'_>) -> fmt::Result {
    relation_named(f, r, names, &[])
}

fn relation_named(f: &mut fmt::Formatter<'_>, r: &Relation, names: &Names<'_>, outputs: &[String]) -> fmt::Result {
    writeln!(f, "{}", r.kind)?;
    if r.parts.len() > 1 {
        writeln!(f, "# Union with {} parts\n{}", r.parts.len(), r.parts.len())?;
    }
    r.parts.iter().try_for_each(|m| matrix(f, r.kind, m, names, outputs))?;
    writeln!(f)
}

fn matrix(f: &mut fmt::Formatter<'_>, kind: RelationKind, m: &Matrix, names: &Names<'_>, outputs: &[String]) -> fmt::Result {
    writeln!(
        f,
        "{} {} {} {} {} {}",
        m.rows.len(),
        m.columns(),
        m.outputs,
        m.inputs,
        m.locals,
        m.params
    )?;
    let mut head = vec!["e/i".to_owned()];
    let access = matches!(kind, RelationKind::Read | RelationKind::Write | RelationKind::MayWrite);
    head.extend((0..m.outputs).map(|n| match outputs.get(n) {
        Some(name) => name.clone(),
        None if access && n == 0 => "Arr".to_owned(),
        None if access => format!("[{n}]"),
        None => format!("{}{}", names.outputs, n + 1),
    }));
    head.extend((0..m.inputs).map(|n| names.inputs.get(n).cloned().unwrap_or_else(|| format!("i{n}"))));
    head.extend((0..m.locals).map(|n| format!("l{}", n + 1)));
    head.extend((0..m.params).map(|n| names.params.get(n).cloned().unwrap_or_else(|| format!("P{n}"))));
    head.push("1".to_owned());
    let rows: Vec<Vec<String>> = m.rows.iter().map(|r| r.iter().map(ToString::to_string).collect()).collect();
    let width = |column: usize| {
        let widest = rows.iter().map(|r| r[column].len()).max().unwrap_or(0);
        widest.max(head.get(column).map_or(0, |h| h.chars().count())).max(4)
    };
    let widths: Vec<usize> = (0..m.columns()).map(width).collect();
    if !rows.is_empty() {
        write!(f, "#")?;
        for (text, width) in head.iter().zip(&widths) {
            write!(f, " {text:>width$}")?;
        }
        writeln!(f)?;
    }
    for row in &rows {
        write!(f, " ")?;
        for (text, width) in row.iter().zip(&widths) {
            write!(f, " {text:>width$}")?;
        }
        writeln!(f)?;
    }
    Ok(())
}
