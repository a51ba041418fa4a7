//! Making MLIR operations.

use super::emit::{MlirBlock, MlirOp, MlirValue};
use super::{Exported, internal, type_text};
use crate::ffi;
use melior::Context;
use melior::ir::operation::OperationBuilder;
use melior::ir::{Attribute, Block, BlockLike, Identifier, Location, Region, RegionLike, RegionRef, Type as MlirType, Value};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use tilia_diag::Loc;
use tilia_program::Type;

/// Makes operations at the ends of blocks.
pub(super) struct Builder<'m> {
    context: &'m Context,
    location: Location<'m>,
    types: RefCell<FxHashMap<Type, MlirType<'m>>>,
    /// Index constants that were made, by block and value.
    constants: RefCell<FxHashMap<(usize, i64), MlirValue<'m>>>,
    /// The blocks around the operation at hand, outermost first: what was made in them is visible.
    scopes: RefCell<Vec<usize>>,
}

/// What an operation has besides its name.
#[derive(Default)]
pub(super) struct Parts<'a, 'm> {
    pub(super) operands: &'a [MlirValue<'m>],
    pub(super) results: &'a [MlirType<'m>],
    /// Names and values, the latter as text.
    pub(super) attributes: &'a [(&'a str, String)],
    /// How many regions it has; they are empty at first.
    pub(super) regions: usize,
    pub(super) successors: &'a [MlirBlock<'m>],
}

impl<'m> Builder<'m> {
    /// A builder whose operations have no location yet.
    pub(super) fn new(context: &'m Context) -> Self {
        Self {
            context,
            location: Location::unknown(context),
            types: RefCell::default(),
            constants: RefCell::default(),
            scopes: RefCell::default(),
        }
    }

    /// The place that further operations are about.
    pub(super) fn locate(&mut self, loc: &Loc) {
        self.location = match (loc.file(), loc.line_column()) {
            (Some(file), Some((line, column))) => Location::new(self.context, file, line as usize, column as usize),
            _ => Location::unknown(self.context),
        };
    }

