//! Statements as slices: what each store, carried value or opaque group needs, computed again in its own statement where that is cheap and safe, else read from a
//! private cell.

use crate::cells::Cells;
use crate::index::{Index, Inside};
use crate::plan::{Ctx, Declined, LoopOperands, Node, loop_operands, single_block};
use crate::roots::{Effects, Roots, effects, own_effects};
use crate::views::is_memref;
use rustc_hash::{FxHashMap, FxHashSet};
use tilia_program::{BlockId, OpId, OpKind, PureOp, Type, ValueDef, ValueId};

/// Operations that one statement may hold; beyond it something unrolled beyond reason ends the scop.
const MAX_OPS: usize = 20_000;

/// What a statement is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A store.
    Store,
    /// A copy of a whole buffer.
    Copy,
    /// Operations that the model can't hold.
    Opaque(Vec<OpId>),
    /// Puts values into cells: first values of a loop's carried values, what a region yields, or one value that others need later.
    Cells,
}

/// A statement before it has sets.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) purpose: Purpose,
    /// The operation at whose place it executes.
    pub(crate) at: OpId,
    pub(crate) block: BlockId,
    /// Operations to execute, in order.
    pub(crate) ops: Vec<OpId>,
    /// Values that are read from cells (by number) first.
    pub(crate) reads: Vec<(ValueId, usize)>,
    /// Values that are written to cells (by number) at the end.
    pub(crate) writes: Vec<(ValueId, usize)>,
}

/// Finds the statements of a run.
pub(crate) struct Slicer<'a, 'b> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) inside: &'a Inside,
    pub(crate) contexts: &'b FxHashMap<BlockId, Ctx>,
    pub(crate) roots: &'b mut Roots,
    pub(crate) cells: Cells,
    pub(crate) drafts: Vec<Draft>,
    grouped: FxHashSet<OpId>,
    effects: FxHashMap<OpId, Effects>,
    /// Operations of each block that may write memory, in order.
    writers: FxHashMap<BlockId, Vec<OpId>>,
    cheap: FxHashMap<ValueId, bool>,
}

impl<'a, 'b> Slicer<'a, 'b> {
    pub(crate) fn new(index: &'a Index<'a>, inside: &'a Inside, contexts: &'b FxHashMap<BlockId, Ctx>, roots: &'b mut Roots) -> Self {
        let none = FxHashMap::default();
        Self {
            index,
            inside,
            contexts,
            roots,
            cells: Cells::default(),
            drafts: Vec::new(),
            grouped: FxHashSet::default(),
            effects: none,
            writers: FxHashMap::default(),
            cheap: FxHashMap::default(),
        }
    }

    /// Finds all statements, `limit` at most. `live_out`: values of top-level operations that code after the run uses.
    pub(crate) fn run(&mut self, nodes: &[Node], live_out: &[ValueId], limit: usize) -> Result<(), Declined> {
        self.collect(nodes)?;
        for &v in live_out {
            let ValueDef::Result(op, _) = self.index.function[v].def else {
                continue;
            };
            let cell = self.cell_for(v, op)?;
            self.cells.list[cell].live_out = Some(v);
        }
        let mut at = 0;
        let mut total = 0;
        while at < self.drafts.len() {
            if self.drafts.len() > limit {
                return Err(Declined::too_large(
                    self.drafts[0].at,
                    format!("there are more than {limit} statements"),
                ));
            }
            self.fill(at)?;
            total += self.drafts[at].ops.len();
            if total > MAX_OPS {
                return Err(Declined::new(self.drafts[at].at, "statements would repeat too many operations"));
            }
            at += 1;
        }
        Ok(())
    }

    fn draft(&mut self, purpose: Purpose, at: OpId, writes: Vec<(ValueId, usize)>) -> Result<(), Declined> {
        let Some(block) = self.index.block(at) else {
            return Err(Declined::new(at, "it stands in no block"));
        };
        self.drafts.push(Draft {
            purpose,
            at,
            block,
            ops: Vec::new(),
            reads: Vec::new(),
            writes,
        });
        Ok(())
    }

