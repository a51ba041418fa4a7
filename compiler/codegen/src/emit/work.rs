//! An estimate of a parallel loop's work, computed when the loop is reached: operations of an iteration in the middle, times the number of iterations.
//!
//! It only decides whether to fork. Bounds that can't be known before the loop count as [`GUESS`] iterations.

use super::core::{Emit, Emitter};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use rustc_hash::FxHashMap;
use tilia_program::{AffineExpr, AffineMap, ForOp, MathFn, OpId, OpKind, PureOp, RegionId, Step, ValueDef, ValueId};

/// Iterations of a loop of which nothing is known.
const GUESS: f64 = 16.0;
/// Work of a call.
const CALL: f64 = 1000.0;
/// Depth of definitions and expressions that are looked at.
const MAX_DEPTH: u32 = 32;

/// Iterators of the loops being estimated, at the middle of their ranges.
type Middles = FxHashMap<ValueId, Value>;

impl Emitter<'_, '_> {
    fn float(&mut self, v: f64) -> Value {
        self.at().ins().f64const(v)
    }

    /// Estimated operations of all iterations of the loop `op`, as f64.
    pub(super) fn work(&mut self, op: OpId, trips: Value) -> Emit<Value> {
        if self.env.always_fork {
            return Ok(self.float(0.0));
        }
        let OpKind::For(kind) = &self.source[op].kind else {
            return Err(self.malformed("work of something that isn't a loop"));
        };
        let mut middles = Middles::default();
        let middle = self.middle(op, kind, &middles);
        self.note_middle(op, middle.map(|m| m.0), &mut middles);
        let body = match self.source[op].regions.first() {
            Some(&region) => self.region_work(region, &mut middles, 0),
            None => self.float(1.0),
        };
        let trips = self.at().ins().fcvt_from_uint(types::F64, trips);
        Ok(self.at().ins().fmul(trips, body))
    }

    fn note_middle(&mut self, op: OpId, middle: Option<Value>, middles: &mut Middles) {
        let block = self.source[op].regions.first().and_then(|&r| self.source[r].blocks.first());
        if let (Some(&block), Some(middle)) = (block, middle)
            && let Some(&iterator) = self.source[block].args.first()
        {
            middles.insert(iterator, middle);
        }
    }

    fn region_work(&mut self, region: RegionId, middles: &mut Middles, depth: u32) -> Value {
        let mut plain = 0.0;
        let mut inner = Vec::new();
        for &block in &self.source[region].blocks {
            for &op in &self.source[block].ops {
                plain += cost(&self.source[op].kind);
                if !self.source[op].regions.is_empty() {
                    inner.push(op);
                }
            }
        }
        let mut total = self.float(plain);
        if depth >= MAX_DEPTH {
            return total;
        }
        for op in inner {
            let data = &self.source[op];
            let times = match &data.kind {
                OpKind::For(kind) => self.loop_trips(op, kind, middles),
                OpKind::While => self.float(GUESS),
                _ => self.float(1.0),
            };
            for &region in &data.regions {
                let work = self.region_work(region, middles, depth + 1);
                let work = self.at().ins().fmul(work, times);
                total = self.at().ins().fadd(total, work);
            }
        }
        total
    }

    fn loop_trips(&mut self, op: OpId, kind: &ForOp, middles: &mut Middles) -> Value {
        let Some((middle, length)) = self.middle(op, kind, middles) else {
            return self.float(GUESS);
        };
        self.note_middle(op, Some(middle), middles);
        let Step::Const(step) = kind.step else { return length };
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let step = self.float(step as f64);
        self.at().ins().fdiv(length, step)
    }

