//! The only unsafe code of the crate: ownership of a context with its module, and the few accessors of MLIR's C interface that `melior` lacks.
//!
//! Everything exported from here is safe to call. A [`SourceModule`] owns the context and the module in it; what is read from it borrows it, so no
//! handle outlives the context.

mod engine;

pub(crate) use engine::{HostMachine, LlvmModule, Object, Placed, register_translations};

use melior::Context;
use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::attribute::{Attribute, AttributeLike};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{Type, TypeLike};
use melior::ir::{AffineExpr, AffineMap, BlockLike, BlockRef, OperationRef, Value, ValueLike};
use mlir_sys::{self as sys, MlirBlock, MlirModule, MlirOperation};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

/// A context and the module parsed in it.
#[derive(Debug)]
pub(crate) struct SourceModule {
    context: ManuallyDrop<Context>,
    module: MlirModule,
}

// SAFETY: a context has no thread affinity; only concurrent use is forbidden unless it is multithreaded. The value owns the context and everything in it,
// and isn't `Sync`, so whichever thread holds it is its only user.
unsafe impl Send for SourceModule {}

impl Drop for SourceModule {
    fn drop(&mut self) {
        // SAFETY: the module was created by `parse`, belongs to this context, and isn't used again; the context is dropped once, after it.
        unsafe {
            sys::mlirModuleDestroy(self.module);
            ManuallyDrop::drop(&mut self.context);
        }
    }
}

impl SourceModule {
    /// Parses and verifies `text` in `context`. `None` when MLIR refuses it; its diagnostics went to the context's handlers.
    pub(crate) fn parse(context: Context, text: &str) -> Option<Self> {
        // MLIR's lexer reads one byte beyond the text and expects it to be zero.
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
        let source = sys::MlirStringRef {
            data: bytes.as_ptr().cast(),
            length: text.len(),
        };
        // SAFETY: `source` describes `text.len()` readable bytes followed by a zero, alive during the call; MLIR copies what it keeps.
        let module = unsafe { sys::mlirModuleCreateParse(context.to_raw(), source) };
        (!module.ptr.is_null()).then(|| Self {
            context: ManuallyDrop::new(context),
            module,
        })
    }

    /// The context.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// The module as an operation.
    pub(crate) fn operation(&self) -> OperationRef<'_, '_> {
        // SAFETY: the module is alive as long as `self`, which the result borrows.
        unsafe { OperationRef::from_raw(sys::mlirModuleGetOperation(self.module)) }
    }
}

/// A copy of a module, in the same context.
#[derive(Debug)]
pub(crate) struct ModuleCopy<'m> {
    raw: MlirOperation,
    _source: PhantomData<&'m SourceModule>,
}

impl<'m> ModuleCopy<'m> {
    /// Copies a module.
    pub(crate) fn new(source: &'m SourceModule) -> Self {
        // SAFETY: the module is alive; the clone is owned by the new value.
        let raw = unsafe { sys::mlirOperationClone(sys::mlirModuleGetOperation(source.module)) };
        Self { raw, _source: PhantomData }
    }

    /// The module as an operation.
    pub(crate) fn operation(&self) -> OperationRef<'_, '_> {
        // SAFETY: the operation is alive as long as `self`, which the result borrows.
        unsafe { OperationRef::from_raw(self.raw) }
    }
}

impl Drop for ModuleCopy<'_> {
    fn drop(&mut self) {
        // SAFETY: the operation is owned by this value and not used again.
        unsafe { sys::mlirOperationDestroy(self.raw) }
    }
}

/// A registry of the dialect `llvm` alone.
pub(crate) fn llvm_registry() -> DialectRegistry {
    let registry = DialectRegistry::new();
    // SAFETY: the function takes nothing and returns a handle to static data, which is used at once.
    unsafe { DialectHandle::from_raw(sys::mlirGetDialectHandle__llvm__()) }.insert_dialect(&registry);
    registry
}

