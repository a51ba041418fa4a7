//! The emitter: its state, and what all parts of it use.

use super::alias::{Disjoint, Root, own_roots};
use super::text::{Block, FuncText, Ty, V};
use super::types;
use super::value::{Bundle, Val};
use crate::llvm::cold::Cold;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use tilia_codegen::analysis::{self, Facts, Ranges};
use tilia_codegen::native::{Cause, Site};
use tilia_diag::{Diagnostic, Loc};
use tilia_program::{BlockId, Function, OpId, Program, RegionId, Type, ValueId};

pub(crate) use super::alias::Scopes;

/// Emission stops with a diagnostic for what can't be compiled.
pub(super) type Emit<T> = Result<T, Diagnostic>;

/// What is the same for all functions of a program.
pub(crate) struct Env<'p> {
    pub(crate) program: &'p Program,
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
    /// The body of a parallel loop, with the values it captures and what is known where it stands.
    Body {
        op: OpId,
        captures: Vec<ValueId>,
        ranges: Ranges,
        disjoint: Disjoint,
    },
    /// What runs only where a check at run time failed, with the values it captures and what is known where it stands.
    Cold {
        cold: Arc<Cold>,
        region: RegionId,
        captures: Vec<ValueId>,
        ranges: Ranges,
        disjoint: Disjoint,
        /// Whether it stands in the body of a parallel loop.
        in_body: bool,
    },
}

impl UnitKind {
    /// Types of the compiled function's parameters, and what LLVM may know of each.
    fn params(&self) -> (&'static [Ty], &'static [&'static str]) {
        const OWN: &str = "{llvm.noalias}";
        const READ: &str = "{llvm.noalias, llvm.readonly}";
        match self {
            Self::Whole => (&[Ty::PTR, Ty::PTR, Ty::PTR], &[OWN, READ, OWN]),
            Self::Body { .. } => (&[Ty::PTR, Ty::PTR, Ty::I64, Ty::I64], &[OWN, READ, "", ""]),
            Self::Cold { .. } => (&[Ty::PTR, Ty::PTR], &[OWN, OWN]),
        }
    }
}

/// A unit's code, and the units it needs, numbered from `first_new` on.
pub(crate) struct Emitted {
    pub(crate) text: String,
    pub(crate) new_units: Vec<Unit>,
    /// Numbers of the functions that it calls.
    pub(crate) called: BTreeSet<usize>,
}

/// The symbol of a unit.
pub(crate) fn unit_name(number: usize) -> String {
    format!("unit{number}")
}

pub(super) struct Emitter<'a, 'p> {
    pub(super) env: &'a Env<'p>,
    /// The function that is translated.
    pub(super) source: &'p Function,
    pub(super) function: usize,
    pub(super) facts: &'a Facts,
    pub(super) sites: &'a mut Vec<Site>,
    pub(super) scopes: &'a mut Scopes,
    /// Number of the first unit that this one asks for.
    pub(super) first_new: usize,
    pub(super) new_units: Vec<Unit>,
    /// Functions that are called.
    pub(super) called: BTreeSet<usize>,

    pub(super) code: FuncText,
    /// Where the function is left, without and with an error.
    pub(super) ok_exit: Block,
    pub(super) error_exit: Block,
    pub(super) ctx: V,
    /// Where results go, in a whole function.
    pub(super) results: Option<V>,
    /// Loops around the current point.
    pub(super) depth: u32,

    pub(super) vals: FxHashMap<ValueId, Val>,
    pub(super) ranges: Ranges,
    pub(super) disjoint: Disjoint,
    /// Roots that accesses can be disjoint from.
    pub(super) roots: Vec<Root>,
    pub(super) targets: FxHashMap<BlockId, Block>,

