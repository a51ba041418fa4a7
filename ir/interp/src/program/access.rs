//! Loads, stores and copies.

use super::machine::{Machine, affine_error};
use super::slot::lanes;
use super::{ElementAccess, Slot, View};
use std::rc::Rc;
use tilia_program::{Access, Op, OpId, Type, ValueId, VectorType};

impl Machine<'_, '_> {
    /// Evaluates the subscripts of an access into `self.subscripts`.
    fn subscripts(&mut self, access: &Access, operands: &[ValueId]) -> Result<(), String> {
        self.gather(operands)?;
        let (dims, syms) = self.operands.split_at(access.map.dims as usize);
        self.subscripts.clear();
        for e in &access.map.results {
            let v = e.eval(dims, syms).ok_or_else(|| affine_error(e, &self.operands))?;
            self.subscripts.push(v);
        }
        Ok(())
    }

    /// Tells the observer and the check of parallel loops.
    fn touch(&mut self, op: OpId, view: &View, element: i64, write: bool) -> Result<(), String> {
        let buffer = view.root.id;
        if let Some(observer) = &mut self.observer {
            observer.access(&ElementAccess {
                op,
                buffer,
                element,
                write,
            })?;
        }
        if let Some(touched) = &mut self.touched {
            touched.push(ElementAccess {
                op,
                buffer,
                element,
                write,
            });
        }
        if let Some(races) = &mut self.races {
            // By byte, so that views of other element types meet.
            let byte = element.saturating_mul(i64::try_from(view.elem.bytes()).unwrap_or(8));
            races.access(buffer, byte, write)?;
        }
        Ok(())
    }

    pub(super) fn load(&mut self, id: OpId, op: &Op, access: &Access) -> Result<(), String> {
        let view = Rc::clone(self.slot(op.operands[0]).view()?);
        self.subscripts(access, &op.operands[1..])?;
        let result = op.results[0];
        let function = self.frame().function;
        let slot = match &function[result].ty {
            Type::Vector(ty) => {
                let elements = self.lane_elements(&view, ty)?;
                let mut words = Vec::with_capacity(elements.len());
                for element in elements {
                    self.touch(id, &view, element, false)?;
                    words.push(view.load(element)?);
                }
                Slot::Lanes(words.into())
            }
            _ => {
                let element = view.element(&self.subscripts)?;
                self.touch(id, &view, element, false)?;
                Slot::Bits(view.load(element)?)
            }
        };
        self.set(result, slot);
        Ok(())
    }

    pub(super) fn store(&mut self, id: OpId, op: &Op, access: &Access) -> Result<(), String> {
        let view = Rc::clone(self.slot(op.operands[1]).view()?);
        self.subscripts(access, &op.operands[2..])?;
        let value = self.slot(op.operands[0]).clone();
        let function = self.frame().function;
        if let Type::Vector(ty) = &function[op.operands[0]].ty {
            for (n, element) in self.lane_elements(&view, ty)?.into_iter().enumerate() {
                self.touch(id, &view, element, true)?;
                view.store(element, value.lane(n)?)?;
            }
            return Ok(());
        }
        let element = view.element(&self.subscripts)?;
        self.touch(id, &view, element, true)?;
        view.store(element, value.bits()?)
    }

    /// Element numbers of the lanes of a vector access that starts at `self.subscripts`, row-major.
    fn lane_elements(&mut self, view: &View, ty: &VectorType) -> Result<Vec<i64>, String> {
        let count = lanes(ty)?;
        self.spend(count as u64)?;
        let first = self
            .subscripts
            .len()
            .checked_sub(ty.shape.len())
            .ok_or("the vector has more dimensions than the memref")?;
        let mut at = vec![0u64; ty.shape.len()];
        let mut subscripts = self.subscripts.clone();
        let mut elements = Vec::with_capacity(count);
        for _ in 0..count {
            for (k, &i) in at.iter().enumerate() {
                let i = i64::try_from(i).map_err(|_| "the vector is too long".to_owned())?;
                subscripts[first + k] = self.subscripts[first + k].checked_add(i).ok_or("a subscript overflows")?;
            }
            elements.push(view.element(&subscripts)?);
            advance(&mut at, &ty.shape);
        }
        Ok(elements)
    }

    pub(super) fn copy(&mut self, id: OpId, op: &Op) -> Result<(), String> {
        let from = Rc::clone(self.slot(op.operands[0]).view()?);
        let to = Rc::clone(self.slot(op.operands[1]).view()?);
        if from.sizes != to.sizes {
            return Err(format!("a copy of shape {:?} to shape {:?}", from.sizes, to.sizes));
        }
        let count = from.count()?;
        self.spend(count)?;
        from.usable(false)?;
        to.usable(true)?;
        let shape: Vec<u64> = from.sizes.iter().map(|d| d.cast_unsigned()).collect();
        let mut at = vec![0u64; shape.len()];
        let mut subscripts = vec![0i64; shape.len()];
        // All elements are read before any is written, so that identical views work; views that overlap otherwise have no defined result.
        let mut words = Vec::new();
        for write in [false, true] {
            at.fill(0);
            for k in 0..count {
                for (s, &i) in subscripts.iter_mut().zip(&at) {
                    *s = i.cast_signed();
                }
                let view = if write { &to } else { &from };
                let element = view.element(&subscripts)?;
                self.touch(id, view, element, write)?;
                if write {
                    let k = usize::try_from(k).map_err(|_| "the copy is too large".to_owned())?;
                    view.store(element, words[k])?;
                } else {
                    words.push(view.load(element)?);
                }
                advance(&mut at, &shape);
            }
        }
        Ok(())
    }
}

/// The next index of a row-major walk; the last goes back to the first.
fn advance(at: &mut [u64], shape: &[u64]) {
    for (i, &d) in at.iter_mut().zip(shape).rev() {
        *i += 1;
        if *i < d {
            return;
        }
        *i = 0;
    }
}
