//! Recursive-descent parser from tokens to the syntax tree.
//!
//! Follows isl's reader decision for decision, also where it surprises: `2i mod 3` is `2 (i mod 3)`,
//! a fresh name in a tuple declares a dimension while a known one is an expression. Names are therefore
//! tracked while parsing. A parenthesis may open an expression or a condition; instead of trying both
//! (which would be exponential in the nesting), the part already read is put back as a *node*.
//!
//! Nesting is bounded by [`MAX_DEPTH`]; deeper input is an error, not a stack overflow. Deliberately missing:
//! rational sets, infinities, PolyLib matrices.

mod expr;
mod formula;
mod object;
mod tuple;

use super::error::ParseError;
use super::syntax::{Expr, Formula, Name, Pos};
use super::token::{Token, TokenKind, tokenize};

/// Deepest nesting of brackets, products and quantifiers.
const MAX_DEPTH: u32 = 100;

type Result<T> = std::result::Result<T, ParseError>;

/// Something read ahead and put back.
#[derive(Debug)]
pub(super) enum Node {
    Expr(Expr),
    Formula(Formula),
}

/// The state of parsing one text.
#[derive(Debug)]
pub(crate) struct Parser<'s> {
    source: &'s str,
    tokens: Vec<Token>,
    at: usize,
    node: Option<Node>,
    scope: Vec<String>,
    depth: u32,
}

impl<'s> Parser<'s> {
    /// Prepares to read `source`.
    pub(crate) fn new(source: &'s str) -> Result<Self> {
        let tokens = tokenize(source)?;
        Ok(Parser {
            source,
            tokens,
            at: 0,
            node: None,
            scope: Vec::new(),
            depth: 0,
        })
    }

    /// The kind of the next token.
    pub(crate) fn kind(&self) -> TokenKind {
        if self.node.is_some() {
            TokenKind::Node
        } else {
            self.tokens[self.at].kind
        }
    }

    /// The kind of the token `n` places further, ignoring a node put back.
    pub(crate) fn kind_ahead(&self, n: usize) -> TokenKind {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)].kind
    }

    /// The text of the next token.
    pub(crate) fn text(&self) -> &'s str {
        self.tokens[self.at].text(self.source)
    }

    /// The place of the next token.
    pub(crate) fn pos(&self) -> Pos {
        match &self.node {
            Some(Node::Expr(e)) => e.pos,
            Some(Node::Formula(f)) => f.pos,
            None => self.tokens[self.at].start,
        }
    }

    /// Moves past the next token.
    pub(crate) fn bump(&mut self) -> Token {
        let token = self.tokens[self.at];
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// Moves past the next token if it is of this kind.
    pub(crate) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// Moves past the next token, which must be of this kind; `what` names it.
    pub(crate) fn expect(&mut self, kind: TokenKind, what: &str) -> Result<Token> {
        if self.kind() == kind {
            Ok(self.bump())
        } else {
            Err(self.unexpected(what))
        }
    }

    /// Checks that nothing is left.
    pub(crate) fn expect_end(&self) -> Result<()> {
        if self.kind() == TokenKind::End {
            Ok(())
        } else {
            Err(self.unexpected("the end of the text"))
        }
    }

    /// An error at the next token, which isn't what was wanted.
    pub(crate) fn unexpected(&self, wanted: &str) -> ParseError {
        let found = match self.kind() {
            TokenKind::End => "the end of the text".to_string(),
            TokenKind::Node => "an expression".to_string(),
            _ => format!("`{}`", self.text()),
        };
        self.error(self.pos(), format!("expected {wanted}, found {found}"))
    }

    /// An error at a place.
    pub(crate) fn error(&self, at: Pos, message: impl Into<String>) -> ParseError {
        ParseError::at(self.source, at, message)
    }

    /// Runs a nested rule one level deeper.
    pub(crate) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(self.pos(), format!("nested deeper than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    fn put_back(&mut self, node: Node) {
        debug_assert!(self.node.is_none(), "only one node is ever read ahead");
        self.node = Some(node);
    }

    /// Reads an identifier or a quoted name.
    fn name(&mut self, what: &str) -> Result<Name> {
        let pos = self.pos();
        match self.kind() {
            TokenKind::Ident => Ok(Name {
                text: self.bump().text(self.source).to_string(),
                pos,
            }),
            TokenKind::Quoted => {
                let token = self.bump();
                Ok(Name {
                    text: unquote(token.text(self.source)),
                    pos,
                })
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn is_known(&self, name: &str) -> bool {
        self.scope.iter().any(|n| n == name)
    }

    fn declare(&mut self, name: &Name) {
        self.scope.push(name.text.clone());
    }
}

/// The characters of a quoted name.
fn unquote(text: &str) -> String {
    text[1..text.len() - 1].replace("\"\"", "\"")
}