    fn iters(&self, op: OpId) -> Vec<ValueId> {
        self.index
            .block(op)
            .and_then(|b| self.contexts.get(&b))
            .map(|c| c.iters.clone())
            .unwrap_or_default()
    }

    fn collect(&mut self, nodes: &[Node]) -> Result<(), Declined> {
        for node in nodes {
            match node {
                Node::Loop(l) => {
                    let yielded = self.carried(l.op)?;
                    self.collect(&l.body)?;
                    self.yields(&l.body, &yielded)?;
                }
                Node::If { op, then, otherwise } => {
                    let cells = self.results(*op)?;
                    for branch in [then, otherwise] {
                        self.collect(branch)?;
                        self.yields(branch, &cells)?;
                    }
                }
                Node::Op(op) => match self.index.function[*op].kind {
                    OpKind::Store(_) => self.draft(Purpose::Store, *op, Vec::new())?,
                    OpKind::Copy => self.draft(Purpose::Copy, *op, Vec::new())?,
                    _ => {}
                },
                Node::Opaque(ops) => self.group(ops)?,
            }
        }
        Ok(())
    }

    /// Cells for what a loop carries, and the statement that fills them first. Result: number of the yielded value, the carried value itself, and its cell.
    fn carried(&mut self, op: OpId) -> Result<Vec<(usize, Option<ValueId>, usize)>, Declined> {
        let function = self.index.function;
        let data = &function[op];
        let OpKind::For(l) = &data.kind else { return Ok(Vec::new()) };
        let body = data.regions.first().and_then(|&r| single_block(function, r));
        let (Some(LoopOperands { inits, .. }), Some(body)) = (loop_operands(l, &data.operands), body) else {
            return Ok(Vec::new());
        };
        let iters = self.iters(op);
        let mut writes = Vec::new();
        let mut out = Vec::new();
        for (n, (&init, &result)) in inits.iter().zip(&data.results).enumerate() {
            let Some(&arg) = function[body].args.get(n + 1) else { break };
            if self.index.users(arg).is_empty() && self.index.users(result).is_empty() {
                continue;
            }
            let cell = self.cells.add(self.index, op, &iters, &[arg, result])?;
            writes.push((init, cell));
            out.push((n, Some(arg), cell));
        }
        if !writes.is_empty() {
            self.draft(Purpose::Cells, op, writes)?;
        }
        Ok(out)
    }

    /// Cells for the results of a condition.
    fn results(&mut self, op: OpId) -> Result<Vec<(usize, Option<ValueId>, usize)>, Declined> {
        let iters = self.iters(op);
        let mut out = Vec::new();
        for (n, &result) in self.index.function[op].results.iter().enumerate() {
            if !self.index.users(result).is_empty() {
                out.push((n, None, self.cells.add(self.index, op, &iters, &[result])?));
            }
        }
        Ok(out)
    }

    /// The statement at the end of a region that puts what it yields into cells.
    fn yields(&mut self, nodes: &[Node], cells: &[(usize, Option<ValueId>, usize)]) -> Result<(), Declined> {
        let Some(&Node::Op(op)) = nodes.last() else { return Ok(()) };
        let operands = &self.index.function[op].operands;
        // What is carried on unchanged is in its cell already.
        let writes: Vec<_> = cells
            .iter()
            .filter_map(|&(n, arg, cell)| operands.get(n).filter(|&&v| Some(v) != arg).map(|&v| (v, cell)))
            .collect();
        if writes.is_empty() {
            Ok(())
        } else {
            self.draft(Purpose::Cells, op, writes)
        }
    }

    fn group(&mut self, ops: &[OpId]) -> Result<(), Declined> {
        let mut writes = Vec::new();
        let iters = self.iters(ops[0]);
        for &op in ops {
            self.grouped.insert(op);
            for &result in &self.index.function[op].results {
                let home = self.index.block(op);
                let outside = |u: &OpId| home.and_then(|b| self.index.ancestor_in(*u, b)).is_none_or(|a| !ops.contains(&a));
                if self.index.users(result).iter().any(outside) {
                    let cell = self.cells.add(self.index, op, &iters, &[result])?;
                    writes.push((result, cell));
                }
            }
        }
        self.draft(Purpose::Opaque(ops.to_vec()), ops[0], writes)
    }

