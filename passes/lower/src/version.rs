//! The entry point: a scop's operations replaced, in one version or two.

use crate::cells::Cells;
use crate::copies::Copies;
use crate::emit::Emitter;
use crate::form::Form;
use crate::reuse::Seen;
use crate::sets::set_condition;
use crate::slots::contract_cells;
use crate::tree::{Builder, Declined};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use tilia_ast::{Ast, CmpOp, Expr};
use tilia_diag::Remark;
use tilia_presburger::{Budget, Id};
use tilia_program::{BlockId, Constant, Function, IfCond, OpId, OpKind, PureOp, Type, ValueId, ValueMap};
use tilia_scop::{ArrayId, ArrayKind, ParamSource, Scop};

/// More comparisons than any nest needs whose checks are worth their time; conditions beyond are larger than the code they guard, and slow to compile.
const MOST_COMPARISONS: usize = 512;

type Res<T> = Result<T, Declined>;

/// Parameters up to this magnitude can't overflow the arithmetic of conditions.
const ORDINARY: i64 = 1 << 40;

/// What lowering may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Outermost parallel loops run on the pool.
    pub parallel: bool,
    /// Innermost parallel loops work on vectors of that many bits, a power of two and at least 128; 0: on single numbers.
    pub vector_bits: u32,
    /// Memory locations may live in registers across loops, and small loops are written out.
    pub promote: bool,
    /// Registers that the machine has for values of one kind. Loops are given twice as many locations to keep: some hold integers, others floats.
    pub registers: u32,
}

/// Replaces the operations of `scop` in `function` by what `ast` says. On `Err` the function still executes as before (operations may have been made that stand in no block).
///
/// # Errors
/// [`Declined`] when the loops can't be written with 64-bit indices, or a set operation ran out of budget.
pub fn lower(function: &mut Function, scop: &Scop, ast: &Ast, options: &Options, budget: &Budget) -> Result<Vec<Remark>, Declined> {
    let live = live_out(scop);
    let originals: Vec<ValueId> = live.iter().map(|&(_, v)| v).collect();
    let after = uses_after(function, scop);
    only_results_leave(function, scop, &after, &originals)?;
    // Everything is made in a block of its own first, so that giving up leaves no trace.
    let region = function.new_region();
    let staging = function.new_block(region, &[]);
    let outer = copy_preamble(function, scop, staging);
    let params = parameters(function, scop, staging, &outer)?;
    let copies = Copies::of(scop, budget)?;
    let tree = Builder::new(function, scop, ast, &params, &copies).build_root(ast)?;
    let fate = contract_cells(&tree.0, scop);
    let mut emitter = Emitter {
        f: function,
        scop,
        options,
        params: &params,
        outer: &outer,
        rows: ValueMap::default(),
        budget,
        cells: Cells::default(),
        vars: BTreeMap::new(),
        slots: BTreeMap::new(),
        seen: Seen::default(),
        remarks: Vec::new(),
        in_parallel: false,
        next_var: tree.1,
    };
    let mut stored: Vec<ArrayId> = Vec::new();
    for (cell, scope) in &fate {
        match scope {
            Some(scope) => {
                emitter.cells.contracted.insert(*cell, *scope);
            }
            None => stored.push(*cell),
        }
    }
    stored.sort();
    let copied = |c: &&ArrayId| matches!(scop[**c].kind, ArrayKind::Copy(_));
    emitter.cells.tested = stored.iter().filter(copied).copied().collect();
    let condition = emitter.run_time_condition(staging)?;
    let body = match condition {
        None => staging,
        Some(_) => {
            let region = emitter.f.new_region();
            emitter.f.new_block(region, &[])
        }
    };
    emitter.know_layouts(body);
    for cell in stored {
        emitter.allocate_cell(cell, body)?;
    }
    let mut tree = tree.0;
    emitter.cells.name_storage(&mut tree, &scop.loc)?;
    let tree = emitter.write_out(tree);
    emitter.emit(&tree, body, &mut Vec::new())?;
    let finals = live
        .iter()
        .map(|&(cell, _)| emitter.final_value(cell, body, &scop.loc))
        .collect::<Res<Vec<_>>>()?;
    emitter.free_cells(body, &scop.loc);
    let mut remarks = std::mem::take(&mut emitter.remarks);
    let copies = !emitter.cells.tested.is_empty();
    let results = match condition {
        None => finals,
        Some(cond) => {
            remarks.push(versioned(scop, copies));
            two_versions(function, scop, staging, (cond, body, &finals), &originals)
        }
    };
    splice(function, scop, staging, after, &originals, &results);
    Ok(remarks)
}

