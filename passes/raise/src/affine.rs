//! Integer SSA values as affine forms.
//!
//! A value is affine when it is computed from iterators and parameters by operations whose results provably do not wrap in their type. The proof is by
//! intervals, under the assumption (checked at run time) that parameters are below [`PARAM_LIMIT`]. What isn't affine but fixed during the run becomes a parameter.

use crate::find::Found;
use crate::index::{Index, Inside};
use crate::lin::{Atom, Cond, Dnf, Lin, Pw, always, and, not, or};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tilia_presburger::Int;
use tilia_program::{AffineExpr, AffineMap, CmpI, Constant, IntegerSet, OpId, OpKind, PureOp, ScalarType, Type, ValueDef, ValueId};
use tilia_scop::ParamSource;

/// Parameters wider than this many bits are assumed to be of smaller magnitude, so that sums and small multiples of them stay within 64 bits.
pub(crate) const PARAM_BITS: u32 = 47;

/// Chains of operations longer than this are not looked through.
const MAX_DEPTH: u32 = 200;

/// Forms with more terms than this, divisions' own included, count as not affine: remainders of remainders double at each step.
const MAX_TERMS: usize = 256;

/// The extent of values of a form.
pub(crate) type Interval = (Int, Int);

/// Translates values of one run; remembers what it found.
pub(crate) struct Affine<'a> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) inside: &'a Inside,
    /// The scops found so far.
    found: &'a Found,
    /// Iterators of the loops entered so far, with their extents.
    iters: FxHashMap<ValueId, Interval>,
    values: FxHashMap<ValueId, Option<Pw>>,
    invariant: FxHashMap<ValueId, bool>,
    /// Wide parameters of whose limits use was made, perhaps for forms that no longer mention them.
    assumed: BTreeSet<ParamSource>,
    depth: u32,
}

/// Extent of a signed integer of that many bits.
fn signed_range(bits: u32) -> Interval {
    let half = Int::from(2).pow(bits.saturating_sub(1));
    (-half.clone(), half - Int::ONE)
}

impl<'a> Affine<'a> {
    pub(crate) fn new(index: &'a Index<'a>, inside: &'a Inside, found: &'a Found) -> Self {
        Self {
            index,
            inside,
            found,
            iters: FxHashMap::default(),
            values: FxHashMap::default(),
            invariant: FxHashMap::default(),
            assumed: BTreeSet::new(),
            depth: 0,
        }
    }

    /// Makes an iterator known.
    pub(crate) fn enter(&mut self, iter: ValueId, extent: Interval) {
        self.iters.insert(iter, extent);
    }

    /// The affine form of a value of integer type; `None` when it has none.
    pub(crate) fn value(&mut self, v: ValueId) -> Option<Pw> {
        if let Some(known) = self.values.get(&v) {
            return known.clone();
        }
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let result = self
            .looked_through(v)
            .then(|| self.compute(v))
            .flatten()
            .or_else(|| self.parameter(v));
        self.depth -= 1;
        self.values.insert(v, result.clone());
        result
    }

    /// Whether the definition of a value may be looked at: not if it is part of another scop, whose own values end with it.
    pub(crate) fn looked_through(&self, v: ValueId) -> bool {
        let function = self.index.function;
        match function[v].def {
            ValueDef::Result(op, _) => !self.found.has_op(op) || matches!(function[op].kind, OpKind::Constant(_)),
            ValueDef::Arg(..) => true,
        }
    }

    /// The value as a parameter, when it is fixed during the run.
    fn parameter(&mut self, v: ValueId) -> Option<Pw> {
        let Type::Scalar(s) = self.index.function[v].ty else { return None };
        (s.is_int() && self.is_invariant(v)).then(|| Pw::lin(Lin::atom(Atom::Param(ParamSource::Value(v)))))
    }

