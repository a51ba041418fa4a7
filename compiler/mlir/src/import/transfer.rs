//! `vector.transfer_read` and `vector.transfer_write`: one vector access where the whole vector lies in the memref, else element by element through a buffer of the
//! vector's shape, each element if it lies in the memref.

use super::function::{FunctionImporter, Translated, expected, unsupported};
use super::loops::source_loop;
use super::mem_ref::{identity, load_of, store_of};
use super::operations::operand_groups;
use super::{MlirOp, MlirValue, affine};
use crate::ffi;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::OperationLike;
use tilia_program::{
    Access, AffineExpr, AffineMap, BlockId, IfCond, IntegerSet, Layout, MemRefType, OpKind, Step, Type, ValueId, VectorType,
};

/// A transfer between a vector and part of a memref.
struct Transfer {
    memref: ValueId,
    ty: MemRefType,
    /// Where it starts.
    indices: Vec<ValueId>,
    vector: VectorType,
    /// For each dimension of the vector, the memref's dimension that it runs along; `None` repeats what is read.
    along: Vec<Option<usize>>,
    /// The memref's dimensions along which it may leave the memref.
    open_ended: Vec<usize>,
    /// Whether the vector's dimensions are the memref's innermost ones, in order.
    minor: bool,
}

/// A condition on indices: a set with its operands.
struct Conditions {
    set: IntegerSet,
    operands: Vec<ValueId>,
}

/// One element of the vector, in the loops over all of them.
struct Element {
    /// The loops' iterators: its place in the vector.
    iterators: Vec<ValueId>,
    /// Its subscripts in the memref.
    map: AffineMap,
    /// The operands of `map`.
    subscripts: Vec<ValueId>,
    /// Whether it takes part.
    conditions: Conditions,
}

/// `vector.transfer_read`.
pub(super) fn read<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let [source, indices, padding, mask] = operand_groups::<4>(op)?;
    let result = op.result(0).map(MlirValue::from).map_err(|_| expected("result"))?;
    let t = Transfer::new(f, op, result, source.start, indices.clone(), mask)?;
    if t.is_one_access() {
        let operands = f.operands(op, source.start..indices.end)?;
        return load_of(f, op, block, identity(indices.len()), source.start, operands);
    }
    let padding = f.operand(op, padding.start)?;
    let ty = Type::Vector(t.vector.clone());
    let value = match t.fits(f, block) {
        Some(fits) => branch(f, block, &fits, &[ty], &mut |f, block, whole| {
            Some(if whole {
                t.load_whole(f, block)
            } else {
                t.read_elements(f, block, padding)
            })
        }),
        None => Some(t.read_elements(f, block, padding)),
    };
    let value = value.ok_or_else(|| expected("result"))?;
    f.bind_results(op, &[value]);
    Ok(())
}

/// `vector.transfer_write`.
pub(super) fn write<'m>(f: &mut FunctionImporter<'_, 'm>, op: MlirOp<'m>, block: BlockId) -> Translated {
    let [value, target, indices, mask] = operand_groups::<4>(op)?;
    let vector = op.operand(value.start).map_err(|_| expected("operands"))?;
    let t = Transfer::new(f, op, vector, target.start, indices.clone(), mask)?;
    if t.is_one_access() {
        let operands = f.operands(op, value.start..indices.end)?;
        return store_of(f, op, block, identity(indices.len()), [value.start, target.start], operands);
    }
    let value = f.operand(op, value.start)?;
    match t.fits(f, block) {
        Some(fits) => {
            branch(f, block, &fits, &[], &mut |f, block, whole| {
                if whole {
                    let operands = [&[value, t.memref], &t.indices[..]].concat();
                    let map = identity(t.indices.len());
                    f.emit(block, OpKind::Store(Access { map, checked: true }), operands, &[]);
                } else {
                    t.write_elements(f, block, value);
                }
                None
            });
        }
        None => t.write_elements(f, block, value),
    }
    Ok(())
}

