//! Tuples and their entries.

use super::super::syntax::{Entry, Tuple, TupleKind};
use super::super::token::TokenKind;
use super::{Node, Parser, Result, unquote};

impl Parser<'_> {
    pub(super) fn tuple(&mut self) -> Result<Tuple> {
        let pos = self.pos();
        let name = self.tuple_name();
        self.expect(TokenKind::OpenBracket, "a tuple")?;
        let kind = if self.at_tuple() {
            let first = self.nested(Self::tuple)?;
            self.expect(TokenKind::Arrow, "`->` between two nested tuples")?;
            let second = self.nested(Self::tuple)?;
            TupleKind::Nested(Box::new(first), Box::new(second))
        } else {
            TupleKind::Flat(self.entries()?)
        };
        self.expect(TokenKind::CloseBracket, "`,` or `]`")?;
        Ok(Tuple { name, kind, pos })
    }

    /// The name before a bracket. Reserved words are fine there.
    pub(super) fn tuple_name(&mut self) -> Option<String> {
        match self.kind() {
            TokenKind::Ident | TokenKind::Keyword(_) => Some(self.bump().text(self.source).to_string()),
            TokenKind::Quoted => Some(unquote(self.bump().text(self.source))),
            _ => None,
        }
    }

    fn at_tuple(&self) -> bool {
        match self.kind() {
            TokenKind::OpenBracket => true,
            TokenKind::Ident | TokenKind::Quoted | TokenKind::Keyword(_) => self.kind_ahead(1) == TokenKind::OpenBracket,
            _ => false,
        }
    }

    fn entries(&mut self) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        if self.kind() == TokenKind::CloseBracket {
            return Ok(entries);
        }
        loop {
            entries.push(self.entry()?);
            // `[i][j]` is another spelling of `[i, j]`.
            let glued = self.kind() == TokenKind::CloseBracket && self.kind_ahead(1) == TokenKind::OpenBracket;
            if glued {
                self.bump();
                self.bump();
            } else if !self.eat(TokenKind::Comma) {
                return Ok(entries);
            }
        }
    }

    fn entry(&mut self) -> Result<Entry> {
        if self.eat(TokenKind::Star) {
            return Ok(Entry::Anonymous);
        }
        if matches!(self.kind(), TokenKind::Ident | TokenKind::Quoted) {
            let place = self.at;
            let name = self.name("a name")?;
            if !self.is_known(&name.text) {
                self.declare(&name);
                let value = if self.eat(TokenKind::Eq) { Some(self.piecewise()?) } else { None };
                return Ok(Entry::Declared(name, value));
            }
            self.at = place;
        }
        self.entry_expr()
    }

    fn entry_expr(&mut self) -> Result<Entry> {
        if self.eat(TokenKind::Colon) {
            let high = if self.at_entry_end() { None } else { Some(self.affine()?) };
            return Ok(Entry::Range(None, high));
        }
        let first = self.extended()?;
        if self.kind() != TokenKind::Colon {
            return Ok(Entry::Expr(self.pieces_after(first)?));
        }
        self.bump();
        if self.at_entry_end() {
            return Ok(Entry::Range(Some(first), None));
        }
        match self.expr_or_formula(false)? {
            Node::Expr(high) => Ok(Entry::Range(Some(first), Some(high))),
            Node::Formula(condition) => Ok(Entry::Expr(self.more_pieces(vec![(first, Some(condition))])?)),
        }
    }

    fn at_entry_end(&self) -> bool {
        matches!(self.kind(), TokenKind::Comma | TokenKind::CloseBracket)
    }
}
