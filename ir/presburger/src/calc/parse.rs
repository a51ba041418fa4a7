//! The calculator's own syntax around the objects.

use super::error::CalcError;
use crate::text::parser::Parser;
use crate::text::syntax::{Object, Pos};
use crate::text::token::TokenKind;

/// An expression.
#[derive(Debug, Clone)]
pub(super) enum Expr {
    /// An object in isl's notation.
    Object(Object),
    /// A number, perhaps after a minus sign.
    Number(String),
    /// A name: a variable, `true`, `false`, or a kind of dimension.
    Name(String, Pos),
    /// A call of a function.
    Call {
        /// The function's name.
        name: String,
        /// The arguments.
        args: Vec<(Expr, Pos)>,
        /// Where the name is.
        pos: Pos,
    },
}

/// A statement: an expression, perhaps with a name for its value.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    /// The variable that gets the value.
    pub(super) target: Option<String>,
    /// The expression.
    pub(super) expr: Expr,
    /// Where the expression starts.
    pub(super) pos: Pos,
}

type Result<T> = std::result::Result<T, CalcError>;

/// Reads one statement; a semicolon after it is allowed.
pub(super) fn statement(text: &str) -> Result<Statement> {
    let mut p = Parser::new(text)?;
    let mut target = None;
    if is_name(p.kind()) && p.kind_ahead(1) == TokenKind::Assign {
        target = Some(p.text().to_string());
        p.bump();
        p.bump();
    }
    let pos = p.pos();
    let expr = expr(&mut p)?;
    p.eat(TokenKind::Semicolon);
    p.expect_end()?;
    Ok(Statement { target, expr, pos })
}

fn is_name(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Ident | TokenKind::Keyword(_))
}

fn expr(p: &mut Parser<'_>) -> Result<Expr> {
    match p.kind() {
        TokenKind::Number => Ok(Expr::Number(take(p))),
        TokenKind::Minus => {
            p.bump();
            if p.kind() != TokenKind::Number {
                return Err(p.unexpected("a number after `-`").into());
            }
            Ok(Expr::Number(format!("-{}", take(p))))
        }
        kind if is_name(kind) && p.kind_ahead(1) == TokenKind::OpenParen => call(p),
        kind if is_name(kind) && p.kind_ahead(1) != TokenKind::OpenBracket => {
            let pos = p.pos();
            Ok(Expr::Name(take(p), pos))
        }
        TokenKind::OpenParen => Ok(Expr::Object(p.object()?)),
        _ if p.at_object() => Ok(Expr::Object(p.object()?)),
        _ => Err(p.unexpected("a set, a number or a function").into()),
    }
}

fn take(p: &mut Parser<'_>) -> String {
    let text = p.text().to_string();
    p.bump();
    text
}

fn call(p: &mut Parser<'_>) -> Result<Expr> {
    let pos = p.pos();
    let name = take(p);
    p.bump();
    let mut args = Vec::new();
    while p.kind() != TokenKind::CloseParen {
        let at = p.pos();
        // The calculator's errors are the parser's, so the depth guard of the parser serves both.
        let arg = p.nested(|p| expr(p).map_err(|e| e.0))?;
        args.push((arg, at));
        if !p.eat(TokenKind::Comma) {
            break;
        }
    }
    p.expect(TokenKind::CloseParen, "`,` or `)`")?;
    Ok(Expr::Call { name, args, pos })
}