    /// Whether the value is defined before the run, or computed without side effect or trap from such values.
    pub(crate) fn is_invariant(&mut self, v: ValueId) -> bool {
        let function = self.index.function;
        if !self.inside.defines(function, v) {
            return true;
        }
        if let Some(&known) = self.invariant.get(&v) {
            return known;
        }
        if self.depth >= MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        let result = match function[v].def {
            ValueDef::Arg(..) => false,
            ValueDef::Result(op, _) => {
                let op = &function[op];
                matches!(op.kind, OpKind::Constant(_) | OpKind::Pure(..))
                    && !op.kind.may_trap()
                    && op.operands.iter().all(|&o| self.is_invariant(o))
            }
        };
        self.depth -= 1;
        self.invariant.insert(v, result);
        result
    }

    fn compute(&mut self, v: ValueId) -> Option<Pw> {
        let function = self.index.function;
        let Type::Scalar(scalar) = function[v].ty else { return None };
        let ValueDef::Result(op, number) = function[v].def else {
            return self.iters.contains_key(&v).then(|| Pw::lin(Lin::atom(Atom::Iter(v))));
        };
        let bits = u32::from(scalar.bits());
        let result = match &function[op].kind {
            OpKind::Constant(Constant::Int(c)) => return Some(Pw::constant(*c)),
            OpKind::Apply(map) => self.map(map, &function[op].operands)?.pop(),
            OpKind::Min(map) => self
                .map(map, &function[op].operands)?
                .into_iter()
                .map(Some)
                .reduce(|a, b| a?.min(&b?))?,
            OpKind::Max(map) => self
                .map(map, &function[op].operands)?
                .into_iter()
                .map(Some)
                .reduce(|a, b| a?.max(&b?))?,
            OpKind::Dim => self.dim(op),
            OpKind::Pure(pure, _) if number == 0 && scalar.is_int() => self.pure(*pure, op, scalar),
            _ => None,
        }?;
        self.fits(&result, bits).then_some(result)
    }

    /// Whether the form is of reasonable size, and every value of it fits a signed integer of that width.
    fn fits(&mut self, form: &Pw, bits: u32) -> bool {
        if form.0.iter().any(|(_, e)| e.size() > MAX_TERMS) {
            return false;
        }
        let mut params = Vec::new();
        for (_, e) in &form.0 {
            e.for_each_atom(&mut |a| {
                if let Atom::Param(p) = a {
                    params.push(*p);
                }
            });
        }
        let limit = Int::from(2).pow(PARAM_BITS);
        params.retain(|&p| self.param_extent(p).1 == limit);
        self.assumed.extend(params);
        let (lo, hi) = signed_range(bits);
        self.extent(form).is_some_and(|(a, b)| a >= lo && b <= hi)
    }

    /// Wide parameters whose limits must be checked at run time, besides those that forms mention.
    pub(crate) fn assumed(&self) -> &BTreeSet<ParamSource> {
        &self.assumed
    }

    fn non_negative(&self, form: &Pw) -> bool {
        self.extent(form).is_some_and(|(lo, _)| !lo.is_neg())
    }

    /// Bounds of all values of a form.
    pub(crate) fn extent(&self, form: &Pw) -> Option<Interval> {
        let mut all = form.0.iter().map(|(_, e)| self.lin_extent(e));
        let first = all.next()??;
        all.try_fold(first, |(lo, hi), x| {
            let (a, b) = x?;
            Some((lo.min(a), hi.max(b)))
        })
    }

    /// Bounds of all values of a single case.
    pub(crate) fn lin_extent(&self, form: &Lin) -> Option<Interval> {
        let (mut lo, mut hi) = (form.constant.clone(), form.constant.clone());
        for (atom, c) in &form.terms {
            let (a, b) = self.atom_extent(atom)?;
            let (x, y) = (c * &a, c * &b);
            let (x, y) = if x <= y { (x, y) } else { (y, x) };
            lo = &lo + &x;
            hi = &hi + &y;
        }
        Some((lo, hi))
    }

    fn atom_extent(&self, atom: &Atom) -> Option<Interval> {
        match atom {
            Atom::Iter(v) => self.iters.get(v).cloned(),
            Atom::Param(p) => Some(self.param_extent(*p)),
            Atom::Div(inner, d) => {
                let (lo, hi) = self.lin_extent(inner)?;
                Some((lo.div_floor(d), hi.div_floor(d)))
            }
        }
    }

