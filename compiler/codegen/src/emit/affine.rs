//! Affine maps and sets: exact integers, with overflow checked where intervals can't exclude it.

use super::core::{Emit, Emitter};
use super::poly::Poly;
use super::value::Val;
use crate::analysis::Range;
use crate::sites::Cause;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use tilia_diag::Diagnostic;
use tilia_program::{AffineExpr, AffineMap, IntegerSet, OpId, ValueId};

/// An index value: what it is made of and where it lies.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) poly: Poly,
    pub(super) range: Range,
}

/// Operands of a map, and whether overflow on the way must be an error. It need not where the result is only used as subscripts that are proven in bounds:
/// then no exact intermediate result can leave 64 bits unless the element did.
#[derive(Clone, Copy)]
pub(super) struct Eval<'v> {
    pub(super) dims: &'v [ValueId],
    pub(super) syms: &'v [ValueId],
    pub(super) exact: bool,
}

/// Depth of expressions beyond which they are refused.
const MAX_DEPTH: u32 = 200;

impl Emitter<'_, '_> {
    /// An index operand.
    pub(super) fn term(&mut self, value: ValueId) -> Emit<Term> {
        let range = self.ranges.get(&value).copied().unwrap_or(Range::FULL);
        if let Some(poly) = self.polys.get(&value) {
            return Ok(Term { poly: poly.clone(), range });
        }
        let scalar = self.scalar(value)?;
        Ok(Term {
            poly: Poly::value(scalar),
            range,
        })
    }

    /// Makes `value` the index value `term`.
    pub(super) fn set_term(&mut self, value: ValueId, term: Term) {
        let scalar = self.sum(&term.poly);
        self.set_scalar(value, scalar);
        if term.poly.is_small() {
            self.polys.insert(value, term.poly);
        }
        self.ranges.insert(value, term.range);
    }

