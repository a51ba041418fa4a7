//! `--fp=fast`: divisions by constants become products, and sums are made in the order that shortens what an iteration waits for the one before.
//!
//! Decided on the source program, like [`crate::contract()`], by a rule that looks at one loop's body only. In `(a[i] + a[i-1]) + b[i]` with a store to `a[i]`, `a[i-1]` is the last thing to be
//! known; added last, an iteration follows the one before after one addition instead of two. So terms of a sum that an earlier iteration of the same loop computes go to the end, those
//! of the latest iteration last. Clang does so by the rank of values (Briggs and Cooper, Effective partial redundancy elimination, PLDI 1994).

use crate::form::{Atom, Form};
use rustc_hash::{FxHashMap, FxHashSet};
use tilia_program::{BlockId, Constant, Function, OpId, OpKind, PureOp, ScalarType, Step, Type, ValueDef, ValueId};

/// Sums of more terms stay as they are.
const MAX_TERMS: usize = 64;
/// Bodies of more operations stay as they are.
const MAX_BODY: usize = 2000;

/// Rewrites divisions and sums throughout the function; returns how many.
///
/// A quotient changes in its last place; where the divisor's reciprocal isn't a normal number, the division stays. A sum is rounded in another order: where partial sums overflow in one order only, the
/// result may be infinite in the other.
pub fn reassociate(function: &mut Function) -> usize {
    let Some(body) = function.body else { return 0 };
    let mut ops: Vec<OpId> = Vec::new();
    function.walk(body, |op| ops.push(op));
    let mut changed = 0;
    let mut regions = vec![body];
    while let Some(region) = regions.pop() {
        for block in function[region].blocks.clone() {
            for op in function[block].ops.clone() {
                regions.extend(function[op].regions.iter().copied());
                changed += usize::from(reciprocal(function, block, op).is_some());
            }
        }
    }
    let mut uses: FxHashMap<ValueId, usize> = FxHashMap::default();
    for &op in &ops {
        for &v in &function[op].operands {
            *uses.entry(v).or_insert(0) += 1;
        }
    }
    let loops = ops.iter().filter(|&&op| matches!(function[op].kind, OpKind::For(_)));
    let bodies: Vec<(OpId, BlockId)> = loops
        .filter_map(|&op| Some((op, *function[*function[op].regions.first()?].blocks.first()?)))
        .collect();
    for (op, block) in bodies {
        if function[block].ops.len() > MAX_BODY {
            continue;
        }
        let roots: Vec<OpId> = function[block].ops.clone();
        for root in roots {
            changed += usize::from(sum(function, (op, block), root, &uses).is_some());
        }
    }
    changed
}

/// Makes a division by a constant a product.
fn reciprocal(f: &mut Function, block: BlockId, op: OpId) -> Option<()> {
    let OpKind::Pure(PureOp::DivF, flags) = f[op].kind else {
        return None;
    };
    let &[x, divisor] = &f[op].operands[..] else { return None };
    let ValueDef::Result(def, _) = f[divisor].def else { return None };
    let OpKind::Constant(Constant::Float(bits)) = f[def].kind else {
        return None;
    };
    let bits = match f[divisor].ty {
        Type::Scalar(ScalarType::F64) => {
            let r = 1.0 / f64::from_bits(bits);
            r.is_normal().then(|| r.to_bits())?
        }
        Type::Scalar(ScalarType::F32) => {
            let r = 1.0 / f32::from_bits(u32::try_from(bits).ok()?);
            r.is_normal().then(|| u64::from(r.to_bits()))?
        }
        _ => return None,
    };
    let at = f[block].ops.iter().position(|&o| o == op)?;
    let (ty, loc) = (f[divisor].ty.clone(), f[op].loc.clone());
    let constant = f.new_op(OpKind::Constant(Constant::Float(bits)), vec![], &[ty], loc);
    f[block].ops.insert(at, constant);
    f[op].kind = OpKind::Pure(PureOp::MulF, flags);
    f[op].operands = vec![x, f.result(constant)];
    f[op].origin = None;
    Some(())
}

/// A term of a sum.
#[derive(Debug, Clone, Copy)]
struct Term {
    value: ValueId,
    negated: bool,
    /// How many iterations ago it was computed, if by this loop.
    ago: Option<i64>,
}

