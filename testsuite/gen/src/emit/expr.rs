//! Right-hand sides.

use super::Writer;
use crate::model::{Expr, ExprKind};
use tilia_program::ScalarType;

impl Writer<'_> {
    /// Writes the operations of an expression and gives the name of its value.
    pub(super) fn expr(&mut self, e: &Expr) -> String {
        let elem = e.elem;
        match &e.kind {
            ExprKind::Constant(text) => self.define(&format!("arith.constant {text} : {elem}")),
            ExprKind::Load(access) => {
                let name = self.load(access);
                let from = self.model.arrays[access.array].elem;
                self.convert(name, from, elem)
            }
            ExprKind::Variable(_) => self.number(&e.kind, elem),
            ExprKind::Value(v) => self.values.get(v).cloned().unwrap_or_default(),
            ExprKind::Op(op, args) => {
                let names: Vec<String> = args.iter().map(|a| self.expr(a)).collect();
                self.define(&format!("{op} {} : {elem}", names.join(", ")))
            }
            ExprKind::Call(args) => {
                self.needs_mix = true;
                let names: Vec<String> = args.iter().map(|a| self.expr(a)).collect();
                self.define(&format!("func.call @mix({}) : (f64, f64) -> f64", names.join(", ")))
            }
        }
    }

    fn convert(&mut self, name: String, from: ScalarType, to: ScalarType) -> String {
        let op = match (from.is_float(), to.is_float()) {
            _ if from == to => return name,
            (true, true) if from.bits() < to.bits() => "arith.extf",
            (true, true) => "arith.truncf",
            (false, true) => "arith.sitofp",
            (false, false) if from.bits() < to.bits() => "arith.extsi",
            (false, false) => "arith.trunci",
            (true, false) => "arith.fptosi",
        };
        self.define(&format!("{op} {name} : {from} to {to}"))
    }
}
