//! Tokens of isl's notation and the scanner that makes them.
//!
//! Hand-written: the notation has a dozen multi-character operators, keywords that may also serve as
//! tuple names (`floor[i]` is a tuple), and identifiers that end in primes (`i'`).

use super::error::ParseError;

/// What a token is. Digits of numbers and the text of names stay in the source, see [`Token::text`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name that is no keyword; may end in primes.
    Ident,
    /// A name between double quotes: any characters, for names that no identifier can spell.
    Quoted,
    /// A decimal number without sign.
    Number,
    /// A reserved word.
    Keyword(Keyword),
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `(`
    OpenParen,
    /// `)`
    CloseParen,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `:=` of the calculator
    Assign,
    /// `->`
    Arrow,
    /// `=` or `==`
    Eq,
    /// `!=` or `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<<`
    LexLt,
    /// `<<=`
    LexLe,
    /// `>>`
    LexGt,
    /// `>>=`
    LexGe,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `//`
    IntDiv,
    /// `%`
    Percent,
    /// `^`
    Caret,
    /// `?`
    Question,
    /// `.` of the calculator
    Dot,
    /// Not a token: an expression or condition that the parser read and put back.
    Node,
    /// The end of the text.
    End,
}

/// Reserved words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    /// `exists`
    Exists,
    /// `and`, `&&`
    And,
    /// `or`, `||`
    Or,
    /// `not`, `!`
    Not,
    /// `implies`, `=>`
    Implies,
    /// `true`
    True,
    /// `false`
    False,
    /// `floor`
    Floor,
    /// `ceil`
    Ceil,
    /// `floord`
    Floord,
    /// `ceild`
    Ceild,
    /// `mod`
    Mod,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `infty`, `infinity`
    Infty,
    /// `NaN`
    Nan,
    /// `rat`
    Rat,
}

/// The reserved word that `name` spells, if any.
pub(crate) fn keyword(name: &str) -> Option<Keyword> {
    Some(match name {
        "exists" => Keyword::Exists,
        "and" => Keyword::And,
        "or" => Keyword::Or,
        "not" => Keyword::Not,
        "implies" => Keyword::Implies,
        "true" => Keyword::True,
        "false" => Keyword::False,
        "floor" => Keyword::Floor,
        "ceil" => Keyword::Ceil,
        "floord" => Keyword::Floord,
        "ceild" => Keyword::Ceild,
        "mod" => Keyword::Mod,
        "min" => Keyword::Min,
        "max" => Keyword::Max,
        "infty" | "infinity" => Keyword::Infty,
        "NaN" => Keyword::Nan,
        "rat" => Keyword::Rat,
        _ => return None,
    })
}

/// One token: its kind and the bytes of the source it covers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// First byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

impl Token {
    /// The characters of the token.
    pub(crate) fn text<'s>(&self, source: &'s str) -> &'s str {
        &source[self.start..self.end]
    }
}

/// Splits a text into tokens; the last one is [`TokenKind::End`].
///
/// `#` starts a comment that runs to the end of the line.
pub(crate) fn tokenize(source: &str) -> Result<Vec<Token>, ParseError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at = skip_blank(source, at);
        let Some(c) = source[at..].chars().next() else {
            tokens.push(Token {
                kind: TokenKind::End,
                start: at,
                end: at,
            });
            return Ok(tokens);
        };
        let token = if c.is_ascii_digit() {
            number(source, at)
        } else if is_name_start(c) {
            name(source, at)
        } else if c == '"' {
            quoted(source, at)?
        } else {
            operator(source, at, c)?
        };
        at = token.end;
        tokens.push(token);
    }
}

