//! Objects: parameters, braces, pieces, and tuples of braces.

use super::super::syntax::{Body, MultiKind, MultiTuple, Name, Object, Piece};
use super::super::token::{Keyword, TokenKind};
use super::{Parser, Result};

impl Parser<'_> {
    /// Reads one whole object and nothing after it.
    pub(crate) fn object(&mut self) -> Result<Object> {
        let pos = self.pos();
        self.scope.clear();
        let params = if self.at_params() { self.params()? } else { Vec::new() };
        let body = match self.kind() {
            TokenKind::OpenBrace => Body::Braces(self.braces()?),
            TokenKind::OpenParen => self.multi_with_domain()?,
            _ if self.at_multi() => Body::Multi {
                tuple: self.multi_tuple()?,
                domain: None,
            },
            _ => return Err(self.unexpected("`{`")),
        };
        self.scope.clear();
        Ok(Object { params, body, pos })
    }

    /// Whether an object can start here.
    pub(crate) fn at_object(&self) -> bool {
        matches!(self.kind(), TokenKind::OpenBrace | TokenKind::OpenBracket) || self.at_multi()
    }

    /// Whether the bracket here lists parameters rather than the members of a tuple of braces.
    fn at_params(&self) -> bool {
        if self.kind() != TokenKind::OpenBracket {
            return false;
        }
        match (self.kind_ahead(1), self.kind_ahead(2)) {
            (TokenKind::OpenBrace | TokenKind::OpenBracket, _) => false,
            (TokenKind::CloseBracket, after) => after == TokenKind::Arrow,
            (_, after) => after != TokenKind::OpenBracket,
        }
    }

    fn at_multi(&self) -> bool {
        self.kind() == TokenKind::OpenBracket
            || matches!(self.kind(), TokenKind::Ident | TokenKind::Quoted | TokenKind::Keyword(_))
                && self.kind_ahead(1) == TokenKind::OpenBracket
    }

    fn params(&mut self) -> Result<Vec<Name>> {
        self.expect(TokenKind::OpenBracket, "`[`")?;
        let mut params = Vec::new();
        while self.kind() != TokenKind::CloseBracket {
            let name = self.name("the name of a parameter")?;
            if self.is_known(&name.text) {
                return Err(self.error(name.pos, format!("parameter `{}` is declared twice", name.text)));
            }
            self.declare(&name);
            params.push(name);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::CloseBracket, "`,` or `]`")?;
        self.expect(TokenKind::Arrow, "`->` after the parameters")?;
        Ok(params)
    }

    fn braces(&mut self) -> Result<Vec<Piece>> {
        self.expect(TokenKind::OpenBrace, "`{`")?;
        let mut pieces = Vec::new();
        while self.kind() != TokenKind::CloseBrace {
            pieces.push(self.piece()?);
            if !self.eat(TokenKind::Semicolon) {
                break;
            }
        }
        self.expect(TokenKind::CloseBrace, "`;` or `}`")?;
        Ok(pieces)
    }

    fn piece(&mut self) -> Result<Piece> {
        let pos = self.pos();
        if self.kind() == TokenKind::Keyword(Keyword::Rat) && self.kind_ahead(1) == TokenKind::Colon {
            return Err(self.error(pos, "rational sets are not supported: all values are integers"));
        }
        let visible = self.scope.len();
        let mut tuples = Vec::new();
        if self.kind() != TokenKind::Colon {
            tuples.push(self.tuple()?);
            if self.eat(TokenKind::Arrow) {
                tuples.push(self.tuple()?);
            }
        }
        let has_formula = self.eat(TokenKind::Colon) && !matches!(self.kind(), TokenKind::CloseBrace | TokenKind::Semicolon);
        let formula = if has_formula { Some(self.formula()?) } else { None };
        self.scope.truncate(visible);
        Ok(Piece { tuples, formula, pos })
    }

    fn multi_with_domain(&mut self) -> Result<Body> {
        self.expect(TokenKind::OpenParen, "`(`")?;
        let tuple = self.multi_tuple()?;
        self.expect(TokenKind::Colon, "`:` and a domain")?;
        let domain = Some(self.braces()?);
        self.expect(TokenKind::CloseParen, "`)`")?;
        Ok(Body::Multi { tuple, domain })
    }

    fn multi_tuple(&mut self) -> Result<MultiTuple> {
        let name = self.tuple_name();
        self.expect(TokenKind::OpenBracket, "`[`")?;
        let kind = if self.at_multi() {
            let first = self.nested(Self::multi_tuple)?;
            self.expect(TokenKind::Arrow, "`->` between two nested tuples")?;
            let second = self.nested(Self::multi_tuple)?;
            MultiKind::Nested(Box::new(first), Box::new(second))
        } else {
            MultiKind::Flat(self.multi_members()?)
        };
        self.expect(TokenKind::CloseBracket, "`,` or `]`")?;
        Ok(MultiTuple { name, kind })
    }

    fn multi_members(&mut self) -> Result<Vec<Vec<Piece>>> {
        let mut members = Vec::new();
        while self.kind() == TokenKind::OpenBrace {
            members.push(self.braces()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(members)
    }
}
