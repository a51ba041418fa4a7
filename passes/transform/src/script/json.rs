//! Reading JSON values with their places: typed getters whose errors say where and what was expected.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::sync::Arc;
use tilia_diag::{Diagnostic, Loc};
use tilia_presburger::Int;

/// How deep values may nest; the parser recurses.
const MAX_NESTING: usize = 64;

/// A text and its file's name, to turn positions into places.
pub(super) struct Source<'t> {
    pub(super) file: Arc<str>,
    text: &'t str,
}

/// A value with its JSON pointer.
#[derive(Clone)]
pub(super) struct At<'v> {
    pub(super) value: &'v Value<'v>,
    pub(super) pointer: String,
}

type Read<T> = Result<T, Diagnostic>;

impl<'t> Source<'t> {
    pub(super) fn new(file: &str, text: &'t str) -> Source<'t> {
        Source {
            file: Arc::from(file),
            text,
        }
    }

    /// The only value of the text.
    pub(super) fn parse(&self) -> Read<Value<'t>> {
        self.check_nesting()?;
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_extended_string_escapes: false,
            allow_non_finite_numbers: false,
        };
        match parse_to_ast(self.text, &CollectOptions::default(), &options) {
            Ok(parsed) => parsed
                .value
                .ok_or_else(|| Diagnostic::error(self.at(0), "the file holds no JSON value")),
            Err(e) => {
                let at = e.range().start;
                let message = format!("this isn't JSON: {}: {}", e.kind(), self.excerpt(at));
                Err(Diagnostic::error(self.at(at), message)
                    .help(r#"a script is a list of steps, as in [{ "do": "interchange", "loops": ["i0", "i1"] }]"#))
            }
        }
    }

    /// What stands at a byte, up to the end of its line or a few words.
    fn excerpt(&self, byte: usize) -> String {
        let rest = self.text.get(byte..).unwrap_or_default();
        rest.lines().next().unwrap_or_default().chars().take(40).collect()
    }

    fn check_nesting(&self) -> Read<()> {
        let mut depth = 0usize;
        for (i, c) in self.text.bytes().enumerate() {
            match c {
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > MAX_NESTING {
                return Err(Diagnostic::error(self.at(i), format!("values nest more than {MAX_NESTING} deep")));
            }
        }
        Ok(())
    }

    /// The place of a byte.
    pub(super) fn at(&self, byte: usize) -> Loc {
        let before = self.text.get(..byte).unwrap_or(self.text);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        Loc::new(
            &self.file,
            u32::try_from(line).unwrap_or(u32::MAX),
            u32::try_from(column).unwrap_or(u32::MAX),
        )
    }

    pub(super) fn loc(&self, v: &At<'_>) -> Loc {
        self.at(v.value.range().start)
    }

    /// A complaint about a value.
    pub(super) fn error(&self, v: &At<'_>, message: impl std::fmt::Display) -> Diagnostic {
        self.complain(v.value.range(), &v.pointer, message)
    }

    fn complain(&self, range: Range, pointer: &str, message: impl std::fmt::Display) -> Diagnostic {
        let pointer = if pointer.is_empty() { "/" } else { pointer };
        Diagnostic::error(self.at(range.start), format!("{pointer}: {message}"))
    }

    pub(super) fn expected(&self, v: &At<'_>, what: &str) -> Diagnostic {
        let found = match v.value {
            Value::StringLit(_) => "a string",
            Value::NumberLit(_) => "a number",
            Value::BooleanLit(_) => "a truth value",
            Value::Object(_) => "an object",
            Value::Array(_) => "a list",
            Value::NullKeyword(_) => "null",
        };
        self.error(v, format!("expected {what}, found {found}"))
    }

    pub(super) fn string(&self, v: &At<'_>) -> Read<String> {
        match v.value {
            Value::StringLit(s) if !s.value.is_empty() => Ok(s.value.to_string()),
            Value::StringLit(_) => Err(self.error(v, "the text is empty")),
            _ => Err(self.expected(v, "a string")),
        }
    }

    pub(super) fn int(&self, v: &At<'_>) -> Read<Int> {
        match v.value {
            Value::NumberLit(n) => match n.value.parse::<i64>() {
                Ok(n) => Ok(Int::from(n)),
                Err(_) => Err(self.error(v, format!("expected an integer of at most 64 bits, found {}", n.value))),
            },
            _ => Err(self.expected(v, "an integer")),
        }
    }

    pub(super) fn positive(&self, v: &At<'_>) -> Read<Int> {
        let n = self.int(v)?;
        if n.is_pos() {
            Ok(n)
        } else {
            Err(self.error(v, format!("must be at least 1, found {n}")))
        }
    }

    pub(super) fn bool(&self, v: &At<'_>) -> Read<bool> {
        match v.value {
            Value::BooleanLit(b) => Ok(b.value),
            _ => Err(self.expected(v, "true or false")),
        }
    }

    pub(super) fn list<'v>(&self, v: &At<'v>) -> Read<Vec<At<'v>>> {
        match v.value {
            Value::Array(a) => Ok(a
                .elements
                .iter()
                .enumerate()
                .map(|(i, value)| At {
                    value,
                    pointer: format!("{}/{i}", v.pointer),
                })
                .collect()),
            _ => Err(self.expected(v, "a list")),
        }
    }

