//! Affine maps and sets: exact integers, with overflow checked where intervals can't exclude it.

use super::build::Wrap;
use super::core::{Emit, Emitter};
use super::text::{Block, V};
use tilia_codegen::analysis::Range;
use tilia_codegen::native::Cause;
use tilia_diag::Diagnostic;
use tilia_program::{AffineExpr, AffineMap, IntegerSet, OpId, ValueId};

/// An index value and where it lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    pub(super) value: V,
    pub(super) range: Range,
}

/// Operands of a map, and whether overflow on the way must be an error. It need not where the result is only used as subscripts that are proven in bounds:
/// then no exact intermediate result can leave 64 bits unless the element did.
#[derive(Clone, Copy)]
pub(super) struct Eval<'v> {
    dims: &'v [ValueId],
    syms: &'v [ValueId],
    exact: bool,
}

/// Depth of expressions beyond which they are refused.
const MAX_DEPTH: u32 = 200;

impl Emitter<'_, '_> {
    /// An index operand.
    pub(super) fn term(&self, value: ValueId) -> Emit<Term> {
        let range = self.ranges.get(&value).copied().unwrap_or(Range::FULL);
        let value = self.number(value)?;
        Ok(Term { value, range })
    }

    /// Makes `value` the index value `term`.
    pub(super) fn set_term(&mut self, value: ValueId, term: Term) {
        self.set_number(value, term.value);
        self.ranges.insert(value, term.range);
    }

