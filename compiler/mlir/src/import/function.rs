//! Translation of one function: its state, and what every operation's translation uses.

use super::affine::BadDivisor;
use super::numbers::Numbers;
use super::types::{TypeInfo, TypeTable};
use super::{MlirBlock, MlirOp, MlirRegion, MlirValue, operations, symbols::Symbols};
use crate::ffi::{self, Definition};
use crate::imported::{FunctionSources, ValueSource};
use crate::location::Locations;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, RegionLike, Value, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use tilia_diag::{Diagnostic, Loc};
use tilia_program::{AffineMap, BlockId, FastMath, Function, OpId, OpKind, OriginId, RegionId, Type, ValueId};

/// What all functions of a module share.
pub(super) struct ModuleContext<'m> {
    pub(super) locations: Rc<Locations>,
    pub(super) types: TypeTable,
    pub(super) symbols: Symbols<'m>,
    /// Numbers of operations and blocks.
    pub(super) numbers: Numbers,
    /// Positions of the globals that can't be used.
    pub(super) failed_globals: FxHashSet<usize>,
    /// Fast-math flags, by address of their attribute.
    pub(super) fast_math: RefCell<FxHashMap<usize, FastMath>>,
}

/// Why an operation wasn't translated.
pub(super) enum Stop {
    /// It stays in the program as something that can't be executed; the text says why and what to do.
    Unsupported(String),
    /// It makes its whole function meaningless.
    Invalid(Box<Diagnostic>),
}

/// Result of translating something.
pub(super) type Translated<T = ()> = Result<T, Stop>;

/// `Err` for an operation that stays as unsupported.
pub(super) fn unsupported<T>(reason: impl Into<String>) -> Translated<T> {
    Err(Stop::Unsupported(reason.into()))
}

/// A missing attribute or an attribute of an unexpected kind: MLIR's verifier excludes it, so the sentence is for versions that differ.
pub(super) fn expected(what: &str) -> Stop {
    Stop::Unsupported(format!("its attribute '{what}' isn't as expected"))
}

/// A function being translated.
pub(super) struct FunctionImporter<'a, 'm> {
    pub(super) cx: &'a ModuleContext<'m>,
    pub(super) f: Function,
    /// Number of the module around the function.
    pub(super) scope: usize,
    values: FxHashMap<usize, ValueId>,
    blocks: FxHashMap<usize, BlockId>,
    /// Loop iterators cut down to the type they have in the source, with the index they were and whether the cut is undone by zero extension.
    narrowed: FxHashMap<ValueId, (ValueId, bool)>,
    /// Where what was made came from.
    sources: FunctionSources,
    loc: Loc,
    /// Number of the source operation at hand.
    origin: u32,
    /// Whether operations within the one at hand count as part of it: their source can't stay if it doesn't.
    inlining: bool,
    /// Whether a value has a memref type whose layout map was folded into accesses.
    folded: bool,
}

/// A translated function, and where it came from.
pub(super) struct ImportedFunction {
    pub(super) function: Function,
    pub(super) sources: FunctionSources,
    /// Whether a memref's layout map was folded into accesses.
    pub(super) folded: bool,
    pub(super) diagnostic: Option<Diagnostic>,
}

/// Translates a function with a body, or declares it. One that can't be translated gets a body that only says so.
pub(super) fn import_function<'m>(cx: &ModuleContext<'m>, op: MlirOp<'m>, scope: usize, signature: Function) -> ImportedFunction {
    let origin = cx.numbers.op(op).unwrap_or(0);
    let mut importer = FunctionImporter {
        cx,
        loc: signature.loc.clone(),
        f: signature.clone(),
        scope,
        values: FxHashMap::default(),
        blocks: FxHashMap::default(),
        narrowed: FxHashMap::default(),
        sources: FunctionSources {
            function: origin,
            ..FunctionSources::default()
        },
        origin,
        inlining: false,
        folded: false,
    };
    let body = op.region(0).ok().filter(|r| r.first_block().is_some());
    let result = body.map_or(Ok(None), |region| importer.region(region).map(Some));
    let diagnostic = match result {
        Ok(body) => {
            importer.f.body = body;
            return importer.finish();
        }
        Err(Stop::Invalid(diagnostic)) => *diagnostic,
        Err(Stop::Unsupported(reason)) => Diagnostic::error(signature.loc.clone(), reason),
    };
    let failed = failed_import(cx, op, signature, &diagnostic);
    ImportedFunction {
        diagnostic: Some(diagnostic),
        ..failed
    }
}

