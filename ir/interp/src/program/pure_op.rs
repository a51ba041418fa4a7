//! Arithmetic on scalars and, lane by lane, on vectors.

use super::Slot;
use super::machine::Machine;
use super::number::Scalars;
use super::slot::lanes;
use tilia_program::{Op, PureOp, ScalarType, Type};

/// More operands than any operation on numbers has.
const MAX_OPERANDS: usize = 4;

impl Machine<'_, '_> {
    pub(super) fn pure(&mut self, p: PureOp, op: &Op) -> Result<(), String> {
        let function = self.frame().function;
        let ty = &function[op.results[0]].ty;
        let slot = match p {
            PureOp::Select => self.select(op, ty)?,
            PureOp::Splat => match ty {
                Type::Vector(v) => Slot::Lanes(vec![self.slot(op.operands[0]).bits()?; lanes(v)?].into()),
                _ => return Err("a splat must give a vector".to_owned()),
            },
            PureOp::Extract(n) => Slot::Bits(self.slot(op.operands[0]).lane(n as usize)?),
            PureOp::Insert(n) => {
                let word = self.slot(op.operands[0]).bits()?;
                let Slot::Lanes(old) = self.slot(op.operands[1]) else {
                    return Err("a vector is needed".to_owned());
                };
                let mut words = old.to_vec();
                *words.get_mut(n as usize).ok_or("the vector has no such lane")? = word;
                Slot::Lanes(words.into())
            }
            _ => return self.arithmetic(p, op),
        };
        self.set(op.results[0], slot);
        Ok(())
    }

    fn select(&mut self, op: &Op, ty: &Type) -> Result<Slot, String> {
        let [c, a, b] = op.operands[..] else {
            return Err("a select takes three operands".to_owned());
        };
        let condition = self.slot(c);
        let Slot::Lanes(conditions) = condition else {
            let chosen = if condition.as_int()? & 1 != 0 { a } else { b };
            return Ok(self.slot(chosen).clone());
        };
        let Type::Vector(v) = ty else {
            return Err("a vector condition selects between vectors".to_owned());
        };
        let mut words = Vec::with_capacity(lanes(v)?);
        for (n, c) in conditions.iter().enumerate() {
            words.push(self.slot(if c & 1 != 0 { a } else { b }).lane(n)?);
        }
        Ok(Slot::Lanes(words.into()))
    }

    fn arithmetic(&mut self, p: PureOp, op: &Op) -> Result<(), String> {
        let function = self.frame().function;
        let count = op.operands.len();
        if count > MAX_OPERANDS {
            return Err("too many operands".to_owned());
        }
        let mut types = [ScalarType::Index; MAX_OPERANDS];
        for (t, &v) in types.iter_mut().zip(&op.operands) {
            *t = function[v].ty.element().ok_or("a number is needed")?;
        }
        let ty = &function[op.results[0]].ty;
        let result = ty.element().ok_or("the result must be a number")?;
        let mut words = [0u64; MAX_OPERANDS];
        let width = match ty {
            Type::Vector(v) => Some(lanes(v)?),
            _ => None,
        };
        self.spend(width.map_or(0, |n| n as u64))?;
        let mut all = [Vec::new(), Vec::new()];
        for n in 0..width.unwrap_or(1) {
            for (w, &v) in words.iter_mut().zip(&op.operands) {
                *w = self.slot(v).lane(n)?;
            }
            let scalars = Scalars {
                types: &types[..count],
                words: &words[..count],
                result,
            };
            let out = scalars.eval(p)?;
            if width.is_none() {
                for (&v, word) in op.results.iter().zip(out) {
                    self.set(v, Slot::Bits(word));
                }
                return Ok(());
            }
            for (list, word) in all.iter_mut().zip(out) {
                list.push(word);
            }
        }
        for (&v, list) in op.results.iter().zip(all) {
            self.set(v, Slot::Lanes(list.into()));
        }
        Ok(())
    }
}
