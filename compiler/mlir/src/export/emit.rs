//! Rewriting one function of the module's copy.

use super::builder::Builder;
use super::kept::Fates;
use super::overlap::Checks;
use super::{Exported, Form, Keep, internal};
use crate::ffi::{self, Graveyard};
use crate::imported::{FunctionSources, ValueSource};
use crate::walk::{Walked, uses_from_outside};
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, BlockRef, OperationRef, RegionLike, RegionRef, Type as MlirType, Value, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use tilia_program::{BlockId, Function, OpId, OpKind, RegionId, ValueDef, ValueId};

pub(super) type MlirOp<'m> = OperationRef<'m, 'm>;
pub(super) type MlirBlock<'m> = BlockRef<'m, 'm>;
pub(super) type MlirValue<'m> = Value<'m, 'm>;

/// A function being rewritten.
pub(super) struct FunctionExporter<'e, 'm> {
    pub(super) b: Builder<'m>,
    pub(super) form: Form,
    walked: &'e Walked<'m>,
    /// Symbols of functions by their names in the program.
    symbols: &'e FxHashMap<String, String>,
    /// Functions that check whether buffers overlap.
    pub(super) checks: &'e Checks,
    sources: &'e FunctionSources,
    old: &'e Function,
    pub(super) new: &'e Function,
    fates: Fates,
    /// Number of the first source operation after the function.
    end: u32,
    /// Numbers of the source operations in the function, by address.
    numbers: FxHashMap<usize, u32>,
    /// Source operations that have no trace in the program but use something that goes: they go too.
    doomed: FxHashSet<u32>,
    /// Values of operations and blocks that were made anew.
    values: FxHashMap<ValueId, MlirValue<'m>>,
    /// Blocks that were made anew.
    blocks: FxHashMap<BlockId, MlirBlock<'m>>,
}

fn name_of(op: &MlirOp<'_>) -> String {
    op.name().as_string_ref().as_str().unwrap_or_default().to_owned()
}

