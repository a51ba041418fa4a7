//! The emitter: its state, and what all parts of it use.

use super::loops::LoopCtx;
use super::place::Scope;
use super::poly::Poly;
use super::value::{Bundle, Num, Val};
use super::{types, words};
use crate::analysis::{Facts, Ranges};
use crate::sites::{Cause, Site};
use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{self, AbiParam, Block, InstBuilder, Signature, UserExternalName, UserFuncName, Value};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tilia_diag::{Diagnostic, Loc};
use tilia_program::{BlockId, Function, OpId, Program, Type, ValueId};

/// Emission stops with a diagnostic for what can't be compiled.
pub(super) type Emit<T> = Result<T, Diagnostic>;

/// What is the same for all functions of a program.
pub(crate) struct Env<'p> {
    pub(crate) program: &'p Program,
    pub(crate) isa: &'p dyn TargetIsa,
    /// Number of each function with a body, by name.
    pub(crate) functions: FxHashMap<&'p str, usize>,
    /// Whether each function can be reached from itself.
    pub(crate) recursive: Vec<bool>,
    /// Facts about each function.
    pub(crate) facts: Vec<Facts>,
    /// Addresses of the globals' buffers.
    pub(crate) globals: Vec<u64>,
    /// Whether loops are counted.
    pub(crate) counters: bool,
    /// Whether parallel loops are to fork whatever their work.
    pub(crate) always_fork: bool,
}

/// A piece of a program that becomes one compiled function.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// Number of the program's function.
    pub(crate) function: usize,
    pub(crate) kind: UnitKind,
}

#[derive(Debug, Clone)]
pub(crate) enum UnitKind {
    /// The whole function.
    Whole,
    /// The body of a parallel loop, with the values it captures and what is known of the iterator.
    Body {
        op: OpId,
        /// Each with the interval it lies in.
        captures: Vec<(ValueId, (i64, i64))>,
        iterator: (i64, i64),
    },
}

/// A unit's code, and the units it needs, numbered from `first_new` on.
pub(crate) struct Emitted {
    pub(crate) code: ir::Function,
    pub(crate) new_units: Vec<Unit>,
}

pub(super) struct Emitter<'a, 'p> {
    pub(super) env: &'a Env<'p>,
    /// The function that is translated.
    pub(super) source: &'p Function,
    pub(super) function: usize,
    pub(super) facts: &'a Facts,
    pub(super) sites: &'a mut Vec<Site>,
    /// Number of the first unit that this one asks for.
    pub(super) first_new: usize,
    pub(super) new_units: Vec<Unit>,

    pub(super) code: ir::Function,
    /// Where instructions are appended.
    pub(super) block: Block,
    /// Where the function is left, without and with an error.
    pub(super) ok_exit: Block,
    pub(super) error_exit: Block,
    pub(super) ctx: Value,
    /// Where results go, in a whole function.
    pub(super) results: Option<Value>,
    /// Loop depth of each block.
    pub(super) depth_of: SecondaryMap<Block, u32>,
    pub(super) loops: Vec<LoopCtx>,
    pub(super) scopes: Vec<Scope>,

    pub(super) vals: FxHashMap<ValueId, Val>,
    pub(super) polys: FxHashMap<ValueId, Poly>,
    pub(super) ranges: Ranges,
    /// Comparison results of vectors as all-ones lanes, beside the i1 lanes.
    pub(super) masks: FxHashMap<ValueId, Rc<[Value]>>,
    pub(super) targets: FxHashMap<BlockId, Block>,
    /// Loads whose values the iteration before hands on.
    pub(super) handed_on: FxHashMap<OpId, Val>,

    /// Slots of `alloca`s that need freeing.
    pub(super) to_free: Vec<ir::StackSlot>,
    /// Bytes of fixed stack slots so far.
    pub(super) slot_bytes: u64,
    pub(super) call_area: Option<ir::StackSlot>,
    pub(super) in_body: bool,
    pub(super) nesting: u32,
    pub(super) loc: Loc,
}

/// Nesting of regions beyond which a function is refused.
const MAX_NESTING: u32 = 128;

