//! Programs, functions and their arenas.

use crate::{Constant, MemRefType, OpKind, Type};
use std::ops::{Index, IndexMut};
use tilia_diag::Loc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id!(
    /// A value of one function.
    ValueId, "%"
);
id!(
    /// An operation of one function.
    OpId, "op"
);
id!(
    /// A block of one function.
    BlockId, "^bb"
);
id!(
    /// A region of one function.
    RegionId, "region"
);
id!(
    /// An operation of the source module, by its number in the front end's table.
    OriginId, "origin"
);

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueDef {
    /// Argument number n of a block (of a function's entry block for its parameters).
    Arg(BlockId, u32),
    /// Result number n of an operation.
    Result(OpId, u32),
}

/// A value: its type and definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueData {
    /// Type.
    pub ty: Type,
    /// Definition.
    pub def: ValueDef,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Op {
    /// What it does.
    pub kind: OpKind,
    /// Operands, in the order that the kind states.
    pub operands: Vec<ValueId>,
    /// Results.
    pub results: Vec<ValueId>,
    /// Regions, for structured control flow.
    pub regions: Vec<RegionId>,
    /// Source location.
    pub loc: Loc,
    /// The operation of the source module that this one stands for, where there is exactly one.
    pub origin: Option<OriginId>,
}

/// A block: arguments, then operations, the last a terminator.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block {
    /// Arguments.
    pub args: Vec<ValueId>,
    /// Operations in order.
    pub ops: Vec<OpId>,
}

/// A region: blocks, the first is the entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Region {
    /// Blocks in order.
    pub blocks: Vec<BlockId>,
}

/// A function. `body` is `None` for a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Name, without `@`.
    pub name: String,
    /// Types of the parameters.
    pub params: Vec<Type>,
    /// Types of the results.
    pub results: Vec<Type>,
    /// Whether it can be called from outside the module.
    pub public: bool,
    /// Source location.
    pub loc: Loc,
    /// The body; its entry block's arguments are the parameters.
    pub body: Option<RegionId>,
    values: Vec<ValueData>,
    ops: Vec<Op>,
    blocks: Vec<Block>,
    regions: Vec<Region>,
}

macro_rules! arena {
    ($field:ident, $id:ident, $item:ident) => {
        impl Index<$id> for Function {
            type Output = $item;
            fn index(&self, id: $id) -> &$item {
                &self.$field[id.0 as usize]
            }
        }
        impl IndexMut<$id> for Function {
            fn index_mut(&mut self, id: $id) -> &mut $item {
                &mut self.$field[id.0 as usize]
            }
        }
    };
}
arena!(values, ValueId, ValueData);
arena!(ops, OpId, Op);
arena!(blocks, BlockId, Block);
arena!(regions, RegionId, Region);

fn next(len: usize) -> u32 {
    u32::try_from(len).expect("fewer than 2^32 items in one function")
}

impl Function {
    /// A declaration without body.
    #[must_use]
    pub fn new(name: impl Into<String>, params: Vec<Type>, results: Vec<Type>, loc: Loc) -> Self {
        Self {
            name: name.into(),
            params,
            results,
            public: true,
            loc,
            body: None,
            values: Vec::new(),
            ops: Vec::new(),
            blocks: Vec::new(),
            regions: Vec::new(),
        }
    }

    /// A new region without blocks.
    pub fn new_region(&mut self) -> RegionId {
        self.regions.push(Region::default());
        RegionId(next(self.regions.len() - 1))
    }

    /// A new block at the end of `region`, with arguments of these types.
    pub fn new_block(&mut self, region: RegionId, args: &[Type]) -> BlockId {
        let id = BlockId(next(self.blocks.len()));
        self.blocks.push(Block::default());
        self[region].blocks.push(id);
        for ty in args {
            self.add_block_arg(id, ty.clone());
        }
        id
    }

    /// One more argument of a block.
    pub fn add_block_arg(&mut self, block: BlockId, ty: Type) -> ValueId {
        let n = next(self[block].args.len());
        let value = self.new_value(ty, ValueDef::Arg(block, n));
        self[block].args.push(value);
        value
    }

    fn new_value(&mut self, ty: Type, def: ValueDef) -> ValueId {
        self.values.push(ValueData { ty, def });
        ValueId(next(self.values.len() - 1))
    }

    /// A new operation that stands in no block yet, with results of these types.
    pub fn new_op(&mut self, kind: OpKind, operands: Vec<ValueId>, results: &[Type], loc: Loc) -> OpId {
        let id = OpId(next(self.ops.len()));
        self.ops.push(Op {
            kind,
            operands,
            results: Vec::new(),
            regions: Vec::new(),
            loc,
            origin: None,
        });
        for (n, ty) in results.iter().enumerate() {
            let value = self.new_value(ty.clone(), ValueDef::Result(id, next(n)));
            self[id].results.push(value);
        }
        id
    }

    /// A new operation at the end of `block`.
    pub fn append(&mut self, block: BlockId, kind: OpKind, operands: Vec<ValueId>, results: &[Type], loc: Loc) -> OpId {
        let op = self.new_op(kind, operands, results, loc);
        self[block].ops.push(op);
        op
    }

    /// The entry block of the body.
    #[must_use]
    pub fn entry(&self) -> Option<BlockId> {
        self.body.and_then(|r| self[r].blocks.first().copied())
    }

    /// Number of values made so far; ids are dense below it.
    #[must_use]
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Number of operations made so far; ids are dense below it.
    #[must_use]
    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// Number of blocks made so far; ids are dense below it.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Number of regions made so far; ids are dense below it.
    #[must_use]
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }

    /// The first result of an operation that has one.
    #[must_use]
    pub fn result(&self, op: OpId) -> ValueId {
        self[op].results[0]
    }

    /// The constant integer that a value is, if it is one.
    #[must_use]
    pub fn as_int_constant(&self, value: ValueId) -> Option<i64> {
        match self[value].def {
            ValueDef::Result(op, _) => match self[op].kind {
                OpKind::Constant(Constant::Int(c)) => Some(c),
                _ => None,
            },
            ValueDef::Arg(..) => None,
        }
    }
}

/// First contents of a global.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GlobalInit {
    /// Declared only, or `uninitialized`: zeros.
    Uninitialized,
    /// One constant an element, row-major, or one [`Constant::Splat`].
    Elements(Vec<Constant>),
}

/// A `memref.global`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Global {
    /// Name, without `@`.
    pub name: String,
    /// Static shape.
    pub ty: MemRefType,
    /// First contents.
    pub init: GlobalInit,
    /// Whether stores to it are forbidden.
    pub constant: bool,
    /// Source location.
    pub loc: Loc,
}

/// A whole module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// Functions in source order; names are unique.
    pub functions: Vec<Function>,
    /// Globals, referred to by number.
    pub globals: Vec<Global>,
}

impl Program {
    /// The function of that name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name == name)
    }
}
