//! What the generator knows at a place of the code: the values of outer dimensions, and the constraints that hold there.

use crate::ask::{Oracle, surely_empty};
use crate::convert::{cons_of, constraint_of, set_of};
use crate::graft::Cond;
use crate::lin::{Atom, Con, Lin};
use crate::options::Error;
use tilia_ast::VarId;
use tilia_presburger::{Constraint, DimType, Id, Int, Set, Space, Tuple};

/// How the value of a schedule dimension is had in the code.
#[derive(Debug, Clone)]
pub(crate) enum DimValue {
    /// It is `scale` times a loop's iterator plus `offset`.
    Loop { var: VarId, scale: Int, offset: Int },
    /// It is an expression of outer loop dimensions.
    Value(Lin),
}

/// What a schedule dimension is, in terms of outer ones.
#[derive(Debug, Clone)]
pub(crate) enum Residue {
    /// Exactly this, in terms of dimensions that loops scan.
    Value(Lin),
    /// This, up to multiples of the step.
    Congruent(Int, Lin),
}

/// The knowledge at a place.
#[derive(Debug, Clone)]
pub(crate) struct Build {
    /// Holds at this place: over the outer schedule dimensions.
    pub(crate) domain: Set,
    /// Constraints that visibly hold, without substitution.
    known: Vec<Con>,
    /// One for each outer schedule dimension.
    pub(crate) values: Vec<DimValue>,
    /// What is known of each outer schedule dimension modulo something, or of its value.
    residues: Vec<Residue>,
    /// Copies that loops over whole periods make of what is generated here.
    pub(crate) lanes: usize,
    /// Copies that loops cut for their statements' sake make of what is generated here.
    pub(crate) cuts: usize,
    /// Inside a loop whose iterations may run at once.
    pub(crate) at_once: bool,
    /// Inside a full tile.
    pub(crate) full_tile: bool,
}

impl Build {
    /// Nothing generated yet, nothing known.
    pub(crate) fn new(params: Vec<Id>) -> Build {
        Build {
            domain: Set::universe(&Space::set(params, Tuple::anonymous(0))),
            known: Vec::new(),
            values: Vec::new(),
            residues: Vec::new(),
            lanes: 1,
            cuts: 1,
            at_once: false,
            full_tile: false,
        }
    }

