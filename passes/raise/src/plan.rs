//! The control structure of a run of operations: affine loops and conditions, with what can't be modelled kept as opaque groups.

use crate::affine::Affine;
use crate::index::Index;
use crate::lin::{Atom, Cond, Dnf, Lin, Pw, always, and, not};
use rustc_hash::FxHashMap;
use tilia_presburger::Int;
use tilia_program::{BlockId, ForOp, Function, IfCond, OpId, OpKind, RegionId, Step, ValueId};

/// Why a run can't be a scop: the operation in the way.
#[derive(Debug, Clone)]
pub(crate) struct Declined {
    pub(crate) op: OpId,
    pub(crate) reason: String,
    /// Whether there is just too much of it: a shorter run may do.
    pub(crate) too_large: bool,
}

impl Declined {
    pub(crate) fn new(op: OpId, reason: impl Into<String>) -> Self {
        let (reason, too_large) = (reason.into(), false);
        Self { op, reason, too_large }
    }

    pub(crate) fn too_large(op: OpId, reason: impl Into<String>) -> Self {
        Self {
            too_large: true,
            ..Self::new(op, reason)
        }
    }
}

/// When a block executes: the iterators around it and the conditions on them.
#[derive(Debug, Clone)]
pub(crate) struct Ctx {
    pub(crate) iters: Vec<ValueId>,
    pub(crate) dnf: Dnf,
}

/// A piece of a block.
#[derive(Debug)]
pub(crate) enum Node {
    /// An affine loop.
    Loop(Loop),
    /// A condition on iterators and parameters.
    If {
        /// The operation.
        op: OpId,
        /// The two branches.
        then: Vec<Node>,
        /// The two branches.
        otherwise: Vec<Node>,
    },
    /// A single operation: load, store, copy, pure, view or yield.
    Op(OpId),
    /// Operations executed together as they stand.
    Opaque(Vec<OpId>),
}

/// An affine loop.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) op: OpId,
    pub(crate) iter: ValueId,
    pub(crate) body: Vec<Node>,
}

/// Loops nested deeper than this end the scop.
const MAX_NEST: usize = 24;

/// The operands of a loop, by role.
pub(crate) struct LoopOperands<'a> {
    pub(crate) lower: &'a [ValueId],
    pub(crate) upper: &'a [ValueId],
    pub(crate) step: Option<ValueId>,
    pub(crate) inits: &'a [ValueId],
}

pub(crate) fn loop_operands<'a>(data: &ForOp, operands: &'a [ValueId]) -> Option<LoopOperands<'a>> {
    let (lower, rest) = operands.split_at_checked(data.lower.operands())?;
    let (upper, rest) = rest.split_at_checked(data.upper.operands())?;
    let (step, inits) = match data.step {
        Step::Const(_) => (None, rest),
        Step::Value => rest.split_first().map(|(&s, inits)| (Some(s), inits))?,
    };
    Some(LoopOperands { lower, upper, step, inits })
}

/// The only block of a region.
pub(crate) fn single_block(function: &Function, region: RegionId) -> Option<BlockId> {
    match function[region].blocks[..] {
        [block] => Some(block),
        _ => None,
    }
}

/// Builds the structure of one run.
pub(crate) struct Planner<'a, 'b> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) affine: &'b mut Affine<'a>,
    /// When each block of the run executes.
    pub(crate) contexts: FxHashMap<BlockId, Ctx>,
    /// Operations that became opaque, and why.
    pub(crate) opaque: Vec<(OpId, String)>,
}

impl Planner<'_, '_> {
    /// The structure of the top-level operations `ops` of `block`.
    pub(crate) fn run(&mut self, block: BlockId, ops: &[OpId]) -> Result<Vec<Node>, Declined> {
        let ctx = Ctx {
            iters: Vec::new(),
            dnf: always(),
        };
        self.contexts.insert(block, ctx.clone());
        self.sequence(ops, &ctx)
    }

    fn sequence(&mut self, ops: &[OpId], ctx: &Ctx) -> Result<Vec<Node>, Declined> {
        let function = self.index.function;
        let mut out = Vec::with_capacity(ops.len());
        let mut at = 0;
        while let Some(&op) = ops.get(at) {
            at += 1;
            match &function[op].kind {
                OpKind::For(_) => out.push(self.for_loop(op, ctx)?),
                OpKind::If(_) => out.push(self.branch(op, ctx)?),
                OpKind::Alloc { .. } => {
                    let end = self.lifetime(ops, at - 1)?;
                    out.push(self.opaque(ops[at - 1..end].to_vec(), ctx, "it allocates memory")?);
                    at = end;
                }
                OpKind::Call(_) => out.push(self.opaque(vec![op], ctx, "it is a call")?),
                OpKind::While | OpKind::ExecuteRegion => out.push(self.opaque(vec![op], ctx, "its control flow depends on data")?),
                OpKind::Assert(_) => out.push(self.opaque(vec![op], ctx, "it may end the program")?),
                OpKind::Unsupported { .. } => out.push(self.opaque(vec![op], ctx, "what it does isn't known")?),
                OpKind::Dealloc => return Err(Declined::new(op, "memory is freed here")),
                OpKind::Yield | OpKind::Load(_) | OpKind::Store(_) | OpKind::Copy | OpKind::GetGlobal(_) => out.push(Node::Op(op)),
                kind if kind.is_pure() || kind.is_view() => out.push(Node::Op(op)),
                _ => return Err(Declined::new(op, "it leaves the region")),
            }
        }
        Ok(out)
    }

