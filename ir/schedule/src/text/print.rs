//! Printing trees in block style.

use super::options_set;
use crate::{Band, Node, NodeKind, ScheduleTree};
use std::fmt::{self, Write};
use tilia_presburger::{Id, MultiUnionPwAff, UnionPwAff};

impl fmt::Display for ScheduleTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&node_text(self.root(), 0)?)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&node_text(self, 0)?)
    }
}

fn node_text(node: &Node, indent: usize) -> Result<String, fmt::Error> {
    let mut p = Printer { out: String::new() };
    p.node(node, indent, false)?;
    Ok(p.out)
}

struct Printer {
    out: String,
}

impl Printer {
    /// One `key: value` line. The first key of a list item follows its dash.
    fn line(&mut self, n: usize, first: &mut bool, key: &str, value: &str) -> fmt::Result {
        if !std::mem::take(first) {
            write!(self.out, "{:1$}", "", n)?;
        }
        writeln!(self.out, "{key}: {value}")
    }

    fn quoted(&mut self, n: usize, first: &mut bool, key: &str, value: &impl fmt::Display) -> fmt::Result {
        let text = value.to_string().replace('\\', "\\\\").replace('"', "\\\"");
        self.line(n, first, key, &format!("\"{text}\""))
    }

    fn node(&mut self, node: &Node, n: usize, item: bool) -> fmt::Result {
        let mut first = item;
        match node.kind() {
            NodeKind::Domain(d) => self.quoted(n, &mut first, "domain", d)?,
            NodeKind::Band(b) => self.band(b, n, &mut first)?,
            NodeKind::Filter(s) => self.quoted(n, &mut first, "filter", s)?,
            NodeKind::Mark(m) => self.quoted(n, &mut first, "mark", m)?,
            NodeKind::Context(s) => self.quoted(n, &mut first, "context", s)?,
            NodeKind::Guard(s) => self.quoted(n, &mut first, "guard", s)?,
            NodeKind::Extension(m) => self.quoted(n, &mut first, "extension", m)?,
            NodeKind::Expansion { contraction, expansion } => {
                self.quoted(n, &mut first, "contraction", contraction)?;
                self.quoted(n, &mut first, "expansion", expansion)?;
            }
            NodeKind::Sequence | NodeKind::Set => return self.list(node, n),
            NodeKind::Leaf => {}
        }
        match node.child() {
            Some(c) if !c.is_leaf() => {
                writeln!(self.out, "{:1$}child:", "", n)?;
                self.node(c, n + 2, false)
            }
            _ => Ok(()),
        }
    }

    fn list(&mut self, node: &Node, n: usize) -> fmt::Result {
        writeln!(self.out, "{:1$}{2}:", "", n, node.kind().name())?;
        for c in node.children() {
            write!(self.out, "{:1$}- ", "", n)?;
            self.node(c, n + 2, true)?;
        }
        Ok(())
    }

    fn band(&mut self, b: &Band, n: usize, first: &mut bool) -> fmt::Result {
        let funcs: Vec<UnionPwAff> = b.members.iter().map(|m| m.func.clone()).collect();
        let name = match &b.members[..] {
            [only] => only.name.clone(),
            _ => None,
        };
        let text = schedule_text(&funcs, name.as_ref())?;
        self.quoted(n, first, "schedule", &text)?;
        if b.members.len() > 1 && b.members.iter().any(|m| m.name.is_some()) {
            let names = b.members.iter().map(|m| m.name.as_ref().map_or("\"\"", |n| n.as_str()));
            self.line(n, first, "names", &format!("[ {} ]", names.collect::<Vec<_>>().join(", ")))?;
        }
        if b.permutable {
            self.line(n, first, "permutable", "1")?;
        }
        if b.members.iter().any(|m| m.coincident) {
            let flags: Vec<&str> = b.members.iter().map(|m| if m.coincident { "1" } else { "0" }).collect();
            self.line(n, first, "coincident", &format!("[ {} ]", flags.join(", ")))?;
        }
        if b.members.iter().any(|m| m.reduces) {
            let flags: Vec<&str> = b.members.iter().map(|m| if m.reduces { "1" } else { "0" }).collect();
            self.line(n, first, "reduces", &format!("[ {} ]", flags.join(", ")))?;
        }
        if let Some(options) = options_set(b) {
            self.quoted(n, first, "options", &options)?;
        }
        Ok(())
    }
}

/// `[n] -> L[{ .. }, { .. }]`
fn schedule_text(funcs: &[UnionPwAff], name: Option<&Id>) -> Result<String, fmt::Error> {
    let text = MultiUnionPwAff::from_members(funcs).map_err(|_| fmt::Error)?.to_string();
    let Some(name) = name else { return Ok(text) };
    // The parameters, if any, stand before `-> [`; the members follow.
    Ok(match text.find("[{") {
        Some(at) => format!("{}{name}{}", &text[..at], &text[at..]),
        None => text,
    })
}
