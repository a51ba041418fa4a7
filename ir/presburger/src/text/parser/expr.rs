//! Expressions.

use super::super::syntax::{CompareOp, Expr, ExprKind, Formula, Pos};
use super::super::token::{Keyword, TokenKind};
use super::{Node, Parser, Result};

impl Parser<'_> {
    /// A piecewise expression `a : c; b : d`, or a plain one.
    pub(super) fn piecewise(&mut self) -> Result<Expr> {
        let first = self.extended()?;
        self.pieces_after(first)
    }

    /// Goes on after the first value of a piecewise expression.
    pub(super) fn pieces_after(&mut self, first: Expr) -> Result<Expr> {
        let condition = if self.eat(TokenKind::Colon) { Some(self.formula()?) } else { None };
        if condition.is_none() && self.kind() != TokenKind::Semicolon {
            return Ok(first);
        }
        self.more_pieces(vec![(first, condition)])
    }

    /// Goes on after the first piece of a piecewise expression.
    pub(super) fn more_pieces(&mut self, mut pieces: Vec<(Expr, Option<Formula>)>) -> Result<Expr> {
        let pos = pieces[0].0.pos;
        while self.eat(TokenKind::Semicolon) {
            let value = self.extended()?;
            let condition = if self.eat(TokenKind::Colon) { Some(self.formula()?) } else { None };
            pieces.push((value, condition));
        }
        Ok(Expr {
            kind: ExprKind::Piecewise(pieces),
            pos,
        })
    }

    /// An expression that may be a choice `c ? a : b`.
    pub(super) fn extended(&mut self) -> Result<Expr> {
        match self.expr_or_formula(false)? {
            Node::Expr(e) => Ok(e),
            Node::Formula(_) => Err(self.unexpected("`?` after this condition")),
        }
    }

    /// Reads an expression, or a condition when it turns out to be one.
    ///
    /// With `list`, a comma after an expression makes it the start of a list comparison.
    pub(super) fn expr_or_formula(&mut self, list: bool) -> Result<Node> {
        if self.kind() == TokenKind::OpenParen {
            let node = self.parenthesised()?;
            self.put_back(node);
        }
        if !self.at_condition() {
            let e = self.affine()?;
            let goes_on = compare_op(self.kind()).is_some() || list && self.kind() == TokenKind::Comma;
            if !goes_on {
                return Ok(Node::Expr(e));
            }
            self.put_back(Node::Expr(e));
        }
        let condition = self.formula()?;
        if !self.eat(TokenKind::Question) {
            return Ok(Node::Formula(condition));
        }
        let pos = condition.pos;
        let yes = self.nested(Self::extended)?;
        self.expect(TokenKind::Colon, "`:` and the other value")?;
        let no = self.nested(Self::extended)?;
        Ok(Node::Expr(Expr {
            kind: ExprKind::Ternary(Box::new(condition), Box::new(yes), Box::new(no)),
            pos,
        }))
    }

    /// Reads `( ... )` around an expression, a piecewise expression or a condition.
    pub(super) fn parenthesised(&mut self) -> Result<Node> {
        self.expect(TokenKind::OpenParen, "`(`")?;
        let node = self.nested(|p| match p.expr_or_formula(true)? {
            Node::Expr(e) => Ok(Node::Expr(p.pieces_after(e)?)),
            condition => Ok(condition),
        })?;
        self.expect(TokenKind::CloseParen, "`)`")?;
        Ok(node)
    }

    /// A sum of factors.
    pub(super) fn affine(&mut self) -> Result<Expr> {
        let pos = self.pos();
        let mut terms = Vec::new();
        let mut subtract = false;
        loop {
            let mut negate = false;
            while self.eat(TokenKind::Minus) {
                negate = !negate;
            }
            // A sign belongs to the number after it: `-5 mod 3` is `(-5) mod 3`.
            let signed_number = negate && self.kind() == TokenKind::Number;
            let term = self.factor(signed_number)?;
            terms.push((subtract != (negate && !signed_number), term));
            match self.kind() {
                TokenKind::Plus => subtract = false,
                TokenKind::Minus => subtract = true,
                _ => break,
            }
            self.bump();
        }
        if terms.len() == 1 && !terms[0].0 {
            return Ok(terms.remove(0).1);
        }
        Ok(Expr {
            kind: ExprKind::Sum(terms),
            pos,
        })
    }

    fn factor(&mut self, negative: bool) -> Result<Expr> {
        let pos = self.pos();
        let base = self.base(negative)?;
        if self.kind() == TokenKind::Percent || self.kind() == TokenKind::Keyword(Keyword::Mod) {
            self.bump();
            let divisor = self.divisor()?;
            return Ok(Expr {
                kind: ExprKind::Mod(Box::new(base), Box::new(divisor)),
                pos,
            });
        }
        let mut value = base;
        if self.eat(TokenKind::Star) {
            let negative = self.eat(TokenKind::Minus);
            let other = self.nested(|p| p.factor(negative && p.kind() == TokenKind::Number))?;
            value = Expr {
                kind: ExprKind::Product(Box::new(value), Box::new(other)),
                pos,
            };
        }
        if self.eat(TokenKind::Slash) {
            let divisor = self.divisor()?;
            value = Expr {
                kind: ExprKind::Quotient(Box::new(value), Box::new(divisor)),
                pos,
            };
        }
        if self.eat(TokenKind::IntDiv) {
            let divisor = self.divisor()?;
            value = floor(Expr {
                kind: ExprKind::Quotient(Box::new(value), Box::new(divisor)),
                pos,
            });
        }
        Ok(value)
    }

    fn base(&mut self, negative: bool) -> Result<Expr> {
        let pos = self.pos();
        match self.kind() {
            TokenKind::Node | TokenKind::OpenParen => self.parenthesised_value(),
            TokenKind::Number => self.number_or_product(negative),
            TokenKind::Ident | TokenKind::Quoted => {
                let name = self.name("a name")?;
                if !self.is_known(&name.text) {
                    return Err(self.error(pos, format!("unknown name `{}`", name.text)));
                }
                Ok(Expr {
                    kind: ExprKind::Var(name.text),
                    pos,
                })
            }
            TokenKind::OpenBracket => {
                self.bump();
                let inner = self.nested(Self::affine)?;
                self.expect(TokenKind::CloseBracket, "`]`")?;
                Ok(Expr {
                    kind: ExprKind::Floor(Box::new(inner)),
                    pos,
                })
            }
            TokenKind::Keyword(word) => self.call(word, pos),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn parenthesised_value(&mut self) -> Result<Expr> {
        let pos = self.pos();
        let node = match self.node.take() {
            Some(node) => node,
            None => self.parenthesised()?,
        };
        match node {
            Node::Expr(e) => Ok(e),
            Node::Formula(_) => Err(self.error(pos, "this is a condition, but a number is needed here")),
        }
    }

    /// A number, or a number times the factor that follows.
    fn number_or_product(&mut self, negative: bool) -> Result<Expr> {
        let pos = self.pos();
        let digits = self.bump().text(self.source);
        let sign = if negative { "-" } else { "" };
        let number = Expr {
            kind: ExprKind::Number(format!("{sign}{digits}")),
            pos,
        };
        let starred = self.eat(TokenKind::Star);
        if !starred && !self.at_implicit_factor() {
            return Ok(number);
        }
        let negated = starred && self.eat(TokenKind::Minus);
        let at = self.pos();
        let mut other = self.nested(|p| p.factor(false))?;
        if negated {
            other = Expr {
                kind: ExprKind::Sum(vec![(true, other)]),
                pos: at,
            };
        }
        Ok(Expr {
            kind: ExprKind::Product(Box::new(number), Box::new(other)),
            pos,
        })
    }

    fn at_implicit_factor(&self) -> bool {
        match self.kind() {
            TokenKind::Ident | TokenKind::Quoted | TokenKind::OpenParen => true,
            TokenKind::Keyword(word) => matches!(
                word,
                Keyword::Floor | Keyword::Ceil | Keyword::Floord | Keyword::Ceild | Keyword::Min | Keyword::Max
            ),
            _ => false,
        }
    }

    /// `floor(e)`, `ceil(e)`, `floord(e, d)`, `ceild(e, d)`, `min(...)`, `max(...)`.
    fn call(&mut self, word: Keyword, pos: Pos) -> Result<Expr> {
        if matches!(word, Keyword::Infty | Keyword::Nan) {
            return Err(self.error(pos, "infinities and NaN are not supported: all values are integers"));
        }
        if !self.at_implicit_factor() {
            return Err(self.unexpected("an expression"));
        }
        self.bump();
        self.expect(TokenKind::OpenParen, "`(`")?;
        let mut args = vec![self.nested(Self::affine)?];
        while self.eat(TokenKind::Comma) {
            args.push(self.nested(Self::affine)?);
        }
        let arity = match word {
            Keyword::Floor | Keyword::Ceil => Some(1),
            Keyword::Floord | Keyword::Ceild => Some(2),
            _ => None,
        };
        if arity.is_some_and(|n| n != args.len()) {
            return Err(self.error(pos, "wrong number of arguments"));
        }
        self.expect(TokenKind::CloseParen, "`,` or `)`")?;
        Ok(Expr {
            kind: build_call(word, args, pos),
            pos,
        })
    }

    /// The constant after `/`, `//`, `%` or `mod`.
    fn divisor(&mut self) -> Result<Expr> {
        let pos = self.pos();
        let negative = self.eat(TokenKind::Minus);
        if self.kind() != TokenKind::Number {
            return Err(self.unexpected("a constant divisor"));
        }
        let digits = self.bump().text(self.source);
        let sign = if negative { "-" } else { "" };
        Ok(Expr {
            kind: ExprKind::Number(format!("{sign}{digits}")),
            pos,
        })
    }
}

fn floor(e: Expr) -> Expr {
    let pos = e.pos;
    Expr {
        kind: ExprKind::Floor(Box::new(e)),
        pos,
    }
}

fn build_call(word: Keyword, mut args: Vec<Expr>, pos: Pos) -> ExprKind {
    match word {
        Keyword::Min => ExprKind::Min(args),
        Keyword::Max => ExprKind::Max(args),
        Keyword::Floord | Keyword::Ceild => {
            let divisor = Box::new(args.remove(1));
            let quotient = Expr {
                kind: ExprKind::Quotient(Box::new(args.remove(0)), divisor),
                pos,
            };
            let quotient = Box::new(quotient);
            if word == Keyword::Floord {
                ExprKind::Floor(quotient)
            } else {
                ExprKind::Ceil(quotient)
            }
        }
        Keyword::Ceil => ExprKind::Ceil(Box::new(args.remove(0))),
        _ => ExprKind::Floor(Box::new(args.remove(0))),
    }
}

/// The comparison that a token stands for.
pub(super) fn compare_op(kind: TokenKind) -> Option<CompareOp> {
    Some(match kind {
        TokenKind::Eq => CompareOp::Eq,
        TokenKind::Ne => CompareOp::Ne,
        TokenKind::Lt => CompareOp::Lt,
        TokenKind::Le => CompareOp::Le,
        TokenKind::Gt => CompareOp::Gt,
        TokenKind::Ge => CompareOp::Ge,
        TokenKind::LexLt => CompareOp::LexLt,
        TokenKind::LexLe => CompareOp::LexLe,
        TokenKind::LexGt => CompareOp::LexGt,
        TokenKind::LexGe => CompareOp::LexGe,
        _ => return None,
    })
}
