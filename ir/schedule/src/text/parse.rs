//! Reading trees.

use super::read_options;
use super::yaml::{self, At, Value, Yaml};
use crate::{Band, Error, Member, Node, NodeKind, ScheduleTree, TextError};
use std::str::FromStr;
use std::sync::Arc;
use tilia_presburger::{Id, MultiUnionPwAff, Set, UnionMap, UnionSet};

impl FromStr for ScheduleTree {
    type Err = Error;

    /// Reads a tree; its shape is checked, its meaning by [`ScheduleTree::verify`].
    fn from_str(text: &str) -> Result<ScheduleTree, Error> {
        let value = yaml::parse(text)?;
        let mut fields = Fields::new(&value)?;
        let root = if let Some(d) = fields.take("domain") {
            let set = sets::<UnionSet>(d)?;
            Node::raw(NodeKind::Domain(set), vec![fields.child()?])
        } else if let Some(m) = fields.take("extension") {
            Node::extension(sets::<UnionMap>(m)?, fields.child()?)
        } else {
            return Err(value
                .at
                .error("the root of a tree must have the key `domain` or `extension`")
                .into());
        };
        fields.finish()?;
        ScheduleTree::from_root(root)
    }
}

/// The entries of one node; each key is taken once, what is left over is an error.
struct Fields<'a> {
    at: At,
    entries: Vec<(At, &'a str, &'a Yaml)>,
}

impl<'a> Fields<'a> {
    fn new(value: &'a Yaml) -> Result<Fields<'a>, TextError> {
        let Value::Map(list) = &value.value else {
            return Err(value.at.error("expected a node, that is, `key: value` entries"));
        };
        let mut entries: Vec<(At, &str, &Yaml)> = Vec::with_capacity(list.len());
        for (at, key, v) in list {
            if entries.iter().any(|e| e.1 == key) {
                return Err(at.error(format!("the key `{key}` is repeated")));
            }
            entries.push((*at, key, v));
        }
        Ok(Fields { at: value.at, entries })
    }

    fn take(&mut self, key: &str) -> Option<&'a Yaml> {
        let n = self.entries.iter().position(|e| e.1 == key)?;
        Some(self.entries.remove(n).2)
    }

    fn child(&mut self) -> Result<Arc<Node>, Error> {
        match self.take("child") {
            Some(v) => node(v),
            None => Ok(Node::leaf()),
        }
    }

    fn finish(self) -> Result<(), TextError> {
        match self.entries.first() {
            Some((at, key, _)) => Err(at.error(format!("the key `{key}` doesn't belong here"))),
            None => Ok(()),
        }
    }
}

fn node(value: &Yaml) -> Result<Arc<Node>, Error> {
    let mut f = Fields::new(value)?;
    let node = if let Some(s) = f.take("schedule") {
        let band = band(s, &mut f)?;
        Node::band(band, f.child()?)
    } else if let Some(l) = f.take("sequence") {
        list(NodeKind::Sequence, l)?
    } else if let Some(l) = f.take("set") {
        list(NodeKind::Set, l)?
    } else if let Some(v) = f.take("mark") {
        Node::mark(scalar(v)?, f.child()?)
    } else if let Some(v) = f.take("context") {
        Node::context(sets::<Set>(v)?, f.child()?)
    } else if let Some(v) = f.take("guard") {
        Node::guard(sets::<Set>(v)?, f.child()?)
    } else if let Some(v) = f.take("filter") {
        Node::filter(sets::<UnionSet>(v)?, f.child()?)
    } else if let Some(v) = f.take("extension") {
        Node::extension(sets::<UnionMap>(v)?, f.child()?)
    } else if let Some(v) = f.take("contraction") {
        let contraction = sets::<UnionMap>(v)?;
        let Some(e) = f.take("expansion") else {
            return Err(f.at.error("a `contraction` needs its `expansion`").into());
        };
        Node::expansion(contraction, sets::<UnionMap>(e)?, f.child()?)
    } else if f.entries.iter().any(|e| e.1 == "domain") {
        return Err(f.at.error("a domain can only be the root").into());
    } else {
        return Err(f.at.error("no key of this node says what kind it is").into());
    };
    f.finish()?;
    Ok(node)
}