impl<'e, 'm> FunctionExporter<'e, 'm> {
    /// Prepares the rewriting of a function from `old` to `new`.
    pub(super) fn new(
        context: &'m Context,
        walked: &'e Walked<'m>,
        (symbols, checks): (&'e FxHashMap<String, String>, &'e Checks),
        sources: &'e FunctionSources,
        [old, new]: [&'e Function; 2],
        (keep, form): (Keep, Form),
    ) -> Self {
        let name = |n: u32| walked.ops.get(n as usize).map(name_of).unwrap_or_default();
        let unsupported: FxHashSet<u32> = unsupported_sources(old, sources);
        let stays_in_doubt = |n: u32| unsupported.contains(&n);
        let fates = Fates::new(old, new, sources, keep, |n| name(n).starts_with("affine."), stays_in_doubt);
        Self {
            b: Builder::new(context),
            form,
            walked,
            symbols,
            checks,
            sources,
            old,
            new,
            fates,
            end: sources.function,
            numbers: FxHashMap::default(),
            doomed: FxHashSet::default(),
            values: FxHashMap::default(),
            blocks: FxHashMap::default(),
        }
    }

    /// Rewrites the function.
    pub(super) fn run(mut self) -> Exported {
        let (Some(body), Some(function)) = (self.new.body, self.function()) else {
            return Err(internal("a function lost its body"));
        };
        let home = function
            .region(0)
            .ok()
            .and_then(|r| r.first_block())
            .ok_or_else(|| internal("a function without blocks"))?;
        let inside = self.numbers_inside(function);
        self.numbers = inside.iter().filter_map(|&n| Some((ffi::op_key(&self.source_op(n)?), n))).collect();
        self.end = inside.last().map_or(self.end, |n| n + 1);
        self.doom(&inside);
        self.region(body, Some(function))?;
        self.bury(&inside, home)
    }

    /// Numbers of the operations in the function.
    fn numbers_inside(&self, function: MlirOp<'m>) -> Vec<u32> {
        let count = crate::walk::walk(function).ops.len();
        let first = self.sources.function + 1;
        (first..first + u32::try_from(count).unwrap_or(u32::MAX).saturating_sub(1)).collect()
    }

    /// Marks operations without a trace in the program that use results of operations that go.
    fn doom(&mut self, inside: &[u32]) {
        // What is in an operation that the program can't express shares its fate; what it uses is replaced with that operation's operands.
        let mut hidden = unsupported_sources(self.old, self.sources);
        for &n in inside {
            let Some(op) = self.source_op(n).filter(|_| self.fates.is_free(n)) else {
                continue;
            };
            let parent = op.parent_operation().and_then(|p| self.numbers.get(&ffi::op_key(&p)).copied());
            if parent.is_some_and(|p| hidden.contains(&p)) {
                hidden.insert(n);
                continue;
            }
            let gone = op.operands().any(|v| match ffi::definition(&v) {
                ffi::Definition::Result(def, _) => self.numbers.get(&ffi::op_key(&def)).is_some_and(|&d| self.goes(d)),
                ffi::Definition::Arg(..) => false,
            });
            if gone {
                self.doomed.insert(n);
            }
        }
    }

    /// Whether a source operation is replaced. Constants stay: loops that stay may hold on to one that the program has folded.
    fn goes(&self, n: u32) -> bool {
        let constant = || {
            self.source_op(n)
                .is_some_and(|op| matches!(&*name_of(&op), "arith.constant" | "index.constant"))
        };
        self.doomed.contains(&n) || !(self.fates.is_free(n) || self.fates.is_kept(n) || constant())
    }

    /// Destroys what was replaced.
    fn bury(&mut self, inside: &[u32], home: MlirBlock<'m>) -> Exported {
        let graveyard = Graveyard::new(home);
        let mut taken: FxHashSet<usize> = FxHashSet::default();
        for &n in inside {
            let Some(op) = self.source_op(n) else { continue };
            let parent_gone = op.parent_operation().is_some_and(|p| taken.contains(&ffi::op_key(&p)));
            if parent_gone || self.goes(n) {
                taken.insert(ffi::op_key(&op));
            }
            if !parent_gone && self.goes(n) {
                graveyard.take(op);
            }
        }
        // Constants that the program has no more, unless something that stays still uses them.
        for &n in inside {
            let Some(op) = self.source_op(n) else { continue };
            let stale = !self.fates.is_free(n) && !self.fates.is_kept(n);
            if stale && !taken.contains(&ffi::op_key(&op)) && !graveyard.is_needed(op) {
                graveyard.take(op);
            }
        }
        if graveyard.is_used() {
            return Err(internal("an operation that stays uses one that was replaced"));
        }
        Ok(())
    }

    /// The function's operation.
    pub(super) fn function(&self) -> Option<MlirOp<'m>> {
        self.source_op(self.sources.function)
    }

