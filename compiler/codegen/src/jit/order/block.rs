//! One block's order.

use super::in_vector_register;
use super::uses::{Remaining, Uses};
use cranelift_codegen::ir::{Block, Function, Inst, Opcode, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Most floats and vectors that are live at a time when the block's instructions are executed in this order. Values that are live all along without being used don't count.
pub(super) fn peak(code: &Function, uses: &Uses, block: Block, order: &[Inst]) -> usize {
    let mut remaining = Remaining::new(code, order);
    let from_before = |v: &Value| match code.dfg.value_def(*v) {
        ValueDef::Result(inst, _) => code.layout.inst_block(inst) != Some(block),
        ValueDef::Param(..) | ValueDef::Union(..) => true,
    };
    let mut live = remaining.values().filter(from_before).count();
    let mut peak = live;
    for &inst in order {
        let results = results(code, inst)
            .filter(|&v| remaining.get(v) > 0 || !uses.dies(code, v, block))
            .count();
        let last = remaining.last_uses(code, inst);
        let dying = last.iter().filter(|&&v| uses.dies(code, v, block)).count();
        remaining.pass(code, inst);
        live = (live + results).saturating_sub(dying);
        peak = peak.max(live);
    }
    peak
}

fn results(code: &Function, inst: Inst) -> impl Iterator<Item = Value> + '_ {
    let all = code.dfg.inst_results(inst).iter().copied();
    all.filter(|&v| in_vector_register(code.dfg.value_type(v)))
}

/// Instructions of each kind that are compared when none is free; of others with the same cost the first is taken.
const MAX_CANDIDATES: usize = 32;

/// How an instruction may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Without effects and without operands in vector registers: computed where it is needed.
    OnDemand,
    /// Without effects.
    Pure,
    /// Reads memory, and can't fail.
    Load,
    /// Anything else, in the order given.
    Effect,
}

fn kind(code: &Function, inst: Inst) -> Kind {
    let opcode = code.dfg.insts[inst].opcode();
    if opcode == Opcode::Load {
        let flags = code.dfg.insts[inst].memflags_data(&code.dfg);
        return if flags.is_some_and(|f| f.notrap()) {
            Kind::Load
        } else {
            Kind::Effect
        };
    }
    let effect = opcode.is_call()
        || opcode.is_branch()
        || opcode.is_terminator()
        || opcode.can_trap()
        || opcode.can_load()
        || opcode.can_store()
        || opcode.other_side_effects();
    if effect {
        return Kind::Effect;
    }
    let mut args = code.dfg.inst_args(inst).iter();
    if args.any(|&v| in_vector_register(code.dfg.value_type(v))) {
        Kind::Pure
    } else {
        Kind::OnDemand
    }
}

/// An order in which values die early: whatever needs no more registers than it frees comes first, then what needs fewest together with what
/// can follow it, mostly a load.
pub(super) fn schedule(code: &Function, uses: &Uses, block: Block, insts: &[Inst]) -> Vec<Inst> {
    let mut search = Search::new(code, uses, block, insts);
    while let Some(n) = search.next() {
        search.place(n);
    }
    search.order
}

struct Search<'a> {
    code: &'a Function,
    uses: &'a Uses,
    block: Block,
    insts: &'a [Inst],
    kinds: Vec<Kind>,
    number: FxHashMap<Inst, usize>,
    /// How many instructions that aren't placed yet each waits for.
    waits: Vec<usize>,
    /// Which wait for each.
    followers: Vec<Vec<usize>>,
    ready_loads: BTreeSet<usize>,
    ready_others: BTreeSet<usize>,
    remaining: Remaining,
    placed: Vec<bool>,
    order: Vec<Inst>,
}

impl<'a> Search<'a> {
    fn new(code: &'a Function, uses: &'a Uses, block: Block, insts: &'a [Inst]) -> Self {
        let kinds: Vec<_> = insts.iter().map(|&i| kind(code, i)).collect();
        let number: FxHashMap<_, _> = insts.iter().enumerate().map(|(n, &i)| (i, n)).collect();
        let mut search = Self {
            code,
            uses,
            block,
            insts,
            number,
            waits: vec![0; insts.len()],
            followers: vec![Vec::new(); insts.len()],
            ready_loads: BTreeSet::new(),
            ready_others: BTreeSet::new(),
            remaining: Remaining::new(code, insts),
            placed: vec![false; insts.len()],
            order: Vec::with_capacity(insts.len()),
            kinds,
        };
        search.find_waits();
        search
    }