/// Runs `work` on a thread with a stack of that many bytes, and waits for it.
pub(crate) fn on_large_stack<T: Send>(
    bytes: usize,
    module: &SourceModule,
    work: impl FnOnce(&SourceModule) -> T + Send,
) -> std::io::Result<std::thread::Result<T>> {
    struct Lent<'a>(&'a SourceModule);
    // SAFETY: the module isn't `Sync`, but the lending thread waits until the borrowing one has ended, so only one uses it at a time.
    unsafe impl Send for Lent<'_> {}
    let lent = Lent(module);
    std::thread::scope(|scope| {
        let run = move || {
            let lent = lent;
            work(lent.0)
        };
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, run)?;
        Ok(thread.join())
    })
}

/// Moves an operation from wherever it is to the end of a block.
pub(crate) fn move_to_end<'m>(op: OperationRef<'m, 'm>, block: BlockRef<'m, 'm>) {
    // SAFETY: both are alive; the operation is taken out of its block before it is given to the other one, so it has one owner throughout.
    unsafe {
        sys::mlirOperationRemoveFromParent(op.to_raw());
        sys::mlirBlockAppendOwnedOperation(block.to_raw(), op.to_raw());
    }
}

/// Operations that have been taken out of a module, to be destroyed together: they may use each other's results.
pub(crate) struct Graveyard<'m> {
    block: MlirBlock,
    home: BlockRef<'m, 'm>,
}

impl<'m> Graveyard<'m> {
    /// An empty one. Operations that turn out to be in use go back, to the block `home`.
    pub(crate) fn new(home: BlockRef<'m, 'm>) -> Self {
        // SAFETY: no arguments are read.
        let block = unsafe { sys::mlirBlockCreate(0, std::ptr::null(), std::ptr::null()) };
        Self { block, home }
    }

    /// Takes an operation out of its block. It stays valid until the graveyard is dropped.
    pub(crate) fn take(&self, op: OperationRef<'m, 'm>) {
        // SAFETY: the operation is alive and has one owner throughout; the block is alive until `self` is dropped.
        unsafe {
            sys::mlirOperationRemoveFromParent(op.to_raw());
            sys::mlirBlockAppendOwnedOperation(self.block, op.to_raw());
        }
    }

    /// Whether an operation outside uses a result of one inside: then destroying them would leave it dangling.
    pub(crate) fn is_used(&self) -> bool {
        // SAFETY: the block and the operations in it are alive.
        let mut op = unsafe { sys::mlirBlockGetFirstOperation(self.block) };
        while !op.ptr.is_null() {
            if self.has_users_outside(op) {
                return true;
            }
            // SAFETY: the operation is alive.
            op = unsafe { sys::mlirOperationGetNextInBlock(op) };
        }
        false
    }

    /// Whether anything outside uses a result of `op`, which itself may be inside or outside.
    pub(crate) fn is_needed(&self, op: OperationRef<'m, 'm>) -> bool {
        self.has_users_outside(op.to_raw())
    }

    fn has_users_outside(&self, op: MlirOperation) -> bool {
        // SAFETY: the operation is alive, and so are the users of its results.
        unsafe {
            for n in 0..sys::mlirOperationGetNumResults(op) {
                let mut operand = sys::mlirValueGetFirstUse(sys::mlirOperationGetResult(op, n));
                while !sys::mlirOpOperandIsNull(operand) {
                    if !self.contains(sys::mlirOpOperandGetOwner(operand)) {
                        return true;
                    }
                    operand = sys::mlirOpOperandGetNextUse(operand);
                }
            }
        }
        false
    }

    fn contains(&self, op: MlirOperation) -> bool {
        let mut op = op;
        // SAFETY: the operation is alive, and so is everything around it; an operation in this block has no parent operation.
        unsafe {
            while !op.ptr.is_null() {
                let block = sys::mlirOperationGetBlock(op);
                if sys::mlirBlockEqual(block, self.block) {
                    return true;
                }
                if block.ptr.is_null() || sys::mlirBlockGetParentRegion(block).ptr.is_null() {
                    return false;
                }
                op = sys::mlirOperationGetParentOperation(op);
            }
        }
        false
    }
}

