//! Operands, results and regions of each kind of operation.

use super::pure_op;
use crate::{
    Access, AffineExpr, AffineMap, Constant, ForOp, Function, IfCond, IntegerSet, LoopExec, MemRefType, Op, OpKind, Program, ScalarType,
    Slice, SliceDim, Step, Type, ValueId,
};

/// The check of one operation; places and terminators are the caller's.
pub(super) struct OpCheck<'a> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
    pub(super) op: &'a Op,
}

type Check = Result<(), String>;

fn ensure(ok: bool, message: &str) -> Check {
    if ok { Ok(()) } else { Err(message.to_owned()) }
}

/// Whether a constant is one of element type `elem`, in canonical form.
pub(super) fn constant_fits(c: &Constant, elem: ScalarType) -> Check {
    let ok = match c {
        Constant::Int(v) if elem.is_int() => {
            let shift = 64 - u32::from(elem.bits());
            (v << shift) >> shift == *v
        }
        Constant::Float(bits) if elem.is_float() => elem.bits() == 64 || bits >> elem.bits() == 0,
        _ => false,
    };
    if ok {
        Ok(())
    } else {
        Err(format!("{c:?} isn't a constant of type {elem}"))
    }
}

fn expr_in_range(e: &AffineExpr, dims: u32, syms: u32) -> bool {
    match e {
        AffineExpr::Dim(n) => *n < dims,
        AffineExpr::Sym(n) => *n < syms,
        AffineExpr::Const(_) => true,
        AffineExpr::Add(a, b) | AffineExpr::Mul(a, b) | AffineExpr::FloorDiv(a, b) | AffineExpr::CeilDiv(a, b) | AffineExpr::Mod(a, b) => {
            expr_in_range(a, dims, syms) && expr_in_range(b, dims, syms)
        }
    }
}