/// A function that only says what is wrong with it when it is executed.
pub(super) fn failed_import<'m>(cx: &ModuleContext<'m>, op: MlirOp<'m>, signature: Function, diagnostic: &Diagnostic) -> ImportedFunction {
    let origin = cx.numbers.op(op).unwrap_or(0);
    let function = failed_function(signature, diagnostic);
    let sources = FunctionSources {
        function: origin,
        ops: vec![origin; function.op_count()],
        values: vec![None; function.value_count()],
        blocks: vec![None; function.block_count()],
    };
    ImportedFunction {
        function,
        sources,
        folded: false,
        diagnostic: None,
    }
}

fn failed_function(mut f: Function, diagnostic: &Diagnostic) -> Function {
    let region = f.new_region();
    f.body = Some(region);
    let params = f.params.clone();
    let entry = f.new_block(region, &params);
    let kind = OpKind::Unsupported {
        name: "func.func".to_owned(),
        reason: format!("the function has an error: {}", diagnostic.message),
    };
    f.append(entry, kind, Vec::new(), &[], diagnostic.loc.clone());
    f.append(entry, OpKind::Unreachable, Vec::new(), &[], diagnostic.loc.clone());
    f
}

impl<'m> FunctionImporter<'_, 'm> {
    fn finish(mut self) -> ImportedFunction {
        self.sources.ops.resize(self.f.op_count(), self.origin);
        self.sources.values.resize(self.f.value_count(), None);
        self.sources.blocks.resize(self.f.block_count(), None);
        ImportedFunction {
            function: self.f,
            sources: self.sources,
            folded: self.folded,
            diagnostic: None,
        }
    }

    /// The conversion of a value's type.
    pub(super) fn type_of(&self, value: impl ValueLike<'m>) -> Rc<TypeInfo> {
        self.cx.types.get(value.r#type())
    }

    /// The program's value for one of MLIR's.
    pub(super) fn value(&self, value: impl ValueLike<'m>) -> Translated<ValueId> {
        match self.values.get(&ffi::value_key(&value)) {
            Some(id) => Ok(*id),
            None => unsupported("it uses a value of an operation that isn't supported"),
        }
    }

    /// Operand `n` of `op`.
    pub(super) fn operand(&self, op: MlirOp<'m>, n: usize) -> Translated<ValueId> {
        match op.operand(n) {
            Ok(value) => self.value(value),
            Err(_) => unsupported("it has fewer operands than expected"),
        }
    }

    /// Operands of `op` in a range of positions.
    pub(super) fn operands(&self, op: MlirOp<'m>, range: std::ops::Range<usize>) -> Translated<Vec<ValueId>> {
        range.map(|n| self.operand(op, n)).collect()
    }

    /// All operands of `op`.
    pub(super) fn all_operands(&self, op: MlirOp<'m>) -> Translated<Vec<ValueId>> {
        self.operands(op, 0..op.operand_count())
    }

    /// Makes `id` the program's value for `value`.
    pub(super) fn bind(&mut self, value: impl ValueLike<'m>, id: ValueId) {
        self.values.insert(ffi::value_key(&value), id);
        self.folded |= self.cx.types.get(value.r#type()).layout.is_some();
        let known = id.0 as usize;
        if self.sources.values.len() <= known {
            self.sources.values.resize(known + 1, None);
        }
        if self.sources.values[known].is_none() {
            self.sources.values[known] = match ffi::definition(&value) {
                Definition::Result(op, n) => self.cx.numbers.op(op).map(|op| ValueSource::Result(op, n)),
                Definition::Arg(block, n) => self.cx.numbers.block(block).map(|block| ValueSource::Arg(block, n)),
            };
        }
    }

    /// Makes `ids` the program's values for the results of `op`.
    pub(super) fn bind_results(&mut self, op: MlirOp<'m>, ids: &[ValueId]) {
        for (result, id) in op.results().zip(ids) {
            self.bind(Value::from(result), *id);
        }
    }

    /// Types of the results of `op`.
    pub(super) fn result_types(&self, op: MlirOp<'m>) -> Vec<Type> {
        op.results().map(|r| self.type_of(Value::from(r)).ty.clone()).collect()
    }

    /// Appends an operation that is part of what the source operation at hand became.
    pub(super) fn emit(&mut self, block: BlockId, kind: OpKind, operands: Vec<ValueId>, results: &[Type]) -> OpId {
        let id = self.f.append(block, kind, operands, results, self.loc.clone());
        self.sources.ops.resize(id.0 as usize + 1, self.origin);
        id
    }

    /// Like [`FunctionImporter::emit`], for an operation with one result, which is returned.
    pub(super) fn emit_value(&mut self, block: BlockId, kind: OpKind, operands: Vec<ValueId>, result: Type) -> ValueId {
        let id = self.emit(block, kind, operands, &[result]);
        self.f.result(id)
    }

    /// Appends the operation that stands for the source operation `op`, with its results.
    pub(super) fn emit_for(&mut self, op: MlirOp<'m>, block: BlockId, kind: OpKind, operands: Vec<ValueId>) -> OpId {
        let types = self.result_types(op);
        let id = self.emit(block, kind, operands, &types);
        self.f[id].origin = (!self.inlining).then_some(OriginId(self.origin));
        let results = self.f[id].results.clone();
        self.bind_results(op, &results);
        id
    }

    /// Remembers that `narrow` is the iterator `wide`, whose values all fit the narrower type.
    pub(super) fn note_narrowed(&mut self, narrow: ValueId, wide: ValueId, unsigned: bool) {
        self.narrowed.insert(narrow, (wide, unsigned));
    }

    /// The index that a narrowed iterator is when it is extended again.
    pub(super) fn widened(&self, value: ValueId, unsigned: bool) -> Option<ValueId> {
        self.narrowed.get(&value).filter(|(_, u)| *u == unsigned).map(|(wide, _)| *wide)
    }

    /// An index constant.
    pub(super) fn index(&mut self, block: BlockId, value: i64) -> ValueId {
        self.emit_value(block, OpKind::int(value), Vec::new(), Type::INDEX)
    }

    /// Refuses operations that touch a value which execution doesn't know.
    pub(super) fn check_known(&self, op: MlirOp<'m>) -> Translated {
        for value in op.operands().chain(op.results().map(Value::from)) {
            if let Some(reason) = &self.type_of(value).reason {
                return unsupported(reason.clone());
            }
        }
        Ok(())
    }

    /// An error that makes the function meaningless.
    pub(super) fn invalid(&self, message: impl Into<String>, help: impl Into<String>) -> Stop {
        Stop::Invalid(Box::new(Diagnostic::error(self.loc.clone(), message).help(help)))
    }

    /// The error for a map with a bad divisor.
    pub(super) fn bad_divisor(&self, bad: &BadDivisor) -> Stop {
        self.invalid(bad.message(), bad.help())
    }

    /// The map of an attribute of `op`.
    pub(super) fn map_attribute(&self, op: MlirOp<'m>, name: &str) -> Translated<AffineMap> {
        let attribute = op.attribute(name).ok().and_then(ffi::affine_map).ok_or_else(|| expected(name))?;
        super::affine::map(attribute).map_err(|bad| self.bad_divisor(&bad))
    }

    /// Translates a region with blocks that have the arguments of the source's.
    pub(super) fn region(&mut self, region: MlirRegion<'m>) -> Translated<RegionId> {
        let id = self.f.new_region();
        let sources = blocks_of(region);
        for source in &sources {
            let types: Vec<Type> = arguments(*source).map(|a| self.type_of(a).ty.clone()).collect();
            let block = self.f.new_block(id, &types);
            self.blocks.insert(ffi::block_key(source), block);
            self.note_block(*source, block);
            for (argument, value) in arguments(*source).zip(self.f[block].args.clone()) {
                self.bind(argument, value);
            }
        }
        let order = dominators_first(&sources);
        for (n, source) in sources.iter().enumerate() {
            // MLIR's verifier says nothing about blocks that are never reached; they may use values that are defined nowhere above.
            if !order.contains(&n) {
                let block = self.target(*source)?;
                self.emit(block, OpKind::Unreachable, Vec::new(), &[]);
            }
        }
        for n in order {
            let block = self.target(sources[n])?;
            self.block(sources[n], block)?;
        }
        Ok(id)
    }

    /// Remembers that `block` holds what `source` held.
    pub(super) fn note_block(&mut self, source: MlirBlock<'m>, block: BlockId) {
        let length = self.sources.blocks.len().max(block.0 as usize + 1);
        self.sources.blocks.resize(length, None);
        self.sources.blocks[block.0 as usize] = self.cx.numbers.block(source);
    }

    /// The program's block for one of MLIR's.
    pub(super) fn target(&self, block: MlirBlock<'m>) -> Translated<BlockId> {
        match self.blocks.get(&ffi::block_key(&block)) {
            Some(id) => Ok(*id),
            None => unsupported("it branches to a block outside its region"),
        }
    }

    /// Translates all operations of a block.
    pub(super) fn block(&mut self, source: MlirBlock<'m>, block: BlockId) -> Translated {
        if let Some(last) = self.block_body(source, block)? {
            self.op(last, block)?;
        }
        let ended = self.f[block].ops.last().is_some_and(|&op| self.f[op].kind.is_terminator());
        if !ended {
            self.emit(block, OpKind::Unreachable, Vec::new(), &[]);
        }
        Ok(())
    }

    /// Translates all operations of a block but the last, which is returned.
    pub(super) fn block_body(&mut self, source: MlirBlock<'m>, block: BlockId) -> Translated<Option<MlirOp<'m>>> {
        let mut current = source.first_operation();
        while let Some(op) = current {
            let next = op.next_in_block();
            if next.is_none() {
                return Ok(Some(op));
            }
            self.op(op, block)?;
            current = next;
        }
        Ok(None)
    }

    /// Makes `op` the source operation at hand; gives back the one that was.
    pub(super) fn enter(&mut self, op: MlirOp<'m>) -> (Loc, u32) {
        let loc = self.cx.locations.convert(op.location());
        let origin = if self.inlining {
            self.origin
        } else {
            self.cx.numbers.op(op).unwrap_or(self.origin)
        };
        (std::mem::replace(&mut self.loc, loc), std::mem::replace(&mut self.origin, origin))
    }

    /// Returns to the operation that was at hand before [`FunctionImporter::enter`].
    pub(super) fn leave(&mut self, outer: (Loc, u32)) {
        (self.loc, self.origin) = outer;
    }

    /// Translates something whose operations end up beside the one at hand, not in a region of their own: as parts of it.
    pub(super) fn inlined<T>(&mut self, translate: impl FnOnce(&mut Self) -> Translated<T>) -> Translated<T> {
        let outer = std::mem::replace(&mut self.inlining, true);
        let result = translate(self);
        self.inlining = outer;
        result
    }

    /// Translates one operation, with what is in it. Operations that aren't supported stay as such.
    pub(super) fn op(&mut self, op: MlirOp<'m>, block: BlockId) -> Translated {
        let outer = self.enter(op);
        let before = self.f[block].ops.len();
        let result = match operations::translate(self, op, block) {
            Err(Stop::Unsupported(reason)) => {
                // What was made of it so far must not execute.
                self.f[block].ops.truncate(before);
                self.keep_unsupported(op, block, reason);
                Ok(())
            }
            other => other,
        };
        self.leave(outer);
        result
    }

    fn keep_unsupported(&mut self, op: MlirOp<'m>, block: BlockId, reason: String) {
        let name = super::name_of(&op);
        // What its regions use counts as its operands: the exporter finds them again in this order.
        let uses = crate::walk::uses_from_outside(op);
        let operands = uses.into_iter().filter_map(|u| self.value(u.value).ok()).collect();
        self.emit_for(op, block, OpKind::Unsupported { name, reason }, operands);
    }
}

/// Blocks of a region in order.
pub(super) fn blocks_of(region: MlirRegion<'_>) -> Vec<MlirBlock<'_>> {
    let mut blocks = Vec::new();
    let mut next = region.first_block();
    while let Some(block) = next {
        blocks.push(block);
        next = block.next_in_region();
    }
    blocks
}

/// Arguments of a block.
pub(super) fn arguments<'m>(block: MlirBlock<'m>) -> impl Iterator<Item = MlirValue<'m>> {
    (0..block.argument_count()).filter_map(move |n| block.argument(n).ok().map(MlirValue::from))
}

/// Positions of the blocks that can be reached from the first one, in an order (reverse post-order) in which every block comes after those that dominate it.
fn dominators_first(blocks: &[MlirBlock<'_>]) -> Vec<usize> {
    if blocks.len() <= 1 {
        return (0..blocks.len()).collect();
    }
    let positions: FxHashMap<usize, usize> = blocks.iter().enumerate().map(|(n, b)| (ffi::block_key(b), n)).collect();
    let successors = |n: usize| -> Vec<usize> {
        let terminator = blocks[n].terminator();
        let targets = terminator
            .iter()
            .flat_map(|t| t.successors().map(|s| ffi::block_key(&s)).collect::<Vec<_>>());
        targets.filter_map(|key| positions.get(&key).copied()).collect()
    };
    let mut seen = FxHashSet::from_iter([0usize]);
    let mut stack = vec![(0usize, successors(0))];
    let mut order = Vec::new();
    while let Some((n, pending)) = stack.last_mut() {
        match pending.pop() {
            Some(next) => {
                if seen.insert(next) {
                    stack.push((next, successors(next)));
                }
            }
            None => {
                order.push(*n);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