impl Drop for Graveyard<'_> {
    fn drop(&mut self) {
        let used = self.is_used();
        // SAFETY: the block belongs to no region; destroying it drops the uses between its operations first. If there are other uses, the operations are
        // moved into the module before, so that it destroys them together with their users.
        unsafe {
            let mut op = sys::mlirBlockGetFirstOperation(self.block);
            while used && !op.ptr.is_null() {
                let next = sys::mlirOperationGetNextInBlock(op);
                sys::mlirOperationRemoveFromParent(op);
                sys::mlirBlockAppendOwnedOperation(self.home.to_raw(), op);
                op = next;
            }
            sys::mlirBlockDestroy(self.block);
        }
    }
}

/// Whether anything uses result `n` of an operation.
pub(crate) fn is_used(op: OperationRef<'_, '_>, n: usize) -> bool {
    let Ok(position) = isize::try_from(n) else { return false };
    // SAFETY: the operation is alive, and the position is below the number of its results.
    n < op.result_count()
        && unsafe { !sys::mlirOpOperandIsNull(sys::mlirValueGetFirstUse(sys::mlirOperationGetResult(op.to_raw(), position))) }
}

/// A copy of an operation, with what is in it, at the end of a block. It uses the values that the original uses.
pub(crate) fn copy_to_end<'m>(op: OperationRef<'m, 'm>, block: BlockRef<'m, 'm>) -> OperationRef<'m, 'm> {
    // SAFETY: both are alive and of one context; the block owns the copy from the start, and lives as long as the module that it is in.
    unsafe {
        let copy = sys::mlirOperationClone(op.to_raw());
        sys::mlirBlockAppendOwnedOperation(block.to_raw(), copy);
        OperationRef::from_raw(copy)
    }
}

/// Makes operand `n` of `op` another value.
pub(crate) fn set_operand<'m>(op: OperationRef<'m, 'm>, n: usize, value: Value<'m, 'm>) {
    let Ok(position) = isize::try_from(n) else { return };
    if n < op.operand_count() {
        // SAFETY: the operation and the value are alive and of one module; the position is below the number of operands.
        unsafe { sys::mlirOperationSetOperand(op.to_raw(), position, value.to_raw()) }
    }
}

/// Element type, shape, strides and such of a memref type in another one's memory space.
pub(crate) fn with_memory_space_of<'m>(ty: Type<'m>, other: Type<'m>) -> Type<'m> {
    // SAFETY: the types are valid, and memrefs where they are taken apart; the parts of one valid type make another one.
    unsafe {
        let (raw, other) = (ty.to_raw(), other.to_raw());
        if sys::mlirTypeIsAUnrankedMemRef(raw) && sys::mlirTypeIsAUnrankedMemRef(other) {
            let space = sys::mlirUnrankedMemrefGetMemorySpace(other);
            return Type::from_raw(sys::mlirUnrankedMemRefTypeGet(sys::mlirShapedTypeGetElementType(raw), space));
        }
        if !sys::mlirTypeIsAMemRef(raw) || !sys::mlirTypeIsAMemRef(other) {
            return ty;
        }
        let space = sys::mlirMemRefTypeGetMemorySpace(other);
        if space.ptr.is_null() {
            return ty;
        }
        let rank = isize::try_from(sys::mlirShapedTypeGetRank(raw)).unwrap_or(0);
        let shape: Vec<i64> = (0..rank).map(|d| sys::mlirShapedTypeGetDimSize(raw, d)).collect();
        let (elem, layout) = (sys::mlirShapedTypeGetElementType(raw), sys::mlirMemRefTypeGetLayout(raw));
        Type::from_raw(sys::mlirMemRefTypeGet(elem, rank, shape.as_ptr(), layout, space))
    }
}

/// Whether two memref types, ranked or not, are in the same memory space.
pub(crate) fn same_memory_space(a: Type<'_>, b: Type<'_>) -> bool {
    // SAFETY: the types are valid, and of the kind that each accessor wants.
    let space = |ty: Type<'_>| unsafe {
        let raw = ty.to_raw();
        if sys::mlirTypeIsAMemRef(raw) {
            sys::mlirMemRefTypeGetMemorySpace(raw).ptr
        } else if sys::mlirTypeIsAUnrankedMemRef(raw) {
            sys::mlirUnrankedMemrefGetMemorySpace(raw).ptr
        } else {
            std::ptr::null()
        }
    };
    space(a) == space(b)
}