    /// The cell of a value; made, with the statement that fills it, when there is none yet.
    fn cell_for(&mut self, v: ValueId, op: OpId) -> Result<usize, Declined> {
        if let Some(cell) = self.cells.of(v) {
            return Ok(cell);
        }
        let iters = self.iters(op);
        let cell = self.cells.add(self.index, op, &iters, &[v])?;
        self.draft(Purpose::Cells, op, vec![(v, cell)])?;
        Ok(cell)
    }

    /// Finds operations and cells that draft number `n` needs.
    fn fill(&mut self, n: usize) -> Result<(), Declined> {
        let (at, block) = (self.drafts[n].at, self.drafts[n].block);
        let mut work = self.wanted(n);
        // A statement that is made for one value computes it here, whatever the rules for users elsewhere say.
        let own: FxHashSet<ValueId> = match self.drafts[n].purpose {
            Purpose::Cells => self.index.function[at]
                .results
                .iter()
                .copied()
                .filter(|&v| work.contains(&v) && !self.is_structured(v))
                .collect(),
            _ => FxHashSet::default(),
        };
        let mut seen: FxHashSet<ValueId> = FxHashSet::default();
        let mut ops: FxHashSet<OpId> = FxHashSet::default();
        while let Some(v) = work.pop() {
            if !seen.insert(v) || !self.inside.defines(self.index.function, v) {
                continue;
            }
            let ValueDef::Result(op, _) = self.index.function[v].def else {
                if let Some(cell) = self.cells.of(v) {
                    self.drafts[n].reads.push((v, cell));
                }
                continue;
            };
            if own.contains(&v) || self.is_repeated(v, op, at, block) {
                if ops.insert(op) {
                    work.extend(&self.index.function[op].operands);
                }
                if ops.len() > MAX_OPS {
                    return Err(Declined::new(at, "a statement would hold too many operations"));
                }
            } else {
                if self.is_structured(v) && self.cells.of(v).is_none() {
                    return Err(Declined::new(op, "its result can't be kept in a cell"));
                }
                let cell = self.cell_for(v, op)?;
                self.drafts[n].reads.push((v, cell));
            }
        }
        let mut ops: Vec<OpId> = ops.into_iter().collect();
        let draft = &mut self.drafts[n];
        match &draft.purpose {
            Purpose::Store | Purpose::Copy => ops.push(at),
            Purpose::Opaque(group) => ops.extend(group),
            Purpose::Cells => {}
        }
        ops.sort_by_key(|&op| self.index.order(op));
        draft.ops = ops;
        draft.reads.sort();
        Ok(())
    }

    /// Values that a draft uses directly.
    fn wanted(&self, n: usize) -> Vec<ValueId> {
        let draft = &self.drafts[n];
        let function = self.index.function;
        match &draft.purpose {
            Purpose::Store | Purpose::Copy => function[draft.at].operands.clone(),
            Purpose::Cells => draft.writes.iter().map(|w| w.0).collect(),
            Purpose::Opaque(group) => {
                let mut own: FxHashSet<ValueId> = FxHashSet::default();
                let mut used = Vec::new();
                for op in group.iter().flat_map(|&op| self.index.deep(op)) {
                    own.extend(&function[op].results);
                    for &region in &function[op].regions {
                        own.extend(function[region].blocks.iter().flat_map(|&b| &function[b].args));
                    }
                    used.extend(&function[op].operands);
                }
                used.retain(|v| !own.contains(v));
                used
            }
        }
    }

    /// Whether the value comes from control structure or an opaque group, so that only a cell can hold it.
    fn is_structured(&self, v: ValueId) -> bool {
        match self.index.function[v].def {
            ValueDef::Result(op, _) => self.grouped.contains(&op) || !self.index.function[op].regions.is_empty(),
            ValueDef::Arg(..) => true,
        }
    }

