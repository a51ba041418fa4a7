//! The machine: frames, the step, and its dispatch.

use super::memory::{Memory, Origin, Root, State};
use super::order::SplitMix;
use super::races::Races;
use super::{Executed, Observer, Options, Outcome, Slot, Touched, View, control::Control};
use crate::scop::{Place, Plans, ScopPlan};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tilia_abi::{RuntimeError, Value, runner};
use tilia_diag::{Diagnostic, Loc};
use tilia_program::{Function, GlobalInit, Op, OpId, OpKind, Program, Type, ValueId, verify};

/// Interprets the functions of one valid program.
#[derive(Debug, Clone, Copy)]
pub struct Interpreter<'a> {
    program: &'a Program,
}

impl<'a> Interpreter<'a> {
    /// An interpreter of `program`.
    ///
    /// # Errors
    /// What is wrong with an invalid program.
    pub fn new(program: &'a Program) -> Result<Self, Vec<Diagnostic>> {
        let errors = verify(program);
        if errors.is_empty() { Ok(Self { program }) } else { Err(errors) }
    }

    pub(crate) fn program(&self) -> &'a Program {
        self.program
    }

    /// Executes a function with these arguments. Buffers that arguments share are one buffer to the program, too; stores are seen by the host.
    ///
    /// # Errors
    /// The first error of the program, located, or used-up limits.
    pub fn run(&self, entry: &str, args: &[Value], options: &Options) -> Result<Outcome, RuntimeError> {
        Machine::new(self.program, options).call(entry, args)
    }

    /// The same, with `observer` told of every element that is touched.
    ///
    /// # Errors
    /// As [`Interpreter::run`], and what the observer objects to.
    pub fn run_observed(
        &self,
        entry: &str,
        args: &[Value],
        options: &Options,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, RuntimeError> {
        let mut machine = Machine::new(self.program, options);
        machine.observer = Some(observer);
        machine.call(entry, args)
    }
}

/// A list of operations and how far it is executed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pub(crate) ops: &'a [OpId],
    pub(crate) next: usize,
}

/// An active function.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) function: &'a Function,
    pub(crate) slots: Vec<Slot>,
    pub(crate) control: Vec<Control<'a>>,
    pub(crate) cursor: Cursor<'a>,
    /// Whether a planned scop is being executed.
    pub(crate) in_scop: bool,
    /// The call of the caller's function that waits for the results.
    call: Option<OpId>,
    /// Buffers that die when it returns.
    stack: Vec<Rc<Root>>,
}

/// Whether execution goes on.
pub(crate) enum Flow {
    Continue,
    /// The outermost function returned these.
    Returned(Vec<Slot>),
    /// A list of operations that was to be executed by itself is at its end.
    Stopped,
}

/// The state of a run.
pub(crate) struct Machine<'a, 'o> {
    pub(crate) program: &'a Program,
    pub(crate) options: Options,
    pub(crate) observer: Option<&'o mut dyn Observer>,
    pub(crate) memory: Memory,
    /// Scops to be executed as such.
    pub(crate) plans: Plans<'a>,
    /// What the current instance of a scop touched, where that is checked.
    pub(crate) touched: Option<Vec<Touched>>,
    pub(crate) frames: Vec<Frame<'a>>,
    pub(crate) counts: Executed,
    pub(crate) random: Option<SplitMix>,
    /// Parallel loops being executed, and the check of the outermost.
    pub(crate) parallel_depth: usize,
    pub(crate) races: Option<Races>,
    /// Operands of a map, subscripts: reused from step to step.
    pub(crate) operands: Vec<i64>,
    pub(crate) subscripts: Vec<i64>,
    functions: FxHashMap<&'a str, &'a Function>,
    globals: Vec<Option<Rc<View>>>,
    steps: u64,
}

impl<'a, 'o> Machine<'a, 'o> {
    pub(crate) fn new(program: &'a Program, options: &Options) -> Self {
        Self {
            program,
            options: options.clone(),
            observer: None,
            memory: Memory::new(options.memory),
            plans: Plans::default(),
            touched: None,
            frames: Vec::new(),
            counts: Executed::default(),
            random: options.shuffle.map(SplitMix::new),
            parallel_depth: 0,
            races: None,
            operands: Vec::new(),
            subscripts: Vec::new(),
            functions: program.functions.iter().map(|f| (f.name.as_str(), f)).collect(),
            globals: vec![None; program.globals.len()],
            steps: 0,
        }
    }

