//! The text form of programs: for debugging, `--emit` of lowered programs, and tests that compare text.
//!
//! It reads like MLIR, with affine maps applied to their operands in place (`load %0[%3 + 1, %4]`). Values and blocks are numbered in the order of the text,
//! so that the text doesn't depend on the history of the arenas. It deliberately lacks locations and origins, and isn't read back: programs are
//! loaded from MLIR. Nesting is walked with an explicit stack, since its depth is the user's.

mod affine;
mod op;

use crate::{BlockId, Constant, Function, Global, GlobalInit, OpId, OpKind, Program, RegionId, ValueId};
use rustc_hash::FxHashMap;
use std::fmt::{self, Write as _};

/// Elements of a global's first contents that the text shows.
const SHOWN_ELEMENTS: usize = 16;

/// Numbers of values and blocks in one function's text.
struct Names {
    values: FxHashMap<ValueId, usize>,
    blocks: FxHashMap<BlockId, usize>,
}

impl Names {
    fn of(function: &Function) -> Self {
        let mut names = Self {
            values: FxHashMap::default(),
            blocks: FxHashMap::default(),
        };
        if let Some(body) = function.body {
            let mut stack = vec![Item::Region(body)];
            while let Some(item) = stack.pop() {
                names.visit(function, &item, &mut stack);
            }
        }
        names
    }

    fn visit(&mut self, function: &Function, item: &Item, stack: &mut Vec<Item>) {
        match *item {
            Item::Region(region) => stack.extend(function[region].blocks.iter().rev().map(|&b| Item::Block(b))),
            Item::Block(block) => {
                let n = self.blocks.len();
                self.blocks.entry(block).or_insert(n);
                self.define(&function[block].args);
                stack.extend(function[block].ops.iter().rev().map(|&op| Item::Op(op)));
            }
            Item::Op(op) => {
                self.define(&function[op].results);
                stack.extend(function[op].regions.iter().rev().map(|&r| Item::Region(r)));
            }
        }
    }

    fn define(&mut self, values: &[ValueId]) {
        for &v in values {
            let n = self.values.len();
            self.values.entry(v).or_insert(n);
        }
    }

    /// `%n`; a value that no operation of the text defines shows its arena number, so that broken programs can be printed.
    fn value(&self, v: ValueId) -> String {
        self.values
            .get(&v)
            .map_or_else(|| format!("%undefined{}", v.0), |n| format!("%{n}"))
    }

    fn block(&self, b: BlockId) -> String {
        self.blocks
            .get(&b)
            .map_or_else(|| format!("^undefined{}", b.0), |n| format!("^bb{n}"))
    }
}

enum Item {
    Region(RegionId),
    Block(BlockId),
    Op(OpId),
}

/// What is still to be written, innermost last.
enum Work {
    Op(OpId, usize),
    Label(BlockId, usize),
    Text(&'static str, usize),
}

struct Printer<'a> {
    function: &'a Function,
    program: Option<&'a Program>,
    names: Names,
}

impl<'a> Printer<'a> {
    fn new(function: &'a Function, program: Option<&'a Program>) -> Self {
        Self {
            function,
            program,
            names: Names::of(function),
        }
    }

    fn function(&self, out: &mut String) -> fmt::Result {
        let f = self.function;
        let visibility = if f.public { "" } else { "private " };
        write!(out, "func {visibility}@{}(", f.name)?;
        match f.entry() {
            Some(entry) => out.push_str(&self.typed(&f[entry].args)),
            None => out.push_str(&join(f.params.iter().map(ToString::to_string))),
        }
        out.push(')');
        if !f.results.is_empty() {
            write!(out, " -> ({})", join(f.results.iter().map(ToString::to_string)))?;
        }
        let Some(body) = f.body else {
            out.push('\n');
            return Ok(());
        };
        out.push_str(" {\n");
        let mut stack = Vec::new();
        self.push_region(body, 1, f.entry(), &mut stack);
        self.drain(stack, out)?;
        out.push_str("}\n");
        Ok(())
    }

    /// Puts a region's contents on the stack. The label of `named` (a block whose arguments stand in the operation's own text) is left out where nothing can branch to it.
    fn push_region(&self, region: RegionId, depth: usize, named: Option<BlockId>, stack: &mut Vec<Work>) {
        for &block in self.function[region].blocks.iter().rev() {
            stack.extend(self.function[block].ops.iter().rev().map(|&op| Work::Op(op, depth)));
            if Some(block) != named {
                stack.push(Work::Label(block, depth));
            }
        }
    }