impl Transfer {
    fn new<'m>(
        f: &FunctionImporter<'_, 'm>,
        op: MlirOp<'m>,
        vector: MlirValue<'m>,
        memref: usize,
        indices: std::ops::Range<usize>,
        mask: std::ops::Range<usize>,
    ) -> Translated<Self> {
        f.check_known(op)?;
        let source = f.type_of(op.operand(memref).map_err(|_| expected("operands"))?);
        let (Type::MemRef(ty), Type::Vector(vector)) = (source.ty.clone(), f.type_of(vector).ty.clone()) else {
            return unsupported("it isn't between a memref and a vector of its elements");
        };
        if source.layout.is_some() {
            return unsupported(
                "transfers from and to a memref with a layout map aren't supported; normalize the memref first (mlir-opt -normalize-memrefs)",
            );
        }
        if ty.elem != vector.elem {
            return unsupported("transfers that change the element type aren't supported");
        }
        let map = op.attribute("permutation_map").ok().and_then(ffi::affine_map);
        let map = map.ok_or_else(|| expected("permutation_map"))?;
        let minor = map.is_minor_identity();
        let map = affine::map(map).map_err(|_| expected("permutation_map"))?;
        let along: Option<Vec<Option<usize>>> = map.results.iter().map(source_dim).collect();
        let along = along.ok_or_else(|| expected("permutation_map"))?;
        let inside = in_bounds(op);
        let leaves = |n: usize| !inside.get(n).copied().unwrap_or(false);
        let open_ended = (0..along.len()).filter(|&n| leaves(n)).filter_map(|n| along[n]).collect();
        if !mask.is_empty() {
            return unsupported("masked transfers aren't supported; write the loop over the elements, with a condition");
        }
        let t = Self {
            memref: f.operand(op, memref)?,
            ty,
            indices: f.operands(op, indices)?,
            vector,
            along,
            open_ended,
            minor,
        };
        // MLIR's own lowering takes loads and stores of one dimension only.
        if t.vector.shape.len() > 1 && !t.is_one_access() {
            return unsupported(
                "transfers of several dimensions must be in bounds and in order; unroll others first (mlir-opt -convert-vector-to-scf=full-unroll=true)",
            );
        }
        Ok(t)
    }

    /// Whether it is no more than a load or store of a vector.
    fn is_one_access(&self) -> bool {
        self.minor && self.open_ended.is_empty()
    }

    /// The condition that the whole vector lies in the memref, where a single access would do then.
    fn fits(&self, f: &mut FunctionImporter<'_, '_>, block: BlockId) -> Option<Conditions> {
        if !self.minor {
            return None;
        }
        let last = |d: usize| {
            let n = self.along.iter().position(|a| *a == Some(d))?;
            i64::try_from(self.vector.shape.get(n)?.saturating_sub(1)).ok()
        };
        let offsets: Option<Vec<AffineExpr>> = self.open_ended.iter().map(|&d| last(d).map(AffineExpr::Const)).collect();
        Some(self.inside(f, block, &offsets?, &[]))
    }

    /// The condition that elements at these distances from the start, along the open-ended dimensions, are in the memref. The distances may mention dims from the
    /// number of indices on: `iterators`.
    fn inside(&self, f: &mut FunctionImporter<'_, '_>, block: BlockId, offsets: &[AffineExpr], iterators: &[ValueId]) -> Conditions {
        let dims = count(self.indices.len() + iterators.len());
        let mut operands = [&self.indices[..], iterators].concat();
        let (mut syms, mut constraints) = (0u32, Vec::new());
        for (&d, offset) in self.open_ended.iter().zip(offsets) {
            let extent = match self.ty.shape.get(d).copied().flatten().and_then(|e| i64::try_from(e).ok()) {
                Some(extent) => AffineExpr::Const(extent),
                None => {
                    let number = f.index(block, i64::try_from(d).unwrap_or(i64::MAX));
                    operands.push(f.emit_value(block, OpKind::Dim, vec![self.memref, number], Type::INDEX));
                    syms += 1;
                    AffineExpr::Sym(syms - 1)
                }
            };
            let place = AffineExpr::add(AffineExpr::Dim(count(d)), offset.clone());
            let beyond = AffineExpr::Mul(
                Box::new(AffineExpr::add(place, AffineExpr::Const(1))),
                Box::new(AffineExpr::Const(-1)),
            );
            constraints.push((AffineExpr::add(extent, beyond), false));
        }
        Conditions {
            set: IntegerSet { dims, syms, constraints },
            operands,
        }
    }

    fn load_whole(&self, f: &mut FunctionImporter<'_, '_>, block: BlockId) -> ValueId {
        let operands = [&[self.memref], &self.indices[..]].concat();
        let access = Access {
            map: identity(self.indices.len()),
            checked: true,
        };
        f.emit_value(block, OpKind::Load(access), operands, Type::Vector(self.vector.clone()))
    }

    /// A buffer with a vector's elements, so that they can be addressed one by one.
    fn spill(f: &mut FunctionImporter<'_, '_>, block: BlockId, value: ValueId) -> Option<ValueId> {
        let Type::Vector(vector) = f.f[value].ty.clone() else { return None };
        let buffer = buffer(f, block, &vector);
        f.emit(block, OpKind::Store(start(vector.shape.len())), vec![value, buffer], &[]);
        Some(buffer)
    }

    /// Makes loops over the elements of the vector, with what `body` makes for the one at hand.
    fn each(
        &self,
        f: &mut FunctionImporter<'_, '_>,
        block: BlockId,
        body: &mut dyn FnMut(&mut FunctionImporter<'_, '_>, BlockId, &Element),
    ) {
        let mut current = block;
        let (mut iterators, mut loops) = (Vec::new(), Vec::new());
        for &extent in &self.vector.shape {
            let upper = AffineMap::constant(i64::try_from(extent).unwrap_or(i64::MAX));
            let kind = OpKind::For(source_loop(AffineMap::constant(0), upper, Step::Const(1), false));
            let id = f.emit(current, kind, Vec::new(), &[]);
            let region = f.f.new_region();
            let inner = f.f.new_block(region, &[Type::INDEX]);
            f.f[id].regions = vec![region];
            iterators.push(f.f[inner].args[0]);
            loops.push(inner);
            current = inner;
        }
        let offset = |d: usize| {
            let n = self.along.iter().position(|a| *a == Some(d));
            n.map_or(AffineExpr::Const(0), |n| AffineExpr::Dim(count(self.indices.len() + n)))
        };
        let offsets: Vec<AffineExpr> = self.open_ended.iter().map(|&d| offset(d)).collect();
        let conditions = self.inside(f, current, &offsets, &iterators);
        let map = AffineMap {
            dims: count(self.indices.len() + iterators.len()),
            syms: 0,
            results: (0..self.indices.len())
                .map(|d| AffineExpr::add(AffineExpr::Dim(count(d)), offset(d)))
                .collect(),
        };
        let subscripts = [&self.indices[..], &iterators[..]].concat();
        let element = Element {
            iterators,
            map,
            subscripts,
            conditions,
        };
        body(f, current, &element);
        for inner in loops {
            f.emit(inner, OpKind::Yield, Vec::new(), &[]);
        }
    }

    fn read_elements(&self, f: &mut FunctionImporter<'_, '_>, block: BlockId, padding: ValueId) -> ValueId {
        let scratch = buffer(f, block, &self.vector);
        let elem = Type::Scalar(self.vector.elem);
        self.each(f, block, &mut |f, block, e| {
            let element = branch(f, block, &e.conditions, std::slice::from_ref(&elem), &mut |f, block, takes_part| {
                Some(if takes_part {
                    let operands = [&[self.memref], &e.subscripts[..]].concat();
                    let access = Access {
                        map: e.map.clone(),
                        checked: true,
                    };
                    f.emit_value(block, OpKind::Load(access), operands, elem.clone())
                } else {
                    padding
                })
            });
            let operands = [&[element.unwrap_or(padding), scratch], &e.iterators[..]].concat();
            let access = Access {
                map: identity(e.iterators.len()),
                checked: true,
            };
            f.emit(block, OpKind::Store(access), operands, &[]);
        });
        let ty = Type::Vector(self.vector.clone());
        f.emit_value(block, OpKind::Load(start(self.vector.shape.len())), vec![scratch], ty)
    }

    fn write_elements(&self, f: &mut FunctionImporter<'_, '_>, block: BlockId, value: ValueId) {
        let Some(scratch) = Self::spill(f, block, value) else { return };
        let elem = Type::Scalar(self.vector.elem);
        self.each(f, block, &mut |f, block, e| {
            branch(f, block, &e.conditions, &[], &mut |f, block, takes_part| {
                if takes_part {
                    let operands = [&[scratch], &e.iterators[..]].concat();
                    let access = Access {
                        map: identity(e.iterators.len()),
                        checked: true,
                    };
                    let element = f.emit_value(block, OpKind::Load(access), operands, elem.clone());
                    let operands = [&[element, self.memref], &e.subscripts[..]].concat();
                    let access = Access {
                        map: e.map.clone(),
                        checked: true,
                    };
                    f.emit(block, OpKind::Store(access), operands, &[]);
                }
                None
            });
        });
    }
}