/// Translates one unit.
pub(crate) fn emit_unit(env: &Env<'_>, unit: &Unit, number: usize, first_new: usize, sites: &mut Vec<Site>) -> Emit<Emitted> {
    let source = &env.program.functions[unit.function];
    let params = match unit.kind {
        UnitKind::Whole => 3,
        UnitKind::Body { .. } => 4,
    };
    let name = UserFuncName::User(UserExternalName::new(0, u32::try_from(number).unwrap_or(u32::MAX)));
    let mut code = ir::Function::with_name_signature(name, status_signature(env.isa.default_call_conv(), params));
    let entry = code.dfg.make_block();
    let (ok_exit, error_exit) = (code.dfg.make_block(), code.dfg.make_block());
    code.layout.append_block(entry);
    for _ in 0..params {
        code.dfg.append_block_param(entry, ir::types::I64);
    }
    let ctx = code.dfg.block_params(entry)[0];
    let mut emitter = Emitter {
        env,
        source,
        function: unit.function,
        facts: &env.facts[unit.function],
        sites,
        first_new,
        new_units: Vec::new(),
        code,
        block: entry,
        ok_exit,
        error_exit,
        ctx,
        results: None,
        depth_of: SecondaryMap::new(),
        loops: Vec::new(),
        scopes: vec![Scope::default()],
        vals: FxHashMap::default(),
        polys: FxHashMap::default(),
        ranges: Ranges::default(),
        masks: FxHashMap::default(),
        targets: FxHashMap::default(),
        handed_on: FxHashMap::default(),
        to_free: Vec::new(),
        slot_bytes: 0,
        call_area: None,
        in_body: params == 4,
        nesting: 0,
        loc: source.loc.clone(),
    };
    match &unit.kind {
        UnitKind::Whole => emitter.whole()?,
        UnitKind::Body { op, captures, iterator } => emitter.parallel_body(*op, captures, *iterator)?,
    }
    emitter.finish_exits();
    emitter.clear_slots(entry);
    Ok(Emitted {
        code: emitter.code,
        new_units: emitter.new_units,
    })
}

/// `params` words in, a status out.
pub(super) fn status_signature(conv: CallConv, params: usize) -> Signature {
    let mut signature = Signature::new(conv);
    signature.params = vec![AbiParam::new(ir::types::I64); params];
    signature.returns = vec![AbiParam::new(ir::types::I64)];
    signature
}