    /// The source operation of that number, in the copy.
    pub(super) fn source_op(&self, n: u32) -> Option<MlirOp<'m>> {
        self.walked.ops.get(n as usize).copied()
    }

    /// The source operation that an imported operation of the program came from.
    pub(super) fn source_of(&self, op: OpId) -> Option<MlirOp<'m>> {
        self.sources.ops.get(op.0 as usize).and_then(|&n| self.source_op(n))
    }

    /// The source operation of an operation that says the same as `op`, which was made anew.
    pub(super) fn source_of_like(&self, op: OpId) -> Option<MlirOp<'m>> {
        let mut found = None;
        self.old.walk(self.old.body?, |other| {
            if found.is_none() && self.old[other].kind == self.new[op].kind {
                found = self.source_of(other);
            }
        });
        found
    }

    fn source_block(&self, block: BlockId) -> Option<MlirBlock<'m>> {
        let n = self.sources.blocks.get(block.0 as usize).copied().flatten()?;
        self.walked.blocks.get(n as usize).copied()
    }

    fn source_value(&self, value: ValueId) -> Option<MlirValue<'m>> {
        match self.sources.values.get(value.0 as usize).copied().flatten()? {
            ValueSource::Result(op, n) => self.source_op(op)?.result(n as usize).ok().map(Value::from),
            ValueSource::Arg(block, n) => self.walked.blocks.get(block as usize)?.argument(n as usize).ok().map(Value::from),
        }
    }

    /// MLIR's value for one of the program's.
    pub(super) fn value(&self, value: ValueId) -> Exported<MlirValue<'m>> {
        let made = self.values.get(&value).copied();
        made.or_else(|| self.source_value(value))
            .ok_or_else(|| internal(format!("the value {value} has no counterpart")))
    }

    /// MLIR's values for the operands of `op` in a range.
    pub(super) fn operands(&self, op: OpId, range: std::ops::Range<usize>) -> Exported<Vec<MlirValue<'m>>> {
        let operands = self.new[op]
            .operands
            .get(range)
            .ok_or_else(|| internal("an operation with too few operands"))?;
        operands.iter().map(|&v| self.value(v)).collect()
    }

    /// MLIR's values for all operands of `op`.
    pub(super) fn all_operands(&self, op: OpId) -> Exported<Vec<MlirValue<'m>>> {
        self.operands(op, 0..self.new[op].operands.len())
    }

    /// MLIR's block for one of the program's.
    pub(super) fn block_of(&self, block: BlockId) -> Exported<MlirBlock<'m>> {
        let made = self.blocks.get(&block).copied();
        made.or_else(|| self.source_block(block))
            .ok_or_else(|| internal("a branch to a block that isn't there"))
    }

    /// Makes `made` the value for `value`.
    pub(super) fn bind(&mut self, value: ValueId, made: MlirValue<'m>) {
        self.values.insert(value, made);
    }

    /// The type that a value has in MLIR: the source's where it is one of its values.
    pub(super) fn type_of(&self, value: ValueId) -> Exported<MlirType<'m>> {
        if let Some(source) = self.source_value(value) {
            return Ok(source.r#type());
        }
        let ty = self.b.ty(&self.new[value].ty)?;
        Ok(self
            .original_type(value)
            .filter(|original| ffi::with_memory_space_of(ty, *original) == *original)
            .unwrap_or(ty))
    }

    /// For a result of a copy of an operation of this function: the type that the original's result has.
    fn original_type(&self, value: ValueId) -> Option<MlirType<'m>> {
        let ValueDef::Result(op, n) = self.new[value].def else {
            return None;
        };
        let result = self.original(op)?.result(n as usize).ok()?;
        Some(result.r#type())
    }

    /// For a copy of an operation of this function: the source operation of the original.
    pub(super) fn original(&self, op: OpId) -> Option<MlirOp<'m>> {
        let original = self.new[op].origin?.0;
        // Operations of other functions may be gone already.
        let here = (self.sources.function..self.end).contains(&original);
        self.source_op(original).filter(|_| here)
    }

    /// Whether a value is one of the source's, or a result of a copy of an operation of the source.
    pub(super) fn has_source_type(&self, value: ValueId) -> bool {
        self.source_value(value).is_some() || self.original_type(value).is_some()
    }

    /// The types that the results of `op` have in MLIR.
    pub(super) fn result_types(&self, op: OpId) -> Exported<Vec<MlirType<'m>>> {
        self.new[op].results.iter().map(|&v| self.type_of(v)).collect()
    }

    /// Makes `made` the operation for `op`: its results are the values for those of `op`.
    pub(super) fn bind_results(&mut self, op: OpId, made: MlirOp<'m>) {
        for (&value, result) in self.new[op].results.iter().zip(made.results()) {
            self.values.insert(value, Value::from(result));
        }
    }

    /// Rewrites the blocks of a region of an operation that stays, in place.
    fn region(&mut self, region: RegionId, owner: Option<MlirOp<'m>>) -> Exported {
        let blocks = self.new[region].blocks.clone();
        for &block in &blocks {
            if self.source_block(block).is_none() {
                let target = owner
                    .and_then(|op| op.region(0).ok())
                    .ok_or_else(|| internal("a new block in no region"))?;
                self.new_block(target, block)?;
            }
        }
        for block in blocks {
            let target = self.block_of(block)?;
            self.block(block, target)?;
        }
        Ok(())
    }

    /// Makes a block for `block` at the end of a region.
    pub(super) fn new_block(&mut self, region: RegionRef<'m, 'm>, block: BlockId) -> Exported<MlirBlock<'m>> {
        let types = self.new[block]
            .args
            .iter()
            .map(|&v| self.type_of(v))
            .collect::<Exported<Vec<_>>>()?;
        let made = self.b.append_block(region, &types);
        self.note_block(block, made);
        Ok(made)
    }

    /// Makes `made` the block for `block`: its arguments are the values for those of `block`.
    pub(super) fn note_block(&mut self, block: BlockId, made: MlirBlock<'m>) {
        self.blocks.insert(block, made);
        for (n, &argument) in self.new[block].args.iter().enumerate() {
            if let Ok(value) = made.argument(n) {
                self.values.insert(argument, Value::from(value));
            }
        }
    }

    /// Gives `target` the operations of `block`, in order.
    pub(super) fn block(&mut self, block: BlockId, target: MlirBlock<'m>) -> Exported {
        let mut free = FreeOps::of(self, target);
        free.flush(target, None);
        self.b.enter(target);
        for op in self.new[block].ops.clone() {
            if self.fates.stays(self.sources, op) {
                self.kept(op, target, &mut free)?;
            } else {
                self.b.locate(&self.new[op].loc);
                self.op(op, target)?;
            }
        }
        self.b.leave();
        free.finish(target);
        Ok(())
    }

    /// Puts an operation that stays to the end of its block, and goes on with what is in it.
    fn kept(&mut self, op: OpId, target: MlirBlock<'m>, free: &mut FreeOps<'m>) -> Exported {
        if self.fates.is_anchor(op) {
            let made = self.source_of(op).ok_or_else(|| internal("an operation without a source"))?;
            free.before(made, target);
            ffi::move_to_end(made, target);
            free.flush(target, Some(made));
        }
        self.replace_operands(op)?;
        for region in self.new[op].regions.clone() {
            self.kept_region(region)?;
        }
        Ok(())
    }

    /// Goes on with a region of an operation that stays: blocks of the source are rewritten in place; others hold parts of the same source operation only.
    fn kept_region(&mut self, region: RegionId) -> Exported {
        for block in self.new[region].blocks.clone() {
            if let Some(target) = self.source_block(block) {
                self.block(block, target)?;
                continue;
            }
            for op in self.new[block].ops.clone() {
                self.replace_operands(op)?;
                for inner in self.new[op].regions.clone() {
                    self.kept_region(inner)?;
                }
            }
        }
        Ok(())
    }

    /// Operands of an operation that stays which the program has replaced.
    fn replace_operands(&mut self, op: OpId) -> Exported {
        let pairs: Vec<(ValueId, ValueId)> = self.old[op]
            .operands
            .iter()
            .copied()
            .zip(self.new[op].operands.iter().copied())
            .collect();
        for (before, after) in pairs {
            // A value that was made anew under the same name is a replacement too.
            let (Some(was), is) = (self.source_value(before), self.value(after)?) else {
                continue;
            };
            if was == is {
                continue;
            }
            let made = self.source_of(op).ok_or_else(|| internal("an operation without a source"))?;
            if matches!(self.new[op].kind, OpKind::Unsupported { .. }) {
                for used in uses_from_outside(made).iter().filter(|used| used.value == was) {
                    ffi::set_operand(used.user, used.operand, is);
                }
                continue;
            }
            for n in 0..made.operand_count() {
                if made.operand(n) == Ok(was) {
                    ffi::set_operand(made, n, is);
                }
            }
        }
        Ok(())
    }

    /// Makes one operation anew.
    fn op(&mut self, op: OpId, target: MlirBlock<'m>) -> Exported {
        match &self.new[op].kind {
            OpKind::Constant(_) | OpKind::Pure(..) | OpKind::Apply(_) | OpKind::Min(_) | OpKind::Max(_) => self.number(op, target),
            OpKind::Overlap => self.overlap(op, target),
            OpKind::For(_)
            | OpKind::If(_)
            | OpKind::While
            | OpKind::ExecuteRegion
            | OpKind::Condition
            | OpKind::Yield
            | OpKind::Call(_)
            | OpKind::Return
            | OpKind::Br(_)
            | OpKind::CondBr { .. }
            | OpKind::Switch { .. }
            | OpKind::Assert(_)
            | OpKind::Unreachable
            | OpKind::Unsupported { .. } => self.control(op, target),
            _ => self.memory(op, target),
        }
    }

    /// The symbol, in the module, of the function that the program calls `name`.
    pub(super) fn symbol(&self, name: &str) -> Exported<&str> {
        let symbol = self
            .symbols
            .get(name)
            .ok_or_else(|| internal(format!("a call of '{name}', which isn't in the source")))?;
        Ok(symbol)
    }
}