    /// Slots of `alloca`s that need freeing.
    pub(super) to_free: Vec<V>,
    /// Bytes of fixed stack slots so far.
    pub(super) slot_bytes: u64,
    pub(super) call_area: Option<V>,
    /// Descriptors of memrefs in the frame, by the block in which they were written there.
    pub(super) spilled: FxHashMap<(Block, ValueId), V>,
    /// Where vector loops end.
    pub(super) vector_ends: FxHashSet<ValueId>,
    pub(super) in_body: bool,
    /// Whether the unit runs only where a check at run time failed.
    pub(super) in_cold: bool,
    pub(super) nesting: u32,
    pub(super) loc: Loc,
}

/// Nesting of regions beyond which a function is refused.
const MAX_NESTING: u32 = 128;

/// Translates unit `number`.
pub(crate) fn emit_unit(
    env: &Env<'_>,
    unit: &Unit,
    (number, first_new): (usize, usize),
    sites: &mut Vec<Site>,
    scopes: &mut Scopes,
) -> Emit<Emitted> {
    let source = &env.program.functions[unit.function];
    let (params, attributes) = unit.kind.params();
    let mut code = FuncText::new(params);
    let (ok_exit, error_exit) = (code.new_block(), code.new_block());
    let ctx = code.params()[0];
    let mut emitter = Emitter {
        env,
        source,
        function: unit.function,
        facts: &env.facts[unit.function],
        sites,
        scopes,
        first_new,
        new_units: Vec::new(),
        called: BTreeSet::new(),
        code,
        ok_exit,
        error_exit,
        ctx,
        results: None,
        depth: 0,
        vals: FxHashMap::default(),
        ranges: Ranges::default(),
        disjoint: Disjoint::default(),
        roots: own_roots(source),
        targets: FxHashMap::default(),
        to_free: Vec::new(),
        slot_bytes: 0,
        call_area: None,
        spilled: FxHashMap::default(),
        vector_ends: FxHashSet::default(),
        in_body: matches!(unit.kind, UnitKind::Body { .. } | UnitKind::Cold { in_body: true, .. }),
        in_cold: matches!(unit.kind, UnitKind::Cold { .. }),
        nesting: 0,
        loc: source.loc.clone(),
    };
    match &unit.kind {
        UnitKind::Whole => emitter.whole()?,
        UnitKind::Body {
            op,
            captures,
            ranges,
            disjoint,
        } => {
            emitter.ranges = ranges.clone();
            emitter.disjoint = disjoint.clone();
            emitter.parallel_body(*op, captures)?;
        }
        UnitKind::Cold {
            region,
            captures,
            ranges,
            disjoint,
            ..
        } => {
            emitter.ranges = ranges.clone();
            emitter.disjoint = disjoint.clone();
            emitter.cold_body(*region, captures)?;
        }
    }
    emitter.finish_exits();
    // Never inlined: what is said about memory holds for one activation.
    let linkage = if matches!(unit.kind, UnitKind::Body { .. }) {
        "internal "
    } else {
        ""
    };
    let head = format!("llvm.func {linkage}@{}", unit_name(number));
    let tail = "-> i64 attributes {passthrough = [\"noinline\", \"nounwind\", [\"disable-tail-calls\", \"true\"], [\"prefer-vector-width\", \"512\"]]}";
    Ok(Emitted {
        text: emitter.code.finish(&head, attributes, tail),
        new_units: emitter.new_units,
        called: emitter.called,
    })
}

impl<'p> Emitter<'_, 'p> {
    pub(super) fn new_block(&mut self) -> Block {
        self.code.new_block()
    }

    /// The error for something that a verified program doesn't hold.
    pub(super) fn malformed(&self, what: &str) -> Diagnostic {
        Diagnostic::error(self.loc.clone(), format!("the program is malformed: {what}"))
    }