    /// A list, each element read by the function.
    pub(super) fn each<T>(&self, v: &At<'_>, read: impl Fn(&At<'_>) -> Read<T>) -> Read<Vec<T>> {
        let list = self.list(v)?;
        if list.is_empty() {
            return Err(self.error(v, "the list is empty"));
        }
        list.iter().map(read).collect()
    }

    pub(super) fn object<'v>(&self, v: &At<'v>) -> Read<&'v Object<'v>> {
        match v.value {
            Value::Object(o) => Ok(o),
            _ => Err(self.expected(v, "an object")),
        }
    }
}

/// The fields of an object, taken one by one, so that what nobody asked for can be told.
pub(super) struct Fields<'s, 'v> {
    source: &'s Source<'s>,
    of: At<'v>,
    left: Vec<&'v ObjectProp<'v>>,
    asked: Vec<&'static str>,
}

impl<'s, 'v> Fields<'s, 'v> {
    pub(super) fn new(source: &'s Source<'s>, of: &At<'v>) -> Read<Fields<'s, 'v>> {
        let object = source.object(of)?;
        let mut left: Vec<&'v ObjectProp<'v>> = Vec::new();
        for p in &object.properties {
            if left.iter().any(|q| q.name.as_str() == p.name.as_str()) {
                return Err(source.complain(p.range, &of.pointer, format!("the key \"{}\" stands here twice", p.name.as_str())));
            }
            left.push(p);
        }
        Ok(Fields {
            source,
            of: of.clone(),
            left,
            asked: Vec::new(),
        })
    }

    /// The value of a key, if it is there.
    pub(super) fn take(&mut self, key: &'static str) -> Option<At<'v>> {
        self.asked.push(key);
        let n = self.left.iter().position(|p| p.name.as_str() == key)?;
        let p = self.left.remove(n);
        Some(At {
            value: &p.value,
            pointer: format!("{}/{key}", self.of.pointer),
        })
    }

    pub(super) fn need(&mut self, key: &'static str) -> Read<At<'v>> {
        self.take(key)
            .ok_or_else(|| self.source.error(&self.of, format!("the key \"{key}\" is missing")))
    }

    /// An error for a key that nobody asked for.
    pub(super) fn done(self) -> Read<()> {
        let Some(p) = self.left.first() else { return Ok(()) };
        let known: Vec<&str> = self.asked.clone();
        let message = format!("unknown key \"{}\"", p.name.as_str());
        let pointer = format!("{}/{}", self.of.pointer, p.name.as_str());
        Err(self
            .source
            .complain(p.range, &pointer, message)
            .help(format!("keys here are {}", known.join(", "))))
    }
}