/// Source operations that the program couldn't execute: they can only stay.
fn unsupported_sources(old: &Function, sources: &FunctionSources) -> FxHashSet<u32> {
    let mut found = FxHashSet::default();
    if let Some(body) = old.body {
        old.walk(body, |op| {
            if matches!(old[op].kind, OpKind::Unsupported { .. } | OpKind::Return | OpKind::Call(_)) {
                found.extend(sources.ops.get(op.0 as usize));
            }
        });
    }
    found
}

/// The operations of a source block that have no trace in the program but stay: they keep their place among those that do.
struct FreeOps<'m> {
    /// All operations of the block before it was rewritten; true for those that are free.
    original: Vec<(MlirOp<'m>, bool)>,
    /// How many of them are in place.
    done: usize,
    terminator: Option<MlirOp<'m>>,
}

impl<'m> FreeOps<'m> {
    fn of(exporter: &FunctionExporter<'_, 'm>, target: MlirBlock<'m>) -> Self {
        let mut original = Vec::new();
        let mut next = target.first_operation();
        while let Some(op) = next {
            let number = exporter.numbers.get(&ffi::op_key(&op));
            let free = number.is_some_and(|&n| exporter.fates.is_free(n) && !exporter.doomed.contains(&n));
            original.push((op, free));
            next = op.next_in_block();
        }
        let terminator = original.last().filter(|(op, free)| *free && is_terminator(op)).map(|(op, _)| *op);
        Self {
            original,
            done: 0,
            terminator,
        }
    }

