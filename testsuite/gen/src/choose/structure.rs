//! Loops, guards and statements.

use super::Chooser;
use crate::model::{Access, Carried, Expr, ExprKind, Guard, Item, Loop, Place, Through, ValueId};
use crate::{chance, pick};
use arbitrary::Result;
use tilia_program::{AffineExpr, ScalarType};

/// What to make next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Loop,
    Guard,
    Store,
    Update,
    Let,
    Vector,
    DataIf,
    Indirect,
    Touch,
    Temporary,
}

impl Chooser<'_, '_, '_> {
    /// A nest of loops, with what follows from it.
    pub(super) fn nest(&mut self) -> Result<Vec<Item>> {
        if self.profile.parallel && !self.model.scf && chance(self.u, 12)? {
            return self.parallel_nest().map(|l| l.into_iter().collect());
        }
        self.loop_items()
    }

    /// Items of one list, at least one.
    fn items(&mut self) -> Result<Vec<Item>> {
        let values = self.values.len();
        let mut items = Vec::new();
        let count = self.u.int_in_range(1..=self.profile.items.max(1))?;
        for _ in 0..count {
            if self.budget == 0 && !items.is_empty() {
                break;
            }
            self.budget = self.budget.saturating_sub(1);
            items.extend(self.item()?);
        }
        // Values are visible inside this list only.
        self.values.truncate(values);
        Ok(items)
    }

    fn item(&mut self) -> Result<Vec<Item>> {
        let depth = self.iterators.len();
        let deeper = depth < self.profile.depth && self.budget > 0;
        let on = |enabled: bool, weight: u32| if enabled { weight } else { 0 };
        let choices = [
            (on(deeper, if depth < 2 { 10 } else { 4 }), Choice::Loop),
            (on(self.budget > 0, 2), Choice::Guard),
            (5, Choice::Store),
            (5, Choice::Update),
            (on(self.profile.values, 1), Choice::Let),
            (on(self.profile.vectors && !self.model.scf, 1), Choice::Vector),
            (on(self.profile.opaque, 1), Choice::DataIf),
            (on(self.profile.opaque, 1), Choice::Indirect),
            (on(self.profile.opaque && depth < 3, 1), Choice::Touch),
            (on(self.profile.temporaries, 8), Choice::Temporary),
        ];
        match pick(self.u, &choices)? {
            Choice::Loop => self.loop_items(),
            Choice::Guard => {
                let constraints = self.conditions()?;
                let then = self.items()?;
                let otherwise = if chance(self.u, 25)? { self.items()? } else { Vec::new() };
                Ok(vec![Item::Guard(Guard {
                    constraints,
                    then,
                    otherwise,
                })])
            }
            Choice::Let => {
                let elem = self.some_elem()?;
                let expr = self.expr(elem, 1)?;
                let value = self.new_value(elem);
                Ok(vec![Item::Let { value, expr }])
            }
            Choice::Vector => self.vector(),
            Choice::DataIf => {
                let elem = self.some_elem()?;
                let (a, b) = (self.expr(elem, 0)?, self.expr(elem, 0)?);
                Ok(vec![Item::DataIf { a, b, then: self.items()? }])
            }
            Choice::Indirect => self.indirect(),
            Choice::Touch => match self.touchable()? {
                Some(array) => Ok(vec![Item::Touch { array }]),
                None => self.store(false),
            },
            Choice::Temporary => self.temporary(),
            choice => self.store(choice == Choice::Update),
        }
    }

    fn some_elem(&mut self) -> Result<ScalarType> {
        let n = self.u.int_in_range(0..=self.model.arrays.len() - 1)?;
        Ok(self.model.arrays[n].elem)
    }

    fn new_value(&mut self, elem: ScalarType) -> ValueId {
        let value = ValueId(self.next_value);
        self.next_value += 1;
        self.values.push((value, elem));
        value
    }

    fn store(&mut self, update: bool) -> Result<Vec<Item>> {
        let array = self.u.int_in_range(0..=self.model.arrays.len() - 1)?;
        let target = self.access(array)?;
        let elem = self.model.arrays[array].elem;
        let value = if update { self.update(&target)? } else { self.expr(elem, 2)? };
        Ok(vec![Item::Store { target, value }])
    }

    /// A store to the first array, which is a scalar, and one that reads it.
    fn temporary(&mut self) -> Result<Vec<Item>> {
        let scalar = self.access(0)?;
        let elem = self.model.arrays[0].elem;
        let first = Item::Store {
            target: scalar.clone(),
            value: self.expr(elem, 1)?,
        };
        let fitting: Vec<_> = (1..self.model.arrays.len())
            .filter(|&n| self.model.arrays[n].elem == elem)
            .collect();
        if fitting.is_empty() {
            return Ok(vec![first]);
        }
        let place = self.u.int_in_range(0..=fitting.len() - 1)?;
        let target = self.access(fitting[place])?;
        let value = self.update(&scalar)?;
        Ok(vec![first, Item::Store { target, value }])
    }

    fn new_iterator(&mut self) -> usize {
        let var = self.model.vars;
        self.model.vars += 1;
        var
    }

    /// A loop, after which a value that it carried is stored.
    fn loop_items(&mut self) -> Result<Vec<Item>> {
        let (lower, upper) = self.bounds()?;
        let step = pick(self.u, &[(10, 1), (2, 2), (1, 3)])?;
        let var = self.new_iterator();
        let values = self.values.len();
        let carried = if self.profile.carried && chance(self.u, 15)? {
            let elem = self.some_elem()?;
            let init = self.expr(elem, 0)?;
            Some((elem, init))
        } else {
            None
        };
        let inside = carried.as_ref().map(|(elem, _)| self.new_value(*elem));
        self.iterators.push(var);
        let body = self.items()?;
        let next = match (&carried, inside) {
            (Some((elem, _)), Some(inside)) => Some(self.next_of(*elem, inside)?),
            _ => None,
        };
        self.iterators.pop();
        self.values.truncate(values);
        let mut items = Vec::new();
        let mut after = None;
        let carried = match (carried, inside, next) {
            (Some((elem, init)), Some(inside), Some(next)) => {
                let result = self.new_value(elem);
                after = Some((result, elem));
                Some(Carried {
                    inside,
                    after: result,
                    elem,
                    init: Box::new(init),
                    next: Box::new(next),
                })
            }
            _ => None,
        };
        items.push(Item::Loop(Loop {
            var,
            lower,
            upper,
            step,
            parallel: false,
            carried,
            body,
        }));
        if let Some((value, elem)) = after {
            items.extend(self.store_value(value, elem)?);
        }
        Ok(items)
    }

    /// What an iteration hands on: the carried value combined with something.
    fn next_of(&mut self, elem: ScalarType, inside: ValueId) -> Result<Expr> {
        let old = Expr {
            elem,
            kind: ExprKind::Value(inside),
        };
        let more = self.expr(elem, 1)?;
        let ops: &[(u32, &str)] = if elem.is_float() {
            &[(4, "arith.addf"), (1, "arith.mulf"), (1, "arith.maximumf"), (1, "arith.subf")]
        } else {
            &[(4, "arith.addi"), (1, "arith.muli"), (1, "arith.xori"), (1, "arith.subi")]
        };
        Ok(Expr {
            elem,
            kind: ExprKind::Op(pick(self.u, ops)?, vec![old, more]),
        })
    }

    fn store_value(&mut self, value: ValueId, elem: ScalarType) -> Result<Option<Item>> {
        let Some(array) = (0..self.model.arrays.len()).find(|&n| self.model.arrays[n].elem == elem) else {
            return Ok(None);
        };
        let target = self.access(array)?;
        let value = Expr {
            elem,
            kind: ExprKind::Value(value),
        };
        Ok(Some(Item::Store { target, value }))
    }

    /// `target[.., j] = a[.., j'] op b[..]` on vectors along the last dimension.
    fn vector(&mut self) -> Result<Vec<Item>> {
        let wide: Vec<_> = (0..self.model.arrays.len()).filter(|&n| self.model.arrays[n].rank() > 0).collect();
        if wide.is_empty() {
            return self.store(false);
        }
        let first = wide[self.u.int_in_range(0..=wide.len() - 1)?];
        let elem = self.model.arrays[first].elem;
        let same: Vec<_> = wide.into_iter().filter(|&n| self.model.arrays[n].elem == elem).collect();
        let lanes = pick(self.u, &[(2, 4i64), (1, 2), (1, 8)])?;
        let mut access = || -> Result<Access> {
            let array = same[self.u.int_in_range(0..=same.len() - 1)?];
            let mut access = self.access(array)?;
            access.lanes = lanes;
            Ok(access)
        };
        let (target, a, b) = (access()?, access()?, access()?);
        let op = if elem.is_float() { "arith.addf" } else { "arith.addi" };
        Ok(vec![Item::Vector { target, op, a, b }])
    }

    /// A store whose subscript comes from an array of integers.
    fn indirect(&mut self) -> Result<Vec<Item>> {
        let arrays = &self.model.arrays;
        let index = (0..arrays.len()).find(|&n| arrays[n].elem.is_int());
        let target = (0..arrays.len()).find(|&n| arrays[n].rank() == 1 && Some(n) != index);
        let (Some(index), Some(target)) = (index, target) else {
            return self.store(false);
        };
        let elem = arrays[target].elem;
        let index = self.access(index)?;
        let modulus = self.u.int_in_range(2..=5)?;
        let value = self.expr(elem, 1)?;
        Ok(vec![Item::Indirect {
            index,
            modulus,
            target,
            value,
        }])
    }

    /// An array that a function can be given as it is.
    fn touchable(&mut self) -> Result<Option<usize>> {
        let fits = |n: &usize| {
            let a = &self.model.arrays[*n];
            a.through == Through::Itself && a.elem == ScalarType::F64 && a.place == Place::Argument
        };
        let all: Vec<_> = (0..self.model.arrays.len()).filter(fits).collect();
        if all.is_empty() {
            return Ok(None);
        }
        Ok(Some(all[self.u.int_in_range(0..=all.len() - 1)?]))
    }

    /// Two `affine.parallel` loops around a statement whose target no other iteration touches.
    fn parallel_nest(&mut self) -> Result<Option<Item>> {
        let deep: Vec<_> = (0..self.model.arrays.len()).filter(|&n| self.model.arrays[n].rank() >= 1).collect();
        if deep.is_empty() {
            return self.loop_items().map(|mut l| l.pop());
        }
        let array = deep[self.u.int_in_range(0..=deep.len() - 1)?];
        let rank = self.model.arrays[array].rank();
        let elem = self.model.arrays[array].elem;
        let mut loops = Vec::new();
        for _ in 0..rank {
            let (mut lower, mut upper) = self.bounds()?;
            lower.truncate(1);
            upper.truncate(1);
            let var = self.new_iterator();
            self.iterators.push(var);
            loops.push((var, lower, upper));
        }
        let subscripts = loops.iter().map(|l| AffineExpr::Dim(u32::try_from(l.0).unwrap_or(0))).collect();
        let target = Access {
            array,
            subscripts,
            lanes: 1,
        };
        self.parallel = Some(array);
        let value = if chance(self.u, 50)? {
            self.update(&target)?
        } else {
            self.expr(elem, 2)?
        };
        self.parallel = None;
        let mut item = Item::Store { target, value };
        for (var, lower, upper) in loops.into_iter().rev() {
            self.iterators.pop();
            item = Item::Loop(Loop {
                var,
                lower,
                upper,
                step: 1,
                parallel: true,
                carried: None,
                body: vec![item],
            });
        }
        Ok(Some(item))
    }
}
