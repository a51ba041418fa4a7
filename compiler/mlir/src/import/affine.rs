//! Affine maps and integer sets of MLIR as ours, with the check that divisors are positive.

use crate::ffi;
use melior::ir::attribute::Attribute;
use melior::ir::{AffineExpr as MlirExpr, AffineMap as MlirMap};
use tilia_program::{AffineExpr, AffineMap, IntegerSet};

/// A division that has no meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadDivisor {
    operation: &'static str,
    divisor: i64,
}

impl BadDivisor {
    /// What is wrong.
    pub(super) fn message(&self) -> String {
        let Self { operation, divisor } = self;
        format!("'{operation}' by {divisor}: the right-hand side must be positive")
    }

    /// What the user can write instead.
    pub(super) fn help(&self) -> String {
        match (self.divisor.checked_neg(), self.operation) {
            (Some(positive @ 1..), "floordiv" | "ceildiv") => {
                format!("write 'x {0} {1}' as '(-x) {0} {positive}'", self.operation, self.divisor)
            }
            _ => "use a positive constant".to_owned(),
        }
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// An expression.
fn expr(e: MlirExpr<'_>) -> Result<AffineExpr, BadDivisor> {
    if e.is_dim() {
        return Ok(AffineExpr::Dim(number(e.dim_position())));
    }
    if e.is_symbol() {
        return Ok(AffineExpr::Sym(number(e.symbol_position())));
    }
    if e.is_constant() {
        return Ok(AffineExpr::Const(e.constant_value()));
    }
    let (a, b) = (expr(e.lhs())?, expr(e.rhs())?);
    if e.is_add() {
        return Ok(AffineExpr::add(a, b));
    }
    if e.is_mul() {
        return Ok(AffineExpr::mul(a, b));
    }
    let operation = if e.is_mod() {
        "mod"
    } else if e.is_floor_div() {
        "floordiv"
    } else {
        "ceildiv"
    };
    if let AffineExpr::Const(divisor @ ..=0) = b {
        return Err(BadDivisor { operation, divisor });
    }
    let (a, b) = (Box::new(a), Box::new(b));
    Ok(match operation {
        "mod" => AffineExpr::Mod(a, b),
        "floordiv" => AffineExpr::FloorDiv(a, b),
        _ => AffineExpr::CeilDiv(a, b),
    })
}

/// A map.
pub(super) fn map(m: MlirMap<'_>) -> Result<AffineMap, BadDivisor> {
    Ok(AffineMap {
        dims: number(m.dim_count()),
        syms: number(m.symbol_count()),
        results: ffi::map_results(m).into_iter().map(expr).collect::<Result<_, _>>()?,
    })
}

/// The set of an integer set attribute; `None` when it isn't one.
pub(super) fn set(attribute: Attribute<'_>) -> Option<Result<IntegerSet, BadDivisor>> {
    let raw = ffi::integer_set(attribute)?;
    let constraints = raw.constraints.into_iter().map(|(e, eq)| Ok((expr(e)?, eq))).collect();
    Some(Ok(IntegerSet {
        dims: number(raw.dims),
        syms: number(raw.syms),
        constraints: match constraints {
            Ok(constraints) => constraints,
            Err(bad) => return Some(Err(bad)),
        },
    }))
}