    pub(super) fn ty(&self, value: ValueId) -> &'p Type {
        &self.source[value].ty
    }

    pub(super) fn operand(&self, op: OpId, n: usize) -> Emit<ValueId> {
        let operand = self.source[op].operands.get(n).copied();
        operand.ok_or_else(|| self.malformed("an operation lacks operands"))
    }

    pub(super) fn val(&self, value: ValueId) -> Emit<Val> {
        self.vals
            .get(&value)
            .cloned()
            .ok_or_else(|| self.malformed(&format!("{value} is used where it isn't defined")))
    }

    /// A number or vector.
    pub(super) fn number(&self, value: ValueId) -> Emit<V> {
        match self.val(value)? {
            Val::Number(v) => Ok(v),
            _ => Err(self.malformed("a number is expected")),
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

    pub(super) fn set_number(&mut self, value: ValueId, number: V) {
        self.vals.insert(value, Val::Number(number));
    }

    /// The values that make up `value`, as its type tells.
    pub(super) fn parts_of(&mut self, value: ValueId) -> Emit<Vec<V>> {
        match (self.val(value)?, self.ty(value)) {
            (Val::Number(v), _) => Ok(vec![v]),
            (Val::MemRef(m), Type::MemRef(ty)) => Ok(m.open_parts(ty)),
            (Val::Unranked(rank, desc), _) => Ok(vec![rank, desc]),
            (Val::MemRef(_), _) => Err(self.malformed("a memref value of another type")),
        }
    }

    /// Parts of several values, one after the other.
    pub(super) fn all_parts(&mut self, values: &[ValueId]) -> Emit<Vec<V>> {
        let mut parts = Vec::new();
        for &v in values {
            parts.extend(self.parts_of(v)?);
        }
        Ok(parts)
    }

    /// The value of type `ty` that `parts` make up.
    pub(super) fn make_val(&mut self, ty: &Type, parts: &[V]) -> Emit<Val> {
        let val = match (ty, parts) {
            (Type::Scalar(_) | Type::Vector(_), &[v]) => Some(Val::Number(v)),
            (Type::MemRef(m), _) => Bundle::from_parts(m, parts, |c| self.code.int(c, Ty::I64)).map(|b| Val::MemRef(Rc::new(b))),
            (Type::UnrankedMemRef(_), &[rank, desc]) => Some(Val::Unranked(rank, desc)),
            (Type::Opaque(text), _) => return Err(analysis::opaque(text, &self.loc)),
            _ => None,
        };
        val.ok_or_else(|| self.malformed("a value lacks parts"))
    }

    /// Appends parameters for a value of type `ty` to `block`, and returns it.
    pub(super) fn block_param(&mut self, block: Block, ty: &Type) -> Emit<Val> {
        let depth = self.depth;
        let parts: Vec<_> = types::parts(ty, &self.loc)?
            .into_iter()
            .map(|t| self.code.block_param(block, t, depth))
            .collect();
        self.make_val(ty, &parts)
    }

    /// Parameters of `block` for these values; what they are behind it is returned.
    pub(super) fn params_for(&mut self, block: Block, values: &[ValueId]) -> Emit<Vec<(ValueId, Val)>> {
        let mut vals = Vec::new();
        for &v in values {
            let ty = self.ty(v);
            vals.push((v, self.block_param(block, ty)?));
        }
        Ok(vals)
    }

    pub(super) fn set_all(&mut self, vals: Vec<(ValueId, Val)>) {
        for (value, val) in vals {
            self.set(value, val);
        }
    }

    /// A new site of this operation.
    pub(super) fn site(&mut self, cause: Cause) -> V {
        self.sites.push(Site {
            loc: self.loc.clone(),
            cause,
        });
        self.word(self.sites.len() as u64 - 1)
    }

    /// Runs `f` one level deeper.
    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Emit<T>) -> Emit<T> {
        if self.nesting == MAX_NESTING {
            let text = format!("loops and conditions are nested more than {MAX_NESTING} deep");
            return Err(Diagnostic::error(self.loc.clone(), text));
        }
        self.nesting += 1;
        let result = f(self);
        self.nesting -= 1;
        result
    }

    fn whole(&mut self) -> Emit<()> {
        let params = self.code.params();
        self.results = Some(params[2]);
        if self.env.recursive[self.function] {
            self.check_stack();
        }
        let region = self.source.body.ok_or_else(|| self.malformed("a function without body"))?;
        let entry = self.source.entry().ok_or_else(|| self.malformed("a function without blocks"))?;
        let mut word = 0;
        for &arg in &self.source[entry].args {
            let ty = self.ty(arg);
            let val = self.load_words(params[1], word, ty)?;
            word += analysis::words(ty, &self.loc)?;
            self.set(arg, val);
        }
        self.cfg(region, None)
    }
}