fn versioned(scop: &Scop, copies: bool) -> Remark {
    let mut what: Vec<&str> = scop.assumptions.iter().map(|a| a.what.as_str()).collect();
    if !scop.may_alias.is_empty() {
        what.push("its arrays don't overlap");
    }
    let layouts: Vec<String> = scop
        .unproven_layouts
        .iter()
        .map(|a| {
            format!(
                "subscripts of {} tell elements apart, those of rows lie side by side",
                scop[*a].name
            )
        })
        .collect();
    what.extend(layouts.iter().map(String::as_str));
    if copies {
        what.push("copies of its temporaries take little memory");
    }
    Remark::analysis(
        "lower",
        scop.loc.clone(),
        format!("checked once at run time, else the original order runs: {}", what.join("; ")),
    )
}

/// Results of the scop that are used after it: the cell, and the original value.
fn live_out(scop: &Scop) -> Vec<(ArrayId, ValueId)> {
    (0u32..)
        .zip(&scop.arrays)
        .filter_map(|(n, a)| match a.kind {
            ArrayKind::Cell(_) => a.live_out.map(|v| (ArrayId(n), v)),
            _ => None,
        })
        .collect()
}

fn copy_preamble(f: &mut Function, scop: &Scop, block: BlockId) -> ValueMap {
    let mut map = ValueMap::default();
    for &op in &scop.preamble {
        f.clone_op(op, block, &mut map);
    }
    map
}

/// The parameters' values, as indices.
fn parameters(f: &mut Function, scop: &Scop, block: BlockId, outer: &ValueMap) -> Res<FxHashMap<Id, ValueId>> {
    let mut params = FxHashMap::default();
    for p in &scop.params {
        let value = match p.value {
            ParamSource::Value(v) => {
                let v = outer.get(&v).copied().unwrap_or(v);
                match f[v].ty {
                    Type::INDEX => v,
                    Type::Scalar(s) if s.is_int() => {
                        let op = f.append(block, OpKind::pure(PureOp::IndexCast), vec![v], &[Type::INDEX], scop.loc.clone());
                        f.result(op)
                    }
                    _ => return Err(Declined::new(&scop.loc, format!("parameter {} isn't an integer", p.name))),
                }
            }
            ParamSource::Dim(v, n) => {
                let v = outer.get(&v).copied().unwrap_or(v);
                let n = f.append(block, OpKind::int(i64::from(n)), vec![], &[Type::INDEX], scop.loc.clone());
                let n = f.result(n);
                let op = f.append(block, OpKind::Dim, vec![v, n], &[Type::INDEX], scop.loc.clone());
                f.result(op)
            }
        };
        params.insert(p.name.clone(), value);
    }
    Ok(params)
}

