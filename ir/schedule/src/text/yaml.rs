//! The part of YAML that trees are written in: maps, lists and scalars, in block and flow style, with the position of each value.
//!
//! Left out: anchors, tags, documents, multi-line plain scalars. Nesting is limited, so that hostile text can't exhaust the stack.

use crate::TextError;

/// Nesting beyond this is refused. A node of a tree takes at most two levels.
const MAX_NESTING: usize = 320;

/// A position: line and column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl At {
    pub(crate) fn error(self, message: impl Into<String>) -> TextError {
        TextError {
            line: self.line,
            column: self.column,
            message: message.into(),
        }
    }
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Yaml {
    pub(crate) at: At,
    pub(crate) value: Value,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Map(Vec<(At, String, Yaml)>),
    List(Vec<Yaml>),
    /// The text; `at` of the value is where the text itself starts (behind the quote).
    Scalar(String),
}

/// Reads one value that takes all the text.
pub(crate) fn parse(text: &str) -> Result<Yaml, TextError> {
    let mut p = Parser {
        chars: text.chars().collect(),
        pos: 0,
        at: At { line: 1, column: 1 },
        depth: 0,
    };
    let v = p.block(1)?;
    p.skip_blank()?;
    if p.peek().is_some() {
        return Err(p.at.error("text behind the end of the tree"));
    }
    Ok(v)
}