/// Reorders the sum whose last operation is `root`. `None`: it stays as it is.
fn sum(f: &mut Function, (op, block): (OpId, BlockId), root: OpId, uses: &FxHashMap<ValueId, usize>) -> Option<()> {
    let is_sum = |f: &Function, op: OpId| matches!(f[op].kind, OpKind::Pure(PureOp::AddF | PureOp::SubF, _));
    let here: FxHashSet<OpId> = f[block].ops.iter().copied().collect();
    if !is_sum(f, root) || !here.contains(&root) {
        return None;
    }
    // Part of a larger sum?
    let result = f.result(root);
    let only_user = here.iter().find(|&&o| f[o].operands.contains(&result));
    if uses.get(&result) == Some(&1) && only_user.is_some_and(|&o| is_sum(f, o)) {
        return None;
    }
    let mut terms: Vec<Term> = Vec::new();
    let mut inner: Vec<OpId> = Vec::new();
    let mut work = vec![(result, false)];
    while let Some((value, negated)) = work.pop() {
        let def = match f[value].def {
            ValueDef::Result(op, _) if op == root || here.contains(&op) && is_sum(f, op) && uses.get(&value) == Some(&1) => op,
            _ => {
                let ago = Carried { f, op, block, here: &here }.ago(value, 0);
                terms.push(Term { value, negated, ago });
                continue;
            }
        };
        if def != root {
            inner.push(def);
        }
        let &[a, b] = &f[def].operands[..] else { return None };
        let minus = matches!(f[def].kind, OpKind::Pure(PureOp::SubF, _));
        work.push((b, negated ^ minus));
        work.push((a, negated));
        if terms.len() + work.len() > MAX_TERMS {
            return None;
        }
    }
    if terms.len() < 3 || terms.iter().all(|t| t.ago.is_none()) {
        return None;
    }
    let mut sorted = terms.clone();
    // What this loop doesn't carry first, among that what isn't subtracted; then what was computed longest ago.
    sorted.sort_by_key(|t| (t.ago.map_or(i64::MIN, |ago| -ago), t.ago.is_none() && t.negated));
    let chain = inner.iter().all(|&o| f[o].operands.len() == 2) && is_left_chain(f, root, &inner);
    if chain && sorted.iter().zip(&terms).all(|(a, b)| a.value == b.value) {
        return None;
    }
    rebuild(f, block, root, &inner, &sorted)
}

/// Whether every inner operation is the left operand of the next.
fn is_left_chain(f: &Function, root: OpId, inner: &[OpId]) -> bool {
    std::iter::once(&root)
        .chain(inner)
        .all(|&o| !matches!(f[f[o].operands[1]].def, ValueDef::Result(d, _) if inner.contains(&d)))
}

/// Replaces the operations of a sum by others that add the terms in this order.
fn rebuild(f: &mut Function, block: BlockId, root: OpId, inner: &[OpId], terms: &[Term]) -> Option<()> {
    let (ty, loc) = (f[f.result(root)].ty.clone(), f[root].loc.clone());
    let (&first, rest) = terms.split_first()?;
    let (&last, middle) = rest.split_last()?;
    let mut fresh = Vec::new();
    let mut append = |f: &mut Function, op: PureOp, operands: Vec<ValueId>| {
        let op = f.new_op(OpKind::pure(op), operands, std::slice::from_ref(&ty), loc.clone());
        fresh.push(op);
        f.result(op)
    };
    let kind = |t: &Term| if t.negated { PureOp::SubF } else { PureOp::AddF };
    let mut so_far = first.value;
    if first.negated {
        so_far = append(f, PureOp::NegF, vec![so_far]);
    }
    for t in middle {
        so_far = append(f, kind(t), vec![so_far, t.value]);
    }
    f[root].kind = OpKind::pure(kind(&last));
    f[root].operands = vec![so_far, last.value];
    f[root].origin = None;
    let ops = &mut f[block].ops;
    ops.retain(|o| !inner.contains(o));
    let at = ops.iter().position(|&o| o == root)?;
    ops.splice(at..at, fresh);
    Some(())
}

/// What an iteration of a loop gets from earlier ones.
struct Carried<'a> {
    f: &'a Function,
    op: OpId,
    block: BlockId,
    here: &'a FxHashSet<OpId>,
}

