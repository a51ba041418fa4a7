//! Loops, conditions, branches and calls.

use super::affine_form::Attribute;
use super::builder::{Parts, array_i32};
use super::emit::{FunctionExporter, MlirBlock, MlirOp, MlirValue};
use super::{Exported, internal};
use crate::ffi;
use crate::walk::uses_from_outside;
use melior::ir::BlockLike;
use melior::ir::operation::OperationLike;
use tilia_program::{AffineMap, ForOp, IfCond, LoopExec, OpId, OpKind, Step};

impl<'m> FunctionExporter<'_, 'm> {
    /// Makes an operation of control flow, with what is in it.
    pub(super) fn control(&mut self, op: OpId, target: MlirBlock<'m>) -> Exported {
        match &self.new[op].kind {
            OpKind::For(for_op) => self.for_loop(op, for_op, target),
            OpKind::If(condition) => {
                let condition = match condition {
                    IfCond::Set(set) => {
                        if let Some((set, operands)) = self.affine_set(op, set) {
                            return self.structured(op, "affine.if", &operands, &[("condition", set)], target);
                        }
                        let operands = self.all_operands(op)?;
                        self.b.set(target, set, &operands)?
                    }
                    IfCond::Value => self.operand(op, 0)?,
                };
                self.structured(op, "scf.if", &[condition], &[], target)
            }
            OpKind::While => {
                let operands = self.all_operands(op)?;
                self.structured(op, "scf.while", &operands, &[], target)
            }
            OpKind::ExecuteRegion => self.structured(op, "scf.execute_region", &[], &[], target),
            OpKind::Condition => self.plain(op, "scf.condition", target),
            OpKind::Yield => {
                let name = yield_name(target)?;
                self.plain(op, name, target)
            }
            OpKind::Call(callee) => {
                let symbol = self.symbol(callee)?;
                let attributes = [("callee", format!("@{symbol:?}"))];
                let operands = self.all_operands(op)?;
                self.simple(op, "func.call", &operands, &attributes, target)
            }
            OpKind::Return => self.plain(op, "func.return", target),
            OpKind::Br(_) | OpKind::CondBr { .. } | OpKind::Switch { .. } => self.branch(op, target),
            OpKind::Assert(message) => {
                let operands = self.all_operands(op)?;
                self.simple(op, "cf.assert", &operands, &[("msg", quoted(message))], target)
            }
            OpKind::Unreachable => self.plain(op, "ub.unreachable", target),
            OpKind::Unsupported { name, .. } => self.unknown(op, name, target),
            _ => Err(internal("not an operation of control flow")),
        }
    }

    /// A copy of an operation that the program can't express, with what is in it.
    fn unknown(&mut self, op: OpId, name: &str, target: MlirBlock<'m>) -> Exported {
        let cant = |why: &str| internal(format!("'{name}' can't be copied: {why}"));
        let original = self.original(op).ok_or_else(|| cant("its source is gone"))?;
        if original.successors().next().is_some() {
            return Err(cant("it branches"));
        }
        let copy = ffi::copy_to_end(original, target);
        let uses = uses_from_outside(copy);
        let operands = self.all_operands(op)?;
        if uses.len() != operands.len() {
            return Err(cant("it uses something that the program doesn't have"));
        }
        for (used, value) in uses.iter().zip(operands) {
            ffi::set_operand(used.user, used.operand, value);
        }
        self.bind_results(op, copy);
        Ok(())
    }

    fn operand(&self, op: OpId, n: usize) -> Exported<MlirValue<'m>> {
        self.operands(op, n..n + 1)?
            .first()
            .copied()
            .ok_or_else(|| internal("an operation with too few operands"))
    }

    /// An operation with the results of `op`, whose regions are filled with those of `op`.
    fn structured(
        &mut self,
        op: OpId,
        name: &str,
        operands: &[MlirValue<'m>],
        attributes: &[(&str, String)],
        target: MlirBlock<'m>,
    ) -> Exported {
        let parts = Parts {
            operands,
            results: &self.result_types(op)?,
            attributes,
            regions: self.new[op].regions.len(),
            ..Parts::default()
        };
        let made = self.b.op(target, name, parts)?;
        self.regions(op, made)?;
        self.bind_results(op, made);
        Ok(())
    }

    /// Fills the regions of a new operation.
    fn regions(&mut self, op: OpId, made: MlirOp<'m>) -> Exported {
        for (n, region) in self.new[op].regions.clone().into_iter().enumerate() {
            let target = made.region(n).map_err(|_| internal("an operation with too few regions"))?;
            let blocks = self.new[region].blocks.clone();
            let mut targets = Vec::new();
            for &block in &blocks {
                targets.push(self.new_block(target, block)?);
            }
            for (block, target) in blocks.into_iter().zip(targets) {
                self.block(block, target)?;
            }
        }
        Ok(())
    }

    /// A loop in its affine form where that is valid, else in scf.
    fn for_loop(&mut self, op: OpId, for_op: &ForOp, target: MlirBlock<'m>) -> Exported {
        if let Step::Const(step) = for_op.step {
            let lower = self.affine_map(op, 0, &for_op.lower);
            let upper = self.affine_map(op, for_op.lower.operands(), &for_op.upper);
            if let (Some(lower), Some(upper)) = (lower, upper) {
                return self.affine_loop(op, for_op, (lower, upper, step), target);
            }
        }
        let operands = self.all_operands(op)?;
        let (lower, rest) = split(&operands, for_op.lower.operands())?;
        let (upper, rest) = split(rest, for_op.upper.operands())?;
        let lower = self.b.extreme(target, &for_op.lower, lower, true)?;
        let upper = self.b.extreme(target, &for_op.upper, upper, false)?;
        let (step, inits) = match for_op.step {
            Step::Const(step) => (self.b.index(target, step)?, rest),
            Step::Value => {
                let (step, inits) = split(rest, 1)?;
                (step[0], inits)
            }
        };
        let operands = [&[lower, upper, step], inits].concat();
        if is_parallel(for_op, inits) {
            let attributes = [("operandSegmentSizes", array_i32(&[1, 1, 1, 0]))];
            self.structured(op, "scf.parallel", &operands, &attributes, target)
        } else {
            self.structured(op, "scf.for", &operands, &[], target)
        }
    }

    fn affine_loop(
        &mut self,
        op: OpId,
        for_op: &ForOp,
        ((lower, mut operands), (upper, upper_operands), step): (Attribute<'m>, Attribute<'m>, i64),
        target: MlirBlock<'m>,
    ) -> Exported {
        let first = for_op.lower.operands() + for_op.upper.operands();
        let inits = self.operands(op, first..self.new[op].operands.len())?;
        let counts = [operands.len(), upper_operands.len(), inits.len()];
        operands.extend(upper_operands);
        operands.extend(&inits);
        if is_parallel(for_op, &inits) {
            let group = |map: &AffineMap| format!("dense<{}> : tensor<1xi32>", map.results.len());
            let attributes = [
                ("lowerBoundsMap", lower),
                ("upperBoundsMap", upper),
                ("lowerBoundsGroups", group(&for_op.lower)),
                ("upperBoundsGroups", group(&for_op.upper)),
                ("steps", format!("[{step} : i64]")),
                ("reductions", "[]".to_owned()),
            ];
            return self.structured(op, "affine.parallel", &operands, &attributes, target);
        }
        let attributes = [
            ("lowerBoundMap", lower),
            ("upperBoundMap", upper),
            ("step", format!("{step} : index")),
            ("operandSegmentSizes", array_i32(&counts)),
        ];
        self.structured(op, "affine.for", &operands, &attributes, target)
    }

    fn branch(&mut self, op: OpId, target: MlirBlock<'m>) -> Exported {
        let operands = self.all_operands(op)?;
        let count = operands.len();
        let (name, successors, attributes) = match &self.new[op].kind {
            OpKind::Br(to) => ("cf.br", vec![*to], Vec::new()),
            OpKind::CondBr {
                then,
                otherwise,
                then_args,
            } => {
                let then_args = *then_args as usize;
                let groups = [1, then_args, count.saturating_sub(1 + then_args)];
                (
                    "cf.cond_br",
                    vec![*then, *otherwise],
                    vec![("operandSegmentSizes", array_i32(&groups))],
                )
            }
            OpKind::Switch { default, cases } => {
                let flag = &self.new[self.new[op].operands[0]].ty;
                let values: Vec<String> = cases.iter().map(|c| c.0.to_string()).collect();
                let args: Vec<usize> = cases.iter().map(|c| c.2 as usize).collect();
                let groups = [1, default.1 as usize, args.iter().sum()];
                let mut attributes = vec![
                    ("operandSegmentSizes", array_i32(&groups)),
                    ("case_operand_segments", array_i32(&args)),
                ];
                if !cases.is_empty() {
                    attributes.push((
                        "case_values",
                        format!("dense<[{}]> : tensor<{}x{flag}>", values.join(", "), cases.len()),
                    ));
                }
                let successors = std::iter::once(default.0).chain(cases.iter().map(|c| c.1)).collect();
                ("cf.switch", successors, attributes)
            }
            _ => return Err(internal("not a branch")),
        };
        let successors = successors.into_iter().map(|b| self.block_of(b)).collect::<Exported<Vec<_>>>()?;
        let parts = Parts {
            operands: &operands,
            attributes: &attributes,
            successors: &successors,
            ..Parts::default()
        };
        self.b.op(target, name, parts)?;
        Ok(())
    }
}

