//! JSON text as a tree of nodes that know where they stand. Comments and trailing commas are allowed.

use crate::{Code, Place, StrategyError};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::sync::Arc;

/// Largest strategy file, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// A value and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// What.
    pub(crate) value: Value,
    /// Byte offset in the text; of a string's opening quote.
    pub(crate) start: usize,
}

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    /// A number that isn't a 64-bit integer, as written.
    Number(String),
    /// `plain`: written without escapes, so that offsets in it are offsets in the file.
    String {
        text: String,
        plain: bool,
    },
    Array(Vec<Node>),
    Object(Vec<(String, usize, Node)>),
}

impl Value {
    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(b) => b.to_string(),
            Self::Int(n) => n.to_string(),
            Self::Number(n) => n.clone(),
            Self::String { text, .. } if text.chars().count() <= 40 => format!("\"{text}\""),
            Self::String { .. } => "a long string".to_owned(),
            Self::Array(_) => "a list".to_owned(),
            Self::Object(_) => "an object".to_owned(),
        }
    }
}

/// Where values come from.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// A file: its name and the offsets of its lines.
    File(Arc<str>, Vec<usize>),
    /// Something that stands at one place as a whole: what a script's function returns.
    Fixed(Place),
}

impl Source {
    pub(crate) fn new(file: &str, text: &str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(n, _)| n + 1);
        Self::File(Arc::from(file), std::iter::once(0).chain(starts).collect())
    }

    /// The source of values that stand at one place as a whole.
    pub(crate) fn fixed(place: Place) -> Self {
        Self::Fixed(place)
    }

    /// Whether offsets inside a string are columns.
    pub(crate) fn has_columns(&self) -> bool {
        matches!(self, Self::File(..))
    }

    /// The place of a byte offset.
    pub(crate) fn place(&self, offset: usize, pointer: &str) -> Place {
        match self {
            Self::File(file, lines) => {
                let line = lines.partition_point(|&start| start <= offset);
                let column = line.checked_sub(1).map_or(0, |n| offset - lines[n] + 1);
                Place {
                    file: Arc::clone(file),
                    pointer: pointer.to_owned(),
                    line: u32::try_from(line).unwrap_or(u32::MAX),
                    column: u32::try_from(column).unwrap_or(u32::MAX),
                }
            }
            Self::Fixed(place) => Place {
                pointer: pointer.to_owned(),
                ..place.clone()
            },
        }
    }
}

/// Reads one JSON value.
pub(crate) fn parse(source: &Source, text: &str) -> Result<Node, StrategyError> {
    if text.len() > MAX_BYTES {
        let message = format!("a strategy file of more than {MAX_BYTES} bytes");
        return Err(StrategyError::new(Code::TooLarge, source.place(0, ""), message));
    }
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|e| {
        let code = if matches!(e.kind(), ParseErrorKind::NestingDepthExceeded) {
            Code::TooLarge
        } else {
            Code::Syntax
        };
        let message = e.kind().to_string();
        let mut letters = message.chars();
        let lower: String = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
        StrategyError::new(code, source.place(e.range().start, ""), format!("this isn't JSON: {lower}"))
    })?;
    match parsed.value {
        Some(value) => Ok(node(value, text)),
        None => Err(StrategyError::new(Code::Syntax, source.place(0, ""), "the file is empty")
            .help("the shortest strategy is {\"scheduling_strategy\": {}}; tilia schema describes all of it")),
    }
}

fn node(value: ast::Value<'_>, text: &str) -> Node {
    let start = value.start();
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(b) => Value::Bool(b.value),
        ast::Value::NumberLit(n) => n.value.parse().map_or_else(|_| Value::Number(n.value.to_owned()), Value::Int),
        ast::Value::StringLit(s) => {
            let plain = s.text(text).len() == s.value.len() + 2;
            Value::String {
                text: s.value.into_owned(),
                plain,
            }
        }
        ast::Value::Array(a) => Value::Array(a.elements.into_iter().map(|v| node(v, text)).collect()),
        ast::Value::Object(o) => Value::Object(
            o.properties
                .into_iter()
                .map(|p| {
                    let at = p.name.start();
                    (p.name.into_string(), at, node(p.value, text))
                })
                .collect(),
        ),
    };
    Node { value, start }
}