fn list(kind: NodeKind, value: &Yaml) -> Result<Arc<Node>, Error> {
    let Value::List(items) = &value.value else {
        return Err(value.at.error(format!("a {} needs a list of filters", kind.name())).into());
    };
    if items.is_empty() {
        return Err(value.at.error(format!("a {} needs at least one child", kind.name())).into());
    }
    let mut children = Vec::with_capacity(items.len());
    for item in items {
        let child = node(item)?;
        if !matches!(child.kind(), NodeKind::Filter(_)) {
            let message = format!("a child of a {} must be a filter, not a {}", kind.name(), child.kind().name());
            return Err(item.at.error(message).into());
        }
        children.push(child);
    }
    Ok(Node::raw(kind, children))
}

fn band(schedule: &Yaml, f: &mut Fields<'_>) -> Result<Band, Error> {
    let (name, funcs) = schedule_funcs(schedule)?;
    let mut members: Vec<Member> = funcs.members().iter().cloned().map(Member::new).collect();
    if let ([only], Some(name)) = (&mut members[..], name) {
        only.name = Some(name);
    }
    if let Some(v) = f.take("names") {
        for (m, item) in members.iter_mut().zip(items(v, funcs.members().len())?) {
            let text = scalar(item)?;
            m.name = (!text.is_empty()).then(|| Id::new(text));
        }
    }
    let permutable = f.take("permutable").map_or(Ok(false), flag)?;
    if let Some(v) = f.take("coincident") {
        for (m, item) in members.iter_mut().zip(items(v, funcs.members().len())?) {
            m.coincident = flag(item)?;
        }
    }
    if let Some(v) = f.take("reduces") {
        for (m, item) in members.iter_mut().zip(items(v, funcs.members().len())?) {
            m.reduces = flag(item)?;
        }
    }
    let mut band = Band {
        members,
        permutable,
        isolate: None,
    };
    if let Some(v) = f.take("options") {
        let options = sets::<UnionSet>(v)?;
        read_options(&mut band, &options).map_err(|m| v.at.error(m))?;
    }
    Ok(band)
}

/// The members' functions, and the tuple name before them.
fn schedule_funcs(value: &Yaml) -> Result<(Option<Id>, MultiUnionPwAff), Error> {
    let text = scalar(value)?;
    let (start, end) = tuple_name(text);
    let name = (start < end).then(|| Id::new(&text[start..end]));
    // Blanks in place of the name keep the columns of errors right.
    let plain = format!("{}{:3$}{}", &text[..start], "", &text[end..], end - start);
    let funcs = plain.parse().map_err(|e| located(value.at, e))?;
    Ok((name, funcs))
}

/// The bytes of the tuple name, if any: behind the parameters' arrow, before the bracket of the members.
fn tuple_name(text: &str) -> (usize, usize) {
    let trimmed = text.len() - text.trim_start().len();
    let start = if text[trimmed..].starts_with('[') {
        let close = text.find(']').unwrap_or(0);
        match text[close..].find(|c: char| c != ']' && !c.is_whitespace()) {
            Some(n) if text[close + n..].starts_with("->") => close + n + 2,
            _ => return (0, 0),
        }
    } else {
        trimmed
    };
    let start = start + (text[start..].len() - text[start..].trim_start().len());
    let len = text[start..]
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
        .unwrap_or(0);
    (start, start + len)
}

fn items(value: &Yaml, n: usize) -> Result<&[Yaml], TextError> {
    match &value.value {
        Value::List(items) if items.len() == n => Ok(items),
        _ => Err(value.at.error(format!("expected a list of {n}, one for each member"))),
    }
}

fn flag(value: &Yaml) -> Result<bool, TextError> {
    match scalar(value)? {
        "0" => Ok(false),
        "1" => Ok(true),
        other => Err(value.at.error(format!("expected 0 or 1, not `{other}`"))),
    }
}

fn scalar(value: &Yaml) -> Result<&str, TextError> {
    match &value.value {
        Value::Scalar(s) => Ok(s),
        _ => Err(value.at.error("expected a text")),
    }
}

fn sets<T: FromStr<Err = tilia_presburger::Error>>(value: &Yaml) -> Result<T, Error> {
    Ok(scalar(value)?.parse().map_err(|e| located(value.at, e))?)
}

/// An error in a text that starts at `at`.
fn located(at: At, e: tilia_presburger::Error) -> TextError {
    match e {
        tilia_presburger::Error::Parse(p) => TextError {
            line: at.line,
            column: at.column + p.column.saturating_sub(1) as usize,
            message: p.message,
        },
        e => at.error(e.to_string()),
    }
}