    /// Numbers of the instructions of this block that define operands of the one numbered `n`.
    fn sources(&self, n: usize) -> Vec<usize> {
        let values = self.code.dfg.inst_values(self.insts[n]);
        let defs = values.filter_map(|v| match self.code.dfg.value_def(v) {
            ValueDef::Result(inst, _) => self.number.get(&inst).copied(),
            ValueDef::Param(..) | ValueDef::Union(..) => None,
        });
        defs.collect()
    }

    fn find_waits(&mut self) {
        // What each instruction that is computed on demand waits for, through others of that kind.
        let mut behind: FxHashMap<usize, FxHashSet<usize>> = FxHashMap::default();
        let mut last_effect = None;
        let mut loads_since = Vec::new();
        for n in 0..self.insts.len() {
            let mut before = FxHashSet::default();
            for source in self.sources(n) {
                match behind.get(&source) {
                    Some(more) => before.extend(more.iter().copied()),
                    None => {
                        before.insert(source);
                    }
                }
            }
            match self.kinds[n] {
                Kind::OnDemand => {
                    behind.insert(n, before);
                    continue;
                }
                Kind::Pure => {}
                Kind::Load => {
                    before.extend(last_effect);
                    loads_since.push(n);
                }
                Kind::Effect => {
                    before.extend(last_effect);
                    before.extend(loads_since.drain(..));
                    last_effect = Some(n);
                }
            }
            if n + 1 == self.insts.len() {
                // The end of the block comes last.
                before.extend((0..n).filter(|&m| self.kinds[m] != Kind::OnDemand));
            }
            self.waits[n] = before.len();
            for m in before {
                self.followers[m].push(n);
            }
            if self.waits[n] == 0 {
                self.make_ready(n);
            }
        }
    }

    fn make_ready(&mut self, n: usize) {
        if self.kinds[n] == Kind::Load {
            self.ready_loads.insert(n);
        } else {
            self.ready_others.insert(n);
        }
    }

    /// The instruction to place next.
    fn next(&self) -> Option<usize> {
        let free = self.ready_others.iter().copied().find(|&n| self.cost(n, 3) <= 0);
        free.or_else(|| {
            let loads = self.ready_loads.iter().take(MAX_CANDIDATES);
            let all = loads.chain(self.ready_others.iter().take(MAX_CANDIDATES)).copied();
            all.min_by_key(|&n| (self.cost(n, 4), n))
        })
    }

    /// Registers that placing the instruction takes, less those it frees; together with what can follow it at once, up to `depth` instructions, if that is less.
    fn cost(&self, n: usize, depth: u32) -> i64 {
        let inst = self.insts[n];
        let last = self.remaining.last_uses(self.code, inst);
        let dying = last.iter().filter(|&&v| self.uses.dies(self.code, v, self.block)).count();
        let defined = results(self.code, inst).filter(|&v| self.remaining.get(v) > 0).count();
        let own = i64::try_from(defined).unwrap_or(0) - i64::try_from(dying).unwrap_or(0);
        if depth == 0 {
            return own;
        }
        let next = self.followers[n].iter().copied();
        let at_once = next.filter(|&m| self.waits[m] == 1 && self.kinds[m] == Kind::Pure);
        at_once.map(|m| own + self.cost(m, depth - 1)).min().map_or(own, |all| all.min(own))
    }

    /// Places the instruction after what it needs.
    fn place(&mut self, n: usize) {
        self.ready_loads.remove(&n);
        self.ready_others.remove(&n);
        if n + 1 == self.insts.len() {
            // What only other blocks use.
            (0..n).for_each(|m| self.demand(m));
        }
        self.demand(n);
        for m in std::mem::take(&mut self.followers[n]) {
            self.waits[m] -= 1;
            if self.waits[m] == 0 {
                self.make_ready(m);
            }
        }
    }

    /// Places what is computed on demand for the instruction, then the instruction itself, unless that was done.
    fn demand(&mut self, n: usize) {
        let mut stack = vec![(n, false)];
        while let Some((n, sources_placed)) = stack.pop() {
            if self.placed[n] {
                continue;
            }
            if sources_placed {
                self.placed[n] = true;
                self.order.push(self.insts[n]);
                self.remaining.pass(self.code, self.insts[n]);
                continue;
            }
            stack.push((n, true));
            let mut sources = self.sources(n);
            sources.retain(|&m| !self.placed[m]);
            stack.extend(sources.into_iter().rev().map(|m| (m, false)));
        }
    }
}
