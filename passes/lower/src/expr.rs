//! Expressions of the loop AST as values and conditions of the program.

use crate::emit::Emitter;
use crate::form::{Atom, Form};
use crate::tree::Declined;
use tilia_ast::{CmpOp, Expr};
use tilia_diag::Loc;
use tilia_program::{AffineExpr, AffineMap, BlockId, CmpI, Constant, IfCond, OpKind, PureOp, Type, ValueId};

type Res<T> = Result<T, Declined>;

fn too_large(loc: &Loc) -> Declined {
    Declined::new(loc, "an index expression of the generated loops leaves 64 bits")
}

impl Emitter<'_> {
    /// The form of an integer expression; minima, maxima and selections become values first.
    pub(crate) fn expr_form(&mut self, e: &Expr, block: BlockId, loc: &Loc) -> Res<Form> {
        let simple = Form::of_expr(e, &|p| self.params.get(p).copied());
        if let Some(form) = simple {
            return Ok(form);
        }
        match e {
            Expr::Add(terms) => {
                let mut sum = Form::default();
                for t in terms {
                    let t = self.expr_form(t, block, loc)?;
                    sum = sum.add_scaled(&t, 1).ok_or_else(|| too_large(loc))?;
                }
                Ok(sum)
            }
            Expr::Mul(c, e) => {
                let c = c.to_i64().ok_or_else(|| too_large(loc))?;
                self.expr_form(e, block, loc)?.scaled(c).ok_or_else(|| too_large(loc))
            }
            Expr::FloorDiv { num, den, .. } => {
                let den = den.to_i64().ok_or_else(|| too_large(loc))?;
                self.expr_form(num, block, loc)?.floor_div(den).ok_or_else(|| too_large(loc))
            }
            Expr::Mod { num, den, .. } => {
                let den = den.to_i64().ok_or_else(|| too_large(loc))?;
                let num = self.expr_form(num, block, loc)?;
                let quotient = num.clone().floor_div(den).ok_or_else(|| too_large(loc))?;
                num.add_scaled(&quotient, -den).ok_or_else(|| too_large(loc))
            }
            Expr::Min(list) => self.extremum(list, block, loc, OpKind::Min),
            Expr::Max(list) => self.extremum(list, block, loc, OpKind::Max),
            Expr::Select(cond, a, b) => {
                let cond = self.condition_value(cond, block, loc)?;
                let a = self.expr_value(a, block, loc)?;
                let b = self.expr_value(b, block, loc)?;
                let op = self
                    .f
                    .append(block, OpKind::pure(PureOp::Select), vec![cond, a, b], &[Type::INDEX], loc.clone());
                Ok(Form::atom(Atom::Value(self.f.result(op))))
            }
            Expr::Int(_) => Err(too_large(loc)),
            Expr::Param(p) => Err(Declined::new(
                loc,
                format!("the loop AST mentions a parameter {p} that the scop doesn't have"),
            )),
            _ => Err(Declined::new(loc, "a condition stands where a number is needed")),
        }
    }

    fn extremum(&mut self, list: &[Expr], block: BlockId, loc: &Loc, kind: fn(AffineMap) -> OpKind) -> Res<Form> {
        let forms = list.iter().map(|e| self.expr_form(e, block, loc)).collect::<Res<Vec<_>>>()?;
        let (map, operands) = self.map(&forms);
        let op = self.f.append(block, kind(map), operands, &[Type::INDEX], loc.clone());
        Ok(Form::atom(Atom::Value(self.f.result(op))))
    }

    /// The value of an integer expression.
    pub(crate) fn expr_value(&mut self, e: &Expr, block: BlockId, loc: &Loc) -> Res<ValueId> {
        let form = self.expr_form(e, block, loc)?;
        Ok(self.form_value(&form, block, loc))
    }

    /// The value of a form.
    pub(crate) fn form_value(&mut self, form: &Form, block: BlockId, loc: &Loc) -> ValueId {
        if let Some(c) = form.as_constant() {
            return self.value(block, OpKind::int(c), vec![], &Type::INDEX, loc);
        }
        let (map, operands) = self.map(std::slice::from_ref(form));
        if map.results == [AffineExpr::Dim(0)] && self.f[operands[0]].ty == Type::INDEX {
            return operands[0];
        }
        self.value(block, OpKind::Apply(map), operands, &Type::INDEX, loc)
    }

    /// A condition of the AST as an `affine.if` condition where it is a conjunction of comparisons, else as an i1 value.
    pub(crate) fn condition(&mut self, e: &Expr, block: BlockId, loc: &Loc) -> Res<(IfCond, Vec<ValueId>)> {
        let mut forms = Vec::new();
        if self.conjunction(e, block, loc, &mut forms)? {
            return Ok(self.set_condition(&forms));
        }
        let value = self.condition_value(e, block, loc)?;
        Ok((IfCond::Value, vec![value]))
    }

    /// Gathers a conjunction of comparisons as forms (zero, or non-negative); false when the condition isn't one.
    fn conjunction(&mut self, e: &Expr, block: BlockId, loc: &Loc, forms: &mut Vec<(Form, bool)>) -> Res<bool> {
        match e {
            Expr::And(list) => {
                for e in list {
                    if !self.conjunction(e, block, loc, forms)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Expr::Bool(true) => Ok(true),
            Expr::Cmp(op, a, b) if *op != CmpOp::Ne => {
                let a = self.expr_form(a, block, loc)?;
                let b = self.expr_form(b, block, loc)?;
                let (big, small, slack) = match op {
                    CmpOp::Le => (b, a, 0),
                    CmpOp::Lt => (b, a, -1),
                    CmpOp::Gt => (a, b, -1),
                    _ => (a, b, 0),
                };
                let difference = big
                    .add_scaled(&small, -1)
                    .and_then(|d| d.add_scaled(&Form::constant(slack), 1))
                    .ok_or_else(|| too_large(loc))?;
                forms.push((difference, *op == CmpOp::Eq));
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// A condition as an i1 value.
    pub(crate) fn condition_value(&mut self, e: &Expr, block: BlockId, loc: &Loc) -> Res<ValueId> {
        let (kind, operands) = match e {
            Expr::Bool(b) => (OpKind::Constant(Constant::Int(-i64::from(*b))), vec![]),
            Expr::Cmp(op, a, b) => {
                let predicate = match op {
                    CmpOp::Eq => CmpI::Eq,
                    CmpOp::Ne => CmpI::Ne,
                    CmpOp::Lt => CmpI::Slt,
                    CmpOp::Le => CmpI::Sle,
                    CmpOp::Gt => CmpI::Sgt,
                    CmpOp::Ge => CmpI::Sge,
                };
                let operands = vec![self.expr_value(a, block, loc)?, self.expr_value(b, block, loc)?];
                (OpKind::pure(PureOp::CmpI(predicate)), operands)
            }
            Expr::And(list) => return self.fold(list, PureOp::AndI, true, block, loc),
            Expr::Or(list) => return self.fold(list, PureOp::OrI, false, block, loc),
            Expr::Not(e) => {
                let value = self.condition_value(e, block, loc)?;
                let all = self.condition_value(&Expr::Bool(true), block, loc)?;
                (OpKind::pure(PureOp::XOrI), vec![value, all])
            }
            _ => return Err(Declined::new(loc, "a number stands where a condition is needed")),
        };
        let op = self.f.append(block, kind, operands, &[Type::BOOL], loc.clone());
        Ok(self.f.result(op))
    }

    fn fold(&mut self, list: &[Expr], op: PureOp, neutral: bool, block: BlockId, loc: &Loc) -> Res<ValueId> {
        let mut all: Option<ValueId> = None;
        for e in list {
            let value = self.condition_value(e, block, loc)?;
            all = Some(match all {
                None => value,
                Some(so_far) => {
                    let op = self
                        .f
                        .append(block, OpKind::pure(op), vec![so_far, value], &[Type::BOOL], loc.clone());
                    self.f.result(op)
                }
            });
        }
        all.map_or_else(|| self.condition_value(&Expr::Bool(neutral), block, loc), Ok)
    }
}