struct Parser {
    chars: Vec<char>,
    pos: usize,
    at: At,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.pos).copied()
    }

    fn peek_at(&self, n: usize) -> Option<char> {
        self.chars.get(self.pos + n).copied()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += 1;
        if c == '\n' {
            self.at.line += 1;
            self.at.column = 1;
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    /// Skips spaces on this line.
    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\r')) {
            self.bump();
        }
    }

    /// Skips spaces, comments and line ends. A tab can't indent.
    fn skip_blank(&mut self) -> Result<(), TextError> {
        let mut tab = None;
        loop {
            match self.peek() {
                Some(' ' | '\r') => {
                    self.bump();
                }
                Some('\n') => {
                    tab = None;
                    self.bump();
                }
                Some('\t') => {
                    tab = Some(self.at);
                    self.bump();
                }
                Some('#') => {
                    while !matches!(self.peek(), None | Some('\n')) {
                        self.bump();
                    }
                }
                Some(_) => return tab.map_or(Ok(()), |t| Err(t.error("a tab can't indent: use spaces"))),
                None => return Ok(()),
            }
        }
    }

    fn enter(&mut self) -> Result<(), TextError> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(self.at.error(format!("nested more than {MAX_NESTING} levels deep")));
        }
        Ok(())
    }

    fn at_dash(&self) -> bool {
        self.peek() == Some('-') && matches!(self.peek_at(1), None | Some(' ' | '\n' | '\r'))
    }

    /// Does a plain key with its colon stand here?
    fn at_key(&self) -> bool {
        let mut n = 0;
        while self.peek_at(n).is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
            n += 1;
        }
        n > 0 && self.peek_at(n) == Some(':') && matches!(self.peek_at(n + 1), None | Some(' ' | '\n' | '\r' | '\t'))
    }

    /// A value whose first character stands in column `least` or further right.
    fn block(&mut self, least: usize) -> Result<Yaml, TextError> {
        self.skip_blank()?;
        if self.peek().is_none() || self.at.column < least {
            return Err(self.at.error("a value is missing"));
        }
        self.enter()?;
        let column = self.at.column;
        let v = if self.at_dash() {
            self.list(column)
        } else if self.at_key() {
            self.map(column)
        } else {
            self.inline()
        };
        self.depth -= 1;
        v
    }

    fn map(&mut self, column: usize) -> Result<Yaml, TextError> {
        let at = self.at;
        let mut entries = Vec::new();
        loop {
            if !self.at_key() {
                return Err(self.at.error("expected `key: value`"));
            }
            let key_at = self.at;
            let key = self.plain(&[':']);
            self.bump();
            self.skip_spaces();
            let value = if matches!(self.peek(), None | Some('\n' | '#')) {
                self.skip_blank()?;
                let least = if self.at_dash() { column } else { column + 1 };
                if self.peek().is_none() || self.at.column < least {
                    return Err(key_at.error(format!("`{key}` has no value")));
                }
                self.block(least)?
            } else {
                let v = self.inline()?;
                self.end_of_line()?;
                v
            };
            entries.push((key_at, key, value));
            self.skip_blank()?;
            if self.peek().is_none() || self.at.column < column || (self.at.column == column && self.at_dash()) {
                break;
            }
            if self.at.column > column {
                return Err(self.at.error("indented further than the map that it would belong to"));
            }
        }
        Ok(Yaml {
            at,
            value: Value::Map(entries),
        })
    }

    fn list(&mut self, column: usize) -> Result<Yaml, TextError> {
        let at = self.at;
        let mut items = Vec::new();
        while self.at_dash() && self.at.column == column {
            self.bump();
            items.push(self.block(column + 1)?);
            self.skip_blank()?;
        }
        if self.peek().is_some() && self.at.column > column {
            return Err(self.at.error("indented further than the list that it would belong to"));
        }
        Ok(Yaml {
            at,
            value: Value::List(items),
        })
    }

    fn end_of_line(&mut self) -> Result<(), TextError> {
        self.skip_spaces();
        match self.peek() {
            None | Some('\n' | '#') => Ok(()),
            Some(c) => Err(self.at.error(format!("`{c}` behind a value"))),
        }
    }

    /// A quoted scalar, a flow collection, or a plain scalar up to the end of the line.
    fn inline(&mut self) -> Result<Yaml, TextError> {
        match self.peek() {
            Some('{' | '[') => self.flow(),
            Some('"' | '\'') => self.quoted(),
            _ => {
                let at = self.at;
                let text = self.plain(&['\n', '#']);
                if text.is_empty() {
                    return Err(at.error("a value is missing"));
                }
                Ok(Yaml {
                    at,
                    value: Value::Scalar(text),
                })
            }
        }
    }

    /// Plain text up to one of the characters, without spaces at its end.
    fn plain(&mut self, end: &[char]) -> String {
        let mut s = String::new();
        while let Some(c) = self.peek() {
            if end.contains(&c) || c == '\n' {
                break;
            }
            s.push(c);
            self.bump();
        }
        s.truncate(s.trim_end().len());
        s
    }

    fn quoted(&mut self) -> Result<Yaml, TextError> {
        let open = self.at;
        let quote = self.bump();
        let at = self.at;
        let mut s = String::new();
        loop {
            match self.bump() {
                None => return Err(open.error("the quote isn't closed")),
                Some('\'') if quote == Some('\'') && self.peek() == Some('\'') => {
                    self.bump();
                    s.push('\'');
                }
                c if c == quote => break,
                Some('\\') if quote == Some('"') => match self.bump() {
                    Some('n') => s.push('\n'),
                    Some('t') => s.push('\t'),
                    Some(c @ ('"' | '\\' | '/')) => s.push(c),
                    _ => return Err(self.at.error("unknown escape")),
                },
                Some('\n') => s.push(' '),
                Some(c) => s.push(c),
            }
        }
        Ok(Yaml {
            at,
            value: Value::Scalar(s),
        })
    }

    fn flow(&mut self) -> Result<Yaml, TextError> {
        self.enter()?;
        let v = match self.peek() {
            Some('{') => self.flow_map(),
            Some('[') => self.flow_list(),
            Some('"' | '\'') => self.quoted(),
            _ => {
                let at = self.at;
                let text = self.plain(&[',', ']', '}', '#', '{', '[']);
                if text.is_empty() {
                    return Err(at.error("a value is missing"));
                }
                Ok(Yaml {
                    at,
                    value: Value::Scalar(text),
                })
            }
        };
        self.depth -= 1;
        v
    }

    fn flow_map(&mut self) -> Result<Yaml, TextError> {
        let at = self.at;
        self.bump();
        let mut entries = Vec::new();
        loop {
            self.skip_blank()?;
            match self.peek() {
                Some('}') => break,
                None => return Err(at.error("the brace isn't closed")),
                _ => {}
            }
            let key_at = self.at;
            let key = match self.peek() {
                Some('"' | '\'') => match self.quoted()?.value {
                    Value::Scalar(s) => s,
                    _ => String::new(),
                },
                _ => self.plain(&[':', ',', '}', ']', '{', '[']),
            };
            self.skip_blank()?;
            if self.peek() != Some(':') {
                return Err(self.at.error("expected `:` behind a key"));
            }
            self.bump();
            self.skip_blank()?;
            let value = self.flow()?;
            entries.push((key_at, key, value));
            self.separator('}')?;
        }
        self.bump();
        Ok(Yaml {
            at,
            value: Value::Map(entries),
        })
    }

    fn flow_list(&mut self) -> Result<Yaml, TextError> {
        let at = self.at;
        self.bump();
        let mut items = Vec::new();
        loop {
            self.skip_blank()?;
            match self.peek() {
                Some(']') => break,
                None => return Err(at.error("the bracket isn't closed")),
                _ => items.push(self.flow()?),
            }
            self.separator(']')?;
        }
        self.bump();
        Ok(Yaml {
            at,
            value: Value::List(items),
        })
    }

    fn separator(&mut self, close: char) -> Result<(), TextError> {
        self.skip_blank()?;
        match self.peek() {
            Some(',') => {
                self.bump();
                Ok(())
            }
            Some(c) if c == close => Ok(()),
            _ => Err(self.at.error(format!("expected `,` or `{close}`"))),
        }
    }
}
