//! An estimate of a parallel loop's work, computed when the loop is reached: operations of an iteration in the middle, times the number of iterations.
//!
//! It only decides whether to fork. Bounds that can't be known before the loop count as [`GUESS`] iterations.

use rustc_hash::FxHashMap;
use tilia_program::{AffineExpr, AffineMap, ForOp, Function, MathFn, OpId, OpKind, PureOp, RegionId, Step, ValueDef, ValueId};

/// Iterations of a loop of which nothing is known.
const GUESS: f64 = 16.0;
/// Work of a call.
const CALL: f64 = 1000.0;
/// Depth of definitions and expressions that are looked at.
const MAX_DEPTH: u32 = 32;

/// A step of the estimate, as f64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WorkStep {
    /// A number.
    Const(f64),
    /// A signed integer of the program that is known before the loop.
    Value(ValueId),
    /// The loop's number of iterations.
    Trips,
    /// An operation on the results of earlier steps.
    Op(WorkOp, usize, usize),
}

/// Operations of an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the operations of those names")]
pub enum WorkOp {
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
}

/// The steps that compute the estimated operations of all iterations of the loop `op`; the last one is the result. `known` tells whether a value is known where they are computed.
///
/// # Panics
/// When `op` isn't a loop.
#[must_use]
pub fn loop_work(source: &Function, op: OpId, known: &dyn Fn(ValueId) -> bool) -> Vec<WorkStep> {
    let mut e = Estimate {
        source,
        known,
        steps: Vec::new(),
        seen: FxHashMap::default(),
        middles: FxHashMap::default(),
    };
    let OpKind::For(kind) = &source[op].kind else {
        unreachable!("work is asked of loops only");
    };
    let middle = e.middle(op, kind);
    e.note_middle(op, middle.map(|m| m.0));
    let body = match source[op].regions.first() {
        Some(&region) => e.region(region, 0),
        None => e.constant(1.0),
    };
    let trips = e.step(WorkStep::Trips);
    let result = e.op(WorkOp::Mul, trips, body);
    needed(&e.steps, result)
}

/// The steps that step `result` needs, which comes last.
fn needed(steps: &[WorkStep], result: usize) -> Vec<WorkStep> {
    let mut wanted = vec![false; result + 1];
    wanted[result] = true;
    for n in (0..=result).rev() {
        if let (true, WorkStep::Op(_, a, b)) = (wanted[n], steps[n]) {
            wanted[a] = true;
            wanted[b] = true;
        }
    }
    let mut place = vec![0; result + 1];
    let mut kept = Vec::new();
    for (n, &step) in steps.iter().enumerate().take(result + 1).filter(|&(n, _)| wanted[n]) {
        place[n] = kept.len();
        kept.push(match step {
            WorkStep::Op(op, a, b) => WorkStep::Op(op, place[a], place[b]),
            step => step,
        });
    }
    kept
}

/// Estimated operations of one call of a function, calls not followed, where `value` tells index values that are known beforehand.
#[must_use]
pub fn function_work(source: &Function, value: &dyn Fn(ValueId) -> Option<i64>) -> f64 {
    let known = |v: ValueId| value(v).is_some();
    let mut e = Estimate {
        source,
        known: &known,
        steps: Vec::new(),
        seen: FxHashMap::default(),
        middles: FxHashMap::default(),
    };
    let Some(body) = source.body else { return 0.0 };
    let total = e.region(body, 0);
    let mut results: Vec<f64> = Vec::with_capacity(e.steps.len());
    for step in &e.steps {
        results.push(match *step {
            WorkStep::Const(c) => c,
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            WorkStep::Value(v) => value(v).unwrap_or(0) as f64,
            WorkStep::Trips => 1.0,
            WorkStep::Op(op, a, b) => op.apply(results[a], results[b]),
        });
    }
    results.get(total).copied().unwrap_or(0.0)
}

impl WorkOp {
    fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Div => a / b,
            Self::Max => a.max(b),
            Self::Min => a.min(b),
        }
    }
}

/// A step, to be found again; numbers by their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Const(u64),
    Value(ValueId),
    Trips,
    Op(WorkOp, usize, usize),
}

