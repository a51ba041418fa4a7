//! Structured control flow and branches.

use super::Slot;
use super::machine::{Cursor, Flow, Machine, affine_error};
use super::order::Permutation;
use super::races::Races;
use tilia_abi::RuntimeError;
use tilia_program::{AffineMap, BlockId, ForOp, IfCond, LoopExec, Op, OpId, OpKind, RegionId, Step};

/// What surrounds the list of operations being executed, in one function.
#[derive(Debug)]
pub(crate) enum Control<'a> {
    /// A loop.
    Loop(Box<Loop<'a>>),
    /// An if or an execute_region: its yield gives the results.
    Region(&'a Op, Cursor<'a>),
    /// The first region of a while.
    Before(&'a Op, Cursor<'a>),
    /// The second region of a while.
    After(&'a Op, Cursor<'a>),
    /// Operations executed by themselves.
    Stop(Cursor<'a>),
}

/// A loop being executed.
#[derive(Debug)]
pub(crate) struct Loop<'a> {
    op: &'a Op,
    body: BlockId,
    resume: Cursor<'a>,
    lower: i64,
    step: i64,
    trips: u64,
    /// Iterations begun.
    begun: u64,
    order: Permutation,
    parallel: bool,
}

/// What an iteration count is of.
struct Bounds {
    lower: i64,
    step: i64,
    trips: u64,
}