/// Longest way through operations that is followed.
const MAX_DEPTH: u32 = 32;

impl Carried<'_> {
    /// How many iterations ago the latest thing was computed that the value waits for; `None` when it waits for nothing.
    fn ago(&self, value: ValueId, depth: u32) -> Option<i64> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.f[value].def {
            ValueDef::Arg(block, n) if block == self.block && n > 0 => {
                let yields = self.f[*self.f[block].ops.last()?].operands.get(n as usize - 1).copied();
                Some(self.handed_on(yields?, 1, depth))
            }
            ValueDef::Result(op, _) if self.here.contains(&op) => match &self.f[op].kind {
                OpKind::Load(_) => self.loaded(op, depth),
                OpKind::Pure(..) => self.f[op].operands.iter().filter_map(|&v| self.ago(v, depth + 1)).min(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The age of what was stored `ago` iterations before: more when that had been handed on itself.
    fn handed_on(&self, stored: ValueId, ago: i64, depth: u32) -> i64 {
        let copied = match self.f[stored].def {
            ValueDef::Arg(..) => true,
            ValueDef::Result(op, _) => matches!(self.f[op].kind, OpKind::Load(_)),
        };
        let before = if copied { self.ago(stored, depth + 1) } else { None };
        before.unwrap_or(0).saturating_add(ago)
    }

    fn loaded(&self, load: OpId, depth: u32) -> Option<i64> {
        let ops = &self.f[self.block].ops;
        let at = ops.iter().position(|&o| o == load)?;
        let (memref, wanted) = self.place(load)?;
        let mut found: Option<i64> = None;
        for (n, &store) in ops.iter().enumerate().filter(|(_, o)| matches!(self.f[**o].kind, OpKind::Store(_))) {
            let Some((_, written)) = self.place(store).filter(|(m, w)| *m == memref && w.len() == wanted.len()) else {
                continue;
            };
            let stored = self.f[store].operands[0];
            let ago = match self.distance(&wanted, &written) {
                Some((0, _)) if n < at => self.ago(stored, depth + 1),
                Some((0, true)) | None => None,
                // What doesn't move was stored in the iteration before.
                Some((ago, _)) => Some(self.handed_on(stored, ago.max(1), depth)),
            };
            found = ago.map_or(found, |a| Some(found.map_or(a, |f| f.min(a))));
        }
        found
    }

    /// How many iterations ago a store to `written` touched what is now at `wanted`; 0: in this one; and whether it touches something else in each. `None`: never, or not known.
    fn distance(&self, wanted: &[Form], written: &[Form]) -> Option<(i64, bool)> {
        let OpKind::For(header) = &self.f[self.op].kind else { return None };
        let Step::Const(step) = header.step else { return None };
        let iterator = Atom::Value(*self.f[self.block].args.first()?);
        let mut found: Option<i64> = None;
        let mut moves = false;
        for (want, wrote) in wanted.iter().zip(written) {
            let apart = wrote.clone().add_scaled(want, -1)?.as_constant()?;
            let stride = wrote.terms.get(&iterator).copied().unwrap_or(0).checked_mul(step)?;
            moves |= stride != 0;
            match stride {
                0 if apart == 0 => {}
                0 => return None,
                s if apart.checked_rem(s)? == 0 => {
                    let ago = apart.checked_div(s)?;
                    if ago < 0 || *found.get_or_insert(ago) != ago {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        Some((found.unwrap_or(0), moves))
    }

    /// The memref and subscripts of an access, in terms of values.
    fn place(&self, op: OpId) -> Option<(ValueId, Vec<Form>)> {
        let data = &self.f[op];
        let (memref, access, rest) = match &data.kind {
            OpKind::Load(access) => (*data.operands.first()?, access, data.operands.get(1..)?),
            OpKind::Store(access) => (*data.operands.get(1)?, access, data.operands.get(2..)?),
            _ => return None,
        };
        let forms: Vec<Form> = rest.iter().map(|&v| Form::atom(Atom::Value(v))).collect();
        let (dims, syms) = forms.split_at_checked(access.map.dims as usize)?;
        let subs = access
            .map
            .results
            .iter()
            .map(|e| Form::of_affine(e, dims, syms))
            .collect::<Option<Vec<_>>>()?;
        Some((memref, subs))
    }
}