/// `if` the condition holds: `make` fills both branches (true for the one where it holds) and gives what each yields, if anything.
fn branch(
    f: &mut FunctionImporter<'_, '_>,
    block: BlockId,
    conditions: &Conditions,
    results: &[Type],
    make: &mut dyn FnMut(&mut FunctionImporter<'_, '_>, BlockId, bool) -> Option<ValueId>,
) -> Option<ValueId> {
    if conditions.set.constraints.is_empty() {
        return make(f, block, true);
    }
    let kind = OpKind::If(IfCond::Set(conditions.set.clone()));
    let operands = conditions.operands.clone();
    let id = f.emit(block, kind, operands, results);
    let mut regions = Vec::new();
    for holds in [true, false] {
        let region = f.f.new_region();
        let inner = f.f.new_block(region, &[]);
        let value = make(f, inner, holds);
        f.emit(inner, OpKind::Yield, value.into_iter().collect(), &[]);
        regions.push(region);
    }
    f.f[id].regions = regions;
    (!results.is_empty()).then(|| f.f.result(id))
}

/// A buffer of a vector's shape.
fn buffer(f: &mut FunctionImporter<'_, '_>, block: BlockId, vector: &VectorType) -> ValueId {
    let ty = MemRefType {
        elem: vector.elem,
        shape: vector.shape.iter().map(|&e| Some(e)).collect(),
        layout: Layout::Identity,
    };
    f.emit_value(block, OpKind::Alloc { stack: true, align: 0 }, Vec::new(), Type::MemRef(ty))
}

/// The access to the first element.
fn start(rank: usize) -> Access {
    Access {
        map: AffineMap {
            dims: 0,
            syms: 0,
            results: vec![AffineExpr::Const(0); rank],
        },
        checked: true,
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The memref's dimension that a result of a permutation map names; `Some(None)` for the constant 0.
#[expect(clippy::option_option, reason = "not of that form, or of that form and without a dimension")]
fn source_dim(e: &AffineExpr) -> Option<Option<usize>> {
    match e {
        AffineExpr::Dim(d) => Some(Some(*d as usize)),
        AffineExpr::Const(0) => Some(None),
        _ => None,
    }
}

/// For each dimension of the vector, whether it stays in the memref.
fn in_bounds(op: MlirOp<'_>) -> Vec<bool> {
    let flags = op.attribute("in_bounds").ok().and_then(|a| ArrayAttribute::try_from(a).ok());
    let flag = |a: &ArrayAttribute<'_>, n: usize| a.element(n).ok().and_then(ffi::integer).is_some_and(|v| v != 0);
    flags.map(|a| (0..a.len()).map(|n| flag(&a, n)).collect()).unwrap_or_default()
}
