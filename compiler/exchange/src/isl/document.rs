//! Documents of `key: value` lines: values are texts in quotes, or indented blocks below their key.

/// A mistake in a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct TextError {
    /// Line from 1.
    pub line: u32,
    /// Column from 1.
    pub column: u32,
    /// One sentence without a final stop.
    pub message: String,
}

impl TextError {
    pub(super) fn new(line: u32, column: u32, message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            message: message.into(),
        }
    }
}

/// A value and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    /// The text: of a block, its lines without their common indentation.
    pub(super) text: String,
    /// Whether it is a block.
    pub(super) block: bool,
    /// Line of the first character.
    pub(super) line: u32,
    /// Column of the first character.
    pub(super) column: u32,
}

impl Value {
    /// An error at a place in the text, both from 1.
    pub(super) fn error(&self, line: u32, column: u32, message: impl Into<String>) -> TextError {
        let column = if line <= 1 || self.block {
            self.column.saturating_add(column).saturating_sub(1)
        } else {
            column
        };
        TextError::new(self.line.saturating_add(line).saturating_sub(1), column, message)
    }

    /// The text as a set or map.
    pub(super) fn parse<T: std::str::FromStr<Err = tilia_presburger::Error>>(&self) -> Result<T, TextError> {
        // Line breaks are blanks: the column then says how far.
        self.text.replace(['\n', '\r'], " ").parse().map_err(|e| match e {
            tilia_presburger::Error::Parse(p) => {
                let at = usize::try_from(p.column).unwrap_or(1).saturating_sub(1).min(self.text.len());
                let before: String = self.text.chars().take(at).collect();
                let line = before.matches('\n').count() + 1;
                let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
                self.error(u32::try_from(line).unwrap_or(1), u32::try_from(column).unwrap_or(1), p.message)
            }
            other => self.error(1, 1, other.to_string()),
        })
    }
}

/// Splits a document into its keys, each once, of those that are known.
pub(super) fn entries<'a>(text: &'a str, known: &[&str]) -> Result<Vec<(&'a str, Value)>, TextError> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<(&str, Value)> = Vec::new();
    let mut n = 0;
    while n < lines.len() {
        let number = u32::try_from(n + 1).unwrap_or(u32::MAX);
        let line = lines[n];
        n += 1;
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') || content == "---" {
            continue;
        }
        let Some((key, rest)) = line.split_once(':').filter(|_| !line.starts_with(char::is_whitespace)) else {
            return Err(TextError::new(number, 1, "expected `key: value` at the beginning of a line"));
        };
        if !known.contains(&key) {
            return Err(TextError::new(
                number,
                1,
                format!("unknown key '{}': keys are {}", shorten(key), known.join(", ")),
            ));
        }
        if found.iter().any(|(k, _)| *k == key) {
            return Err(TextError::new(number, 1, format!("{key} is given twice")));
        }
        let value = if rest.trim().is_empty() {
            block(&lines, &mut n, number)?
        } else {
            quoted(&lines, &mut n, number, key.len() + 1)?
        };
        found.push((key, value));
    }
    Ok(found)
}

/// The indented lines that follow.
fn block(lines: &[&str], next: &mut usize, key_line: u32) -> Result<Value, TextError> {
    let start = *next;
    while *next < lines.len() && (lines[*next].trim().is_empty() || lines[*next].starts_with(char::is_whitespace)) {
        *next += 1;
    }
    let body = &lines[start..*next];
    let indent = |l: &&str| l.len() - l.trim_start().len();
    let Some(margin) = body.iter().filter(|l| !l.trim().is_empty()).map(indent).min() else {
        return Err(TextError::new(key_line, 1, "this key has no value"));
    };
    let text: Vec<&str> = body.iter().map(|l| l.get(margin..).unwrap_or("")).collect();
    Ok(Value {
        text: text.join("\n"),
        block: true,
        line: key_line.saturating_add(1),
        column: u32::try_from(margin + 1).unwrap_or(u32::MAX),
    })
}

/// A text in quotes, which may go over several lines, or without, on one.
fn quoted(lines: &[&str], next: &mut usize, number: u32, from: usize) -> Result<Value, TextError> {
    let line = lines[*next - 1];
    let rest = &line[from..];
    let at = from + rest.len() - rest.trim_start().len();
    let column = |bytes: usize| u32::try_from(line[..bytes].chars().count() + 1).unwrap_or(u32::MAX);
    let value = |text: String, at: usize| Value {
        text,
        block: false,
        line: number,
        column: column(at),
    };
    let Some(mut open) = line[at..].strip_prefix('"').map(str::to_owned) else {
        return Ok(value(line[at..].trim_end().to_owned(), at));
    };
    loop {
        if let Some(end) = open.find('"') {
            let behind = open[end + 1..].trim();
            if !behind.is_empty() && !behind.starts_with('#') {
                return Err(TextError::new(number, column(at), "something follows the text in quotes"));
            }
            open.truncate(end);
            return Ok(value(open, at + 1));
        }
        let Some(more) = lines.get(*next) else {
            return Err(TextError::new(number, column(at), "the text in quotes doesn't end"));
        };
        open.push('\n');
        open.push_str(more);
        *next += 1;
    }
}

/// The text, or its beginning.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        None => text.to_owned(),
        Some((n, _)) => format!("{}...", &text[..n]),
    }
}