    /// Ops as one opaque statement, unless that would hide something worth modelling, or can't be.
    fn opaque(&mut self, ops: Vec<OpId>, ctx: &Ctx, reason: &str) -> Result<Node, Declined> {
        let first = ops[0];
        if ctx.iters.is_empty() {
            return Err(Declined::new(first, reason));
        }
        for &op in &ops {
            let deep = self.index.deep(op);
            if deep.iter().skip(1).any(|&o| is_nest(self.index, o)) {
                return Err(Declined::new(op, format!("{reason}, and there are loops inside")));
            }
            if let Some(&free) = deep.iter().find(|&&o| self.frees_from_outside(o, &ops)) {
                return Err(Declined::new(free, "memory is freed here"));
            }
        }
        self.opaque.push((first, reason.to_owned()));
        Ok(Node::Opaque(ops))
    }

    fn frees_from_outside(&self, op: OpId, group: &[OpId]) -> bool {
        let function = self.index.function;
        if function[op].kind != OpKind::Dealloc {
            return false;
        }
        let root = crate::roots::root_of(function, function[op].operands[0]);
        let inside = self.index.def_block(root).is_some_and(|block| {
            // Defined by an operation of the group, or in a region of one.
            let def = match function[root].def {
                tilia_program::ValueDef::Result(op, _) => Some(op),
                tilia_program::ValueDef::Arg(..) => self.index.parent_of_block(block),
            };
            let home = self.index.block(group[0]);
            def.zip(home)
                .and_then(|(d, home)| self.index.ancestor_in(d, home))
                .is_some_and(|a| group.contains(&a))
        });
        !inside
    }

    /// One past the last operation of `ops` that uses the buffer allocated by number `first`, or one allocated between.
    fn lifetime(&self, ops: &[OpId], first: usize) -> Result<usize, Declined> {
        let function = self.index.function;
        let position: FxHashMap<OpId, usize> = ops.iter().enumerate().map(|(n, &op)| (op, n)).collect();
        let Some(block) = self.index.block(ops[first]) else {
            return Ok(first + 1);
        };
        let (mut end, mut at) = (first + 1, first);
        while at < end {
            let op = ops[at];
            if matches!(function[op].kind, OpKind::Alloc { .. }) {
                let mut work = function[op].results.clone();
                while let Some(v) = work.pop() {
                    for &user in self.index.users(v) {
                        if function[user].kind.is_view() {
                            work.extend(&function[user].results);
                        }
                        let last = self.index.ancestor_in(user, block).and_then(|a| position.get(&a)).copied();
                        end = end.max(last.map_or(ops.len(), |n| n + 1));
                    }
                }
            }
            at += 1;
        }
        match ops[first..end].iter().find(|&&op| function[op].kind.is_terminator()) {
            Some(_) => Err(Declined::new(ops[first], "the buffer allocated here leaves the region")),
            None => Ok(end),
        }
    }

    fn for_loop(&mut self, op: OpId, ctx: &Ctx) -> Result<Node, Declined> {
        let function = self.index.function;
        let OpKind::For(data) = &function[op].kind else {
            return Err(Declined::new(op, "it is not a loop"));
        };
        let body = function[op].regions.first().and_then(|&r| single_block(function, r));
        let Some(body) = body else {
            return Err(Declined::new(op, "its body has several blocks"));
        };
        if ctx.iters.len() >= MAX_NEST {
            return Err(Declined::new(op, format!("loops are nested more than {MAX_NEST} deep")));
        }
        let iter = function[body].args[0];
        let conds = match self.bounds(data, &function[op].operands, iter) {
            Ok(conds) => conds,
            Err(reason) => return self.opaque(vec![op], ctx, reason),
        };
        let Some(dnf) = and(&ctx.dnf, &conds) else {
            return Err(Declined::new(op, "its bounds have too many cases"));
        };
        let mut inner = Ctx {
            iters: ctx.iters.clone(),
            dnf,
        };
        inner.iters.push(iter);
        self.contexts.insert(body, inner.clone());
        let body = self.sequence(&function[body].ops, &inner)?;
        Ok(Node::Loop(Loop { op, iter, body }))
    }