impl OpCheck<'_> {
    pub(super) fn run(&self) -> Check {
        self.regions()?;
        let op = self.op;
        match &op.kind {
            OpKind::Constant(c) => self.constant(c),
            OpKind::Pure(p, _) => {
                let types = |values: &[ValueId]| values.iter().map(|&v| self.ty(v)).collect::<Vec<_>>();
                pure_op::check(*p, &types(&op.operands), &types(&op.results))
            }
            OpKind::Apply(map) => {
                ensure(map.results.len() == 1, "its map must have one result")?;
                self.map(map, &op.operands)?;
                self.result_is(&Type::INDEX)
            }
            OpKind::Min(map) | OpKind::Max(map) => {
                ensure(!map.results.is_empty(), "its map must have a result")?;
                self.map(map, &op.operands)?;
                self.result_is(&Type::INDEX)
            }
            OpKind::Load(access) => {
                let [memref, rest @ ..] = &op.operands[..] else {
                    return Err("the memref is missing".to_owned());
                };
                let [result] = op.results[..] else {
                    return Err("it must have one result".to_owned());
                };
                self.access(*memref, rest, access, self.ty(result))
            }
            OpKind::Store(access) => {
                let [value, memref, rest @ ..] = &op.operands[..] else {
                    return Err("value or memref is missing".to_owned());
                };
                ensure(op.results.is_empty(), "it must have no result")?;
                self.access(*memref, rest, access, self.ty(*value))
            }
            OpKind::For(f) => self.for_loop(f),
            OpKind::If(cond) => self.if_op(cond),
            OpKind::While => self.while_op(),
            OpKind::ExecuteRegion => self.region_args(0, &[]),
            OpKind::Call(name) => self.call(name),
            OpKind::Assert(_) => {
                ensure(op.results.is_empty(), "it must have no result")?;
                self.operands_are(&[Type::BOOL])
            }
            OpKind::Unsupported { .. } => Ok(()),
            kind if kind.is_terminator() => ensure(op.results.is_empty(), "a terminator has no results"),
            _ => self.memref_op(),
        }
    }

    fn ty(&self, v: ValueId) -> &Type {
        &self.function[v].ty
    }

    fn regions(&self) -> Check {
        let wanted = match self.op.kind {
            OpKind::For(_) | OpKind::ExecuteRegion => 1,
            OpKind::If(_) | OpKind::While => 2,
            OpKind::Unsupported { .. } => return Ok(()),
            _ => 0,
        };
        ensure(self.op.regions.len() == wanted, &format!("it must have {wanted} regions"))?;
        let may_lack = matches!(self.op.kind, OpKind::If(_)) && self.op.results.is_empty();
        let empty = |n: usize| self.function[self.op.regions[n]].blocks.is_empty();
        ensure((0..wanted).all(|n| !empty(n) || (n == 1 && may_lack)), "a region has no block")
    }

    /// Argument types of the entry block of region number `n`.
    fn region_args(&self, n: usize, wanted: &[&Type]) -> Check {
        let entry = self.function[self.op.regions[n]].blocks.first();
        let args = entry.map_or(&[][..], |&b| &self.function[b].args);
        let ok = args.iter().map(|&v| self.ty(v)).eq(wanted.iter().copied());
        ensure(ok, &format!("the arguments of region {n} have the wrong types"))
    }

    fn operands_are(&self, types: &[Type]) -> Check {
        let ok = self.op.operands.iter().map(|&v| self.ty(v)).eq(types);
        ensure(ok, "its operands have the wrong types")
    }

    fn result_is(&self, ty: &Type) -> Check {
        let ok = self.op.results.len() == 1 && self.ty(self.op.results[0]) == ty;
        ensure(ok, &format!("it must have one result of type {ty}"))
    }

    fn constant(&self, c: &Constant) -> Check {
        let [result] = self.op.results[..] else {
            return Err("it must have one result".to_owned());
        };
        ensure(self.op.operands.is_empty(), "it takes no operands")?;
        match (self.ty(result), c) {
            (Type::Scalar(s), _) => constant_fits(c, *s),
            (Type::Vector(v), Constant::Splat(c)) => constant_fits(c, v.elem),
            (Type::Vector(v), Constant::Vector(lanes)) => {
                ensure(v.lanes() == Some(lanes.len() as u64), "it doesn't have one element a lane")?;
                lanes.iter().try_for_each(|c| constant_fits(c, v.elem))
            }
            _ => Err("the constant doesn't fit its type".to_owned()),
        }
    }

    fn indices(&self, operands: &[ValueId]) -> Check {
        let ok = operands.iter().all(|&v| matches!(self.ty(v), Type::Scalar(s) if s.is_int()));
        ensure(ok, "subscripts, bounds and sizes must be integers")
    }

    fn map(&self, map: &AffineMap, operands: &[ValueId]) -> Check {
        ensure(map.operands() == operands.len(), "the number of operands isn't that of its map")?;
        let ok = map.results.iter().all(|e| expr_in_range(e, map.dims, map.syms));
        ensure(ok, "its map uses a dim or symbol that it doesn't have")?;
        self.indices(operands)
    }

    fn memref(&self, v: ValueId) -> Result<&MemRefType, String> {
        self.ty(v)
            .as_memref()
            .ok_or_else(|| "the operand or result must be a ranked memref".to_owned())
    }

    fn access(&self, memref: ValueId, rest: &[ValueId], access: &Access, value: &Type) -> Check {
        let ty = self.memref(memref)?;
        self.map(&access.map, rest)?;
        ensure(
            access.map.results.len() == ty.rank(),
            "the number of subscripts isn't the memref's rank",
        )?;
        match value {
            Type::Scalar(s) => ensure(*s == ty.elem, "the value isn't of the memref's element type"),
            Type::Vector(v) => {
                ensure(v.elem == ty.elem, "the vector isn't of the memref's element type")?;
                ensure(v.lanes().is_some(), "the vector is too long")?;
                ensure(v.shape.len() <= ty.rank(), "the vector has more dimensions than the memref")
            }
            _ => Err("only numbers can be loaded and stored".to_owned()),
        }
    }

    fn for_loop(&self, f: &ForOp) -> Check {
        ensure(
            !f.lower.results.is_empty() && !f.upper.results.is_empty(),
            "a loop needs a lower and an upper bound",
        )?;
        let operands = &self.op.operands;
        let step = usize::from(f.step == Step::Value);
        let bounds = f.lower.operands() + f.upper.operands();
        ensure(operands.len() >= bounds + step, "operands are missing")?;
        self.map(&f.lower, &operands[..f.lower.operands()])?;
        self.map(&f.upper, &operands[f.lower.operands()..bounds])?;
        self.indices(&operands[bounds..bounds + step])?;
        if let Step::Const(c) = f.step {
            ensure(c > 0, "the step must be positive")?;
        }
        let inits: Vec<_> = operands[bounds + step..].iter().map(|&v| self.ty(v)).collect();
        ensure(
            f.exec != LoopExec::Parallel || inits.is_empty(),
            "a parallel loop can't carry values",
        )?;
        let results: Vec<_> = self.op.results.iter().map(|&v| self.ty(v)).collect();
        ensure(inits == results, "results don't have the types of the initial values")?;
        let entry = self.function[self.op.regions[0]].blocks.first();
        let iterator = entry.and_then(|&b| self.function[b].args.first()).map(|&v| self.ty(v));
        match iterator {
            Some(ty @ Type::Scalar(s)) if s.is_int() => {
                let mut wanted = vec![ty];
                wanted.extend(inits);
                self.region_args(0, &wanted)
            }
            _ => Err("the body's first argument must be the iterator, an integer".to_owned()),
        }
    }

    fn if_op(&self, cond: &IfCond) -> Check {
        match cond {
            IfCond::Value => self.operands_are(&[Type::BOOL])?,
            IfCond::Set(set) => self.set(set)?,
        }
        self.region_args(0, &[])?;
        self.region_args(1, &[])
    }

    fn set(&self, set: &IntegerSet) -> Check {
        ensure(
            set.operands() == self.op.operands.len(),
            "the number of operands isn't that of its set",
        )?;
        let ok = set.constraints.iter().all(|(e, _)| expr_in_range(e, set.dims, set.syms));
        ensure(ok, "its set uses a dim or symbol that it doesn't have")?;
        self.indices(&self.op.operands)
    }

    fn while_op(&self) -> Check {
        let inits: Vec<_> = self.op.operands.iter().map(|&v| self.ty(v)).collect();
        let results: Vec<_> = self.op.results.iter().map(|&v| self.ty(v)).collect();
        self.region_args(0, &inits)?;
        self.region_args(1, &results)
    }

    fn call(&self, name: &str) -> Check {
        let callee = self.program.function(name).ok_or_else(|| format!("there is no function @{name}"))?;
        let same = |values: &[ValueId], types: &[Type]| values.iter().map(|&v| self.ty(v)).eq(types);
        ensure(
            same(&self.op.operands, &callee.params),
            &format!("its operands don't have the types of @{name}'s parameters"),
        )?;
        ensure(
            same(&self.op.results, &callee.results),
            &format!("its results don't have the types of @{name}'s results"),
        )
    }

    fn memref_op(&self) -> Check {
        let op = self.op;
        let (operand_count, result) = match &op.kind {
            OpKind::Copy => return self.copy(),
            OpKind::Dealloc => (Some(1), None),
            OpKind::Rank | OpKind::Address => (Some(1), Some(&Type::INDEX)),
            OpKind::Dim => (Some(2), Some(&Type::INDEX)),
            OpKind::Stride(n) => {
                let ranked = op.operands.first().and_then(|&v| self.ty(v).as_memref());
                let inside = ranked.is_some_and(|m| (*n as usize) < m.shape.len());
                ensure(inside, "it takes a memref that has the dimension")?;
                (Some(1), Some(&Type::INDEX))
            }
            OpKind::Overlap => (Some(2), Some(&Type::BOOL)),
            OpKind::Alloc { .. } | OpKind::GetGlobal(_) => return self.new_memref(),
            _ => return self.view(),
        };
        ensure(
            operand_count.is_none_or(|n| op.operands.len() == n),
            "it has the wrong number of operands",
        )?;
        match result {
            Some(ty) => self.result_is(ty)?,
            None => ensure(op.results.is_empty(), "it must have no result")?,
        }
        let memrefs = if matches!(op.kind, OpKind::Overlap) { 2 } else { 1 };
        ensure(
            op.operands[..memrefs]
                .iter()
                .all(|&v| matches!(self.ty(v), Type::MemRef(_) | Type::UnrankedMemRef(_))),
            "the operand must be a memref",
        )?;
        self.indices(&op.operands[memrefs..])
    }

    fn copy(&self) -> Check {
        let [from, to] = self.op.operands[..] else {
            return Err("it takes two memrefs".to_owned());
        };
        ensure(self.op.results.is_empty(), "it must have no result")?;
        let (from, to) = (self.ty(from), self.ty(to));
        let memrefs = [from, to].iter().all(|t| matches!(t, Type::MemRef(_) | Type::UnrankedMemRef(_)));
        ensure(
            memrefs && from.element() == to.element(),
            "it takes two memrefs of one element type",
        )?;
        let ranks = from.as_memref().zip(to.as_memref()).is_none_or(|(a, b)| a.rank() == b.rank());
        ensure(ranks, "source and target have different ranks")
    }

    fn new_memref(&self) -> Check {
        let [result] = self.op.results[..] else {
            return Err("it must have one result".to_owned());
        };
        let ty = self.memref(result)?;
        if let OpKind::GetGlobal(n) = self.op.kind {
            let global = self.program.globals.get(n as usize).ok_or("there is no such global")?;
            ensure(global.ty == *ty, "its type isn't the global's")?;
            return ensure(self.op.operands.is_empty(), "it takes no operands");
        }
        let dynamic = ty.shape.iter().filter(|d| d.is_none()).count();
        ensure(self.op.operands.len() == dynamic, "it takes one size a dynamic dimension")?;
        self.indices(&self.op.operands)
    }

    /// Operations that make another view of a memref.
    fn view(&self) -> Check {
        let ([source, rest @ ..], [result]) = (&self.op.operands[..], &self.op.results[..]) else {
            return Err("it takes a memref and gives one".to_owned());
        };
        let (from, to) = (self.ty(*source), self.ty(*result));
        let memrefs = [from, to].iter().all(|t| matches!(t, Type::MemRef(_) | Type::UnrankedMemRef(_)));
        ensure(
            memrefs && from.element() == to.element(),
            "source and result must be memrefs of one element type",
        )?;
        self.indices(rest)?;
        match &self.op.kind {
            OpKind::CastMemRef => {
                let ranks = from.as_memref().zip(to.as_memref()).is_none_or(|(a, b)| a.rank() == b.rank());
                ensure(ranks && rest.is_empty(), "a cast can't change the rank")
            }
            OpKind::SubView(slice) => {
                let (from, to) = (self.memref(*source)?, self.memref(*result)?);
                ensure(slice.offsets.len() == from.rank(), "it needs an offset for each dimension")?;
                slice_shape(slice, from.rank(), rest.len())?;
                let dropped = &slice.dropped;
                let ascending = dropped.windows(2).all(|w| w[0] < w[1]) && dropped.iter().all(|&d| (d as usize) < from.rank());
                ensure(ascending, "the dropped dimensions must be ascending dimensions of the source")?;
                ensure(to.rank() + dropped.len() == from.rank(), "the result has the wrong rank")
            }
            OpKind::ReinterpretCast(slice) => {
                ensure(slice.offsets.len() == 1 && slice.dropped.is_empty(), "it needs one offset")?;
                slice_shape(slice, self.memref(*result)?.rank(), rest.len())
            }
            OpKind::Transpose(perm) => {
                let rank = self.memref(*source)?.rank();
                let mut sorted = perm.clone();
                sorted.sort_unstable();
                ensure(
                    sorted.iter().copied().eq(0..rank as u32) && rest.is_empty(),
                    "it needs a permutation of the dimensions",
                )?;
                ensure(self.memref(*result)?.rank() == rank, "the result has the wrong rank")
            }
            OpKind::Reshape { collapse, groups } => {
                let (from, to) = (self.memref(*source)?, self.memref(*result)?);
                let (fine, coarse) = if *collapse { (from, to) } else { (to, from) };
                let in_order = groups.iter().flatten().copied().eq(0..fine.rank() as u32);
                ensure(
                    groups.is_empty() || in_order,
                    "the groups must hold the finer shape's dimensions in order",
                )?;
                ensure(
                    groups.len() == coarse.rank() && groups.iter().all(|g| !g.is_empty()),
                    "it needs one group for each dimension",
                )?;
                let dynamic = if *collapse {
                    0
                } else {
                    to.shape.iter().filter(|d| d.is_none()).count()
                };
                ensure(
                    rest.len() == dynamic,
                    "it takes one size for each dynamic dimension of an expanded shape",
                )
            }
            _ => Err("unknown operation".to_owned()),
        }
    }
}

fn slice_shape(slice: &Slice, rank: usize, operands: usize) -> Check {
    ensure(
        slice.sizes.len() == rank && slice.strides.len() == rank,
        "it needs a size and a stride for each dimension",
    )?;
    let all = slice.offsets.iter().chain(&slice.sizes).chain(&slice.strides);
    let dynamic = all.filter(|d| matches!(d, SliceDim::Operand)).count();
    ensure(dynamic == operands, "it takes one operand for each dynamic offset, size and stride")
}
