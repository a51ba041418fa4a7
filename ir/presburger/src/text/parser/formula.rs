//! Conditions.

use super::super::syntax::{Expr, Formula, FormulaKind, Name};
use super::super::token::{Keyword, TokenKind};
use super::expr::compare_op;
use super::{Node, Parser, Result};

impl Parser<'_> {
    /// A condition: disjunctions, perhaps joined by one `implies`.
    pub(super) fn formula(&mut self) -> Result<Formula> {
        let premise = self.disjunction()?;
        if !self.eat(TokenKind::Keyword(Keyword::Implies)) {
            return Ok(premise);
        }
        let pos = premise.pos;
        let conclusion = self.nested(Self::disjunction)?;
        Ok(Formula {
            kind: FormulaKind::Implies(Box::new(premise), Box::new(conclusion)),
            pos,
        })
    }

    fn disjunction(&mut self) -> Result<Formula> {
        let first = self.conjunction()?;
        if self.kind() != TokenKind::Keyword(Keyword::Or) {
            return Ok(first);
        }
        let pos = first.pos;
        let mut parts = vec![first];
        while self.eat(TokenKind::Keyword(Keyword::Or)) {
            parts.push(self.conjunction()?);
        }
        Ok(Formula {
            kind: FormulaKind::Or(parts),
            pos,
        })
    }

    fn conjunction(&mut self) -> Result<Formula> {
        let first = self.literal()?;
        if self.kind() != TokenKind::Keyword(Keyword::And) {
            return Ok(first);
        }
        let pos = first.pos;
        let mut parts = vec![first];
        while self.eat(TokenKind::Keyword(Keyword::And)) {
            parts.push(self.literal()?);
        }
        Ok(Formula {
            kind: FormulaKind::And(parts),
            pos,
        })
    }

    /// A conjunct with any number of negations before it.
    fn literal(&mut self) -> Result<Formula> {
        let pos = self.pos();
        let mut negate = false;
        while self.eat(TokenKind::Keyword(Keyword::Not)) {
            negate = !negate;
        }
        let positive = self.conjunct()?;
        if !negate {
            return Ok(positive);
        }
        Ok(Formula {
            kind: FormulaKind::Not(Box::new(positive)),
            pos,
        })
    }

    fn conjunct(&mut self) -> Result<Formula> {
        if self.kind() == TokenKind::OpenParen {
            let node = self.parenthesised()?;
            self.put_back(node);
        }
        match self.node.take() {
            Some(Node::Formula(f)) => return Ok(f),
            node => self.node = node,
        }
        let pos = self.pos();
        let literal = |value| {
            Ok(Formula {
                kind: FormulaKind::Literal(value),
                pos,
            })
        };
        if self.eat(TokenKind::Keyword(Keyword::Exists)) {
            return self.nested(|p| p.exists(pos));
        }
        if self.eat(TokenKind::Keyword(Keyword::True)) {
            return literal(true);
        }
        if self.eat(TokenKind::Keyword(Keyword::False)) {
            return literal(false);
        }
        self.comparison()
    }

    fn exists(&mut self, pos: usize) -> Result<Formula> {
        let visible = self.scope.len();
        let parenthesised = self.eat(TokenKind::OpenParen);
        let mut variables = Vec::new();
        while matches!(self.kind(), TokenKind::Ident | TokenKind::Quoted) {
            variables.push(self.quantified()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Colon, "`:` after the variables of `exists`")?;
        let body = self.formula()?;
        self.scope.truncate(visible);
        if parenthesised {
            self.expect(TokenKind::CloseParen, "`)`")?;
        }
        Ok(Formula {
            kind: FormulaKind::Exists(variables, Box::new(body)),
            pos,
        })
    }

    fn quantified(&mut self) -> Result<(Name, Option<Expr>)> {
        let name = self.name("a variable")?;
        if self.is_known(&name.text) {
            let message = format!("`{}` is already in use; `exists` needs a fresh name", name.text);
            return Err(self.error(name.pos, message));
        }
        self.declare(&name);
        let value = if self.eat(TokenKind::Eq) { Some(self.extended()?) } else { None };
        Ok((name, value))
    }

    fn comparison(&mut self) -> Result<Formula> {
        let pos = self.pos();
        let first = self.list()?;
        let mut rest = Vec::new();
        while let Some(op) = compare_op(self.kind()) {
            let at = self.pos();
            self.bump();
            let list = self.list()?;
            let before = rest.last().map_or(&first, |(_, l): &(_, Vec<Expr>)| l);
            if op.is_lexicographic() && before.len() != list.len() {
                return Err(self.error(at, "the two sides must have the same number of elements"));
            }
            rest.push((op, list));
        }
        if rest.is_empty() {
            return Err(self.unexpected("a comparison operator"));
        }
        Ok(Formula {
            kind: FormulaKind::Compare(first, rest),
            pos,
        })
    }

    fn list(&mut self) -> Result<Vec<Expr>> {
        let mut list = vec![self.affine()?];
        while self.eat(TokenKind::Comma) {
            list.push(self.affine()?);
        }
        Ok(list)
    }

    /// Whether only a condition can start here.
    pub(super) fn at_condition(&self) -> bool {
        matches!(self.node, Some(Node::Formula(_)))
            || self.node.is_none()
                && matches!(
                    self.kind(),
                    TokenKind::Keyword(Keyword::Exists | Keyword::Not | Keyword::True | Keyword::False)
                )
    }
}