    pub(crate) fn depth(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn space(&self) -> &Space {
        self.domain.space()
    }

    /// One dimension more, of which the constraints hold.
    pub(crate) fn deeper(&self, value: DimValue, residue: Residue, cons: &[Con]) -> Result<Build, Error> {
        let mut b = self.clone();
        b.domain = b.domain.add_dims(DimType::Out, 1)?;
        b.values.push(value);
        b.residues.push(residue);
        b.assume(cons)?;
        Ok(b)
    }

    /// The constraints hold as well.
    pub(crate) fn assume(&mut self, cons: &[Con]) -> Result<(), Error> {
        if cons.is_empty() {
            return Ok(());
        }
        let more = set_of(cons, self.domain.space())?;
        self.domain = self.domain.intersect(&more)?;
        self.known.extend_from_slice(cons);
        Ok(())
    }

    /// Constraints that follow from what is assumed already.
    pub(crate) fn remember(&mut self, cons: &[Con]) {
        self.known.extend_from_slice(cons);
    }

    /// Constraints that visibly hold.
    pub(crate) fn known(&self) -> &[Con] {
        &self.known
    }

    /// A set over the outer dimensions holds as well.
    pub(crate) fn assume_set(&mut self, set: &Set) -> Result<(), Error> {
        self.domain = self.domain.intersect(set)?;
        if let [only] = &set.basic_sets()[..]
            && only.has_known_divs()
        {
            self.known.extend(cons_of(only)?);
        }
        Ok(())
    }

    /// The same with another iterator for a dimension.
    pub(crate) fn with_iterator(&self, dim: usize, iterator: VarId) -> Build {
        let mut b = self.clone();
        if let Some(DimValue::Loop { var, .. }) = b.values.get_mut(dim) {
            *var = iterator;
        }
        b
    }

    /// The expression in terms of iterators and parameters: from here on `Dim` stands for the iterator of a loop, no longer for the schedule dimension, which may
    /// be a multiple of it.
    pub(crate) fn resolve(&self, lin: &Lin) -> Lin {
        lin.substitute(&|d| self.in_iterators(d))
    }

    /// The condition in terms of iterators and parameters.
    pub(crate) fn resolve_con(&self, con: &Con) -> Con {
        con.substitute(&|d| self.in_iterators(d)).multiplied_out()
    }

    fn in_iterators(&self, d: usize) -> Lin {
        match self.values.get(d) {
            Some(DimValue::Value(v)) => v.clone(),
            Some(DimValue::Loop { scale, offset, .. }) => Lin::dim(d).scaled(scale).plus_int(offset),
            None => Lin::dim(d),
        }
    }

    /// The other way: an expression of iterators in terms of schedule dimensions.
    fn unresolve(&self, lin: &Lin) -> Lin {
        lin.substitute(&|d| match self.values.get(d) {
            Some(DimValue::Loop { scale, offset, .. }) => Lin::dim(d).plus_int(&-offset).floor_div(scale),
            _ => Lin::dim(d),
        })
    }

    /// What is known where the conditions hold as well.
    pub(crate) fn under(&self, conds: &[Cond]) -> Result<Build, Error> {
        let mut inside = self.clone();
        let known = conds.iter().filter_map(|c| match c {
            Cond::One(c) => Some(self.unresolve_con(c)),
            Cond::Any(_) => None,
        });
        inside.assume(&known.collect::<Vec<_>>())?;
        Ok(inside)
    }

    /// The condition of iterators in terms of schedule dimensions.
    pub(crate) fn unresolve_con(&self, con: &Con) -> Con {
        let lin = self.unresolve(&con.lin);
        if con.eq { Con::eq(lin) } else { Con::ge(lin) }
    }

    /// The expression modulo `m`, where steps of loops tell it.
    pub(crate) fn residue(&self, lin: &Lin, m: &Int) -> Option<Int> {
        let mut sum = lin.constant.clone();
        for (a, c) in &lin.terms {
            if c.is_divisible_by(m) {
                continue;
            }
            let Atom::Dim(d) = a else { return None };
            sum += &match self.residues.get(*d)? {
                Residue::Value(v) => self.residue(&v.scaled(c), m)?,
                Residue::Congruent(step, v) if (c * step).is_divisible_by(m) => self.residue(&v.scaled(c), m)?,
                Residue::Congruent(..) => return None,
            };
        }
        Some(sum.mod_floor(m))
    }

    /// The expression in terms of those schedule dimensions that are scanned by loops.
    pub(crate) fn settle(&self, lin: &Lin) -> Lin {
        lin.substitute(&|d| match self.residues.get(d) {
            Some(Residue::Value(v)) => v.clone(),
            _ => Lin::dim(d),
        })
    }

    /// The expression without divisions whose remainder is known, as far as that leaves integer coefficients.
    pub(crate) fn without_known_divs(&self, lin: &Lin) -> Lin {
        let lin = self.settle(lin);
        let mut out = Lin::constant(lin.constant.clone());
        for (a, c) in &lin.terms {
            match a {
                Atom::Div(num, den) if c.is_divisible_by(den) => match self.residue(num, den) {
                    Some(r) => out.add_scaled(&num.plus_int(&-r), &c.div_exact(den)),
                    None => out.add_term(a.clone(), c),
                },
                _ => out.add_term(a.clone(), c),
            }
        }
        self.by_known_equalities(out)
    }

    /// The expression with a known equality added wherever that removes a division and makes it cheaper.
    fn by_known_equalities(&self, mut lin: Lin) -> Lin {
        for eq in self.known.iter().filter(|c| c.eq) {
            if !lin.has_divs() {
                break;
            }
            // What says no more than a dimension's value is used up.
            let eq = self.settle(&eq.lin);
            for (a, k) in eq.terms.iter().filter(|(a, _)| matches!(a, Atom::Div(..))) {
                let Some(c) = lin.terms.get(a).filter(|c| c.is_divisible_by(k)) else {
                    continue;
                };
                let mut other = lin.clone();
                other.add_scaled(&eq, &-c.div_exact(k));
                if other.cost() < lin.cost() {
                    lin = other;
                }
            }
        }
        lin
    }

    /// Is the constraint visibly known?
    pub(crate) fn plainly_holds(&self, con: &Con) -> bool {
        con.constant_truth() == Some(true) || self.known.iter().any(|k| k.plainly_implies(con))
    }

    /// Is an expression of iterators non-negative at this place?
    pub(crate) fn is_non_negative(&self, lin: &Lin, b: &Oracle<'_>) -> Result<bool, Error> {
        if lin.is_constant() {
            return Ok(!lin.constant.is_neg());
        }
        let con = Con::ge(self.unresolve(lin));
        if self.plainly_holds(&con) {
            return Ok(true);
        }
        implied(&self.domain, &con, b)
    }
}

/// Does the constraint certainly hold on all of the set?
pub(crate) fn implied(set: &Set, con: &Con, b: &Oracle<'_>) -> Result<bool, Error> {
    if con.eq {
        let below = Con::ge(con.lin.neg());
        let above = Con::ge(con.lin.clone());
        return Ok(implied(set, &below, b)? && implied(set, &above, b)?);
    }
    let violated = Con::ge(con.lin.neg().plus_int(&Int::NEG_ONE));
    let c: Constraint = constraint_of(&violated, set.space())?;
    surely_empty(&set.add_constraint(&c)?, b)
}