impl<'a> Machine<'a, '_> {
    pub(super) fn control_op(&mut self, _id: OpId, op: &'a Op) -> Result<(), String> {
        match &op.kind {
            OpKind::For(f) => self.for_op(op, f),
            OpKind::If(cond) => self.if_op(op, cond),
            OpKind::While => {
                let resume = self.frame().cursor;
                let values = self.slots(&op.operands);
                self.frame_mut().control.push(Control::Before(op, resume));
                self.enter_region(op.regions[0], values);
                Ok(())
            }
            OpKind::ExecuteRegion => {
                let resume = self.frame().cursor;
                self.frame_mut().control.push(Control::Region(op, resume));
                self.enter_region(op.regions[0], Vec::new());
                Ok(())
            }
            OpKind::Condition => self.condition(op),
            OpKind::Yield => self.yield_op(op),
            OpKind::Br(_) | OpKind::CondBr { .. } | OpKind::Switch { .. } => self.branch(op),
            OpKind::Assert(text) => {
                if self.int(op.operands[0])? & 1 == 0 {
                    return Err(format!("assertion failed: {text}"));
                }
                Ok(())
            }
            OpKind::Unreachable => Err("a point that is declared unreachable was reached".to_owned()),
            other => Err(format!("the interpreter doesn't know how to execute {other:?}")),
        }
    }

    fn enter_region(&mut self, region: RegionId, args: Vec<Slot>) {
        let function = self.frame().function;
        if let Some(&block) = function[region].blocks.first() {
            self.enter_block(block, args);
        }
    }

    fn enter_block(&mut self, block: BlockId, args: Vec<Slot>) {
        let function = self.frame().function;
        self.set_all(&function[block].args, args);
        self.frame_mut().cursor = Cursor {
            ops: &function[block].ops,
            next: 0,
        };
    }

    /// Extreme value of a bound's map over `self.operands[range]`.
    fn bound(&self, map: &AffineMap, first: usize, combine: fn(i64, i64) -> i64) -> Result<i64, String> {
        let operands = &self.operands[first..first + map.operands()];
        let (dims, syms) = operands.split_at(map.dims as usize);
        let mut best = None;
        for e in &map.results {
            let v = e.eval(dims, syms).ok_or_else(|| affine_error(e, operands))?;
            best = Some(best.map_or(v, |b| combine(b, v)));
        }
        best.ok_or_else(|| "a loop bound without value".to_owned())
    }

    fn bounds(&mut self, op: &Op, f: &ForOp) -> Result<(Bounds, usize), String> {
        let upper_at = f.lower.operands();
        let step_at = upper_at + f.upper.operands();
        let inits_at = step_at + usize::from(f.step == Step::Value);
        self.gather(&op.operands[..inits_at])?;
        let lower = self.bound(&f.lower, 0, i64::max)?;
        let upper = self.bound(&f.upper, upper_at, i64::min)?;
        let step = match f.step {
            Step::Const(c) => c,
            Step::Value => self.operands[step_at],
        };
        if step < 1 {
            return Err(format!("the loop's step is {step}, but it must be at least 1"));
        }
        let distance = i128::from(upper) - i128::from(lower);
        let trips = if distance <= 0 { 0 } else { (distance - 1) / i128::from(step) + 1 };
        let trips = u64::try_from(trips).unwrap_or(u64::MAX);
        Ok((Bounds { lower, step, trips }, inits_at))
    }

    fn for_op(&mut self, op: &'a Op, f: &ForOp) -> Result<(), String> {
        let (Bounds { lower, step, trips }, inits_at) = self.bounds(op, f)?;
        let carried = self.slots(&op.operands[inits_at..]);
        if trips == 0 {
            self.set_all(&op.results, carried);
            return Ok(());
        }
        self.counts.vector += u64::from(f.exec == LoopExec::Vector);
        self.counts.full_tiles += u64::from(f.full_tile);
        let parallel = f.exec == LoopExec::Parallel;
        let order = match &mut self.random {
            Some(random) if parallel => Permutation::random(trips, random),
            _ => Permutation::ascending(trips),
        };
        if parallel {
            self.parallel_depth += 1;
            if self.parallel_depth == 1 {
                self.counts.parallel += 1;
                self.races = self.options.detect_races.then(Races::default);
            }
        }
        let body = self.frame().function[op.regions[0]].blocks[0];
        let resume = self.frame().cursor;
        let state = Loop {
            op,
            body,
            resume,
            lower,
            step,
            trips,
            begun: 0,
            order,
            parallel,
        };
        self.next_iteration(Box::new(state), carried)
    }

    fn next_iteration(&mut self, mut state: Box<Loop<'a>>, carried: Vec<Slot>) -> Result<(), String> {
        if state.begun == state.trips {
            if state.parallel {
                self.parallel_depth -= 1;
                if self.parallel_depth == 0 {
                    self.races = None;
                }
            }
            self.frame_mut().cursor = state.resume;
            self.set_all(&state.op.results, carried);
            return Ok(());
        }
        let number = state.order.get(state.begun);
        if state.parallel
            && self.parallel_depth == 1
            && let Some(races) = &mut self.races
        {
            races.begin(number);
        }
        // Within the bounds, hence within 64 bits.
        let value = i128::from(state.lower) + i128::from(number) * i128::from(state.step);
        let value = i64::try_from(value).map_err(|_| "the iterator overflows".to_owned())?;
        state.begun += 1;
        let body = state.body;
        self.frame_mut().control.push(Control::Loop(state));
        let mut args = Vec::with_capacity(1 + carried.len());
        args.push(Slot::int(value));
        args.extend(carried);
        self.enter_block(body, args);
        Ok(())
    }

    fn if_op(&mut self, op: &'a Op, cond: &IfCond) -> Result<(), String> {
        let holds = match cond {
            IfCond::Value => self.int(op.operands[0])? & 1 != 0,
            IfCond::Set(set) => {
                self.gather(&op.operands)?;
                set.eval(&self.operands)
                    .ok_or_else(|| format!("the condition {set} overflows 64 bits or divides by a number below 1"))?
            }
        };
        let region = op.regions[usize::from(!holds)];
        if self.frame().function[region].blocks.is_empty() {
            return Ok(());
        }
        let resume = self.frame().cursor;
        self.frame_mut().control.push(Control::Region(op, resume));
        self.enter_region(region, Vec::new());
        Ok(())
    }

    fn condition(&mut self, op: &Op) -> Result<(), String> {
        let goes_on = self.int(op.operands[0])? & 1 != 0;
        let values = self.slots(&op.operands[1..]);
        match self.frame_mut().control.pop() {
            Some(Control::Before(owner, resume)) if goes_on => {
                self.frame_mut().control.push(Control::After(owner, resume));
                self.enter_region(owner.regions[1], values);
                Ok(())
            }
            Some(Control::Before(owner, resume)) => {
                self.frame_mut().cursor = resume;
                self.set_all(&owner.results, values);
                Ok(())
            }
            _ => Err("a condition outside of a while loop".to_owned()),
        }
    }

    fn yield_op(&mut self, op: &Op) -> Result<(), String> {
        let values = self.slots(&op.operands);
        match self.frame_mut().control.pop() {
            Some(Control::Loop(state)) => self.next_iteration(state, values),
            Some(Control::Region(owner, resume)) => {
                self.frame_mut().cursor = resume;
                self.set_all(&owner.results, values);
                Ok(())
            }
            Some(Control::After(owner, resume)) => {
                self.frame_mut().control.push(Control::Before(owner, resume));
                self.enter_region(owner.regions[0], values);
                Ok(())
            }
            _ => Err("a yield outside of a structured operation".to_owned()),
        }
    }

    fn branch(&mut self, op: &Op) -> Result<(), String> {
        let (target, first, count) = match &op.kind {
            OpKind::Br(b) => (*b, 0, op.operands.len()),
            OpKind::CondBr {
                then,
                otherwise,
                then_args,
            } => {
                let then_args = *then_args as usize;
                if self.int(op.operands[0])? & 1 != 0 {
                    (*then, 1, then_args)
                } else {
                    (*otherwise, 1 + then_args, op.operands.len() - 1 - then_args)
                }
            }
            OpKind::Switch { default, cases } => {
                let flag = self.int(op.operands[0])?;
                let mut first = 1 + default.1 as usize;
                let mut chosen = (default.0, 1, default.1 as usize);
                for &(value, block, count) in cases {
                    if value == flag {
                        chosen = (block, first, count as usize);
                        break;
                    }
                    first += count as usize;
                }
                chosen
            }
            _ => return Err("not a branch".to_owned()),
        };
        let args = self.slots(&op.operands[first..first + count]);
        self.enter_block(target, args);
        Ok(())
    }

    /// The list of operations ends without a terminator: it was executed by itself.
    pub(super) fn end_of_list(&mut self) -> Result<Flow, RuntimeError> {
        match self.frame_mut().control.pop() {
            Some(Control::Stop(resume)) => {
                self.frame_mut().cursor = resume;
                Ok(Flow::Stopped)
            }
            _ => Err(RuntimeError::new(tilia_diag::Loc::unknown(), "a block without terminator")),
        }
    }

    /// Executes `ops` of the current function by themselves, then goes on where it was.
    pub(crate) fn run_ops(&mut self, ops: &'a [OpId]) -> Result<(), RuntimeError> {
        let resume = self.frame().cursor;
        let frame = self.frame_mut();
        frame.control.push(Control::Stop(resume));
        frame.cursor = Cursor { ops, next: 0 };
        loop {
            match self.step()? {
                Flow::Continue => {}
                Flow::Stopped => return Ok(()),
                Flow::Returned(_) => {
                    return Err(RuntimeError::new(
                        tilia_diag::Loc::unknown(),
                        "the function returned from inside a list of operations",
                    ));
                }
            }
        }
    }
}
