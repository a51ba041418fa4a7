//! The verifier of programs: every stage's output must pass it.
//!
//! Checked are the arenas' consistency (each operation in one block, each value defined where it says), block structure and terminators, visibility and dominance of
//! every use, and the operand and result types of each kind of operation. What it deliberately lacks: anything that depends on values, such as subscripts in bounds.
//! All walks use explicit stacks.

mod dominance;
mod op;
mod pure_op;

use crate::{BlockId, Function, GlobalInit, OpId, OpKind, Program, RegionId, Type, ValueDef, ValueId};
use dominance::Dominators;
use rustc_hash::{FxHashMap, FxHashSet};
use tilia_diag::Diagnostic;

/// Everything wrong with a program; empty for a valid one. Messages name the operation at fault by its text.
#[must_use]
pub fn verify(program: &Program) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut names = FxHashSet::default();
    for f in &program.functions {
        if !names.insert(&f.name) {
            errors.push(Diagnostic::error(f.loc.clone(), format!("two functions are named @{}", f.name)));
        }
    }
    for g in &program.globals {
        if !names.insert(&g.name) {
            errors.push(Diagnostic::error(g.loc.clone(), format!("the name @{} is taken twice", g.name)));
        }
        if let Err(message) = check_global(g) {
            errors.push(Diagnostic::error(g.loc.clone(), message));
        }
    }
    for function in &program.functions {
        Verifier::new(program, function, &mut errors).run();
    }
    errors
}

fn check_global(global: &crate::Global) -> Result<(), String> {
    let mut size = Some(1u64);
    for d in &global.ty.shape {
        let d = d.ok_or_else(|| format!("global @{} has a dynamic shape", global.name))?;
        size = size.and_then(|s| s.checked_mul(d));
    }
    let size = size.ok_or_else(|| format!("global @{} has more than 2^64 elements", global.name))?;
    let GlobalInit::Elements(elements) = &global.init else {
        return Ok(());
    };
    match &elements[..] {
        [crate::Constant::Splat(c)] => op::constant_fits(c, global.ty.elem),
        all => {
            if all.len() as u64 != size {
                return Err(format!(
                    "global @{} has {size} elements but {} first values",
                    global.name,
                    all.len()
                ));
            }
            all.iter().try_for_each(|c| op::constant_fits(c, global.ty.elem))
        }
    }
}

/// Where the operations, blocks and regions that can be reached from the body stand.
#[derive(Default)]
struct Places {
    op: FxHashMap<OpId, (BlockId, usize)>,
    block: FxHashMap<BlockId, RegionId>,
    /// The operation that owns a region; `None` for the function's body.
    region: FxHashMap<RegionId, Option<OpId>>,
    /// By number, so that errors come in a fixed order.
    ops: Vec<OpId>,
}

struct Verifier<'a> {
    program: &'a Program,
    function: &'a Function,
    errors: &'a mut Vec<Diagnostic>,
    places: Places,
    dominators: FxHashMap<RegionId, Dominators>,
}

impl<'a> Verifier<'a> {
    fn new(program: &'a Program, function: &'a Function, errors: &'a mut Vec<Diagnostic>) -> Self {
        Self {
            program,
            function,
            errors,
            places: Places::default(),
            dominators: FxHashMap::default(),
        }
    }

    fn run(&mut self) {
        let f = self.function;
        let Some(body) = f.body else { return };
        if let Err(message) = self.place(body) {
            // Nothing else can be looked at safely.
            self.errors
                .push(Diagnostic::error(f.loc.clone(), format!("in @{}: {message}", f.name)));
            return;
        }
        let entry_types: Vec<_> = f.entry().map_or(&[][..], |b| &f[b].args).iter().map(|&a| &f[a].ty).collect();
        if !entry_types.iter().copied().eq(&f.params) {
            self.errors.push(Diagnostic::error(
                f.loc.clone(),
                format!("the entry block of @{} doesn't have the function's parameters", f.name),
            ));
        }
        for n in 0..self.places.ops.len() {
            let op = self.places.ops[n];
            if let Err(message) = self.check(op) {
                let head = f.op_text(op);
                let head = head.lines().next().unwrap_or_default();
                let message = format!("invalid operation `{head}`: {message}");
                self.errors
                    .push(Diagnostic::error(f[op].loc.clone(), message).note(f.loc.clone(), format!("in function @{}", f.name)));
            }
        }
    }

