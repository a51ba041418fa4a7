//! Programs as MLIR text.

mod affine;
mod expr;
mod index;

use crate::case::{Shapes, base_extents};
use crate::model::{Array, Model, Place, Through, ValueId};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// The text being written.
struct Writer<'m> {
    model: &'m Model,
    shapes: &'m Shapes,
    out: String,
    depth: usize,
    /// Number of the next SSA name.
    next: usize,
    /// Names of values.
    values: FxHashMap<ValueId, String>,
    /// Types of the arrays as accesses see them, and their names.
    types: Vec<String>,
    names: Vec<String>,
    /// Functions that are called.
    needs_mix: bool,
    touches: Vec<String>,
}

/// The module: the function `@kernel`, and the functions that it calls.
pub(crate) fn text(model: &Model, shapes: &Shapes) -> String {
    let mut w = Writer {
        model,
        shapes,
        out: String::new(),
        depth: 1,
        next: 0,
        values: FxHashMap::default(),
        types: Vec::new(),
        names: Vec::new(),
        needs_mix: false,
        touches: Vec::new(),
    };
    w.kernel();
    w.helpers();
    w.out
}

fn shape(extents: &[i64], dynamic: impl Fn(usize) -> bool) -> String {
    let dim = |(k, d): (usize, &i64)| if dynamic(k) { "?x".to_owned() } else { format!("{d}x") };
    extents.iter().enumerate().map(dim).collect()
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next - 1)
    }

    /// Writes `%v = text` and gives the name.
    fn define(&mut self, text: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {text}"));
        name
    }

    /// The name of a variable: parameter or iterator.
    fn variable(&self, var: usize) -> String {
        if var < self.model.params.len() {
            format!("%n{var}")
        } else {
            format!("%i{var}")
        }
    }

    /// Extents of the first input; static ones are the same in all.
    fn extents(&self, array: usize) -> &[i64] {
        &self.shapes.extents[array][0]
    }

    fn base_type(&self, n: usize, array: &Array) -> String {
        let extents = base_extents(array, self.extents(n));
        format!("memref<{}{}>", shape(&extents, |k| array.dynamic[k]), array.elem)
    }

    fn kernel(&mut self) {
        let mut params: Vec<String> = (0..self.model.params.len()).map(|n| format!("%n{n}: index")).collect();
        for (n, array) in self.model.arrays.iter().enumerate() {
            if array.place == Place::Argument {
                params.push(format!("%A{n}: {}", self.base_type(n, array)));
            }
        }
        let _ = writeln!(self.out, "func.func @kernel({}) {{", params.join(", "));
        for n in 0..self.model.arrays.len() {
            self.prepare_array(n);
        }
        self.items(&self.model.body);
        for (n, array) in self.model.arrays.iter().enumerate() {
            if array.place == Place::Private {
                let ty = self.base_type(n, array);
                self.line(&format!("memref.dealloc %A{n} : {ty}"));
            }
        }
        self.line("return");
        self.out.push_str("}\n");
    }

    /// Makes the array and the view that accesses go through.
    fn prepare_array(&mut self, n: usize) {
        let array = &self.model.arrays[n];
        let base = self.base_type(n, array);
        let name = format!("%A{n}");
        if array.place == Place::Private {
            self.line(&format!("{name} = memref.alloc() : {base}"));
            self.fill(&name, &base, &base_extents(array, self.extents(n)), array.elem);
        }
        let (name, ty) = match &array.through {
            Through::Itself => (name, base),
            Through::Cast => {
                let ty = format!("memref<{}{}>", shape(self.extents(n), |k| k % 2 == 0), array.elem);
                (self.define(&format!("memref.cast {name} : {base} to {ty}")), ty)
            }
            Through::SubView(dims) => {
                let extents = self.extents(n).to_vec();
                let ty = self.subview_type(n, dims);
                let list = |f: &dyn Fn(usize) -> i64| (0..dims.len()).map(|k| f(k).to_string()).collect::<Vec<_>>().join(", ");
                let (offsets, sizes, strides) = (list(&|k| dims[k].0), list(&|k| extents[k]), list(&|k| dims[k].1));
                (
                    self.define(&format!("memref.subview {name}[{offsets}] [{sizes}] [{strides}] : {base} to {ty}")),
                    ty,
                )
            }
        };
        self.names.push(name);
        self.types.push(ty);
    }

    fn subview_type(&self, n: usize, dims: &[(i64, i64)]) -> String {
        let array = &self.model.arrays[n];
        let base = base_extents(array, self.extents(n));
        let mut strides = vec![1i64; base.len()];
        for k in (0..base.len().saturating_sub(1)).rev() {
            strides[k] = strides[k + 1] * base[k + 1].max(1);
        }
        let offset: i64 = dims.iter().zip(&strides).map(|(d, s)| d.0 * s).sum();
        let strides: Vec<String> = dims.iter().zip(&strides).map(|(d, s)| (d.1 * s).to_string()).collect();
        let shape = shape(self.extents(n), |_| false);
        format!("memref<{shape}{}, strided<[{}], offset: {offset}>>", array.elem, strides.join(", "))
    }

    /// Gives every element of a private array a value: what it holds at first is nobody's promise.
    fn fill(&mut self, name: &str, ty: &str, extents: &[i64], elem: tilia_program::ScalarType) {
        let zero = if elem.is_float() { "0.5" } else { "3" };
        let value = self.define(&format!("arith.constant {zero} : {elem}"));
        let mut subscripts = Vec::new();
        for d in extents {
            let i = self.fresh();
            self.line(&format!("affine.for {i} = 0 to {d} {{"));
            self.depth += 1;
            subscripts.push(i);
        }
        self.line(&format!("affine.store {value}, {name}[{}] : {ty}", subscripts.join(", ")));
        for _ in extents {
            self.depth -= 1;
            self.line("}");
        }
    }

    /// The functions that the kernel calls.
    fn helpers(&mut self) {
        if self.needs_mix {
            self.out.push_str(concat!(
                "func.func private @mix(%a: f64, %b: f64) -> f64 {\n",
                "  %c = arith.constant 5.0e-1 : f64\n",
                "  %d = arith.mulf %a, %c : f64\n",
                "  %e = arith.subf %d, %b : f64\n",
                "  return %e : f64\n}\n"
            ));
        }
        let touches = std::mem::take(&mut self.touches);
        for (n, ty) in touches.iter().enumerate() {
            let rank = ty.matches('x').count();
            let zeros = vec!["%z"; rank].join(", ");
            let _ = write!(
                self.out,
                concat!(
                    "func.func private @touch{n}(%m: {ty}) {{\n  %z = arith.constant 0 : index\n  %c = arith.constant 1.25 : f64\n",
                    "  %a = memref.load %m[{zeros}] : {ty}\n  %b = arith.addf %a, %c : f64\n",
                    "  memref.store %b, %m[{zeros}] : {ty}\n  return\n}}\n"
                ),
                n = n,
                ty = ty,
                zeros = zeros
            );
        }
    }
}