    /// What is known or assumed of a parameter.
    pub(crate) fn param_extent(&self, p: ParamSource) -> Interval {
        let limit = Int::from(2).pow(PARAM_BITS);
        match p {
            ParamSource::Dim(..) => (Int::ZERO, limit),
            ParamSource::Value(v) => match self.index.function[v].ty {
                Type::Scalar(ScalarType::Int(bits)) if u32::from(bits) <= PARAM_BITS => signed_range(u32::from(bits)),
                _ => (-limit.clone(), limit),
            },
        }
    }

    /// All results of a map, each within 64 bits.
    pub(crate) fn map(&mut self, map: &AffineMap, operands: &[ValueId]) -> Option<Vec<Pw>> {
        let forms: Vec<Option<Pw>> = operands.iter().take(map.operands()).map(|&o| self.value(o)).collect();
        map.results.iter().map(|e| self.checked_expr(e, map.dims, &forms)).collect()
    }

    fn checked_expr(&mut self, e: &AffineExpr, dims: u32, operands: &[Option<Pw>]) -> Option<Pw> {
        let form = self.expr(e, dims, operands)?;
        self.fits(&form, 64).then_some(form)
    }

    /// Like [`Affine::map`], result by result: one that isn't affine doesn't spoil the others.
    pub(crate) fn subscripts(&mut self, map: &AffineMap, operands: &[ValueId]) -> Vec<Option<Pw>> {
        let forms: Vec<Option<Pw>> = operands.iter().take(map.operands()).map(|&o| self.value(o)).collect();
        map.results.iter().map(|e| self.checked_expr(e, map.dims, &forms)).collect()
    }

    fn expr(&mut self, e: &AffineExpr, dims: u32, operands: &[Option<Pw>]) -> Option<Pw> {
        let operand = |n: usize| operands.get(n).cloned().flatten();
        match e {
            AffineExpr::Dim(n) => operand(*n as usize),
            AffineExpr::Sym(n) => operand(dims as usize + *n as usize),
            AffineExpr::Const(c) => Some(Pw::constant(*c)),
            AffineExpr::Add(a, b) => self.expr(a, dims, operands)?.add(&self.expr(b, dims, operands)?),
            AffineExpr::Mul(a, b) => product(&self.expr(a, dims, operands)?, &self.expr(b, dims, operands)?),
            AffineExpr::FloorDiv(a, b) => {
                let (a, d) = self.dividend(a, b, dims, operands)?;
                Some(a.map(|a| a.floor_div(&d)))
            }
            AffineExpr::CeilDiv(a, b) => {
                let (a, d) = self.dividend(a, b, dims, operands)?;
                Some(a.map(|a| ceil_div(a, &d)))
            }
            AffineExpr::Mod(a, b) => {
                let (a, d) = self.dividend(a, b, dims, operands)?;
                Some(a.map(|a| a.modulo(&d)))
            }
        }
    }

    /// What is divided, and by which constant. Sums and products may leave 64 bits on the way to a value that doesn't: they come back. What is divided
    /// must not, since the quotient of a number that wrapped is another quotient.
    fn dividend(&mut self, a: &AffineExpr, b: &AffineExpr, dims: u32, operands: &[Option<Pw>]) -> Option<(Pw, Int)> {
        let d = positive(&self.expr(b, dims, operands)?)?;
        Some((self.checked_expr(a, dims, operands)?, d))
    }