/// Whether a loop's iterations may run in any order: MLIR's parallel loops have reductions, not iter_args.
fn is_parallel(for_op: &ForOp, inits: &[MlirValue<'_>]) -> bool {
    for_op.exec == LoopExec::Parallel && inits.is_empty()
}

fn split<'a, 'm>(values: &'a [MlirValue<'m>], at: usize) -> Exported<(&'a [MlirValue<'m>], &'a [MlirValue<'m>])> {
    values
        .split_at_checked(at)
        .ok_or_else(|| internal("an operation with too few operands"))
}

/// What ends the blocks of the operation that `block` is in.
fn yield_name(block: MlirBlock<'_>) -> Exported<&'static str> {
    let parent = block.parent_operation().ok_or_else(|| internal("a block in no operation"))?;
    let name = parent.name();
    let name = name.as_string_ref();
    Ok(match name.as_str().unwrap_or_default() {
        "affine.for" | "affine.if" | "affine.parallel" => "affine.yield",
        "memref.alloca_scope" => "memref.alloca_scope.return",
        "scf.parallel" => "scf.reduce",
        _ => "scf.yield",
    })
}

/// A string as MLIR writes it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | 0..=31 | 127..=255 => quoted.push_str(&format!("\\{byte:02X}")),
            _ => quoted.push(char::from(byte)),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("so \"much\"\n"), "\"so \\22much\\22\\0A\"");
    }
}