    /// A machine that executes these scops as their plans state.
    pub(crate) fn with_plans(program: &'a Program, options: &Options, plans: &[ScopPlan<'a>]) -> Self {
        let mut machine = Self::new(program, options);
        machine.plans = Plans::new(plans);
        machine
    }

    /// Steps that may still be executed.
    pub(crate) fn fuel_left(&self) -> u64 {
        self.options.fuel.saturating_sub(self.steps)
    }

    /// Calls a function from the host and runs it to its end.
    pub(crate) fn call(&mut self, entry: &str, args: &[Value]) -> Result<Outcome, RuntimeError> {
        self.enter(entry, args)?;
        loop {
            if let Flow::Returned(slots) = self.step()? {
                return self.outcome(entry, &slots);
            }
        }
    }

    /// Makes the frame of a function called from the host.
    pub(crate) fn enter(&mut self, entry: &str, args: &[Value]) -> Result<(), RuntimeError> {
        let Some(&function) = self.functions.get(entry) else {
            return Err(RuntimeError::new(Loc::unknown(), format!("there is no function @{entry}")));
        };
        let fail = |message: String| RuntimeError::new(function.loc.clone(), message);
        if args.len() != function.params.len() {
            let message = format!("@{entry} takes {} arguments, not {}", function.params.len(), args.len());
            return Err(fail(message));
        }
        let mut slots = Vec::new();
        for (n, (arg, ty)) in args.iter().zip(&function.params).enumerate() {
            arg.check_type(ty).map_err(|m| fail(format!("argument {n} of @{entry}: {m}")))?;
            slots.push(match arg {
                Value::Int(v) => Slot::int(*v),
                Value::Float(bits) => Slot::Bits(*bits),
                Value::Vector(lanes) => Slot::Lanes(lanes.as_slice().into()),
                Value::MemRef(m) => Slot::MemRef(Rc::new(self.memory.argument(m))),
            });
        }
        self.push_frame(function, slots, None).map_err(fail)
    }

    fn outcome(&self, entry: &str, slots: &[Slot]) -> Result<Outcome, RuntimeError> {
        let function = self.functions.get(entry);
        let types = function.map_or(&[][..], |f| &f.results);
        let values = slots.iter().zip(types).map(|(s, ty)| s.to_value(ty)).collect::<Result<_, _>>();
        let loc = || function.map_or_else(Loc::unknown, |f| f.loc.clone());
        Ok(Outcome {
            results: values.map_err(|m| RuntimeError::new(loc(), format!("a result of @{entry}: {m}")))?,
            steps: self.steps,
            executed: self.counts,
        })
    }

    fn push_frame(&mut self, function: &'a Function, args: Vec<Slot>, call: Option<OpId>) -> Result<(), String> {
        if self.frames.len() >= self.options.call_depth {
            return Err(format!("more than {} calls are active at once", self.options.call_depth));
        }
        let entry = function
            .entry()
            .ok_or_else(|| format!("@{} has no body, and the runtime has no function of that name", function.name))?;
        let mut frame = Frame {
            function,
            slots: vec![Slot::Empty; function.value_count()],
            control: Vec::new(),
            cursor: Cursor {
                ops: &function[entry].ops,
                next: 0,
            },
            in_scop: false,
            call,
            stack: Vec::new(),
        };
        for (&v, slot) in function[entry].args.iter().zip(args) {
            frame.slots[v.0 as usize] = slot;
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Counts `n` steps.
    pub(crate) fn spend(&mut self, n: u64) -> Result<(), String> {
        self.steps = self.steps.saturating_add(n);
        if self.steps > self.options.fuel {
            return Err(format!("the interpreter's budget of {} steps is used up", self.options.fuel));
        }
        Ok(())
    }

    pub(crate) fn frame(&self) -> &Frame<'a> {
        self.frames.last().expect("a function is active")
    }

    pub(crate) fn frame_mut(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("a function is active")
    }

    pub(crate) fn slot(&self, v: ValueId) -> &Slot {
        &self.frame().slots[v.0 as usize]
    }

    pub(crate) fn set(&mut self, v: ValueId, slot: Slot) {
        self.frame_mut().slots[v.0 as usize] = slot;
    }

    pub(crate) fn slots(&self, values: &[ValueId]) -> Vec<Slot> {
        values.iter().map(|&v| self.slot(v).clone()).collect()
    }

    pub(crate) fn set_all(&mut self, values: &[ValueId], slots: Vec<Slot>) {
        for (&v, slot) in values.iter().zip(slots) {
            self.set(v, slot);
        }
    }

    pub(crate) fn int(&self, v: ValueId) -> Result<i64, String> {
        self.slot(v).as_int()
    }

    /// Executes the next operation.
    pub(crate) fn step(&mut self) -> Result<Flow, RuntimeError> {
        let frame = self.frame_mut();
        let function = frame.function;
        let Some(&id) = frame.cursor.ops.get(frame.cursor.next) else {
            return self.end_of_list();
        };
        frame.cursor.next += 1;
        let outside = !frame.in_scop;
        let op = &function[id];
        match self.plans.place(&function.name, id).filter(|_| outside) {
            Some(Place::Skip) => return Ok(Flow::Continue),
            Some(Place::Run(n)) => {
                self.run_scop(n)?;
                return Ok(Flow::Continue);
            }
            None => {}
        }
        self.spend(1)
            .and_then(|()| self.execute(id, op))
            .map_err(|message| RuntimeError::new(op.loc.clone(), message))
    }

    fn execute(&mut self, id: OpId, op: &'a Op) -> Result<Flow, String> {
        match &op.kind {
            OpKind::Constant(c) => {
                let result = op.results[0];
                let slot = Slot::constant(c, &self.frame().function[result].ty)?;
                self.set(result, slot);
            }
            OpKind::Pure(p, _) => self.pure(*p, op)?,
            OpKind::Apply(map) => self.affine(op, map, |_, b| b)?,
            OpKind::Min(map) => self.affine(op, map, i64::min)?,
            OpKind::Max(map) => self.affine(op, map, i64::max)?,
            OpKind::Load(access) => self.load(id, op, access)?,
            OpKind::Store(access) => self.store(id, op, access)?,
            OpKind::Alloc { stack, .. } => self.alloc(op, *stack)?,
            OpKind::Dealloc => self.dealloc(op)?,
            OpKind::Copy => self.copy(id, op)?,
            OpKind::GetGlobal(n) => {
                let view = self.global(*n as usize)?;
                self.set(op.results[0], Slot::MemRef(view));
            }
            OpKind::Call(name) => self.call_op(id, op, name)?,
            OpKind::Return => return Ok(self.return_op(op)),
            OpKind::Unsupported { name, reason } => return Err(format!("`{name}` can't be executed: {reason}")),
            kind if super::view::is_view(kind) => self.view_op(op)?,
            _ => self.control_op(id, op)?,
        }
        Ok(Flow::Continue)
    }

    /// Evaluates the map's results and combines them, first to last.
    fn affine(&mut self, op: &Op, map: &tilia_program::AffineMap, combine: fn(i64, i64) -> i64) -> Result<(), String> {
        self.gather(&op.operands)?;
        let (dims, syms) = self.operands.split_at(map.dims as usize);
        let mut best = None;
        for e in &map.results {
            let v = e.eval(dims, syms).ok_or_else(|| affine_error(e, &self.operands))?;
            best = Some(best.map_or(v, |b| combine(b, v)));
        }
        let v = best.ok_or("a map without results")?;
        self.set(op.results[0], Slot::int(v));
        Ok(())
    }

    /// Puts integer operands into `self.operands`.
    pub(crate) fn gather(&mut self, operands: &[ValueId]) -> Result<(), String> {
        let mut all = std::mem::take(&mut self.operands);
        all.clear();
        for &v in operands {
            all.push(self.int(v)?);
        }
        self.operands = all;
        Ok(())
    }

    fn alloc(&mut self, op: &Op, stack: bool) -> Result<(), String> {
        let result = op.results[0];
        let ty = self.frame().function[result].ty.clone();
        let Type::MemRef(ty) = ty else {
            return Err("an allocation must give a memref".to_owned());
        };
        if ty.layout != tilia_program::Layout::Identity {
            return Err("allocations with a layout are not supported".to_owned());
        }
        let mut dynamic = op.operands.iter();
        let mut sizes = Vec::new();
        for d in &ty.shape {
            sizes.push(match d {
                Some(d) => i64::try_from(*d).map_err(|_| "an extent is too large".to_owned())?,
                None => self.int(*dynamic.next().ok_or("a size is missing")?)?,
            });
        }
        let origin = if stack { Origin::Stack } else { Origin::Heap };
        let view = self.memory.allocate(ty.elem, &sizes, origin)?;
        if stack {
            self.frame_mut().stack.push(Rc::clone(&view.root));
        }
        self.set(result, Slot::MemRef(Rc::new(view)));
        Ok(())
    }

    fn dealloc(&mut self, op: &Op) -> Result<(), String> {
        let view = self.slot(op.operands[0]).view()?;
        match (view.root.origin, view.root.state.get()) {
            (_, State::Freed) => Err("memory is deallocated twice".to_owned()),
            (Origin::Stack | Origin::Global, _) => Err("only memory from an allocation can be deallocated".to_owned()),
            _ => {
                view.root.state.set(State::Freed);
                Ok(())
            }
        }
    }

    fn global(&mut self, n: usize) -> Result<Rc<View>, String> {
        if let Some(Some(view)) = self.globals.get(n) {
            return Ok(Rc::clone(view));
        }
        let global = self.program.globals.get(n).ok_or("there is no such global")?;
        let sizes: Option<Vec<i64>> = global.ty.shape.iter().map(|d| d.and_then(|d| i64::try_from(d).ok())).collect();
        let sizes = sizes.ok_or("a global must have a static shape")?;
        let view = self.memory.allocate(global.ty.elem, &sizes, Origin::Global)?;
        if let GlobalInit::Elements(elements) = &global.init {
            let ty = Type::Scalar(global.ty.elem);
            let splat = match &elements[..] {
                [tilia_program::Constant::Splat(c)] => Some(Slot::constant(c, &ty)?.bits()?),
                _ => None,
            };
            let count = i64::try_from(view.count()?).map_err(|_| "the global is too large".to_owned())?;
            for k in 0..count {
                let word = match splat {
                    Some(word) => word,
                    None => Slot::constant(elements.get(k.cast_unsigned() as usize).ok_or("an element is missing")?, &ty)?.bits()?,
                };
                view.store(k, word)?;
            }
        }
        if global.constant {
            view.root.state.set(State::Constant);
        }
        let view = Rc::new(view);
        self.globals[n] = Some(Rc::clone(&view));
        Ok(view)
    }

    fn call_op(&mut self, id: OpId, op: &'a Op, name: &str) -> Result<(), String> {
        let function = self
            .functions
            .get(name)
            .copied()
            .ok_or_else(|| format!("there is no function @{name}"))?;
        let args = self.slots(&op.operands);
        if function.body.is_some() {
            return self.push_frame(function, args, Some(id));
        }
        let Some(known) = runner::find(name) else {
            return Err(format!("@{name} is only declared, and the runtime has no function of that name"));
        };
        for slot in &args {
            if let Slot::MemRef(view) = slot {
                view.usable(false)?;
            }
        }
        let values = args
            .iter()
            .zip(&function.params)
            .map(|(s, ty)| s.to_value(ty))
            .collect::<Result<Vec<_>, _>>()?;
        let result = runner::call(known, &values).map_err(|m| format!("call of @{name}: {m}"))?;
        let slots: Vec<_> = result
            .iter()
            .map(|v| match v {
                Value::Int(v) => Slot::int(*v),
                Value::Float(bits) => Slot::Bits(*bits),
                _ => Slot::Empty,
            })
            .collect();
        if slots.len() != op.results.len() {
            return Err(format!("@{name} is declared with other results than the runtime's function has"));
        }
        self.set_all(&op.results, slots);
        Ok(())
    }

    fn return_op(&mut self, op: &Op) -> Flow {
        let values = self.slots(&op.operands);
        let Some(frame) = self.frames.pop() else {
            return Flow::Returned(values);
        };
        for root in &frame.stack {
            root.state.set(State::Returned);
        }
        match (frame.call, self.frames.last()) {
            (Some(call), Some(caller)) => {
                let results = &caller.function[call].results;
                self.set_all(results, values);
                Flow::Continue
            }
            _ => Flow::Returned(values),
        }
    }
}

/// The message for a map that has no value.
pub(crate) fn affine_error(e: &tilia_program::AffineExpr, operands: &[i64]) -> String {
    format!("the affine expression {e} overflows 64 bits or divides by a number below 1 (operands {operands:?})")
}