    /// Finds the place of everything below the body; fails on what is in two places or out of range.
    fn place(&mut self, body: RegionId) -> Result<(), String> {
        let f = self.function;
        let mut stack = vec![(body, None)];
        while let Some((region, parent)) = stack.pop() {
            if region.0 as usize >= f.region_count() {
                return Err(format!("{region} doesn't exist"));
            }
            if self.places.region.insert(region, parent).is_some() {
                return Err(format!("{region} has two owners"));
            }
            for &block in &f[region].blocks {
                if block.0 as usize >= f.block_count() {
                    return Err(format!("{block} doesn't exist"));
                }
                if self.places.block.insert(block, region).is_some() {
                    return Err(format!("{block} is in two regions"));
                }
                for (n, &arg) in f[block].args.iter().enumerate() {
                    self.defined(arg, ValueDef::Arg(block, n as u32))?;
                }
                for (n, &op) in f[block].ops.iter().enumerate() {
                    self.place_op(op, block, n)?;
                    stack.extend(f[op].regions.iter().map(|&r| (r, Some(op))));
                }
            }
        }
        for &region in self.places.region.keys() {
            if f[region].blocks.len() > 1 {
                self.dominators.insert(region, Dominators::new(f, region));
            }
        }
        if f[body].blocks.is_empty() {
            return Err("the body has no block".to_owned());
        }
        self.places.ops.sort_unstable();
        Ok(())
    }

    fn place_op(&mut self, op: OpId, block: BlockId, n: usize) -> Result<(), String> {
        let f = self.function;
        if op.0 as usize >= f.op_count() {
            return Err(format!("{op} doesn't exist"));
        }
        if self.places.op.insert(op, (block, n)).is_some() {
            return Err(format!("{op} is in two places"));
        }
        for (n, &result) in f[op].results.iter().enumerate() {
            self.defined(result, ValueDef::Result(op, n as u32))?;
        }
        if let Some(v) = f[op].operands.iter().find(|v| v.0 as usize >= f.value_count()) {
            return Err(format!("{v} doesn't exist"));
        }
        self.places.ops.push(op);
        Ok(())
    }

    fn defined(&self, v: ValueId, def: ValueDef) -> Result<(), String> {
        if v.0 as usize >= self.function.value_count() {
            return Err(format!("{v} doesn't exist"));
        }
        if self.function[v].def == def {
            Ok(())
        } else {
            Err(format!("{v} isn't defined where it says"))
        }
    }

    fn check(&self, op: OpId) -> Result<(), String> {
        self.check_place(op)?;
        for &v in &self.function[op].operands {
            if !self.visible(v, op) {
                return Err("an operand is used where its definition isn't visible".to_owned());
            }
        }
        op::OpCheck {
            program: self.program,
            function: self.function,
            op: &self.function[op],
        }
        .run()
    }

    /// Terminators end blocks, and those that fit the region; structured regions have one block.
    fn check_place(&self, op: OpId) -> Result<(), String> {
        let f = self.function;
        let (block, n) = self.places.op[&op];
        let last = n + 1 == f[block].ops.len();
        let terminator = f[op].kind.is_terminator();
        if terminator && !last {
            return Err("a terminator stands before the end of its block".to_owned());
        }
        if last && !terminator {
            return Err("its block doesn't end in a terminator".to_owned());
        }
        for &region in &f[op].regions {
            let blocks = &f[region].blocks;
            let may_be_graph = matches!(f[op].kind, OpKind::ExecuteRegion | OpKind::Unsupported { .. });
            if blocks.len() > 1 && !may_be_graph {
                return Err("a region of a structured operation has several blocks".to_owned());
            }
            if let Some(b) = blocks.iter().find(|&&b| f[b].ops.is_empty()) {
                return Err(format!("{b} is empty"));
            }
        }
        if terminator {
            self.check_terminator(op, self.places.block[&block])?;
        }
        Ok(())
    }