    fn pure(&mut self, pure: PureOp, op: OpId, scalar: ScalarType) -> Option<Pw> {
        let operands = &self.index.function[op].operands;
        let mut arg = |n: usize| operands.get(n).and_then(|&v| self.value(v));
        match pure {
            PureOp::AddI => arg(0)?.add(&arg(1)?),
            PureOp::SubI => arg(0)?.sub(&arg(1)?),
            PureOp::MulI => product(&arg(0)?, &arg(1)?),
            PureOp::MaxSI => arg(0)?.max(&arg(1)?),
            PureOp::MinSI => arg(0)?.min(&arg(1)?),
            PureOp::MaxUI | PureOp::MinUI => {
                let (a, b) = (arg(0)?, arg(1)?);
                let plain = self.non_negative(&a) && self.non_negative(&b);
                plain.then(|| if pure == PureOp::MaxUI { a.max(&b) } else { a.min(&b) })?
            }
            PureOp::Select => {
                let (yes, no) = (arg(1)?, arg(2)?);
                Pw::select(&self.condition(operands[0])?, &yes, &no)
            }
            PureOp::CmpI(_) | PureOp::AndI | PureOp::OrI | PureOp::XOrI if scalar == ScalarType::Int(1) => {
                let cond = self.computed_condition(op)?;
                Pw::select(&cond, &Pw::constant(-1), &Pw::constant(0))
            }
            PureOp::ExtSI => arg(0),
            PureOp::TruncI => arg(0).filter(|_| scalar != ScalarType::Int(1)),
            PureOp::IndexCast => arg(0).filter(|_| scalar != ScalarType::Int(1)),
            PureOp::ExtUI | PureOp::IndexCastUI => {
                let from = self.index.function[operands[0]].ty.element()?;
                let a = self.value(operands[0])?;
                if from.bits() >= scalar.bits() || self.non_negative(&a) {
                    return Some(a).filter(|_| scalar != ScalarType::Int(1));
                }
                let shift = Int::from(2).pow(u32::from(from.bits()));
                let shifted = a.map(|e| e.add(&Lin::constant(shift.clone())));
                let cond = a.compare(&Pw::constant(0), |x, y| vec![vec![Cond::ge(x, y)]])?;
                Pw::select(&cond, &a, &shifted)
            }
            _ => self.division(pure, op),
        }
    }

    /// Divisions, remainders, shifts and masks by constants.
    fn division(&mut self, pure: PureOp, op: OpId) -> Option<Pw> {
        let operands = &self.index.function[op].operands;
        let a = self.value(*operands.first()?)?;
        let by = self.value(*operands.get(1)?)?.as_constant()?.clone();
        let unsigned = matches!(pure, PureOp::DivUI | PureOp::RemUI | PureOp::CeilDivUI | PureOp::ShRUI);
        if by.is_neg() || unsigned && !self.non_negative(&a) {
            return None;
        }
        let divisor = (!by.is_zero()).then(|| by.clone());
        let power = by
            .to_i64()
            .filter(|&k| k < 63)
            .and_then(|k| u32::try_from(k).ok())
            .map(|k| Int::from(2).pow(k));
        match pure {
            PureOp::ShLI => power.map(|p| a.map(|e| e.scale(&p))),
            PureOp::ShRSI | PureOp::ShRUI => power.map(|p| a.map(|e| e.floor_div(&p))),
            PureOp::FloorDivSI | PureOp::DivUI => divisor.map(|d| a.map(|e| e.floor_div(&d))),
            PureOp::CeilDivSI | PureOp::CeilDivUI => divisor.map(|d| a.map(|e| ceil_div(e, &d))),
            PureOp::RemUI => divisor.map(|d| a.map(|e| e.modulo(&d))),
            PureOp::DivSI => divisor.and_then(|d| self.towards_zero(&a, |e| e.floor_div(&d))),
            PureOp::RemSI => divisor.and_then(|d| self.towards_zero(&a, |e| e.modulo(&d))),
            // A mask of low bits, of negative numbers too: two's complement.
            PureOp::AndI => divisor
                .map(|m| m + Int::ONE)
                .filter(is_power_of_two)
                .map(|d| a.map(|e| e.modulo(&d))),
            _ => None,
        }
    }

    /// An odd function given by its values for arguments that aren't negative.
    fn towards_zero(&self, a: &Pw, f: impl Fn(&Lin) -> Lin) -> Option<Pw> {
        if self.non_negative(a) {
            return Some(a.map(f));
        }
        let positive = a.compare(&Pw::constant(0), |x, y| vec![vec![Cond::ge(x, y)]])?;
        Pw::select(&positive, &a.map(&f), &a.map(|e| f(&e.neg()).neg()))
    }

