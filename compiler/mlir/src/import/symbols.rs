//! Names of functions and globals across nested modules.
//!
//! The program IR has one flat name space. A function keeps its name where that is unique in the file; otherwise it is told apart by the modules around it.

use super::{MlirOp, name_is, string_attribute};
use melior::ir::BlockLike;
use melior::ir::RegionLike;
use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};

/// A symbol's definition and the module it is in.
pub(super) struct Definition<'m> {
    /// The operation.
    pub(super) op: MlirOp<'m>,
    /// Its name in the program.
    pub(super) name: String,
    /// Number of the module around it.
    pub(super) scope: usize,
}

/// All functions and globals of a file.
#[derive(Default)]
pub(super) struct Symbols<'m> {
    /// Functions in source order.
    pub(super) functions: Vec<Definition<'m>>,
    /// Globals in source order.
    pub(super) globals: Vec<Definition<'m>>,
    /// Other operations at module level that aren't modules.
    pub(super) others: Vec<MlirOp<'m>>,
    by_scope: FxHashMap<(usize, String), Target>,
    parents: Vec<Option<usize>>,
}

#[derive(Clone, Copy)]
enum Target {
    Function(usize),
    Global(usize),
}

impl<'m> Symbols<'m> {
    /// Collects what the module and the modules in it define.
    pub(super) fn collect(module: MlirOp<'m>) -> Self {
        let mut symbols = Self::default();
        let mut taken = FxHashSet::default();
        symbols.module(module, None, "", &mut taken);
        symbols
    }

    fn module(&mut self, module: MlirOp<'m>, parent: Option<usize>, path: &str, taken: &mut FxHashSet<String>) {
        let scope = self.parents.len();
        self.parents.push(parent);
        let Some(block) = module.region(0).ok().and_then(|r| r.first_block()) else {
            return;
        };
        let mut nested = Vec::new();
        let mut next = block.first_operation();
        while let Some(op) = next {
            next = op.next_in_block();
            if name_is(&op, "builtin.module") {
                nested.push(op);
                continue;
            }
            let function = name_is(&op, "func.func");
            let symbol = string_attribute(&op, "sym_name").filter(|_| function || name_is(&op, "memref.global"));
            let Some(symbol) = symbol else {
                self.others.push(op);
                continue;
            };
            let name = unique(&symbol, path, taken);
            let list = if function { &mut self.functions } else { &mut self.globals };
            let target = if function {
                Target::Function(list.len())
            } else {
                Target::Global(list.len())
            };
            list.push(Definition { op, name, scope });
            self.by_scope.insert((scope, symbol), target);
        }
        for op in nested {
            let label = string_attribute(&op, "sym_name").unwrap_or_else(|| format!("module{}", self.parents.len()));
            self.module(op, Some(scope), &format!("{path}{label}::"), taken);
        }
    }

    fn find(&self, scope: usize, symbol: &str) -> Option<Target> {
        let mut scope = Some(scope);
        while let Some(number) = scope {
            if let Some(target) = self.by_scope.get(&(number, symbol.to_owned())) {
                return Some(*target);
            }
            scope = self.parents.get(number).copied().flatten();
        }
        None
    }

    /// The program's name of the function that `symbol` means in module `scope`.
    pub(super) fn function(&self, scope: usize, symbol: &str) -> Option<&str> {
        match self.find(scope, symbol)? {
            Target::Function(n) => Some(&self.functions[n].name),
            Target::Global(_) => None,
        }
    }

    /// Whether `symbol` means, in module `scope`, a function that says whether two memrefs share an element.
    pub(super) fn is_overlap_check(&self, scope: usize, symbol: &str) -> bool {
        match self.find(scope, symbol) {
            Some(Target::Function(n)) => self.functions[n].op.has_attribute(super::OVERLAP),
            _ => false,
        }
    }

    /// The position among [`Symbols::globals`] of the global that `symbol` means in module `scope`.
    pub(super) fn global(&self, scope: usize, symbol: &str) -> Option<usize> {
        match self.find(scope, symbol)? {
            Target::Global(n) => Some(n),
            Target::Function(_) => None,
        }
    }
}

/// `symbol`, with the path of modules in front if another one has it, and a number if even that is taken.
fn unique(symbol: &str, path: &str, taken: &mut FxHashSet<String>) -> String {
    let mut name = symbol.to_owned();
    if !taken.insert(name.clone()) {
        name = format!("{path}{symbol}");
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{path}{symbol}#{number}");
            number += 1;
        }
    }
    name
}