    fn check_terminator(&self, op: OpId, region: RegionId) -> Result<(), String> {
        let f = self.function;
        let parent = self.places.region[&region];
        let types = |values: &[ValueId]| values.iter().map(|&v| f[v].ty.clone()).collect::<Vec<Type>>();
        let has = types(&f[op].operands);
        let expect = |wanted: &[Type], of: &str| {
            if has == wanted {
                Ok(())
            } else {
                Err(format!("its operands don't have the types of {of}"))
            }
        };
        let Some(parent) = parent else {
            return match &f[op].kind {
                OpKind::Return => expect(&f.results, "the function's results"),
                OpKind::Yield | OpKind::Condition => Err("this terminator can't end a function's block".to_owned()),
                _ => self.check_targets(op, region),
            };
        };
        let owner = &f[parent];
        match (&f[op].kind, &owner.kind) {
            (_, OpKind::Unsupported { .. }) | (OpKind::Unreachable, _) => Ok(()),
            (OpKind::Yield, OpKind::For(_) | OpKind::If(_) | OpKind::ExecuteRegion) => {
                expect(&types(&owner.results), "the enclosing operation's results")
            }
            (OpKind::Yield, OpKind::While) if owner.regions.get(1) == Some(&region) => {
                expect(&types(&owner.operands), "the loop's initial values")
            }
            (OpKind::Condition, OpKind::While) if owner.regions.first() == Some(&region) => {
                let mut wanted = vec![Type::BOOL];
                wanted.extend(types(&owner.results));
                expect(&wanted, "the condition and the loop's results")
            }
            (OpKind::Br(_) | OpKind::CondBr { .. } | OpKind::Switch { .. }, OpKind::ExecuteRegion) => self.check_targets(op, region),
            _ => Err("this terminator can't end a block of the enclosing operation".to_owned()),
        }
    }

    fn check_targets(&self, op: OpId, region: RegionId) -> Result<(), String> {
        let f = self.function;
        let (fixed, targets) = successors(&f[op].kind, f[op].operands.len());
        let mut at = fixed;
        for (block, count) in targets {
            if self.places.block.get(&block) != Some(&region) || f[region].blocks.first() == Some(&block) {
                return Err("a branch target isn't a block of the same region other than its entry".to_owned());
            }
            let args = f[op]
                .operands
                .get(at..at.saturating_add(count))
                .ok_or("too few operands for its targets")?;
            at += count;
            if !args.iter().map(|&v| &f[v].ty).eq(f[block].args.iter().map(|&v| &f[v].ty)) {
                return Err(format!("branch arguments don't have the types of {block}'s arguments"));
            }
        }
        if at != f[op].operands.len() {
            return Err("operands are left over".to_owned());
        }
        let flag = (fixed == 1).then(|| &f[f[op].operands[0]].ty);
        match (&f[op].kind, flag) {
            (OpKind::CondBr { .. }, Some(ty)) if *ty != Type::BOOL => Err("the condition isn't an i1".to_owned()),
            (OpKind::Switch { .. }, Some(Type::Scalar(s))) if s.is_int() => Ok(()),
            (OpKind::Switch { .. }, _) => Err("the flag isn't an integer".to_owned()),
            _ => Ok(()),
        }
    }

    /// Whether `v` may be used by `user`: defined before it in its block, in a block that dominates, or so for an operation around it.
    fn visible(&self, v: ValueId, user: OpId) -> bool {
        let (def_block, def_position) = match self.function[v].def {
            ValueDef::Arg(block, _) => (block, None),
            ValueDef::Result(op, _) => match self.places.op.get(&op) {
                Some(&(block, n)) => (block, Some(n)),
                None => return false,
            },
        };
        let Some(&home) = self.places.block.get(&def_block) else {
            return false;
        };
        let mut at = user;
        loop {
            let (block, n) = self.places.op[&at];
            let region = self.places.block[&block];
            if region == home {
                return if block == def_block {
                    def_position.is_none_or(|d| d < n)
                } else {
                    self.dominators.get(&region).is_some_and(|d| d.dominates(def_block, block))
                };
            }
            match self.places.region[&region] {
                Some(owner) => at = owner,
                None => return false,
            }
        }
    }
}

/// Number of operands before the targets' arguments, and the targets with the number of theirs.
fn successors(kind: &OpKind, operands: usize) -> (usize, Vec<(BlockId, usize)>) {
    match kind {
        OpKind::Br(b) => (0, vec![(*b, operands)]),
        OpKind::CondBr {
            then,
            otherwise,
            then_args,
        } => {
            let then_args = *then_args as usize;
            let rest = operands.saturating_sub(1).saturating_sub(then_args);
            (1, vec![(*then, then_args), (*otherwise, rest)])
        }
        OpKind::Switch { default, cases } => {
            let mut all = vec![(default.0, default.1 as usize)];
            all.extend(cases.iter().map(|c| (c.1, c.2 as usize)));
            (1, all)
        }
        _ => (0, Vec::new()),
    }
}