/// A registry of the upstream dialects that may be in a file with affine code: those that affine code is made of, and those whose operations, types and memory
/// spaces stand beside it and stay as they are. Dialects are loaded when the parser meets them.
pub(crate) fn registry() -> DialectRegistry {
    let registry = DialectRegistry::new();
    // SAFETY: the functions take nothing and return handles to static data.
    let handles = unsafe {
        [
            sys::mlirGetDialectHandle__affine__(),
            sys::mlirGetDialectHandle__amdgpu__(),
            sys::mlirGetDialectHandle__arith__(),
            sys::mlirGetDialectHandle__async__(),
            sys::mlirGetDialectHandle__bufferization__(),
            sys::mlirGetDialectHandle__cf__(),
            sys::mlirGetDialectHandle__complex__(),
            sys::mlirGetDialectHandle__dlti__(),
            sys::mlirGetDialectHandle__emitc__(),
            sys::mlirGetDialectHandle__func__(),
            sys::mlirGetDialectHandle__gpu__(),
            sys::mlirGetDialectHandle__index__(),
            sys::mlirGetDialectHandle__linalg__(),
            sys::mlirGetDialectHandle__llvm__(),
            sys::mlirGetDialectHandle__math__(),
            sys::mlirGetDialectHandle__memref__(),
            sys::mlirGetDialectHandle__ml_program__(),
            sys::mlirGetDialectHandle__nvgpu__(),
            sys::mlirGetDialectHandle__nvvm__(),
            sys::mlirGetDialectHandle__omp__(),
            sys::mlirGetDialectHandle__ptr__(),
            sys::mlirGetDialectHandle__quant__(),
            sys::mlirGetDialectHandle__rocdl__(),
            sys::mlirGetDialectHandle__scf__(),
            sys::mlirGetDialectHandle__shape__(),
            sys::mlirGetDialectHandle__sparse_tensor__(),
            sys::mlirGetDialectHandle__spirv__(),
            sys::mlirGetDialectHandle__tensor__(),
            sys::mlirGetDialectHandle__tosa__(),
            sys::mlirGetDialectHandle__ub__(),
            sys::mlirGetDialectHandle__vector__(),
            sys::mlirGetDialectHandle__xegpu__(),
        ]
    };
    for raw in handles {
        // SAFETY: the handle was just obtained from MLIR.
        unsafe { DialectHandle::from_raw(raw) }.insert_dialect(&registry);
    }
    registry
}

/// The address that identifies a value (also a block or an operation) while its module isn't changed.
pub(crate) fn value_key<'c>(value: &impl ValueLike<'c>) -> usize {
    value.to_raw().ptr as usize
}

/// Where a value is defined.
pub(crate) enum Definition<'m> {
    /// Result n of an operation.
    Result(OperationRef<'m, 'm>, u32),
    /// Argument n of a block.
    Arg(BlockRef<'m, 'm>, u32),
}

/// Where `value` is defined.
pub(crate) fn definition<'m>(value: &impl ValueLike<'m>) -> Definition<'m> {
    let raw = value.to_raw();
    let number = |n: isize| u32::try_from(n).unwrap_or(u32::MAX);
    // SAFETY: the value is valid, and of the kind that each accessor wants; its owner lives as long as it.
    unsafe {
        if sys::mlirValueIsABlockArgument(raw) {
            let block = BlockRef::from_raw(sys::mlirBlockArgumentGetOwner(raw));
            Definition::Arg(block, number(sys::mlirBlockArgumentGetArgNumber(raw)))
        } else {
            let op = OperationRef::from_raw(sys::mlirOpResultGetOwner(raw));
            Definition::Result(op, number(sys::mlirOpResultGetResultNumber(raw)))
        }
    }
}

