//! Loops, guards and statements.

use super::Writer;
use crate::model::{Access, Carried, ExprKind, Guard, Item, Loop};
use tilia_program::{AffineExpr, ScalarType};

impl Writer<'_> {
    pub(super) fn items(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Loop(l) => self.loop_text(l),
            Item::Guard(g) => self.guard(g),
            Item::Store { target, value } => {
                let value = self.expr(value);
                self.store(&value, target);
            }
            Item::Let { value, expr } => {
                let name = self.expr(expr);
                self.values.insert(*value, name);
            }
            Item::Vector { target, op, a, b } => self.vector(target, op, a, b),
            Item::DataIf { a, b, then } => self.data_if(a, b, then),
            Item::Indirect {
                index,
                modulus,
                target,
                value,
            } => self.indirect(index, *modulus, *target, value),
            Item::Touch { array } => {
                let ty = self.types[*array].clone();
                let n = match self.touches.iter().position(|t| *t == ty) {
                    Some(n) => n,
                    None => {
                        self.touches.push(ty.clone());
                        self.touches.len() - 1
                    }
                };
                let name = self.names[*array].clone();
                self.line(&format!("func.call @touch{n}({name}) : ({ty}) -> ()"));
            }
        }
    }

    /// `[subscripts]` for an access, shifted into the array.
    fn subscripts(&mut self, access: &Access) -> String {
        let shift = self.shapes.shift[access.array].clone();
        let shifted = access
            .subscripts
            .iter()
            .zip(shift)
            .map(|(e, s)| AffineExpr::add(e.clone(), AffineExpr::Const(s)));
        let shifted: Vec<_> = shifted.collect();
        let texts: Vec<String> = if self.model.scf {
            shifted.iter().map(|e| self.computed(e)).collect()
        } else {
            shifted.iter().map(|e| self.inline(e)).collect()
        };
        texts.join(", ")
    }

    pub(super) fn load(&mut self, access: &Access) -> String {
        let subscripts = self.subscripts(access);
        let (name, ty) = (self.names[access.array].clone(), self.types[access.array].clone());
        let dialect = if self.model.scf { "memref" } else { "affine" };
        self.define(&format!("{dialect}.load {name}[{subscripts}] : {ty}"))
    }

    fn store(&mut self, value: &str, access: &Access) {
        let subscripts = self.subscripts(access);
        let (name, ty) = (self.names[access.array].clone(), self.types[access.array].clone());
        let dialect = if self.model.scf { "memref" } else { "affine" };
        self.line(&format!("{dialect}.store {value}, {name}[{subscripts}] : {ty}"));
    }

    fn vector(&mut self, target: &Access, op: &str, a: &Access, b: &Access) {
        let elem = self.model.arrays[target.array].elem;
        let vector = format!("vector<{}x{elem}>", target.lanes);
        let mut read = |access: &Access| {
            let subscripts = self.subscripts(access);
            let (name, ty) = (self.names[access.array].clone(), self.types[access.array].clone());
            self.define(&format!("affine.vector_load {name}[{subscripts}] : {ty}, {vector}"))
        };
        let (x, y) = (read(a), read(b));
        let sum = self.define(&format!("{op} {x}, {y} : {vector}"));
        let subscripts = self.subscripts(target);
        let (name, ty) = (self.names[target.array].clone(), self.types[target.array].clone());
        self.line(&format!("affine.vector_store {sum}, {name}[{subscripts}] : {ty}, {vector}"));
    }

    fn loop_text(&mut self, l: &Loop) {
        let var = self.variable(l.var);
        let carried = l.carried.as_ref().map(|c| (c, self.expr(&c.init)));
        let (prefix, suffix) = match &carried {
            Some((c, init)) => {
                let (after, inside) = (self.fresh(), self.fresh());
                self.values.insert(c.after, after.clone());
                self.values.insert(c.inside, inside.clone());
                (format!("{after} = "), format!(" iter_args({inside} = {init}) -> ({})", c.elem))
            }
            None => (String::new(), String::new()),
        };
        let head = if self.model.scf {
            let lower = self.extreme(&l.lower, "arith.maxsi");
            let upper = self.extreme(&l.upper, "arith.minsi");
            let step = self.define(&format!("arith.constant {} : index", l.step));
            format!("{prefix}scf.for {var} = {lower} to {upper} step {step}{suffix} {{")
        } else if l.parallel {
            let (lower, upper) = (self.inline(&l.lower[0]), self.inline(&l.upper[0]));
            format!("affine.parallel ({var}) = ({lower}) to ({upper}) {{")
        } else {
            let (lower, upper) = (self.bound(&l.lower, "max"), self.bound(&l.upper, "min"));
            let step = if l.step == 1 { String::new() } else { format!(" step {}", l.step) };
            format!("{prefix}affine.for {var} = {lower} to {upper}{step}{suffix} {{")
        };
        self.line(&head);
        self.depth += 1;
        self.items(&l.body);
        if let Some((c, _)) = &carried {
            self.hand_on(c);
        }
        self.depth -= 1;
        self.line("}");
    }

    fn hand_on(&mut self, c: &Carried) {
        let next = self.expr(&c.next);
        let dialect = if self.model.scf { "scf" } else { "affine" };
        self.line(&format!("{dialect}.yield {next} : {}", c.elem));
    }

    fn bound(&self, exprs: &[AffineExpr], word: &str) -> String {
        if let [AffineExpr::Const(c)] = exprs {
            return c.to_string();
        }
        let (text, operands, header) = self.mapped(exprs);
        let word = if exprs.len() > 1 { format!("{word} ") } else { String::new() };
        format!("{word}affine_map<({header}) -> ({text})>({})", operands.join(", "))
    }

    fn guard(&mut self, g: &Guard) {
        let head = if self.model.scf {
            let condition = self.scf_condition(g);
            format!("scf.if {condition} {{")
        } else {
            let exprs: Vec<_> = g.constraints.iter().map(|c| c.0.clone()).collect();
            let vars = Self::variables(exprs.iter());
            let each: Vec<String> = g.constraints.iter().map(|c| self.constraint(&exprs, &c.0, c.1)).collect();
            let (_, operands, header) = self.mapped(&exprs);
            debug_assert_eq!(vars.len(), operands.len());
            format!(
                "affine.if affine_set<({header}) : ({})>({}) {{",
                each.join(", "),
                operands.join(", ")
            )
        };
        self.line(&head);
        self.depth += 1;
        self.items(&g.then);
        self.depth -= 1;
        if !g.otherwise.is_empty() {
            self.line("} else {");
            self.depth += 1;
            self.items(&g.otherwise);
            self.depth -= 1;
        }
        self.line("}");
    }

    /// One constraint, with dims numbered as for all of them.
    fn constraint(&self, all: &[AffineExpr], e: &AffineExpr, is_eq: bool) -> String {
        let vars = Self::variables(all.iter());
        let highest = vars.last().map_or(0, |v| v + 1);
        let rename = |v: usize| vars.iter().position(|&w| w == v).map_or(0, |k| u32::try_from(k).unwrap_or(0));
        let dims: Vec<AffineExpr> = (0..highest).map(|v| AffineExpr::Dim(rename(v))).collect();
        format!("{} {} 0", e.substitute(&dims, &[]), if is_eq { "==" } else { ">=" })
    }

    fn scf_condition(&mut self, g: &Guard) -> String {
        let mut all = None;
        for (e, is_eq) in &g.constraints {
            let v = self.computed(e);
            let zero = self.define("arith.constant 0 : index");
            let predicate = if *is_eq { "eq" } else { "sge" };
            let one = self.define(&format!("arith.cmpi {predicate}, {v}, {zero} : index"));
            all = Some(match all {
                Some(others) => self.define(&format!("arith.andi {others}, {one} : i1")),
                None => one,
            });
        }
        all.unwrap_or_default()
    }

    fn data_if(&mut self, a: &crate::model::Expr, b: &crate::model::Expr, then: &[Item]) {
        let elem = a.elem;
        let (x, y) = (self.expr(a), self.expr(b));
        let compare = if elem.is_float() { "arith.cmpf ogt" } else { "arith.cmpi sgt" };
        let c = self.define(&format!("{compare}, {x}, {y} : {elem}"));
        self.line(&format!("scf.if {c} {{"));
        self.depth += 1;
        self.items(then);
        self.depth -= 1;
        self.line("}");
    }

    fn indirect(&mut self, index: &Access, modulus: i64, target: usize, value: &crate::model::Expr) {
        let loaded = self.load(index);
        let elem = self.model.arrays[index.array].elem;
        let k = self.define(&format!("arith.index_cast {loaded} : {elem} to index"));
        let m = self.define(&format!("arith.constant {modulus} : index"));
        let k = self.define(&format!("arith.remui {k}, {m} : index"));
        let shift = self.shapes.shift[target][0];
        let shift = self.define(&format!("arith.constant {shift} : index"));
        let k = self.define(&format!("arith.addi {k}, {shift} : index"));
        let value = self.expr(value);
        let (name, ty) = (self.names[target].clone(), self.types[target].clone());
        self.line(&format!("memref.store {value}, {name}[{k}] : {ty}"));
    }

    /// A variable as a number of type `elem`.
    pub(super) fn number(&mut self, kind: &ExprKind, elem: ScalarType) -> String {
        let ExprKind::Variable(var) = kind else {
            return String::new();
        };
        let var = self.variable(*var);
        let int = match elem {
            ScalarType::Int(_) => elem,
            _ => ScalarType::Int(32),
        };
        let cast = self.define(&format!("arith.index_cast {var} : index to {int}"));
        if elem.is_float() {
            self.define(&format!("arith.sitofp {cast} : {int} to {elem}"))
        } else {
            cast
        }
    }
}