    /// Whether a statement at `at` computes the value again, rather than reading a cell.
    fn is_repeated(&mut self, v: ValueId, op: OpId, at: OpId, block: BlockId) -> bool {
        if self.is_structured(v) {
            return false;
        }
        let function = self.index.function;
        match &function[op].kind {
            OpKind::Constant(_) | OpKind::GetGlobal(_) => true,
            kind if kind.is_view() || is_memref(function, v) => true,
            OpKind::Load(_) => self.unchanged_between(op, at),
            _ => {
                let depth = |b: BlockId| self.contexts.get(&b).map(|c| c.iters.len());
                let here = depth(block);
                self.index.block(op).and_then(depth) == here || !matches!(function[v].ty, Type::Scalar(_)) || self.is_cheap(v, 0)
            }
        }
    }

    /// Integer arithmetic on iterators and values from before the run, perhaps converted to floating point: cheaper to repeat than to keep.
    fn is_cheap(&mut self, v: ValueId, depth: u32) -> bool {
        let function = self.index.function;
        if !self.inside.defines(function, v) {
            return true;
        }
        if let Some(&known) = self.cheap.get(&v) {
            return known;
        }
        let result = match function[v].def {
            // Only iterators: other arguments live in cells.
            ValueDef::Arg(..) => self.cells.of(v).is_none(),
            ValueDef::Result(op, _) => {
                let data = &function[op];
                let simple = match &data.kind {
                    OpKind::Constant(_) | OpKind::Apply(_) | OpKind::Min(_) | OpKind::Max(_) => true,
                    OpKind::Pure(PureOp::SIToFP | PureOp::UIToFP, _) => true,
                    OpKind::Pure(PureOp::Math(_), _) => false,
                    OpKind::Pure(..) => function[v].ty.element().is_some_and(tilia_program::ScalarType::is_int),
                    _ => false,
                };
                simple && depth < 16 && !self.is_structured(v) && data.operands.iter().all(|&o| self.is_cheap(o, depth + 1))
            }
        };
        self.cheap.insert(v, result);
        result
    }

    /// Whether a load gives the same value when it executes at `at` instead: nothing between may write its buffer.
    fn unchanged_between(&mut self, load: OpId, at: OpId) -> bool {
        let reads = own_effects(self.index, self.roots, load).reads;
        let (Some(&root), Some(mut block)) = (reads.first(), self.index.block(load)) else {
            return false;
        };
        let mut after = self.index.order(load);
        loop {
            let Some(end) = self.index.ancestor_in(at, block) else {
                return false;
            };
            let stop = self.index.order(end);
            let index = self.index;
            let between: Vec<OpId> = self
                .writers(block)
                .iter()
                .copied()
                .filter(|&w| (after + 1..stop).contains(&index.order(w)))
                .collect();
            if between.into_iter().any(|w| self.may_write(w, root)) {
                return false;
            }
            if end == at {
                return true;
            }
            match self.index.function[end].kind {
                // Other iterations of the loop come between, too.
                OpKind::If(_) => {
                    let inner = self
                        .index
                        .blocks_around(at)
                        .into_iter()
                        .find(|&b| self.index.parent_of_block(b) == Some(end));
                    let Some(inner) = inner else { return false };
                    (block, after) = (inner, 0);
                }
                _ => return !self.may_write(end, root),
            }
        }
    }

    fn writers(&mut self, block: BlockId) -> &[OpId] {
        if !self.writers.contains_key(&block) {
            let ops = self.index.function[block].ops.clone();
            let writing = ops.into_iter().filter(|&op| {
                let e = self.effects_of(op);
                e.unknown || !e.writes.is_empty()
            });
            let writing = writing.collect();
            self.writers.insert(block, writing);
        }
        &self.writers[&block]
    }

    fn effects_of(&mut self, op: OpId) -> Effects {
        if !self.effects.contains_key(&op) {
            let e = effects(self.index, self.roots, op);
            self.effects.insert(op, e);
        }
        self.effects[&op].clone()
    }

    fn may_write(&mut self, op: OpId, root: ValueId) -> bool {
        let e = self.effects_of(op);
        e.writes.contains(&root) || e.unknown && self.roots.is_exposed(self.index, root)
    }
}