impl Emitter<'_> {
    /// The condition under which the model holds, as an i1 value; `None` when it always does.
    fn run_time_condition(&mut self, block: BlockId) -> Res<Option<ValueId>> {
        let scop = self.scop;
        let mut all: Vec<ValueId> = Vec::new();
        if !scop.assumptions.is_empty() || !self.cells.tested.is_empty() {
            all.push(self.assumptions_hold(block)?);
        }
        all.extend(self.layouts_hold(block)?);
        for &(a, b) in &scop.may_alias {
            let (ArrayKind::Root(a), ArrayKind::Root(b)) = (&scop[a].kind, &scop[b].kind) else {
                continue;
            };
            let operands = vec![self.outer_value(*a), self.outer_value(*b)];
            let op = self.f.append(block, OpKind::Overlap, operands, &[Type::BOOL], scop.loc.clone());
            let overlap = self.f.result(op);
            let one = self
                .f
                .append(block, OpKind::Constant(Constant::Int(-1)), vec![], &[Type::BOOL], scop.loc.clone());
            let one = self.f.result(one);
            let apart = self.f.append(
                block,
                OpKind::pure(PureOp::XOrI),
                vec![overlap, one],
                &[Type::BOOL],
                scop.loc.clone(),
            );
            all.push(self.f.result(apart));
        }
        Ok(self.all_of(&all, block))
    }

    /// The conjunction of i1 values; `None` when there are none.
    fn all_of(&mut self, values: &[ValueId], block: BlockId) -> Option<ValueId> {
        let (&first, rest) = values.split_first()?;
        let loc = self.scop.loc.clone();
        let mut all = first;
        for &value in rest {
            let op = self
                .f
                .append(block, OpKind::pure(PureOp::AndI), vec![all, value], &[Type::BOOL], loc.clone());
            all = self.f.result(op);
        }
        Some(all)
    }

    /// Whether all assumptions hold, as an i1 value. Their arithmetic is only done for parameters of ordinary size, so that it can't overflow; the others count as violating them.
    fn assumptions_hold(&mut self, block: BlockId) -> Res<ValueId> {
        let scop = self.scop;
        let loc = scop.loc.clone();
        let mut ordinary = Vec::new();
        for p in &scop.params {
            for (bound, op) in [(-ORDINARY, CmpOp::Ge), (ORDINARY, CmpOp::Le)] {
                let e = Expr::Cmp(op, Box::new(Expr::Param(p.name.clone())), Box::new(Expr::Int(bound.into())));
                ordinary.push(self.condition_value(&e, block, &loc)?);
            }
        }
        let Some(ordinary) = self.all_of(&ordinary, block) else {
            return self.assumptions(block);
        };
        let op = self
            .f
            .append(block, OpKind::If(IfCond::Value), vec![ordinary], &[Type::BOOL], loc.clone());
        for holds in [true, false] {
            let region = self.f.new_region();
            self.f[op].regions.push(region);
            let inner = self.f.new_block(region, &[]);
            let value = if holds {
                self.assumptions(inner)?
            } else {
                self.condition_value(&Expr::Bool(false), inner, &loc)?
            };
            self.f.append(inner, OpKind::Yield, vec![value], &[], loc.clone());
        }
        Ok(self.f.result(op))
    }

    fn assumptions(&mut self, block: BlockId) -> Res<ValueId> {
        let scop = self.scop;
        let mut all = Vec::new();
        let mut comparisons = 0;
        for assumption in &scop.assumptions {
            let e = set_condition(&assumption.condition, self.budget)
                .map_err(|e| Declined::new(&assumption.loc, format!("a run-time condition can't be written down: {e}")))?;
            comparisons += comparisons_in(&e);
            if comparisons > MOST_COMPARISONS {
                let why = format!("the run-time conditions need more than {MOST_COMPARISONS} comparisons");
                return Err(Declined::new(&assumption.loc, why));
            }
            if !stays_small(&e, &|p| self.params.get(p).copied()) {
                let why = "a run-time condition has numbers too large for 64-bit arithmetic";
                return Err(Declined::new(&assumption.loc, why));
            }
            all.push(self.condition_value(&e, block, &assumption.loc)?);
        }
        for copy in self.cells.tested.clone() {
            all.extend(self.fits(copy, block)?);
        }
        match self.all_of(&all, block) {
            Some(value) => Ok(value),
            None => self.condition_value(&Expr::Bool(true), block, &scop.loc),
        }
    }
}

/// Whether the arithmetic of a condition stays within 64 bits for parameters of ordinary size.
fn stays_small(e: &Expr, param: &dyn Fn(&Id) -> Option<ValueId>) -> bool {
    let fits = |e: &Expr| Form::of_expr(e, param).and_then(|f| f.magnitude(ORDINARY)).is_some();
    match e {
        Expr::And(all) | Expr::Or(all) => all.iter().all(|e| stays_small(e, param)),
        Expr::Cmp(_, a, b) => fits(a) && fits(b),
        _ => true,
    }
}

/// The comparisons of a condition.
fn comparisons_in(e: &Expr) -> usize {
    match e {
        Expr::And(all) | Expr::Or(all) => all.iter().map(comparisons_in).sum(),
        Expr::Cmp(..) => 1,
        _ => 0,
    }
}