    fn drain(&self, mut stack: Vec<Work>, out: &mut String) -> fmt::Result {
        while let Some(work) = stack.pop() {
            match work {
                Work::Text(text, depth) => writeln!(out, "{}{text}", indent(depth))?,
                Work::Label(block, depth) => {
                    let args = &self.function[block].args;
                    let args = if args.is_empty() {
                        String::new()
                    } else {
                        format!("({})", self.typed(args))
                    };
                    writeln!(out, "{}{}{args}:", indent(depth - 1), self.names.block(block))?;
                }
                Work::Op(op, depth) => self.op_lines(op, depth, out, &mut stack)?,
            }
        }
        Ok(())
    }

    fn op_lines(&self, op: OpId, depth: usize, out: &mut String, stack: &mut Vec<Work>) -> fmt::Result {
        let data = &self.function[op];
        if matches!(data.kind, OpKind::Yield) && data.operands.is_empty() {
            return Ok(()); // As in MLIR: the closing brace says it.
        }
        let regions: Vec<_> = data
            .regions
            .iter()
            .copied()
            .enumerate()
            .filter(|&(i, r)| i == 0 || !self.function[r].blocks.is_empty())
            .collect();
        write!(out, "{}{}", indent(depth), self.op(op))?;
        out.push_str(if regions.is_empty() { "\n" } else { " {\n" });
        for (n, &(i, region)) in regions.iter().enumerate().rev() {
            let last = n + 1 == regions.len();
            let close = match &data.kind {
                _ if last => "}",
                OpKind::While => "} do {",
                _ => "} else {",
            };
            stack.push(Work::Text(close, depth));
            let entry = self.function[region].blocks.first().copied();
            let shown = match &data.kind {
                OpKind::While => i == 0, // The arguments of the first region stand in the head; those of the second need a label.
                _ => true,
            };
            self.push_region(region, depth + 1, entry.filter(|_| shown), stack);
        }
        Ok(())
    }

    fn values(&self, values: &[ValueId]) -> String {
        join(values.iter().map(|&v| self.names.value(v)))
    }

    fn types(&self, values: &[ValueId]) -> String {
        join(values.iter().map(|&v| self.function[v].ty.to_string()))
    }

    fn typed(&self, values: &[ValueId]) -> String {
        join(values.iter().map(|&v| format!("{}: {}", self.names.value(v), self.function[v].ty)))
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

fn join(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

fn print_global(global: &Global, out: &mut String) -> fmt::Result {
    let constant = if global.constant { "constant " } else { "" };
    write!(out, "global {constant}@{} : {}", global.name, global.ty)?;
    match &global.init {
        GlobalInit::Uninitialized => out.push_str(" uninitialized\n"),
        GlobalInit::Elements(elements) => {
            let shown = elements.iter().take(SHOWN_ELEMENTS);
            let text = join(shown.map(|c| op::constant(c, global.ty.elem)));
            let more = if elements.len() > SHOWN_ELEMENTS {
                format!(", .. ({} elements)", elements.len())
            } else {
                String::new()
            };
            writeln!(out, " = [{text}{more}]")?;
        }
    }
    Ok(())
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        Printer::new(self, None).function(&mut out)?;
        f.write_str(&out)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        for global in &self.globals {
            print_global(global, &mut out)?;
        }
        for function in &self.functions {
            Printer::new(function, Some(self)).function(&mut out)?;
        }
        f.write_str(&out)
    }
}

impl Function {
    /// The text of one operation with everything nested in it, values named as in the text of the whole function.
    #[must_use]
    pub fn op_text(&self, op: OpId) -> String {
        let mut out = String::new();
        let printer = Printer::new(self, None);
        // Writing to a string can't fail.
        let _ = printer.drain(vec![Work::Op(op, 0)], &mut out);
        out
    }
}

/// The text of a constant of element type `elem`.
impl Constant {
    /// The constant as the text form of programs shows it.
    #[must_use]
    pub fn text(&self, elem: crate::ScalarType) -> String {
        op::constant(self, elem)
    }
}
