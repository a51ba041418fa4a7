//! `--verify-diagnostics`: diagnostics and remarks against `expected-..` comments.
//!
//! A comment `// expected-error@+1 {{text}}` (also `warning`, `remark`; `@-1`, `@+N`, or no offset for its own line; several on a line) demands one message of that
//! kind on that line whose text contains `text`. Errors and warnings without a comment are problems; remarks are demanded only where comments ask.

use tilia_diag::{Diagnostic, Loc, Remark, Severity};

/// Something that was said.
#[derive(Debug, Clone)]
pub struct Said {
    kind: &'static str,
    loc: Loc,
    text: String,
}

impl From<&Diagnostic> for Said {
    fn from(d: &Diagnostic) -> Self {
        Self {
            kind: match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            loc: d.loc.clone(),
            text: d.message.clone(),
        }
    }
}

impl From<&Remark> for Said {
    fn from(r: &Remark) -> Self {
        Self {
            kind: "remark",
            loc: r.loc.clone(),
            text: tilia_diag::render_remark(r),
        }
    }
}

struct Expected {
    kind: &'static str,
    /// Line in the whole file.
    line: u32,
    text: String,
    at: u32,
}

/// Problems: what was expected and not said, and what was said and not expected.
#[must_use]
pub fn check_expectations(text: &str, first_line: u32, said: &[Said]) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut expected = Vec::new();
    for (line, n) in text.lines().zip(first_line..) {
        read_line(line, n, &mut expected, &mut problems);
    }
    let mut met = vec![false; said.len()];
    for e in &expected {
        let found = said.iter().enumerate().position(|(n, s)| {
            !met[n] && s.kind == e.kind && s.text.contains(&e.text) && s.loc.line_column().is_none_or(|(line, _)| line == e.line)
        });
        match found {
            Some(n) => met[n] = true,
            None => problems.push(Diagnostic::error(
                Loc::unknown(),
                format!("line {}: expected {} \"{}\" on line {} was not said", e.at, e.kind, e.text, e.line),
            )),
        }
    }
    for (s, _) in said.iter().zip(&met).filter(|(s, met)| !**met && s.kind != "remark") {
        problems.push(Diagnostic::error(s.loc.clone(), format!("unexpected {}: {}", s.kind, s.text)));
    }
    problems
}

fn read_line(line: &str, n: u32, expected: &mut Vec<Expected>, problems: &mut Vec<Diagnostic>) {
    let mut rest = line;
    while let Some(at) = rest.find("expected-") {
        rest = &rest[at + "expected-".len()..];
        let Some(kind) = ["error", "warning", "remark"].into_iter().find(|k| rest.starts_with(k)) else {
            continue;
        };
        rest = &rest[kind.len()..];
        // Prose about such comments isn't one.
        if !rest.starts_with(['@', ' ', '{']) || !rest.contains("{{") {
            continue;
        }
        let mut offset = 0i64;
        if let Some(after) = rest.strip_prefix('@') {
            let end = after.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(after.len());
            match after[..end].parse::<i64>() {
                Ok(o) => offset = o,
                Err(_) => problems.push(Diagnostic::error(
                    Loc::unknown(),
                    format!("line {n}: '{}' is no line offset", &after[..end]),
                )),
            }
            rest = &after[end..];
        }
        let body = rest.trim_start().strip_prefix("{{").and_then(|b| b.split_once("}}"));
        match body {
            Some((text, after)) => {
                expected.push(Expected {
                    kind,
                    line: u32::try_from((i64::from(n) + offset).max(0)).unwrap_or(0),
                    text: text.to_owned(),
                    at: n,
                });
                rest = after;
            }
            None => problems.push(Diagnostic::error(
                Loc::unknown(),
                format!("line {n}: expected-{kind} has no {{{{text}}}}"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn matching() {
        let file: Arc<str> = Arc::from("f");
        let said = [Said::from(&Diagnostic::error(Loc::new(&file, 12, 1), "step must be positive"))];
        assert!(check_expectations("// expected-error@+1 {{must be positive}}\nx", 11, &said).is_empty());
        assert_eq!(check_expectations("// expected-error {{must be positive}}\nx", 11, &said).len(), 2);
        assert_eq!(check_expectations("nothing", 11, &said).len(), 1);
        assert_eq!(check_expectations("// expected-error@x {{a}}", 1, &[]).len(), 2);
        assert!(check_expectations("// an expected-error comment without text", 1, &[]).is_empty());
    }
}