/// `if cond { the new code } else { the original operations, checked }`.
fn two_versions(
    f: &mut Function,
    scop: &Scop,
    staging: BlockId,
    (cond, body, finals): (ValueId, BlockId, &[ValueId]),
    originals: &[ValueId],
) -> Vec<ValueId> {
    let types: Vec<Type> = originals.iter().map(|&v| f[v].ty.clone()).collect();
    let loc = scop.loc.clone();
    let op = f.append(staging, OpKind::If(IfCond::Value), vec![cond], &types, loc.clone());
    let then = f.new_region();
    f[then].blocks.push(body);
    f.append(body, OpKind::Yield, finals.to_vec(), &[], loc.clone());
    let otherwise = f.new_region();
    let fallback = f.new_block(otherwise, &[]);
    f[fallback].ops.extend(scop.range.ops.iter().copied());
    f.append(fallback, OpKind::Yield, originals.to_vec(), &[], loc);
    f[op].regions = vec![then, otherwise];
    f[op].results.clone()
}

/// Puts the staged operations in the place of the range's last operation, takes the range's operations out of their block, and makes the code after it (`after`) use the new results.
fn splice(f: &mut Function, scop: &Scop, staging: BlockId, after: Vec<OpId>, originals: &[ValueId], results: &[ValueId]) {
    let block = scop.range.block;
    let staged = std::mem::take(&mut f[staging].ops);
    let last = scop.range.ops.last().copied();
    let gone: FxHashSet<OpId> = scop.range.ops.iter().copied().collect();
    let old = std::mem::take(&mut f[block].ops);
    let mut new = Vec::with_capacity(old.len() + staged.len());
    for op in old {
        if Some(op) == last {
            new.extend(staged.iter().copied());
        } else if !gone.contains(&op) {
            new.push(op);
        }
    }
    f[block].ops = new;
    // The fallback's own operations keep the originals.
    let replace: ValueMap = originals.iter().copied().zip(results.iter().copied()).collect();
    for op in after {
        for v in &mut f[op].operands {
            if let Some(&new) = replace.get(v) {
                *v = new;
            }
        }
    }
}

/// The operations that may use results of the range: those after it in its block (regions included), and those in blocks that this one dominates.
fn uses_after(f: &Function, scop: &Scop) -> Vec<OpId> {
    let gone: FxHashSet<OpId> = scop.range.ops.iter().copied().collect();
    let last = scop.range.ops.last().copied();
    let after = f[scop.range.block].ops.iter().copied().skip_while(|&op| Some(op) != last);
    let mut uses = Vec::new();
    for op in after.filter(|op| !gone.contains(op)) {
        uses.push(op);
        for &region in &f[op].regions {
            f.walk(region, |inner| uses.push(inner));
        }
    }
    uses.extend(other_blocks(f, scop.range.block));
    uses
}

/// Declines a scop with a value that code after it uses, other than its results: nothing would compute it any more.
fn only_results_leave(f: &Function, scop: &Scop, after: &[OpId], originals: &[ValueId]) -> Res<()> {
    let inner: FxHashSet<ValueId> = scop.range.ops.iter().flat_map(|&op| f[op].results.iter().copied()).collect();
    let lost = |&&op: &&OpId| f[op].operands.iter().any(|v| inner.contains(v) && !originals.contains(v));
    match after.iter().find(lost) {
        Some(&op) => Err(Declined::new(
            &f[op].loc,
            "code after the scop uses a value that isn't among its results",
        )),
        None => Ok(()),
    }
}

/// Operations in the sibling blocks of `block`'s region, regions included.
fn other_blocks(f: &Function, block: BlockId) -> Vec<OpId> {
    let mut found = Vec::new();
    let Some(body) = f.body else { return found };
    let mut regions = vec![body];
    while let Some(region) = regions.pop() {
        let blocks = &f[region].blocks;
        if blocks.contains(&block) {
            for &b in blocks.iter().filter(|&&b| b != block) {
                for &op in &f[b].ops {
                    found.push(op);
                    for &r in &f[op].regions {
                        f.walk(r, |inner| found.push(inner));
                    }
                }
            }
            return found;
        }
        for &b in blocks {
            for &op in &f[b].ops {
                regions.extend(f[op].regions.iter().copied());
            }
        }
    }
    found
}