fn skip_blank(source: &str, mut at: usize) -> usize {
    loop {
        let rest = &source[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if !trimmed.starts_with('#') {
            return at;
        }
        at += trimmed.find('\n').unwrap_or(trimmed.len());
    }
}

/// Whether a name can start with this character.
pub(crate) fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Whether a name can go on with this character (primes aside).
pub(crate) fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn length_while(text: &str, keep: impl Fn(char) -> bool) -> usize {
    text.find(|c| !keep(c)).unwrap_or(text.len())
}

fn number(source: &str, start: usize) -> Token {
    let end = start + length_while(&source[start..], |c| c.is_ascii_digit());
    Token {
        kind: TokenKind::Number,
        start,
        end,
    }
}

fn name(source: &str, start: usize) -> Token {
    let rest = &source[start..];
    let body = length_while(rest, is_name_part);
    let end = start + body + length_while(&rest[body..], |c| c == '\'');
    let kind = keyword(&source[start..end]).map_or(TokenKind::Ident, TokenKind::Keyword);
    Token { kind, start, end }
}

/// A quoted name. A quote inside is written twice.
fn quoted(source: &str, start: usize) -> Result<Token, ParseError> {
    let mut at = start + 1;
    loop {
        let Some(close) = source[at..].find('"') else {
            return Err(ParseError::at(source, start, "this quoted name has no end"));
        };
        at += close + 1;
        if !source[at..].starts_with('"') {
            return Ok(Token {
                kind: TokenKind::Quoted,
                start,
                end: at,
            });
        }
        at += 1;
    }
}

/// Operators, longest first.
const OPERATORS: &[(&str, TokenKind)] = &[
    ("<<=", TokenKind::LexLe),
    (">>=", TokenKind::LexGe),
    ("->", TokenKind::Arrow),
    ("=>", TokenKind::Keyword(Keyword::Implies)),
    ("==", TokenKind::Eq),
    ("!=", TokenKind::Ne),
    ("<>", TokenKind::Ne),
    ("<<", TokenKind::LexLt),
    (">>", TokenKind::LexGt),
    ("<=", TokenKind::Le),
    (">=", TokenKind::Ge),
    ("&&", TokenKind::Keyword(Keyword::And)),
    ("||", TokenKind::Keyword(Keyword::Or)),
    ("//", TokenKind::IntDiv),
    (":=", TokenKind::Assign),
    ("[", TokenKind::OpenBracket),
    ("]", TokenKind::CloseBracket),
    ("{", TokenKind::OpenBrace),
    ("}", TokenKind::CloseBrace),
    ("(", TokenKind::OpenParen),
    (")", TokenKind::CloseParen),
    (",", TokenKind::Comma),
    (";", TokenKind::Semicolon),
    (":", TokenKind::Colon),
    ("=", TokenKind::Eq),
    ("<", TokenKind::Lt),
    (">", TokenKind::Gt),
    ("+", TokenKind::Plus),
    ("-", TokenKind::Minus),
    ("*", TokenKind::Star),
    ("/", TokenKind::Slash),
    ("%", TokenKind::Percent),
    ("^", TokenKind::Caret),
    ("?", TokenKind::Question),
    ("!", TokenKind::Keyword(Keyword::Not)),
    (".", TokenKind::Dot),
];

fn operator(source: &str, start: usize, c: char) -> Result<Token, ParseError> {
    OPERATORS
        .iter()
        .find(|(text, _)| source[start..].starts_with(text))
        .map(|&(text, kind)| Token {
            kind,
            start,
            end: start + text.len(),
        })
        .ok_or_else(|| ParseError::at(source, start, format!("unexpected character `{}`", c.escape_default())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokenize(text).unwrap().iter().map(|t| t.kind).collect()
    }

    #[test]
    fn longest_operator_wins() {
        use TokenKind::*;
        assert_eq!(kinds("<<= << <= < // /"), [LexLe, LexLt, Le, Lt, IntDiv, Slash, End]);
        assert_eq!(
            kinds("a->b=>c"),
            [Ident, Arrow, Ident, Keyword(super::Keyword::Implies), Ident, End]
        );
    }

    #[test]
    fn primes_belong_to_names_and_comments_are_skipped() {
        let text = "i'' 2j # all\n \"x \"\"y\"";
        let tokens = tokenize(text).unwrap();
        let texts: Vec<_> = tokens.iter().map(|t| t.text(text)).collect();
        assert_eq!(texts, ["i''", "2", "j", "\"x \"\"y\"", ""]);
    }

    #[test]
    fn strange_characters_are_located() {
        let e = tokenize("{ [i] : i ≤ 3 }").unwrap_err();
        assert_eq!(e.column, 11);
        assert!(tokenize("\"abc").is_err());
    }
}