    /// The middle of a loop's range and its length, at the middle of the loops around; `None` when it isn't known yet.
    fn middle(&mut self, op: OpId, kind: &ForOp, middles: &Middles) -> Option<(Value, Value)> {
        let operands = &self.source[op].operands;
        let (lower, rest) = operands.split_at_checked(kind.lower.operands())?;
        let low = self.bound(&kind.lower, lower, middles, true)?;
        let high = self.bound(&kind.upper, rest, middles, false)?;
        let length = self.at().ins().fsub(high, low);
        let zero = self.float(0.0);
        let length = self.at().ins().fmax(length, zero);
        let half = self.float(0.5);
        let half = self.at().ins().fmul(length, half);
        Some((self.at().ins().fadd(low, half), length))
    }

    fn bound(&mut self, map: &AffineMap, operands: &[ValueId], middles: &Middles, largest: bool) -> Option<Value> {
        let mut best = None;
        for e in &map.results {
            let v = self.approximate(e, map, operands, middles, 0)?;
            best = Some(match best {
                None => v,
                Some(b) if largest => self.at().ins().fmax(b, v),
                Some(b) => self.at().ins().fmin(b, v),
            });
        }
        best
    }

    fn approximate(&mut self, e: &AffineExpr, map: &AffineMap, operands: &[ValueId], middles: &Middles, depth: u32) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        let pair = |e: &mut Self, a: &AffineExpr, b: &AffineExpr| {
            let a = e.approximate(a, map, operands, middles, depth + 1)?;
            Some((a, e.approximate(b, map, operands, middles, depth + 1)?))
        };
        match e {
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            AffineExpr::Const(c) => Some(self.float(*c as f64)),
            AffineExpr::Dim(n) => self.approximate_value(*operands.get(*n as usize)?, middles, depth),
            AffineExpr::Sym(n) => self.approximate_value(*operands.get((map.dims + n) as usize)?, middles, depth),
            AffineExpr::Add(a, b) => pair(self, a, b).map(|(a, b)| self.at().ins().fadd(a, b)),
            AffineExpr::Mul(a, b) => pair(self, a, b).map(|(a, b)| self.at().ins().fmul(a, b)),
            AffineExpr::FloorDiv(a, b) | AffineExpr::CeilDiv(a, b) => pair(self, a, b).map(|(a, b)| self.at().ins().fdiv(a, b)),
            // Anything between 0 and the divisor.
            AffineExpr::Mod(_, b) => self.approximate(b, map, operands, middles, depth + 1),
        }
    }

    fn approximate_value(&mut self, value: ValueId, middles: &Middles, depth: u32) -> Option<Value> {
        if let Some(&middle) = middles.get(&value) {
            return Some(middle);
        }
        if let Ok(scalar) = self.scalar(value) {
            return Some(self.at().ins().fcvt_from_sint(types::F64, scalar));
        }
        let ValueDef::Result(op, _) = self.source[value].def else {
            return None;
        };
        let data = &self.source[op];
        match &data.kind {
            OpKind::Apply(map) => self.approximate(map.results.first()?, map, &data.operands, middles, depth + 1),
            OpKind::Min(map) => self.bound(map, &data.operands, middles, false),
            OpKind::Max(map) => self.bound(map, &data.operands, middles, true),
            OpKind::Constant(_) => {
                let c = self.source.as_int_constant(value)?;
                #[expect(clippy::cast_precision_loss, reason = "an estimate")]
                Some(self.float(c as f64))
            }
            _ => None,
        }
    }
}

/// Roughly, in cycles.
fn cost(kind: &OpKind) -> f64 {
    match kind {
        OpKind::Constant(_) | OpKind::Yield | OpKind::Condition | OpKind::Apply(_) => 0.0,
        OpKind::Pure(op, _) => match op {
            PureOp::DivF | PureOp::RemF | PureOp::DivSI | PureOp::DivUI | PureOp::RemSI | PureOp::RemUI => 8.0,
            PureOp::Math(MathFn::AbsF | MathFn::AbsI | MathFn::Fma | MathFn::CopySign) => 1.0,
            PureOp::Math(_) => 20.0,
            _ => 1.0,
        },
        OpKind::Call(_) => CALL,
        OpKind::Alloc { .. } | OpKind::Copy => 100.0,
        _ => 1.0,
    }
}
