//! What conditions and bounds tell of the values in them, where they hold.

use super::{Linear, Range};
use rustc_hash::FxHashMap;
use tilia_program::{AffineExpr, CmpI, ForOp, Function, IfCond, OpId, OpKind, PureOp, ScalarType, Type, ValueDef, ValueId};

/// Conditions looked through.
const MAX_CONDITIONS: usize = 64;

/// Ranges as they were before.
pub type Before = Vec<(ValueId, Option<Range>)>;

/// What is known of the index values at one place of a function.
#[derive(Debug, Clone, Default)]
pub struct Ranges(FxHashMap<ValueId, Range>);

impl Ranges {
    /// What is known of a value.
    #[must_use]
    pub fn get(&self, value: &ValueId) -> Option<&Range> {
        self.0.get(value)
    }

    /// Notes the interval of a value, instead of what was known.
    pub fn insert(&mut self, value: ValueId, range: Range) {
        self.0.insert(value, range);
    }

    /// Within a loop `for i in lo..n`, `n` is above `lo`: notes that for the loop's body, and returns what was known before.
    pub fn refine_upper(&mut self, source: &Function, op: OpId, kind: &ForOp, iterator: Range) -> Before {
        let mut before = Vec::new();
        let uppers = &source[op].operands[kind.lower.operands()..];
        for result in &kind.upper.results {
            let n = match result {
                AffineExpr::Dim(n) => *n,
                AffineExpr::Sym(n) => kind.upper.dims + n,
                _ => continue,
            };
            if let Some(&value) = uppers.get(n as usize) {
                let above = Range {
                    lo: iterator.lo.saturating_add(1),
                    hi: i64::MAX,
                };
                self.narrow(value, above, &mut before);
            }
        }
        before
    }

    /// Notes what holds where the condition holds.
    pub fn assume(&mut self, source: &Function, cond: &IfCond, operands: &[ValueId]) -> Before {
        let mut before = Vec::new();
        match cond {
            IfCond::Set(set) => {
                for (e, is_eq) in &set.constraints {
                    if let Some(linear) = Linear::of_expr(source, e, set.dims, operands) {
                        self.assume_sign(&linear, *is_eq, &mut before);
                    }
                }
            }
            IfCond::Value => {
                let mut work = operands.to_vec();
                for _ in 0..MAX_CONDITIONS {
                    let Some(flag) = work.pop() else { break };
                    self.assume_flag(source, flag, &mut work, &mut before);
                }
            }
        }
        before
    }

    /// Forgets again what held in a region.
    pub fn restore(&mut self, before: Before) {
        for (value, known) in before.into_iter().rev() {
            match known {
                Some(r) => self.0.insert(value, r),
                None => self.0.remove(&value),
            };
        }
    }

    fn assume_flag(&mut self, source: &Function, flag: ValueId, work: &mut Vec<ValueId>, before: &mut Before) {
        let ValueDef::Result(op, _) = source[flag].def else { return };
        let data = &source[op];
        let &[a, b] = &data.operands[..] else { return };
        match data.kind {
            OpKind::Pure(PureOp::AndI, _) => work.extend([a, b]),
            OpKind::Pure(PureOp::CmpI(cmp), _) => {
                let wide = |v: ValueId| matches!(source[v].ty, Type::Scalar(ScalarType::Index | ScalarType::Int(64)));
                if !wide(a) {
                    return;
                }
                let (Some(x), Some(y)) = (Linear::of_value(source, a), Linear::of_value(source, b)) else {
                    return;
                };
                // The larger minus the smaller, minus one where they differ.
                let (large, small, strict) = match cmp {
                    CmpI::Sge | CmpI::Eq => (x, y, 0),
                    CmpI::Sgt => (x, y, -1),
                    CmpI::Sle => (y, x, 0),
                    CmpI::Slt => (y, x, -1),
                    _ => return,
                };
                let one = Linear {
                    constant: strict,
                    ..Linear::default()
                };
                if let Some(difference) = large.add_scaled(&small, -1).and_then(|d| d.add_scaled(&one, 1)) {
                    self.assume_sign(&difference, cmp == CmpI::Eq, before);
                }
            }
            _ => {}
        }
    }

    /// Notes that `linear >= 0`, or `= 0`, if it has one value.
    fn assume_sign(&mut self, linear: &Linear, is_zero: bool, before: &mut Before) {
        let mut terms = linear.terms.iter();
        let (Some((&value, &c)), None) = (terms.next(), terms.next()) else {
            return;
        };
        let (Some(negated), true) = (linear.constant.checked_neg(), c != i64::MIN) else {
            return;
        };
        // c x >= -k: x >= ceil(-k / c), or x <= floor(k / -c) for a negative c.
        let range = if c > 0 {
            let lo = Range::exact(negated).ceil_div(c).lo;
            let hi = if is_zero { Range::exact(negated).floor_div(c).hi } else { i64::MAX };
            Range { lo, hi }
        } else {
            let hi = Range::exact(linear.constant).floor_div(-c).hi;
            let lo = if is_zero {
                Range::exact(linear.constant).ceil_div(-c).lo
            } else {
                i64::MIN
            };
            Range { lo, hi }
        };
        self.narrow(value, range, before);
    }

    fn narrow(&mut self, value: ValueId, to: Range, before: &mut Before) {
        let known = self.0.get(&value).copied();
        self.0.insert(value, known.unwrap_or(Range::FULL).intersect(to));
        before.push((value, known));
    }
}
