//! Operations as C statements and expressions.

use crate::expr::{affine, c_type, extremum, literal, pure, results, wrapped};
use crate::names::{Names, identifier};
use crate::style::Style;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use tilia_diag::Diagnostic;
use tilia_program::{Access, BlockId, ForOp, Function, IfCond, LoopExec, Op, OpId, OpKind, Step, Type, ValueId};

/// How a memref is written.
#[derive(Debug, Clone)]
pub(crate) enum Memory {
    /// An array with these extents.
    Array(Vec<String>),
    /// Rank 0, behind a pointer.
    Pointer,
    /// Rank 0, a variable.
    Variable,
}

type Res<T> = Result<T, Diagnostic>;

pub(crate) struct Printer<'a> {
    f: &'a Function,
    style: &'a Style,
    names: Names,
    memory: FxHashMap<ValueId, Memory>,
    uses: FxHashMap<ValueId, u32>,
    out: String,
    depth: usize,
    /// Variables that the innermost structured operation's yields assign.
    yields: Vec<Vec<String>>,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(f: &'a Function, style: &'a Style, names: Names, memory: FxHashMap<ValueId, Memory>) -> Self {
        let mut uses: FxHashMap<ValueId, u32> = FxHashMap::default();
        if let Some(body) = f.body {
            f.walk(body, |op| {
                for &v in &f[op].operands {
                    *uses.entry(v).or_insert(0) += 1;
                }
            });
        }
        Self {
            f,
            style,
            names,
            memory,
            uses,
            out: String::new(),
            depth: 1,
            yields: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * self.depth);
    }

    fn refuse<T>(&self, op: &Op, what: &str) -> Res<T> {
        Err(Diagnostic::error(op.loc.clone(), format!("this can't be written in C: {what}"))
            .help("--emit=ast and --emit=mlir show the same loops"))
    }

    pub(crate) fn block(&mut self, block: BlockId) -> Res<()> {
        let ops = self.f[block].ops.clone();
        for (n, &op) in ops.iter().enumerate() {
            self.op(op, &ops[n + 1..])?;
        }
        Ok(())
    }

    fn args(&self, operands: &[ValueId]) -> Vec<String> {
        operands.iter().map(|&v| self.names.get(v)).collect()
    }

    /// Gives the result its text: in place where that is safe, else through a variable.
    fn define(&mut self, id: OpId, text: String, in_place: bool) -> Res<()> {
        let op = &self.f[id];
        let result = op.results[0];
        if in_place {
            self.names.set(result, text);
            return Ok(());
        }
        let Type::Scalar(s) = &self.f[result].ty else {
            return self.refuse(op, "a value that isn't a number");
        };
        let Some(ty) = c_type(*s, self.style.int_indices) else {
            return self.refuse(op, "a number of that type");
        };
        let name = self.names.bind(result, "t");
        self.line(&format!("const {ty} {name} = {text};"));
        Ok(())
    }

    fn op(&mut self, id: OpId, rest: &[OpId]) -> Res<()> {
        let f = self.f;
        let op = &f[id];
        let single = op.results.first().is_some_and(|r| self.uses.get(r) == Some(&1));
        match &op.kind {
            OpKind::Constant(c) => {
                let ty = f[op.results[0]].ty.element();
                match ty.and_then(|ty| literal(c, ty)) {
                    Some(text) => self.define(id, text, true),
                    None => self.refuse(op, "a constant of that type"),
                }
            }
            OpKind::Pure(pure_op, _) => {
                let x = self.args(&op.operands);
                let from = op.operands.first().and_then(|&v| f[v].ty.element());
                let to = f[op.results[0]].ty.element();
                let vector = op.operands.iter().any(|&v| !matches!(f[v].ty, Type::Scalar(_)));
                let text = from
                    .zip(to)
                    .filter(|_| !vector)
                    .and_then(|(from, to)| pure(*pure_op, from, to, &x, self.style.int_indices));
                match text {
                    Some(text) => self.define(id, text, single && self.used_in(op.results[0], rest)),
                    None => self.refuse(op, &format!("{pure_op:?} of that type")),
                }
            }
            OpKind::Apply(map) => {
                let text = results(map, &self.args(&op.operands)).concat();
                self.define(id, text, true)
            }
            OpKind::Min(map) => {
                let text = extremum(&results(map, &self.args(&op.operands)), "MIN");
                self.define(id, text, true)
            }
            OpKind::Max(map) => {
                let text = extremum(&results(map, &self.args(&op.operands)), "MAX");
                self.define(id, text, true)
            }
            OpKind::Load(access) => {
                let text = self.element(op, op.operands[0], access, &op.operands[1..])?;
                let in_place = single && self.reaches_use(op.results[0], rest);
                self.define(id, text, in_place)
            }
            OpKind::Store(access) => {
                let target = self.element(op, op.operands[1], access, &op.operands[2..])?;
                let value = self.names.get(op.operands[0]);
                self.line(&format!("{target} = {value};"));
                Ok(())
            }
            OpKind::Alloc { .. } => self.alloc(op),
            OpKind::Dealloc => {
                if let Some(Memory::Array(_)) = self.memory.get(&op.operands[0]) {
                    let name = self.names.get(op.operands[0]);
                    self.line(&format!("free({name});"));
                }
                Ok(())
            }
            OpKind::Dim => match (self.memory.get(&op.operands[0]), f.as_int_constant(op.operands[1])) {
                (Some(Memory::Array(dims)), Some(n)) if usize::try_from(n).is_ok_and(|n| n < dims.len()) => {
                    let text = dims[usize::try_from(n).unwrap_or(0)].clone();
                    self.define(id, text, true)
                }
                _ => self.refuse(op, "the extent of that memref"),
            },
            OpKind::Overlap => match (self.extent(op.operands[0]), self.extent(op.operands[1])) {
                (Some((a, a_end)), Some((b, b_end))) => {
                    let text = format!("(uintptr_t){a} < (uintptr_t)({b_end}) && (uintptr_t){b} < (uintptr_t)({a_end})");
                    self.define(id, text, false)
                }
                _ => self.refuse(op, "whether those memrefs overlap"),
            },
            OpKind::For(header) => self.for_loop(op, header),
            OpKind::If(cond) => self.conditional(op, cond),
            OpKind::Yield => {
                let values = self.args(&op.operands);
                let targets = self.yields.last().cloned().unwrap_or_default();
                self.assign(op, &targets, &values)
            }
            OpKind::Return => {
                if let Some(&v) = op.operands.first() {
                    let text = self.names.get(v);
                    self.line(&format!("return {text};"));
                }
                Ok(())
            }
            OpKind::Call(callee) if op.results.is_empty() && op.operands.iter().all(|&v| matches!(f[v].ty, Type::Scalar(_))) => {
                let args = self.args(&op.operands).join(", ");
                self.line(&format!("{}({args});", identifier(callee)));
                Ok(())
            }
            _ => self.refuse(op, "an operation that C has no plain words for"),
        }
    }

    /// First and past-the-end pointer of a memref.
    fn extent(&self, memref: ValueId) -> Option<(String, String)> {
        let name = self.names.get(memref);
        match self.memory.get(&memref)? {
            Memory::Array(dims) => Some((name.clone(), format!("{name} + {}", wrapped(dims.first()?)))),
            Memory::Pointer => Some((name.clone(), format!("{name} + 1"))),
            Memory::Variable => Some((format!("&{name}"), format!("&{name} + 1"))),
        }
    }

    /// Whether a value's only use is in one of these operations themselves (not in their regions).
    fn used_in(&self, v: ValueId, rest: &[OpId]) -> bool {
        rest.iter().any(|&o| self.f[o].operands.contains(&v))
    }

    /// Whether a loaded value's only use comes before anything that may write memory.
    fn reaches_use(&self, v: ValueId, rest: &[OpId]) -> bool {
        let mut through = vec![v];
        for &o in rest {
            let op = &self.f[o];
            let uses = op.operands.iter().any(|v| through.contains(v));
            match &op.kind {
                OpKind::Store(_) => return uses,
                OpKind::Load(_) | OpKind::Constant(_) | OpKind::Apply(_) => {}
                OpKind::Pure(..) => {
                    if uses {
                        through.extend(op.results.iter().copied());
                        // A variable is made where the value has several uses: there the load is written down.
                        if op.results.iter().any(|r| self.uses.get(r) != Some(&1)) {
                            return true;
                        }
                    }
                }
                OpKind::Yield | OpKind::Return => return uses,
                _ => return false,
            }
        }
        false
    }

    fn element(&mut self, op: &Op, memref: ValueId, access: &Access, operands: &[ValueId]) -> Res<String> {
        let value = if matches!(op.kind, OpKind::Load(_)) {
            op.results[0]
        } else {
            op.operands[0]
        };
        if matches!(self.f[value].ty, Type::Vector(_)) {
            return self.refuse(op, "an access to a vector");
        }
        let name = self.names.get(memref);
        match self.memory.get(&memref) {
            Some(Memory::Array(_)) => {
                let subs: String = results(&access.map, &self.args(operands))
                    .iter()
                    .map(|s| format!("[{s}]"))
                    .collect();
                Ok(format!("{name}{subs}"))
            }
            Some(Memory::Pointer) => Ok(format!("*{name}")),
            Some(Memory::Variable) => Ok(name),
            None => self.refuse(op, "an access through a view"),
        }
    }

    fn alloc(&mut self, op: &Op) -> Res<()> {
        let result = op.results[0];
        let Some(m) = self.f[result].ty.as_memref() else {
            return self.refuse(op, "that allocation");
        };
        let Some(elem) = c_type(m.elem, false) else {
            return self.refuse(op, "an array of that type");
        };
        let name = self.names.bind(result, "B");
        if m.rank() == 0 {
            self.line(&format!("{elem} {name} = 0;"));
            self.memory.insert(result, Memory::Variable);
            return Ok(());
        }
        let mut dynamic = op.operands.iter();
        let dims: Vec<String> = m
            .shape
            .iter()
            .map(|d| match d {
                Some(d) => d.to_string(),
                None => dynamic.next().map_or_else(String::new, |&v| self.names.get(v)),
            })
            .collect();
        let inner: String = dims[1..].iter().map(|d| format!("[{d}]")).collect();
        let count: Vec<String> = dims.iter().map(|d| format!("(size_t){}", wrapped(d))).collect();
        self.line(&format!("{elem} (*{name}){inner} = calloc({}, sizeof({elem}));", count.join(" * ")));
        self.memory.insert(result, Memory::Array(dims));
        Ok(())
    }

    /// Variables for results, declared with their first values.
    fn declare(&mut self, op: &Op, results: &[ValueId], first: Option<&[String]>) -> Res<Vec<String>> {
        let mut names = Vec::new();
        for (n, &r) in results.iter().enumerate() {
            let ty = match &self.f[r].ty {
                Type::Scalar(s) => c_type(*s, self.style.int_indices),
                _ => None,
            };
            let Some(ty) = ty else {
                return self.refuse(op, "a carried value that isn't a number");
            };
            let name = self.names.bind(r, "v");
            match first {
                Some(first) => self.line(&format!("{ty} {name} = {};", first[n])),
                None => self.line(&format!("{ty} {name};")),
            }
            names.push(name);
        }
        Ok(names)
    }

    /// All targets get their values at once.
    fn assign(&mut self, op: &Op, targets: &[String], values: &[String]) -> Res<()> {
        let direct = targets.len() <= 1;
        let mut temporaries = Vec::new();
        for (n, value) in values.iter().enumerate().take(targets.len()) {
            if direct {
                temporaries.push(value.clone());
            } else {
                let ty = match &self.f[op.operands[n]].ty {
                    Type::Scalar(s) => c_type(*s, self.style.int_indices),
                    _ => None,
                };
                let Some(ty) = ty else {
                    return self.refuse(op, "a carried value that isn't a number");
                };
                let name = self.names.fresh("y");
                self.line(&format!("const {ty} {name} = {value};"));
                temporaries.push(name);
            }
        }
        for (target, value) in targets.iter().zip(temporaries) {
            if *target != value {
                self.line(&format!("{target} = {value};"));
            }
        }
        Ok(())
    }

    fn for_loop(&mut self, op: &Op, header: &ForOp) -> Res<()> {
        let Step::Const(step) = header.step else {
            return self.refuse(op, "a loop with a step known at run time only");
        };
        if header.exec == LoopExec::Vector {
            return self.refuse(op, "a vector loop");
        }
        let (lower_operands, rest) = op.operands.split_at(header.lower.operands());
        let (upper_operands, first) = rest.split_at(header.upper.operands());
        let lower = extremum(&results(&header.lower, &self.args(lower_operands)), "MAX");
        let upper = extremum(&results(&header.upper, &self.args(upper_operands)), "MIN");
        let first = self.args(first);
        let carried = self.declare(op, &op.results, Some(&first))?;
        let block = self.f[op.regions[0]].blocks[0];
        let args = self.f[block].args.clone();
        let ty = if self.style.int_indices { "int" } else { "int64_t" };
        let iv = self.names.bind(args[0], "i");
        for (&arg, name) in args[1..].iter().zip(&carried) {
            self.names.set(arg, name.clone());
        }
        if header.exec == LoopExec::Parallel {
            self.line("#pragma omp parallel for");
        }
        let increment = if step == 1 { format!("{iv}++") } else { format!("{iv} += {step}") };
        self.line(&format!("for ({ty} {iv} = {lower}; {iv} < {upper}; {increment}) {{"));
        self.region(block, carried)?;
        self.line("}");
        Ok(())
    }

    fn region(&mut self, block: BlockId, targets: Vec<String>) -> Res<()> {
        self.depth += 1;
        self.yields.push(targets);
        let done = self.block(block);
        self.yields.pop();
        self.depth -= 1;
        done
    }

    fn conditional(&mut self, op: &Op, cond: &IfCond) -> Res<()> {
        let x = self.args(&op.operands);
        let text = match cond {
            IfCond::Value => x.concat(),
            IfCond::Set(set) => {
                let (dims, syms) = x.split_at(set.dims as usize);
                let all: Vec<String> = set
                    .constraints
                    .iter()
                    .map(|(e, eq)| format!("{} {} 0", affine(e, dims, syms), if *eq { "==" } else { ">=" }))
                    .collect();
                if all.is_empty() { "true".to_owned() } else { all.join(" && ") }
            }
        };
        let targets = self.declare(op, &op.results, None)?;
        self.line(&format!("if ({text}) {{"));
        let block = self.f[op.regions[0]].blocks[0];
        self.region(block, targets.clone())?;
        let otherwise = op.regions.get(1).and_then(|&r| self.f[r].blocks.first().copied());
        if let Some(block) = otherwise.filter(|&b| self.f[b].ops.len() > 1 || !targets.is_empty()) {
            self.line("} else {");
            self.region(block, targets)?;
        }
        self.line("}");
        Ok(())
    }
}