/// The address that identifies an operation while it lives.
pub(crate) fn op_key<'c: 'a, 'a>(op: &impl OperationLike<'c, 'a>) -> usize {
    op.to_raw().ptr as usize
}

/// The address that identifies a block while it lives.
pub(crate) fn block_key<'c: 'a, 'a>(block: &impl BlockLike<'c, 'a>) -> usize {
    block.to_raw().ptr as usize
}

/// The address that identifies a type: types are unique within a context.
pub(crate) fn type_key(ty: Type<'_>) -> usize {
    ty.to_raw().ptr as usize
}

/// The address that identifies an attribute: attributes are unique within a context.
pub(crate) fn attribute_key(attribute: Attribute<'_>) -> usize {
    attribute.to_raw().ptr as usize
}

/// The map that an affine map attribute holds.
pub(crate) fn affine_map(attribute: Attribute<'_>) -> Option<AffineMap<'_>> {
    // SAFETY: the attribute is valid, and is known to hold a map where its value is taken.
    unsafe {
        sys::mlirAttributeIsAAffineMap(attribute.to_raw()).then(|| AffineMap::from_raw(sys::mlirAffineMapAttrGetValue(attribute.to_raw())))
    }
}

/// The results of a map.
pub(crate) fn map_results(map: AffineMap<'_>) -> Vec<AffineExpr<'_>> {
    let count = isize::try_from(map.result_count()).unwrap_or(0);
    (0..count)
        // SAFETY: the map is valid and the position is below its number of results.
        .map(|i| unsafe { AffineExpr::from_raw(sys::mlirAffineMapGetResult(map.to_raw(), i)) })
        .collect()
}

/// An integer set, read out of its attribute.
pub(crate) struct RawIntegerSet<'c> {
    /// Number of dims.
    pub(crate) dims: usize,
    /// Number of symbols.
    pub(crate) syms: usize,
    /// Constraints; true for equalities.
    pub(crate) constraints: Vec<(AffineExpr<'c>, bool)>,
}

/// The set that an integer set attribute holds.
pub(crate) fn integer_set(attribute: Attribute<'_>) -> Option<RawIntegerSet<'_>> {
    // SAFETY: the attribute is valid and is known to hold a set where its value is taken; positions are below the number of constraints.
    unsafe {
        if !sys::mlirAttributeIsAIntegerSet(attribute.to_raw()) {
            return None;
        }
        let set = sys::mlirIntegerSetAttrGetValue(attribute.to_raw());
        let count = sys::mlirIntegerSetGetNumConstraints(set);
        Some(RawIntegerSet {
            dims: usize::try_from(sys::mlirIntegerSetGetNumDims(set)).ok()?,
            syms: usize::try_from(sys::mlirIntegerSetGetNumSymbols(set)).ok()?,
            constraints: (0..count)
                .map(|i| {
                    let expr = AffineExpr::from_raw(sys::mlirIntegerSetGetConstraint(set, i));
                    (expr, sys::mlirIntegerSetIsConstraintEq(set, i))
                })
                .collect(),
        })
    }
}

/// The integer of an integer attribute of at most 64 bits, sign-extended; booleans too (true is -1).
pub(crate) fn integer(attribute: Attribute<'_>) -> Option<i64> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is valid and is an integer attribute where its value is taken; the accessor matches its signedness.
    unsafe {
        if !sys::mlirAttributeIsAInteger(raw) {
            return None;
        }
        let ty = sys::mlirAttributeGetType(raw);
        if sys::mlirTypeIsAIndex(ty) {
            return Some(sys::mlirIntegerAttrGetValueInt(raw));
        }
        if !sys::mlirTypeIsAInteger(ty) || sys::mlirIntegerTypeGetWidth(ty) > 64 {
            return None;
        }
        Some(if sys::mlirIntegerTypeIsSigned(ty) {
            sys::mlirIntegerAttrGetValueSInt(raw)
        } else if sys::mlirIntegerTypeIsUnsigned(ty) {
            sys::mlirIntegerAttrGetValueUInt(raw).cast_signed()
        } else {
            sys::mlirIntegerAttrGetValueInt(raw)
        })
    }
}

/// A dense elements attribute: its number of elements, whether they are all the same, and how to get at them.
#[derive(Clone, Copy)]
pub(crate) struct DenseElements<'c> {
    attribute: Attribute<'c>,
    /// Number of elements.
    pub(crate) count: usize,
    /// Whether all elements are one.
    pub(crate) splat: bool,
}

impl<'c> DenseElements<'c> {
    /// The attribute as dense elements (integers, index or floats), if it is that.
    pub(crate) fn new(attribute: Attribute<'c>) -> Option<Self> {
        let raw = attribute.to_raw();
        // SAFETY: the attribute is valid and of the kind that each accessor wants.
        unsafe {
            let int = sys::mlirAttributeIsADenseIntElements(raw);
            if !int && !sys::mlirAttributeIsADenseFPElements(raw) {
                return None;
            }
            Some(Self {
                attribute,
                count: usize::try_from(sys::mlirElementsAttrGetNumElements(raw)).ok()?,
                splat: sys::mlirDenseElementsAttrIsSplat(raw),
            })
        }
    }

    /// One element of `ty` as a dense attribute of one: the way to the exact bits of a float attribute.
    pub(crate) fn of_float(attribute: Attribute<'c>) -> Option<Self> {
        let raw = attribute.to_raw();
        // SAFETY: the attribute is a float attribute, so its type is a valid element type, and a vector of one element of it is a shaped type.
        let splat = unsafe {
            if !sys::mlirAttributeIsAFloat(raw) {
                return None;
            }
            let shape = [1i64];
            let vector = sys::mlirVectorTypeGet(1, shape.as_ptr(), sys::mlirAttributeGetType(raw));
            Attribute::from_raw(sys::mlirDenseElementsAttrSplatGet(vector, raw))
        };
        Self::new(splat)
    }

    /// The stored bytes when an element takes `width` whole bytes (1, 2, 4 or 8): one element if it is a splat, else all, in native byte order.
    pub(crate) fn bytes(&self, width: usize) -> &[u8] {
        let count = if self.splat { 1 } else { self.count };
        // SAFETY: MLIR stores elements of whole bytes contiguously, `width` bytes each, one element for a splat; the data live as long as the context.
        unsafe {
            let data: *const u8 = sys::mlirDenseElementsAttrGetRawData(self.attribute.to_raw()).cast();
            if data.is_null() || count == 0 {
                return &[];
            }
            std::slice::from_raw_parts(data, count * width)
        }
    }

    /// Element `n`, row-major, as an attribute: slower, for every element type. `n` is below [`DenseElements::count`].
    pub(crate) fn element(&self, n: usize, shape: &[u64]) -> Option<Attribute<'c>> {
        let mut rest = u64::try_from(n).ok()?;
        let mut index = vec![0u64; shape.len()];
        for (slot, &extent) in index.iter_mut().zip(shape).rev() {
            *slot = rest.checked_rem(extent)?;
            rest /= extent;
        }
        let rank = isize::try_from(index.len()).ok()?;
        let raw = self.attribute.to_raw();
        // SAFETY: the attribute is an elements attribute; the index is checked by MLIR before the element is taken.
        unsafe {
            sys::mlirElementsAttrIsValidIndex(raw, rank, index.as_mut_ptr())
                .then(|| Attribute::from_raw(sys::mlirElementsAttrGetValue(raw, rank, index.as_mut_ptr())))
        }
    }
}

/// Integers of a dense array attribute (`array<i32: ..>` or `array<i64: ..>`).
pub(crate) fn dense_array(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is valid and of the kind that each accessor wants; positions are below the number of elements.
    unsafe {
        let count = || sys::mlirDenseArrayGetNumElements(raw);
        if sys::mlirAttributeIsADenseI64Array(raw) {
            Some((0..count()).map(|i| sys::mlirDenseI64ArrayGetElement(raw, i)).collect())
        } else if sys::mlirAttributeIsADenseI32Array(raw) {
            Some((0..count()).map(|i| i64::from(sys::mlirDenseI32ArrayGetElement(raw, i))).collect())
        } else if sys::mlirAttributeIsADenseBoolArray(raw) {
            Some((0..count()).map(|i| i64::from(sys::mlirDenseBoolArrayGetElement(raw, i))).collect())
        } else {
            None
        }
    }
}

/// Shape of a ranked shaped type; `None` for a dynamic extent.
pub(crate) fn shape(ty: Type<'_>) -> Option<Vec<Option<u64>>> {
    let raw = ty.to_raw();
    // SAFETY: the type is valid, shaped and ranked where rank and extents are taken; positions are below the rank.
    unsafe {
        if !sys::mlirTypeIsAShaped(raw) || !sys::mlirShapedTypeHasRank(raw) {
            return None;
        }
        let rank = isize::try_from(sys::mlirShapedTypeGetRank(raw)).ok()?;
        (0..rank)
            .map(|i| {
                if sys::mlirShapedTypeIsDynamicDim(raw, i) {
                    Some(None)
                } else {
                    u64::try_from(sys::mlirShapedTypeGetDimSize(raw, i)).ok().map(Some)
                }
            })
            .collect()
    }
}

/// Element type of a shaped type.
pub(crate) fn element_type(ty: Type<'_>) -> Option<Type<'_>> {
    // SAFETY: the type is valid, and shaped where its element type is taken.
    unsafe { sys::mlirTypeIsAShaped(ty.to_raw()).then(|| Type::from_raw(sys::mlirShapedTypeGetElementType(ty.to_raw()))) }
}

/// Whether a vector type has a scalable dimension.
pub(crate) fn is_scalable(ty: Type<'_>) -> bool {
    // SAFETY: the type is valid, and a vector where it is asked.
    unsafe { sys::mlirTypeIsAVector(ty.to_raw()) && sys::mlirVectorTypeIsScalable(ty.to_raw()) }
}

/// Whether a type is bfloat16.
pub(crate) fn is_bf16(ty: Type<'_>) -> bool {
    // SAFETY: the type is valid.
    unsafe { sys::mlirTypeIsABF16(ty.to_raw()) }
}

/// Width and signlessness of an integer type.
pub(crate) fn integer_type(ty: Type<'_>) -> Option<(u32, bool)> {
    let raw = ty.to_raw();
    // SAFETY: the type is valid, and an integer type where it is asked.
    unsafe { sys::mlirTypeIsAInteger(raw).then(|| (sys::mlirIntegerTypeGetWidth(raw), sys::mlirIntegerTypeIsSignless(raw))) }
}

/// Strides and offset of a ranked memref type, `None` elements being dynamic; `None` when the layout isn't strided.
pub(crate) fn strides(ty: Type<'_>) -> Option<(Vec<Option<i64>>, Option<i64>)> {
    let rank = shape(ty)?.len();
    let mut strides = vec![0i64; rank];
    let mut offset = 0i64;
    // SAFETY: the type is a ranked memref where it is asked, `strides` has one slot a dimension.
    let dynamic = unsafe {
        if !sys::mlirTypeIsAMemRef(ty.to_raw()) {
            return None;
        }
        let ok = sys::mlirMemRefTypeGetStridesAndOffset(ty.to_raw(), strides.as_mut_ptr(), &raw mut offset);
        if ok.value == 0 {
            return None;
        }
        sys::mlirShapedTypeGetDynamicStrideOrOffset()
    };
    let known = |v: i64| (v != dynamic).then_some(v);
    Some((strides.into_iter().map(known).collect(), known(offset)))
}

/// The layout of a ranked memref type as a map.
pub(crate) fn layout_map(ty: Type<'_>) -> Option<AffineMap<'_>> {
    // SAFETY: the type is a ranked memref where its map is taken.
    unsafe { sys::mlirTypeIsAMemRef(ty.to_raw()).then(|| AffineMap::from_raw(sys::mlirMemRefTypeGetAffineMap(ty.to_raw()))) }
}

/// The sentinel for a dynamic size, offset or stride in static arrays.
pub(crate) fn dynamic_size() -> i64 {
    // SAFETY: takes nothing, returns a constant.
    unsafe { sys::mlirShapedTypeGetDynamicSize() }
}