    pub(super) fn eval<'v>(&self, map: &AffineMap, operands: &'v [ValueId], exact: bool) -> Emit<Eval<'v>> {
        self.operands(map.dims, map.syms, operands, exact)
    }

    fn operands<'v>(&self, dims: u32, syms: u32, operands: &'v [ValueId], exact: bool) -> Emit<Eval<'v>> {
        let (dims, syms) = (dims as usize, syms as usize);
        if operands.len() < dims + syms {
            return Err(self.malformed("an affine map lacks operands"));
        }
        Ok(Eval {
            dims: &operands[..dims],
            syms: &operands[dims..dims + syms],
            exact,
        })
    }

    pub(super) fn affine(&mut self, e: &AffineExpr, eval: Eval<'_>) -> Emit<Term> {
        self.affine_at(e, eval, 0)
    }

    fn affine_at(&mut self, e: &AffineExpr, eval: Eval<'_>, depth: u32) -> Emit<Term> {
        if depth > MAX_DEPTH {
            return Err(Diagnostic::error(
                self.loc.clone(),
                format!("an affine expression is nested more than {MAX_DEPTH} deep"),
            ));
        }
        let operand = |list: &[ValueId], n: u32| list.get(n as usize).copied();
        match e {
            AffineExpr::Const(c) => Ok(Term {
                poly: Poly::constant(*c),
                range: Range::exact(*c),
            }),
            AffineExpr::Dim(n) | AffineExpr::Sym(n) => {
                let list = if matches!(e, AffineExpr::Dim(_)) { eval.dims } else { eval.syms };
                let value = operand(list, *n).ok_or_else(|| self.malformed("an affine map lacks operands"))?;
                self.term(value)
            }
            AffineExpr::Add(a, b) => {
                let (a, b) = (self.affine_at(a, eval, depth + 1)?, self.affine_at(b, eval, depth + 1)?);
                Ok(self.affine_add(&a, &b, eval.exact))
            }
            AffineExpr::Mul(a, b) => {
                let (a, b) = (self.affine_at(a, eval, depth + 1)?, self.affine_at(b, eval, depth + 1)?);
                Ok(self.affine_mul(&a, &b, eval.exact))
            }
            AffineExpr::FloorDiv(a, b) | AffineExpr::CeilDiv(a, b) | AffineExpr::Mod(a, b) => {
                let (a, b) = (self.affine_at(a, eval, depth + 1)?, self.affine_at(b, eval, depth + 1)?);
                Ok(self.division(e, &a, &b))
            }
        }
    }

    fn affine_add(&mut self, a: &Term, b: &Term, exact: bool) -> Term {
        let range = a.range.checked_add(b.range);
        if range.is_some() || !exact {
            return self.small(a.poly.add(&b.poly), range.unwrap_or(Range::FULL));
        }
        let (x, y) = (self.sum(&a.poly), self.sum(&b.poly));
        let (sum, overflow) = self.at().ins().sadd_overflow(x, y);
        self.no_overflow(overflow, x, y);
        Term {
            poly: Poly::value(sum),
            range: Range {
                lo: a.range.lo.saturating_add(b.range.lo),
                hi: a.range.hi.saturating_add(b.range.hi),
            },
        }
    }

    fn affine_mul(&mut self, a: &Term, b: &Term, exact: bool) -> Term {
        let range = a.range.checked_mul(b.range);
        if range.is_some() || !exact {
            let product = self.mul_polys(&a.poly, &b.poly);
            return self.small(product, range.unwrap_or(Range::FULL));
        }
        let (x, y) = (self.sum(&a.poly), self.sum(&b.poly));
        let (product, overflow) = self.at().ins().smul_overflow(x, y);
        self.no_overflow(overflow, x, y);
        Term {
            poly: Poly::value(product),
            range: Range::FULL,
        }
    }

    fn small(&mut self, poly: Poly, range: Range) -> Term {
        let poly = if poly.is_small() { poly } else { Poly::value(self.sum(&poly)) };
        Term { poly, range }
    }

    fn no_overflow(&mut self, overflow: Value, x: Value, y: Value) {
        let ok = self.at().ins().icmp_imm_u(IntCC::Equal, overflow, 0);
        self.check(ok, Cause::Text("index arithmetic overflows 64 bits".to_owned()), x, y);
    }

    fn division(&mut self, e: &AffineExpr, a: &Term, b: &Term) -> Term {
        if let Some(by) = b.range.as_exact().filter(|&by| by > 0) {
            return self.divide_by_constant(e, a, by);
        }
        let (x, y) = (self.sum(&a.poly), self.sum(&b.poly));
        if b.range.lo <= 0 {
            let ok = self.at().ins().icmp_imm_s(IntCC::SignedGreaterThan, y, 0);
            self.check(ok, Cause::Divisor, y, y);
        }
        let q = self.at().ins().sdiv(x, y);
        let r = self.at().ins().srem(x, y);
        let value = self.round(e, q, r, y, a.range.lo >= 0);
        let range = match e {
            AffineExpr::Mod(..) => Range {
                lo: 0,
                hi: b.range.hi.saturating_sub(1).max(0),
            },
            _ => Range {
                lo: a.range.lo.min(0),
                hi: a.range.hi.max(0),
            },
        };
        Term {
            poly: Poly::value(value),
            range,
        }
    }

    /// From quotient and remainder rounded towards zero to what `e` says, for a positive divisor `y`.
    fn round(&mut self, e: &AffineExpr, q: Value, r: Value, y: Value, not_negative: bool) -> Value {
        match e {
            AffineExpr::CeilDiv(..) => {
                let up = self.at().ins().icmp_imm_s(IntCC::SignedGreaterThan, r, 0);
                let up = self.at().ins().uextend(types::I64, up);
                self.at().ins().iadd(q, up)
            }
            AffineExpr::Mod(..) if not_negative => r,
            AffineExpr::Mod(..) => {
                let negative = self.at().ins().sshr_imm_u(r, 63);
                let add = self.at().ins().band(negative, y);
                self.at().ins().iadd(r, add)
            }
            _ if not_negative => q,
            _ => {
                let down = self.at().ins().sshr_imm_u(r, 63);
                self.at().ins().iadd(q, down)
            }
        }
    }

    fn divide_by_constant(&mut self, e: &AffineExpr, a: &Term, by: i64) -> Term {
        let range = match e {
            AffineExpr::CeilDiv(..) => a.range.ceil_div(by),
            AffineExpr::Mod(..) => a.range.modulo(by),
            _ => a.range.floor_div(by),
        };
        let whole = a.range.lo >= 0 && a.range.hi < by;
        if let Some(c) = range.as_exact() {
            return Term {
                poly: Poly::constant(c),
                range,
            };
        }
        if by == 1 || (whole && matches!(e, AffineExpr::Mod(..))) {
            return Term {
                poly: a.poly.clone(),
                range,
            };
        }
        let x = self.sum(&a.poly);
        let power = by.count_ones() == 1;
        let value = match e {
            AffineExpr::Mod(..) if power => self.at().ins().band_imm_s(x, by - 1),
            AffineExpr::FloorDiv(..) if power => self.at().ins().sshr_imm_u(x, i64::from(by.trailing_zeros())),
            _ => {
                let y = self.int(by);
                let q = self.at().ins().sdiv(x, y);
                let back = self.at().ins().imul(q, y);
                let r = self.at().ins().isub(x, back);
                self.round(e, q, r, y, a.range.lo >= 0)
            }
        };
        Term {
            poly: Poly::value(value),
            range,
        }
    }

    /// The largest (or smallest) of a map's results.
    pub(super) fn extreme(&mut self, map: &AffineMap, operands: &[ValueId], largest: bool) -> Emit<(Value, Range)> {
        let eval = self.eval(map, operands, true)?;
        let mut best: Option<Term> = None;
        for e in &map.results {
            let term = self.affine(e, eval)?;
            best = Some(match best {
                None => term,
                Some(other) => self.larger(other, term, largest),
            });
        }
        let best = best.ok_or_else(|| self.malformed("a bound without results"))?;
        Ok((self.sum(&best.poly), best.range))
    }

    fn larger(&mut self, a: Term, b: Term, largest: bool) -> Term {
        if a.range.hi <= b.range.lo {
            return if largest { b } else { a };
        }
        if b.range.hi <= a.range.lo {
            return if largest { a } else { b };
        }
        let (x, y) = (self.sum(&a.poly), self.sum(&b.poly));
        let (value, range) = if largest {
            (self.at().ins().smax(x, y), a.range.max(b.range))
        } else {
            (self.at().ins().smin(x, y), a.range.min(b.range))
        };
        Term {
            poly: Poly::value(value),
            range,
        }
    }

    /// `affine.apply`.
    pub(super) fn apply(&mut self, op: OpId, map: &AffineMap) -> Emit<()> {
        let data = &self.source[op];
        let result = self.source.result(op);
        let exact = self.facts.needs_exact(result);
        let eval = self.eval(map, &data.operands, exact)?;
        let e = map.results.first().ok_or_else(|| self.malformed("a map without results"))?;
        let term = self.affine(e, eval)?;
        self.set_term(result, term);
        Ok(())
    }

    /// `affine.min` and `affine.max`.
    pub(super) fn min_max(&mut self, op: OpId, map: &AffineMap, largest: bool) -> Emit<()> {
        let operands = self.source[op].operands.clone();
        let (value, range) = self.extreme(map, &operands, largest)?;
        let result = self.source.result(op);
        self.set(result, Val::Scalar(value));
        self.ranges.insert(result, range);
        Ok(())
    }

    /// Branches to `then` if all constraints of the set hold, else to `otherwise`.
    pub(super) fn branch_on_set(&mut self, set: &IntegerSet, operands: &[ValueId], then: Block, otherwise: Block) -> Emit<()> {
        let eval = self.operands(set.dims, set.syms, operands, true)?;
        // All values come before the first branch: what is computed behind one doesn't stand where later code may use it again.
        let mut values = Vec::new();
        for (e, is_eq) in &set.constraints {
            let term = self.affine(e, eval)?;
            if *is_eq || term.range.lo < 0 {
                values.push((self.sum(&term.poly), *is_eq));
            }
        }
        for (value, is_eq) in values {
            let cond = if is_eq { IntCC::Equal } else { IntCC::SignedGreaterThanOrEqual };
            let holds = self.at().ins().icmp_imm_s(cond, value, 0);
            let next = self.new_block();
            self.brif(holds, (next, &[]), (otherwise, &[]));
            self.switch_to(next);
        }
        self.jump(then, &[]);
        Ok(())
    }
}