    /// Where an i1 value is true; `None` when that isn't affine.
    pub(crate) fn condition(&mut self, v: ValueId) -> Option<Dnf> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let found = match self.index.function[v].def {
            ValueDef::Result(op, _) if self.looked_through(v) => self.computed_condition(op),
            _ => None,
        };
        self.depth -= 1;
        // A flag that is fixed during the run is a parameter, -1 when true.
        found.or_else(|| {
            let flag = self.parameter(v)?;
            Some(vec![vec![Cond::ge(&Lin::constant(-1), flag.as_lin()?)]])
        })
    }

    fn computed_condition(&mut self, op: OpId) -> Option<Dnf> {
        let op = &self.index.function[op];
        let operands = &op.operands;
        match &op.kind {
            OpKind::Constant(Constant::Int(c)) => Some(if *c == 0 { Dnf::new() } else { always() }),
            OpKind::Pure(PureOp::CmpI(predicate), _) => self.comparison(*predicate, operands[0], operands[1]),
            OpKind::Pure(PureOp::AndI, _) => and(&self.condition(operands[0])?, &self.condition(operands[1])?),
            OpKind::Pure(PureOp::OrI, _) => or(&self.condition(operands[0])?, &self.condition(operands[1])?),
            OpKind::Pure(PureOp::XOrI, _) => {
                let (a, b) = (self.condition(operands[0])?, self.condition(operands[1])?);
                or(&and(&a, &not(&b)?)?, &and(&not(&a)?, &b)?)
            }
            _ => None,
        }
    }

    fn comparison(&mut self, predicate: CmpI, a: ValueId, b: ValueId) -> Option<Dnf> {
        let (a, b) = (self.value(a)?, self.value(b)?);
        let unsigned = matches!(predicate, CmpI::Ult | CmpI::Ule | CmpI::Ugt | CmpI::Uge);
        if unsigned && !(self.non_negative(&a) && self.non_negative(&b)) {
            return None;
        }
        a.compare(&b, |x, y| match predicate {
            CmpI::Eq => vec![vec![Cond::eq(x, y)]],
            CmpI::Ne => vec![vec![Cond::gt(x, y)], vec![Cond::gt(y, x)]],
            CmpI::Slt | CmpI::Ult => vec![vec![Cond::gt(y, x)]],
            CmpI::Sle | CmpI::Ule => vec![vec![Cond::ge(y, x)]],
            CmpI::Sgt | CmpI::Ugt => vec![vec![Cond::gt(x, y)]],
            CmpI::Sge | CmpI::Uge => vec![vec![Cond::ge(x, y)]],
        })
    }

    /// Where the operands satisfy an integer set.
    pub(crate) fn integer_set(&mut self, set: &IntegerSet, operands: &[ValueId]) -> Option<Dnf> {
        let forms: Vec<Option<Pw>> = operands.iter().take(set.operands()).map(|&o| self.value(o)).collect();
        let mut out = always();
        for (e, equality) in &set.constraints {
            let form = self.checked_expr(e, set.dims, &forms)?;
            let holds = form.compare(&Pw::constant(0), |x, y| {
                vec![vec![if *equality { Cond::eq(x, y) } else { Cond::ge(x, y) }]]
            })?;
            out = and(&out, &holds)?;
        }
        Some(out)
    }

    fn dim(&mut self, op: OpId) -> Option<Pw> {
        let op = &self.index.function[op];
        let d = self.index.function.as_int_constant(*op.operands.get(1)?)?;
        self.shape(op.operands[0]).get(usize::try_from(d).ok()?)?.clone()
    }
}

/// The product, when one side is a constant.
fn product(a: &Pw, b: &Pw) -> Option<Pw> {
    let (form, c) = match (a.as_constant(), b.as_constant()) {
        (_, Some(c)) => (a, c),
        (Some(c), None) => (b, c),
        (None, None) => return None,
    };
    Some(form.map(|e| e.scale(c)))
}

fn positive(form: &Pw) -> Option<Int> {
    form.as_constant().filter(|c| c.is_pos()).cloned()
}

fn ceil_div(a: &Lin, d: &Int) -> Lin {
    a.neg().floor_div(d).neg()
}

fn is_power_of_two(n: &Int) -> bool {
    n.to_i64().is_some_and(|n| n > 0 && n & (n - 1) == 0)
}