impl<'p> Emitter<'_, 'p> {
    /// Where the next instruction goes.
    pub(super) fn at(&mut self) -> FuncCursor<'_> {
        let line = self.loc.line_column().map_or(0, |(line, _)| line);
        FuncCursor::new(&mut self.code)
            .at_bottom(self.block)
            .with_srcloc(ir::SourceLoc::new(line))
    }

    /// A new block in the current loop.
    pub(super) fn new_block(&mut self) -> Block {
        let block = self.code.dfg.make_block();
        self.code.layout.append_block(block);
        self.depth_of[block] = self.level();
        block
    }

    /// Number of loops around the current point.
    pub(super) fn level(&self) -> u32 {
        u32::try_from(self.loops.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn int(&mut self, value: i64) -> Value {
        self.at().ins().iconst(ir::types::I64, value)
    }

    pub(super) fn num(&mut self, num: Num) -> Value {
        match num {
            Num::Const(c) => self.int(c),
            Num::Val(v) => v,
        }
    }

    /// The error for something that a verified program doesn't hold.
    pub(super) fn malformed(&self, what: &str) -> Diagnostic {
        Diagnostic::error(self.loc.clone(), format!("the program is malformed: {what}"))
    }

    pub(super) fn ty(&self, value: ValueId) -> &'p Type {
        &self.source[value].ty
    }

    /// Whether the value is defined at this point of this unit.
    pub(super) fn is_known(&self, value: ValueId) -> bool {
        self.vals.contains_key(&value)
    }

    pub(super) fn val(&self, value: ValueId) -> Emit<Val> {
        self.vals
            .get(&value)
            .cloned()
            .ok_or_else(|| self.malformed(&format!("{value} is used where it isn't defined")))
    }

    pub(super) fn scalar(&self, value: ValueId) -> Emit<Value> {
        match self.val(value)? {
            Val::Scalar(v) => Ok(v),
            _ => Err(self.malformed("a scalar is expected")),
        }
    }

    pub(super) fn bundle(&self, value: ValueId) -> Emit<Rc<Bundle>> {
        match self.val(value)? {
            Val::MemRef(m) => Ok(m),
            _ => Err(self.malformed("a ranked memref is expected")),
        }
    }

    pub(super) fn set(&mut self, value: ValueId, val: Val) {
        self.vals.insert(value, val);
    }

    pub(super) fn set_scalar(&mut self, value: ValueId, scalar: Value) {
        self.vals.insert(value, Val::Scalar(scalar));
    }

    /// The values that make up `value`, as its type tells.
    pub(super) fn parts_of(&mut self, value: ValueId) -> Emit<Vec<Value>> {
        let val = self.val(value)?;
        match (val, self.ty(value)) {
            (Val::Scalar(v), _) => Ok(vec![v]),
            (Val::Vector(parts), _) => Ok(parts.to_vec()),
            (Val::MemRef(m), Type::MemRef(ty)) => {
                let parts = m.open_parts(ty);
                Ok(parts.into_iter().map(|n| self.num(n)).collect())
            }
            (Val::Unranked(rank, desc), _) => Ok(vec![rank, desc]),
            (Val::MemRef(_), _) => Err(self.malformed("a memref value of another type")),
        }
    }

    /// Parts of several values, one after the other.
    pub(super) fn all_parts(&mut self, values: &[ValueId]) -> Emit<Vec<Value>> {
        let mut parts = Vec::new();
        for &v in values {
            parts.extend(self.parts_of(v)?);
        }
        Ok(parts)
    }

    /// The value of type `ty` that `parts` make up.
    pub(super) fn make_val(&self, ty: &Type, parts: &[Value]) -> Emit<Val> {
        let val = match ty {
            Type::Scalar(_) => parts.first().map(|&v| Val::Scalar(v)),
            Type::Vector(_) => Some(Val::Vector(parts.into())),
            Type::MemRef(m) => Bundle::from_parts(m, parts).map(|b| Val::MemRef(Rc::new(b))),
            Type::UnrankedMemRef(_) => match parts {
                [rank, desc] => Some(Val::Unranked(*rank, *desc)),
                _ => None,
            },
            Type::Opaque(text) => return Err(types::opaque(text, &self.loc)),
        };
        val.ok_or_else(|| self.malformed("a value lacks parts"))
    }

    /// Appends parameters for a value of type `ty` to `block`, and returns it.
    pub(super) fn block_param(&mut self, block: Block, ty: &Type) -> Emit<Val> {
        let parts: Vec<_> = types::parts(ty, &self.loc)?
            .into_iter()
            .map(|t| self.code.dfg.append_block_param(block, t))
            .collect();
        self.make_val(ty, &parts)
    }

    pub(super) fn jump(&mut self, to: Block, args: &[Value]) -> ir::Inst {
        let args: Vec<_> = args.iter().map(|&v| ir::BlockArg::Value(v)).collect();
        self.at().ins().jump(to, &args)
    }

    pub(super) fn brif(&mut self, cond: Value, then: (Block, &[Value]), otherwise: (Block, &[Value])) {
        let args = |values: &[Value]| values.iter().map(|&v| ir::BlockArg::Value(v)).collect::<Vec<_>>();
        let (a, b) = (args(then.1), args(otherwise.1));
        self.at().ins().brif(cond, then.0, &a, otherwise.0, &b);
    }

    /// Goes on in `block`.
    pub(super) fn switch_to(&mut self, block: Block) {
        self.block = block;
    }

    /// A new site of this operation.
    pub(super) fn site(&mut self, cause: Cause) -> u64 {
        self.sites.push(Site {
            loc: self.loc.clone(),
            cause,
        });
        (self.sites.len() - 1) as u64
    }

    /// Runs `f` with names of computed values that end with it.
    pub(super) fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> Emit<T>) -> Emit<T> {
        if self.nesting == MAX_NESTING {
            return Err(Diagnostic::error(
                self.loc.clone(),
                format!("loops and conditions are nested more than {MAX_NESTING} deep"),
            ));
        }
        self.nesting += 1;
        self.scopes.push(Scope::default());
        let result = f(self);
        self.scopes.pop();
        self.nesting -= 1;
        result
    }

    fn whole(&mut self) -> Emit<()> {
        let params: Vec<Value> = self.code.dfg.block_params(self.block).to_vec();
        self.results = Some(params[2]);
        if self.env.recursive[self.function] {
            self.check_stack();
        }
        let region = self.source.body.ok_or_else(|| self.malformed("a function without body"))?;
        let entry = self.source.entry().ok_or_else(|| self.malformed("a function without blocks"))?;
        let mut offset = 0;
        for &arg in &self.source[entry].args {
            let ty = self.ty(arg);
            let val = self.load_words(params[1], offset, ty, words::Kind::Argument)?;
            offset += types::words(ty, &self.loc)?;
            self.set(arg, val);
        }
        self.cfg(region, None)
    }
}
