//! Walks a tree of nodes and gathers errors with their places.

use super::json::{Node, Source, Value};
use super::keys::Keys;
use crate::options::Named;
use crate::suggest::{closest, normalise};
use crate::{Code, Place, StrategyError};

/// Errors that are told; a file with more is reported up to here.
const MAX_ERRORS: usize = 20;

/// Gathers errors.
pub(crate) struct Reader<'s> {
    source: &'s Source,
    /// In the order found.
    pub(crate) errors: Vec<StrategyError>,
}

/// A node and how it was reached.
#[derive(Debug, Clone)]
pub(crate) struct At<'n> {
    /// The node.
    pub(crate) node: &'n Node,
    /// Its JSON pointer.
    pub(crate) pointer: String,
}

impl<'n> At<'n> {
    /// The root of a tree.
    pub(crate) fn root(node: &'n Node) -> Self {
        Self {
            node,
            pointer: String::new(),
        }
    }

    fn child(&self, key: &str, node: &'n Node) -> Self {
        let key = key.replace('~', "~0").replace('/', "~1");
        Self {
            node,
            pointer: format!("{}/{key}", self.pointer),
        }
    }
}

impl<'s> Reader<'s> {
    pub(crate) fn new(source: &'s Source) -> Self {
        Self {
            source,
            errors: Vec::new(),
        }
    }

    pub(crate) fn has_columns(&self) -> bool {
        self.source.has_columns()
    }

    pub(crate) fn place(&self, at: &At<'_>) -> Place {
        self.source.place(at.node.start, &at.pointer)
    }

    pub(crate) fn push(&mut self, error: StrategyError) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    pub(crate) fn error(&mut self, at: &At<'_>, code: Code, message: impl Into<String>) {
        self.push(StrategyError::new(code, self.place(at), message));
    }

    pub(crate) fn error_help(&mut self, at: &At<'_>, code: Code, message: impl Into<String>, help: impl Into<String>) {
        self.push(StrategyError::new(code, self.place(at), message).help(help));
    }

    /// The value is not what `key` takes.
    pub(crate) fn expected(&mut self, at: &At<'_>, what: &str) {
        let name = at
            .pointer
            .rsplit('/')
            .find(|s| !s.bytes().all(|b| b.is_ascii_digit()))
            .unwrap_or("the file")
            .to_owned();
        let found = at.node.value.describe();
        self.error(at, Code::BadValue, format!("{name} must be {what}, not {found}"));
    }

    /// Members of an object with their canonical keys; unknown and repeated keys are errors.
    pub(crate) fn object<'n>(&mut self, at: &At<'n>, what: &str, keys: Keys) -> Option<Vec<(&'static str, At<'n>)>> {
        let Value::Object(members) = &at.node.value else {
            self.expected(at, what);
            return None;
        };
        let mut found: Vec<(&'static str, At<'n>)> = Vec::new();
        for (key, start, node) in members {
            let child = at.child(key, node);
            let place = self.source.place(*start, &child.pointer);
            let wanted = normalise(key);
            let Some(names) = keys.iter().find(|names| names.iter().any(|n| normalise(n) == wanted)) else {
                let mut error = StrategyError::new(Code::UnknownKey, place, format!("unknown key '{}'", shorten(key)));
                let all = keys.iter().flat_map(|names| names.iter().copied());
                error.help = Some(match closest(key, all) {
                    Some(near) => format!("did you mean '{near}'?"),
                    None => format!("keys here are {}", keys.iter().map(|n| n[0]).collect::<Vec<_>>().join(", ")),
                });
                self.push(error);
                continue;
            };
            if found.iter().any(|(name, _)| *name == names[0]) {
                self.push(StrategyError::new(
                    Code::DuplicateKey,
                    place,
                    format!("{} is given twice", names[0]),
                ));
                continue;
            }
            found.push((names[0], child));
        }
        Some(found)
    }

    /// Members of an object whose keys are free.
    pub(crate) fn map<'n>(&mut self, at: &At<'n>, what: &str) -> Vec<(&'n str, At<'n>)> {
        let Value::Object(members) = &at.node.value else {
            self.expected(at, what);
            return Vec::new();
        };
        let mut found: Vec<(&'n str, At<'n>)> = Vec::new();
        for (key, start, node) in members {
            let child = at.child(key, node);
            if found.iter().any(|(name, _)| name == key) {
                let place = self.source.place(*start, &child.pointer);
                self.push(StrategyError::new(
                    Code::DuplicateKey,
                    place,
                    format!("'{}' is given twice", shorten(key)),
                ));
                continue;
            }
            found.push((key, child));
        }
        found
    }

    /// Elements of a list.
    pub(crate) fn list<'n>(&mut self, at: &At<'n>, what: &str) -> Vec<At<'n>> {
        let Value::Array(elements) = &at.node.value else {
            self.expected(at, what);
            return Vec::new();
        };
        elements.iter().enumerate().map(|(n, e)| at.child(&n.to_string(), e)).collect()
    }

    pub(crate) fn string<'n>(&mut self, at: &At<'n>, what: &str) -> Option<&'n str> {
        match &at.node.value {
            Value::String { text, .. } => Some(text),
            _ => {
                self.expected(at, what);
                None
            }
        }
    }

    pub(crate) fn boolean(&mut self, at: &At<'_>) -> Option<bool> {
        match &at.node.value {
            Value::Bool(b) => Some(*b),
            _ => {
                self.expected(at, "true or false");
                None
            }
        }
    }

    /// An integer from `low` to `high`.
    pub(crate) fn integer(&mut self, at: &At<'_>, low: i64, high: i64) -> Option<i64> {
        match &at.node.value {
            Value::Int(n) if (low..=high).contains(n) => Some(*n),
            _ => {
                let what = match (low, high) {
                    (i64::MIN, i64::MAX) => "an integer".to_owned(),
                    (low, i64::MAX) => format!("an integer of at least {low}"),
                    (low, high) => format!("an integer from {low} to {high}"),
                };
                self.expected(at, &what);
                None
            }
        }
    }

    /// An index: an integer that fits memory.
    pub(crate) fn index(&mut self, at: &At<'_>) -> Option<usize> {
        let n = self.integer(at, 0, i64::from(u32::MAX))?;
        usize::try_from(n).ok()
    }

    /// A value of an enumeration, by name; `true` and `false` are `on` and `off` where there are such, numbers their digits.
    pub(crate) fn named<T: Named>(&mut self, at: &At<'_>) -> Option<T> {
        let text = match &at.node.value {
            Value::String { text, .. } => text.clone(),
            Value::Bool(true) => "on".to_owned(),
            Value::Bool(false) => "off".to_owned(),
            Value::Int(n) => n.to_string(),
            _ => String::new(),
        };
        let wanted = normalise(&text);
        if let Some((_, value)) = T::NAMES.iter().find(|(name, _)| normalise(name) == wanted) {
            return Some(*value);
        }
        let names: Vec<&str> = T::NAMES.iter().map(|(n, _)| *n).collect();
        self.expected(at, &format!("one of {}", names.join(", ")));
        if let (Some(near), Some(last)) = (closest(&text, names), self.errors.last_mut()) {
            last.help = Some(format!("did you mean '{near}'?"));
        }
        None
    }
}

/// The text, or its beginning.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        None => text.to_owned(),
        Some((n, _)) => format!("{}...", &text[..n]),
    }
}