    pub(super) fn constant_term(&mut self, c: i64) -> Term {
        Term {
            value: self.int(c),
            range: Range::exact(c),
        }
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
            let text = format!("an affine expression is nested more than {MAX_DEPTH} deep");
            return Err(Diagnostic::error(self.loc.clone(), text));
        }
        let operand = |list: &[ValueId], n: u32| list.get(n as usize).copied();
        match e {
            AffineExpr::Const(c) => Ok(self.constant_term(*c)),
            AffineExpr::Dim(n) | AffineExpr::Sym(n) => {
                let list = if matches!(e, AffineExpr::Dim(_)) { eval.dims } else { eval.syms };
                let value = operand(list, *n).ok_or_else(|| self.malformed("an affine map lacks operands"))?;
                self.term(value)
            }
            AffineExpr::Add(a, b) => {
                let (a, b) = (self.affine_at(a, eval, depth + 1)?, self.affine_at(b, eval, depth + 1)?);
                Ok(self.affine_add(a, b, eval.exact))
            }
            AffineExpr::Mul(a, b) => {
                let (a, b) = (self.affine_at(a, eval, depth + 1)?, self.affine_at(b, eval, depth + 1)?);
                Ok(self.affine_mul(a, b, eval.exact))
            }
            AffineExpr::FloorDiv(a, b) | AffineExpr::CeilDiv(a, b) | AffineExpr::Mod(a, b) => {
                let (a, b) = (self.affine_at(a, eval, depth + 1)?, self.affine_at(b, eval, depth + 1)?);
                Ok(self.division(e, a, b))
            }
        }
    }

    fn affine_add(&mut self, a: Term, b: Term, exact: bool) -> Term {
        let range = a.range.checked_add(b.range);
        if range.is_some() || !exact {
            let wrap = if range.is_some() { Wrap::Never } else { Wrap::May };
            return Term {
                value: self.add(a.value, b.value, wrap),
                range: range.unwrap_or(Range::FULL),
            };
        }
        let (value, overflow) = self.with_overflow("sadd", a.value, b.value);
        self.no_overflow(overflow, a.value, b.value);
        Term {
            value,
            range: Range {
                lo: a.range.lo.saturating_add(b.range.lo),
                hi: a.range.hi.saturating_add(b.range.hi),
            },
        }
    }

    fn affine_mul(&mut self, a: Term, b: Term, exact: bool) -> Term {
        let range = a.range.checked_mul(b.range);
        if range.is_some() || !exact {
            let wrap = if range.is_some() { Wrap::Never } else { Wrap::May };
            return Term {
                value: self.mul(a.value, b.value, wrap),
                range: range.unwrap_or(Range::FULL),
            };
        }
        let (value, overflow) = self.with_overflow("smul", a.value, b.value);
        self.no_overflow(overflow, a.value, b.value);
        Term { value, range: Range::FULL }
    }

    fn no_overflow(&mut self, overflow: V, x: V, y: V) {
        let ok = self.icmp_const("eq", overflow, 0);
        self.check(ok, Cause::Text("index arithmetic overflows 64 bits".to_owned()), x, y);
    }

    fn division(&mut self, e: &AffineExpr, a: Term, b: Term) -> Term {
        let by = b.range.as_exact().filter(|&by| by > 0);
        let range = match (e, by) {
            (AffineExpr::CeilDiv(..), Some(by)) => a.range.ceil_div(by),
            (AffineExpr::Mod(..), Some(by)) => a.range.modulo(by),
            (_, Some(by)) => a.range.floor_div(by),
            (AffineExpr::Mod(..), None) => Range {
                lo: 0,
                hi: b.range.hi.saturating_sub(1).max(0),
            },
            (_, None) => Range {
                lo: a.range.lo.min(0),
                hi: a.range.hi.max(0),
            },
        };
        if let (Some(c), Some(_)) = (range.as_exact(), by) {
            return self.constant_term(c);
        }
        let whole = by.is_some_and(|by| a.range.lo >= 0 && a.range.hi < by);
        if by == Some(1) || (whole && matches!(e, AffineExpr::Mod(..))) {
            return Term { value: a.value, range };
        }
        if by.is_none() && b.range.lo <= 0 {
            let ok = self.icmp_const("sgt", b.value, 0);
            self.check(ok, Cause::Divisor, b.value, b.value);
        }
        let value = self.divide(e, a.value, b.value, a.range.lo >= 0);
        Term { value, range }
    }

    /// What `e` says of `x` and a positive `y`.
    fn divide(&mut self, e: &AffineExpr, x: V, y: V, not_negative: bool) -> V {
        match e {
            AffineExpr::Mod(..) if not_negative => self.binary("urem", x, y),
            AffineExpr::FloorDiv(..) if not_negative => self.binary("udiv", x, y),
            AffineExpr::CeilDiv(..) => {
                let (q, r) = (self.binary("sdiv", x, y), self.binary("srem", x, y));
                let up = self.icmp_const("sgt", r, 0);
                let up = self.resize(up, 64, false);
                self.add(q, up, Wrap::May)
            }
            _ => {
                let (q, r) = (self.binary("sdiv", x, y), self.binary("srem", x, y));
                let most = self.int(63);
                let negative = self.binary("ashr", r, most);
                if matches!(e, AffineExpr::Mod(..)) {
                    let more = self.binary("and", negative, y);
                    return self.add(r, more, Wrap::May);
                }
                self.add(q, negative, Wrap::May)
            }
        }
    }

    /// The largest (or smallest) of a map's results.
    pub(super) fn extreme(&mut self, map: &AffineMap, operands: &[ValueId], largest: bool) -> Emit<Term> {
        let eval = self.eval(map, operands, true)?;
        let mut best: Option<Term> = None;
        for e in &map.results {
            let term = self.affine(e, eval)?;
            best = Some(match best {
                None => term,
                Some(other) => self.larger(other, term, largest),
            });
        }
        best.ok_or_else(|| self.malformed("a bound without results"))
    }

    fn larger(&mut self, a: Term, b: Term, largest: bool) -> Term {
        if a.range.hi <= b.range.lo {
            return if largest { b } else { a };
        }
        if b.range.hi <= a.range.lo {
            return if largest { a } else { b };
        }
        let (name, range) = if largest {
            ("smax", a.range.max(b.range))
        } else {
            ("smin", a.range.min(b.range))
        };
        Term {
            value: self.intrinsic(name, &[a.value, b.value], a.value.ty),
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
        let term = self.extreme(map, &self.source[op].operands, largest)?;
        let result = self.source.result(op);
        self.set_term(result, term);
        Ok(())
    }

    /// Branches to `then` if all constraints of the set hold, else to `otherwise`.
    pub(super) fn branch_on_set(&mut self, set: &IntegerSet, operands: &[ValueId], then: Block, otherwise: Block) -> Emit<()> {
        let eval = self.operands(set.dims, set.syms, operands, true)?;
        // All values come before the branch: overflow in any of them is an error.
        let mut all: Option<V> = None;
        for (e, is_eq) in &set.constraints {
            let term = self.affine(e, eval)?;
            if !*is_eq && term.range.lo >= 0 {
                continue;
            }
            let holds = self.icmp_const(if *is_eq { "eq" } else { "sge" }, term.value, 0);
            all = Some(match all {
                None => holds,
                Some(others) => self.binary("and", others, holds),
            });
        }
        match all {
            Some(flag) => self.brif(flag, (then, &[]), (otherwise, &[])),
            None => self.jump(then, &[]),
        }
        Ok(())
    }
}