impl Key {
    fn of(step: WorkStep) -> Self {
        match step {
            WorkStep::Const(c) => Self::Const(c.to_bits()),
            WorkStep::Value(v) => Self::Value(v),
            WorkStep::Trips => Self::Trips,
            WorkStep::Op(op, a, b) => Self::Op(op, a, b),
        }
    }
}

struct Estimate<'a> {
    source: &'a Function,
    known: &'a dyn Fn(ValueId) -> bool,
    steps: Vec<WorkStep>,
    /// Where each step is that was taken already.
    seen: FxHashMap<Key, usize>,
    /// Iterators of the loops being estimated, at the middle of their ranges.
    middles: FxHashMap<ValueId, usize>,
}

impl Estimate<'_> {
    /// The number of a step, which is taken once: bounds of inner loops mention the same values over and over.
    fn step(&mut self, step: WorkStep) -> usize {
        let next = self.steps.len();
        let number = *self.seen.entry(Key::of(step)).or_insert(next);
        if number == next {
            self.steps.push(step);
        }
        number
    }

    fn constant(&mut self, v: f64) -> usize {
        self.step(WorkStep::Const(v))
    }

    fn op(&mut self, op: WorkOp, a: usize, b: usize) -> usize {
        match (op, self.steps[a], self.steps[b]) {
            (_, WorkStep::Const(x), WorkStep::Const(y)) => self.constant(op.apply(x, y)),
            (WorkOp::Mul | WorkOp::Div, _, WorkStep::Const(1.0)) | (WorkOp::Add | WorkOp::Sub, _, WorkStep::Const(0.0)) => a,
            (WorkOp::Mul, WorkStep::Const(1.0), _) | (WorkOp::Add, WorkStep::Const(0.0), _) => b,
            (WorkOp::Max | WorkOp::Min, _, _) if a == b => a,
            _ => self.step(WorkStep::Op(op, a, b)),
        }
    }

    fn note_middle(&mut self, op: OpId, middle: Option<usize>) {
        let block = self.source[op].regions.first().and_then(|&r| self.source[r].blocks.first());
        if let (Some(&block), Some(middle)) = (block, middle)
            && let Some(&iterator) = self.source[block].args.first()
        {
            self.middles.insert(iterator, middle);
        }
    }

    fn region(&mut self, region: RegionId, depth: u32) -> usize {
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
        let mut total = self.constant(plain);
        if depth >= MAX_DEPTH {
            return total;
        }
        for op in inner {
            let data = &self.source[op];
            let times = match &data.kind {
                OpKind::For(kind) => self.loop_trips(op, kind),
                OpKind::While => self.constant(GUESS),
                _ => self.constant(1.0),
            };
            for &region in &data.regions {
                let work = self.region(region, depth + 1);
                let work = self.op(WorkOp::Mul, work, times);
                total = self.op(WorkOp::Add, total, work);
            }
        }
        total
    }

    fn loop_trips(&mut self, op: OpId, kind: &ForOp) -> usize {
        let Some((middle, length)) = self.middle(op, kind) else {
            return self.constant(GUESS);
        };
        self.note_middle(op, Some(middle));
        let Step::Const(step) = kind.step else { return length };
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let step = self.constant(step as f64);
        self.op(WorkOp::Div, length, step)
    }

    /// The middle of a loop's range and its length, at the middle of the loops around; `None` when it isn't known yet.
    fn middle(&mut self, op: OpId, kind: &ForOp) -> Option<(usize, usize)> {
        let source = self.source;
        let (lower, rest) = source[op].operands.split_at_checked(kind.lower.operands())?;
        let low = self.bound(&kind.lower, lower, true)?;
        let high = self.bound(&kind.upper, rest, false)?;
        let length = self.op(WorkOp::Sub, high, low);
        let zero = self.constant(0.0);
        let length = self.op(WorkOp::Max, length, zero);
        let half = self.constant(0.5);
        let half = self.op(WorkOp::Mul, length, half);
        Some((self.op(WorkOp::Add, low, half), length))
    }

    fn bound(&mut self, map: &AffineMap, operands: &[ValueId], largest: bool) -> Option<usize> {
        let mut best = None;
        for e in &map.results {
            let v = self.approximate(e, map, operands, 0)?;
            best = Some(match best {
                None => v,
                Some(b) if largest => self.op(WorkOp::Max, b, v),
                Some(b) => self.op(WorkOp::Min, b, v),
            });
        }
        best
    }

    fn approximate(&mut self, e: &AffineExpr, map: &AffineMap, operands: &[ValueId], depth: u32) -> Option<usize> {
        if depth > MAX_DEPTH {
            return None;
        }
        let (op, a, b) = match e {
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            AffineExpr::Const(c) => return Some(self.constant(*c as f64)),
            AffineExpr::Dim(n) => return self.value(*operands.get(*n as usize)?, depth),
            AffineExpr::Sym(n) => return self.value(*operands.get((map.dims + n) as usize)?, depth),
            AffineExpr::Add(a, b) => (WorkOp::Add, a, b),
            AffineExpr::Mul(a, b) => (WorkOp::Mul, a, b),
            AffineExpr::FloorDiv(a, b) | AffineExpr::CeilDiv(a, b) => (WorkOp::Div, a, b),
            // Anything between 0 and the divisor.
            AffineExpr::Mod(_, b) => return self.approximate(b, map, operands, depth + 1),
        };
        let a = self.approximate(a, map, operands, depth + 1)?;
        let b = self.approximate(b, map, operands, depth + 1)?;
        Some(self.op(op, a, b))
    }

    fn value(&mut self, value: ValueId, depth: u32) -> Option<usize> {
        if let Some(&middle) = self.middles.get(&value) {
            return Some(middle);
        }
        if (self.known)(value) {
            return Some(self.step(WorkStep::Value(value)));
        }
        let source = self.source;
        let ValueDef::Result(op, _) = source[value].def else {
            return None;
        };
        let data = &source[op];
        match &data.kind {
            OpKind::Apply(map) => self.approximate(map.results.first()?, map, &data.operands, depth + 1),
            OpKind::Min(map) => self.bound(map, &data.operands, false),
            OpKind::Max(map) => self.bound(map, &data.operands, true),
            OpKind::Constant(_) => {
                let c = source.as_int_constant(value)?;
                #[expect(clippy::cast_precision_loss, reason = "an estimate")]
                Some(self.constant(c as f64))
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

#[cfg(test)]
mod tests {
    use super::{Estimate, WorkOp, WorkStep, needed};
    use rustc_hash::FxHashMap;
    use tilia_program::Function;

    #[test]
    fn steps_are_taken_once_and_only_when_needed() {
        let source = Function::new("f", Vec::new(), Vec::new(), tilia_diag::Loc::unknown());
        let mut e = Estimate {
            source: &source,
            known: &|_| false,
            steps: Vec::new(),
            seen: FxHashMap::default(),
            middles: FxHashMap::default(),
        };
        let (two, three, trips) = (e.constant(2.0), e.constant(3.0), e.step(WorkStep::Trips));
        let (zero, one) = (e.constant(0.0), e.constant(1.0));
        // Numbers are computed at once, and what changes nothing is left out.
        let six = e.op(WorkOp::Mul, two, three);
        assert_eq!(e.steps[six], WorkStep::Const(6.0));
        assert_eq!(e.op(WorkOp::Add, trips, zero), trips);
        assert_eq!(e.op(WorkOp::Mul, one, trips), trips);
        assert_eq!(e.op(WorkOp::Max, trips, trips), trips);
        let (a, b) = (e.op(WorkOp::Mul, trips, six), e.op(WorkOp::Mul, trips, six));
        assert_eq!(a, b);
        let unused = e.op(WorkOp::Sub, trips, two);
        let sum = e.op(WorkOp::Add, a, two);
        assert!(unused < sum);
        let (trips, six, two) = (1, 2, 0);
        let expected = [
            WorkStep::Const(2.0),
            WorkStep::Trips,
            WorkStep::Const(6.0),
            WorkStep::Op(WorkOp::Mul, trips, six),
            WorkStep::Op(WorkOp::Add, 3, two),
        ];
        assert_eq!(needed(&e.steps, sum), expected);
    }
}