    /// The values that a loop's iterator takes.
    fn bounds(&mut self, data: &ForOp, operands: &[ValueId], iter: ValueId) -> Result<Dnf, &'static str> {
        const NOT_AFFINE: &str = "its bounds are not affine in outer iterators and parameters";
        let parts = loop_operands(data, operands).ok_or(NOT_AFFINE)?;
        let step = match (data.step, parts.step) {
            (Step::Const(s), _) => Some(s),
            (Step::Value, Some(v)) => self.affine.value(v).and_then(|p| p.as_constant()?.to_i64()),
            (Step::Value, None) => None,
        };
        let step = step.filter(|&s| s > 0).ok_or("its step is not a positive constant")?;
        let lower = self.affine.map(&data.lower, parts.lower).ok_or(NOT_AFFINE)?;
        let upper = self.affine.map(&data.upper, parts.upper).ok_or(NOT_AFFINE)?;
        self.note_extent(iter, &lower, &upper, step)?;
        let it = Lin::atom(Atom::Iter(iter));
        let it_pw = Pw::lin(it.clone());
        let mut out = always();
        if step == 1 {
            for bound in &lower {
                let c = it_pw.compare(bound, |a, b| vec![vec![Cond::ge(a, b)]]);
                out = c.and_then(|c| and(&out, &c)).ok_or(NOT_AFFINE)?;
            }
        } else {
            // The first iteration decides the residue, so which of the bounds is the greatest matters.
            let start = lower.into_iter().map(Some).reduce(|a, b| a?.max(&b?)).flatten().ok_or(NOT_AFFINE)?;
            let residue = |a: &Lin, b: &Lin| Cond {
                form: a.sub(b).modulo(&Int::from(step)),
                equality: true,
            };
            out = it_pw
                .compare(&start, |a, b| vec![vec![Cond::ge(a, b), residue(a, b)]])
                .ok_or(NOT_AFFINE)?;
        }
        for bound in &upper {
            let c = it_pw.compare(bound, |a, b| vec![vec![Cond::gt(b, a)]]);
            out = c.and_then(|c| and(&out, &c)).ok_or(NOT_AFFINE)?;
        }
        Ok(out)
    }

    /// Tells the affine translation between which numbers the iterator lies.
    fn note_extent(&mut self, iter: ValueId, lower: &[Pw], upper: &[Pw], step: i64) -> Result<(), &'static str> {
        let lo = lower.iter().filter_map(|p| self.affine.extent(p)).map(|(lo, _)| lo).max();
        let hi = upper.iter().filter_map(|p| self.affine.extent(p)).map(|(_, hi)| hi).min();
        let (lo, hi) = lo.zip(hi).ok_or("its bounds are not known to be within 64 bits")?;
        // Generated loops step past the last iteration.
        if (&hi + &Int::from(step)).to_i64().is_none() {
            return Err("its iterator may pass the largest 64-bit number");
        }
        let last = (hi - Int::ONE).max(lo.clone());
        self.affine.enter(iter, (lo, last));
        Ok(())
    }

    fn branch(&mut self, op: OpId, ctx: &Ctx) -> Result<Node, Declined> {
        let function = self.index.function;
        let data = &function[op];
        let cond = match &data.kind {
            OpKind::If(IfCond::Set(set)) => self.affine.integer_set(set, &data.operands),
            _ => data.operands.first().and_then(|&v| self.affine.condition(v)),
        };
        let cases = cond.and_then(|yes| {
            let no = not(&yes)?;
            Some([and(&ctx.dnf, &yes)?, and(&ctx.dnf, &no)?])
        });
        let Some(cases) = cases else {
            return self.opaque(vec![op], ctx, "its condition depends on data");
        };
        let mut branches = Vec::new();
        for (case, dnf) in cases.into_iter().enumerate() {
            let region = data.regions.get(case).filter(|&&r| !function[r].blocks.is_empty());
            let Some(&region) = region else {
                branches.push(Vec::new());
                continue;
            };
            // What never executes needs no statements.
            if dnf.is_empty() {
                branches.push(Vec::new());
                continue;
            }
            let Some(block) = single_block(function, region) else {
                return Err(Declined::new(op, "a branch has several blocks"));
            };
            let inner = Ctx {
                iters: ctx.iters.clone(),
                dnf,
            };
            self.contexts.insert(block, inner.clone());
            branches.push(self.sequence(&function[block].ops, &inner)?);
        }
        let otherwise = branches.pop().unwrap_or_default();
        let then = branches.pop().unwrap_or_default();
        Ok(Node::If { op, then, otherwise })
    }
}

/// Whether the operation is a loop that writes memory: something worth modelling.
pub(crate) fn is_nest(index: &Index<'_>, op: OpId) -> bool {
    let function = index.function;
    matches!(&function[op].kind, OpKind::For(_))
        && (!function[op].results.is_empty()
            || index
                .deep(op)
                .iter()
                .any(|&o| matches!(function[o].kind, OpKind::Store(_) | OpKind::Copy | OpKind::Call(_))))
}