    /// A type of the program in MLIR.
    pub(super) fn ty(&self, ty: &Type) -> Exported<MlirType<'m>> {
        if let Some(known) = self.types.borrow().get(ty) {
            return Ok(*known);
        }
        let made = MlirType::parse(self.context, &type_text(ty)).ok_or_else(|| internal(format!("the type {ty} isn't one of MLIR's")))?;
        self.types.borrow_mut().insert(ty.clone(), made);
        Ok(made)
    }

    /// An attribute by its text.
    pub(super) fn attribute(&self, text: &str) -> Exported<Attribute<'m>> {
        Attribute::parse(self.context, text).ok_or_else(|| internal(format!("the attribute {text} isn't one of MLIR's")))
    }

    /// A new block at the end of a region.
    pub(super) fn append_block(&self, region: RegionRef<'m, 'm>, arguments: &[MlirType<'m>]) -> MlirBlock<'m> {
        let arguments: Vec<_> = arguments.iter().map(|&ty| (ty, self.location)).collect();
        region.append_block(Block::new(&arguments))
    }

    /// A new operation at the end of a block.
    pub(super) fn op(&self, block: MlirBlock<'m>, name: &str, parts: Parts<'_, 'm>) -> Exported<MlirOp<'m>> {
        let mut attributes = Vec::with_capacity(parts.attributes.len());
        for (name, text) in parts.attributes {
            attributes.push((Identifier::new(self.context, name), self.attribute(text)?));
        }
        let mut builder = OperationBuilder::new(name, self.location)
            .add_operands(parts.operands)
            .add_results(parts.results)
            .add_attributes(&attributes)
            .add_regions_vec((0..parts.regions).map(|_| Region::new()).collect());
        for successor in parts.successors {
            builder = builder.add_successors(&[successor]);
        }
        let made = builder.build().map_err(|_| internal(format!("MLIR refuses to make {name}")))?;
        Ok(block.append_operation(made))
    }

    /// A new operation with one result, which is returned.
    pub(super) fn value(&self, block: MlirBlock<'m>, name: &str, parts: Parts<'_, 'm>) -> Exported<MlirValue<'m>> {
        let made = self.op(block, name, parts)?;
        made.result(0)
            .map(Value::from)
            .map_err(|_| internal(format!("{name} has no result")))
    }

    /// A binary operation on values of one type.
    pub(super) fn binary(&self, block: MlirBlock<'m>, name: &str, a: MlirValue<'m>, b: MlirValue<'m>) -> Exported<MlirValue<'m>> {
        let ty = melior::ir::ValueLike::r#type(&a);
        let parts = Parts {
            operands: &[a, b],
            results: &[ty],
            ..Parts::default()
        };
        self.value(block, name, parts)
    }

    /// The index type.
    pub(super) fn index_type(&self) -> MlirType<'m> {
        MlirType::index(self.context)
    }

    /// Further operations are made in `block`, which is in the block at hand.
    pub(super) fn enter(&self, block: MlirBlock<'m>) {
        self.scopes.borrow_mut().push(ffi::block_key(&block));
    }

    /// Back to the block around the one at hand.
    pub(super) fn leave(&self) {
        self.scopes.borrow_mut().pop();
    }

    /// Makes something that isn't in the block at hand nor in those around it.
    pub(super) fn apart<T>(&self, make: impl FnOnce(&Self) -> T) -> T {
        let around = self.scopes.take();
        let made = make(self);
        self.scopes.replace(around);
        made
    }

    /// An index constant: one that was made in this block or in one around it, if there is one.
    pub(super) fn index(&self, block: MlirBlock<'m>, value: i64) -> Exported<MlirValue<'m>> {
        let key = (ffi::block_key(&block), value);
        for &scope in self.scopes.borrow().iter().chain([&key.0]) {
            if let Some(known) = self.constants.borrow().get(&(scope, value)) {
                return Ok(*known);
            }
        }
        let parts = Parts {
            results: &[self.index_type()],
            attributes: &[("value", format!("{value} : index"))],
            ..Parts::default()
        };
        let made = self.value(block, "arith.constant", parts)?;
        self.constants.borrow_mut().insert(key, made);
        Ok(made)
    }

    /// A constant i1.
    pub(super) fn bool(&self, block: MlirBlock<'m>, value: bool) -> Exported<MlirValue<'m>> {
        let parts = Parts {
            results: &[self.ty(&Type::BOOL)?],
            attributes: &[("value", value.to_string())],
            ..Parts::default()
        };
        self.value(block, "arith.constant", parts)
    }

    /// A signed comparison by its predicate's number in `arith`; the result is an i1.
    pub(super) fn compare(
        &self,
        block: MlirBlock<'m>,
        predicate: Predicate,
        a: MlirValue<'m>,
        b: MlirValue<'m>,
    ) -> Exported<MlirValue<'m>> {
        let parts = Parts {
            operands: &[a, b],
            results: &[self.ty(&Type::BOOL)?],
            attributes: &[("predicate", format!("{} : i64", predicate as i64))],
            ..Parts::default()
        };
        self.value(block, "arith.cmpi", parts)
    }

    /// One of two values.
    pub(super) fn select(
        &self,
        block: MlirBlock<'m>,
        condition: MlirValue<'m>,
        a: MlirValue<'m>,
        b: MlirValue<'m>,
    ) -> Exported<MlirValue<'m>> {
        let parts = Parts {
            operands: &[condition, a, b],
            results: &[melior::ir::ValueLike::r#type(&a)],
            ..Parts::default()
        };
        self.value(block, "arith.select", parts)
    }
}

/// Predicates of `arith.cmpi` that exported expressions need, with their numbers there.
#[derive(Debug, Clone, Copy)]
pub(super) enum Predicate {
    Eq = 0,
    Slt = 2,
    Sle = 3,
    Sge = 5,
}

/// A dense array attribute of 32-bit integers, as text.
pub(super) fn array_i32(values: &[usize]) -> String {
    array("i32", &values.iter().map(ToString::to_string).collect::<Vec<_>>())
}

/// A dense array attribute of 64-bit integers, as text.
pub(super) fn array_i64(values: &[i64]) -> String {
    array("i64", &values.iter().map(ToString::to_string).collect::<Vec<_>>())
}

fn array(ty: &str, values: &[String]) -> String {
    if values.is_empty() {
        format!("array<{ty}>")
    } else {
        format!("array<{ty}: {}>", values.join(", "))
    }
}