    /// Puts the free operations that follow `after` (or start the block) in place, up to the next that isn't free.
    fn flush(&mut self, target: MlirBlock<'m>, after: Option<MlirOp<'m>>) {
        let start = match after {
            None => 0,
            Some(after) => match self.original.iter().position(|(op, _)| *op == after) {
                Some(n) => n + 1,
                None => return,
            },
        };
        self.done = self.done.max(start);
        while let Some((op, true)) = self.original.get(self.done) {
            self.place(*op, target);
            self.done += 1;
        }
    }

    /// Puts the free operations before `op` in place.
    fn before(&mut self, op: MlirOp<'m>, target: MlirBlock<'m>) {
        let Some(end) = self.original.iter().position(|(o, _)| *o == op) else {
            return;
        };
        while self.done < end {
            let (op, free) = self.original[self.done];
            if free {
                self.place(op, target);
            }
            self.done += 1;
        }
    }

    /// Puts the rest in place, the terminator last.
    fn finish(&mut self, target: MlirBlock<'m>) {
        while self.done < self.original.len() {
            let (op, free) = self.original[self.done];
            if free {
                self.place(op, target);
            }
            self.done += 1;
        }
        if let Some(terminator) = self.terminator {
            ffi::move_to_end(terminator, target);
        }
    }

    fn place(&self, op: MlirOp<'m>, target: MlirBlock<'m>) {
        if self.terminator != Some(op) {
            ffi::move_to_end(op, target);
        }
    }
}

/// Whether an operation without a trace in the program ends its block: the end of a parallel loop's body.
fn is_terminator(op: &MlirOp<'_>) -> bool {
    matches!(
        &*name_of(op),
        "affine.yield" | "scf.reduce" | "scf.forall.in_parallel" | "scf.yield" | "memref.atomic_yield"
    )
}
