//! From affine forms to sets: the only place where forms meet spaces.

use crate::lin::{Atom, Cond, Dnf, Lin, Pw};
use rustc_hash::FxHashMap;
use tilia_presburger::{Aff, BasicMap, BasicSet, Constraint, DimType, Id, Int, Map, Result, Set, Space, Tuple};
use tilia_program::ValueId;
use tilia_scop::ParamSource;

/// The parameters of a scop: order and names.
#[derive(Debug, Default)]
pub(crate) struct Params {
    pub(crate) list: Vec<(ParamSource, Id)>,
    position: FxHashMap<ParamSource, usize>,
}

impl Params {
    pub(crate) fn new(list: Vec<(ParamSource, Id)>) -> Self {
        let position = list.iter().enumerate().map(|(n, (p, _))| (*p, n)).collect();
        Self { list, position }
    }

    pub(crate) fn names(&self) -> Vec<Id> {
        self.list.iter().map(|(_, name)| name.clone()).collect()
    }

    /// The space of conditions on the parameters alone.
    pub(crate) fn space(&self) -> Space {
        Space::params_only(self.names())
    }
}

/// What the dimensions of a space stand for.
pub(crate) struct Columns<'a> {
    params: &'a Params,
    space: Space,
    /// Positions of iterators among the (input, for a map) dimensions.
    iters: FxHashMap<ValueId, usize>,
}

/// Names of a domain's dimensions: `i0`, `i1`, ..
pub(crate) fn domain_tuple(name: &Id, n: usize) -> Tuple {
    Tuple::with_dims(name.clone(), (0..n).map(|d| Id::new(format!("i{d}"))))
}

impl<'a> Columns<'a> {
    /// Columns of a set space with one dimension for each iterator.
    pub(crate) fn set(params: &'a Params, tuple: Tuple, iters: &[ValueId]) -> Self {
        Self::new(params, Space::set(params.names(), tuple), iters)
    }

    /// Columns of a map space: iterators are the input.
    pub(crate) fn map(params: &'a Params, input: Tuple, output: Tuple, iters: &[ValueId]) -> Self {
        Self::new(params, Space::map(params.names(), input, output), iters)
    }

    fn new(params: &'a Params, space: Space, iters: &[ValueId]) -> Self {
        Self {
            params,
            space,
            iters: iters.iter().enumerate().map(|(n, &v)| (v, n)).collect(),
        }
    }

    fn atom(&self, atom: &Atom) -> Option<Result<Aff>> {
        match atom {
            Atom::Iter(v) => {
                let side = if self.space.is_map() { DimType::In } else { DimType::Out };
                self.iters.get(v).map(|&n| Ok(Aff::var(&self.space, side, n)))
            }
            Atom::Param(p) => self.params.position.get(p).map(|&n| Ok(Aff::var(&self.space, DimType::Param, n))),
            Atom::Div(inner, d) => Some(self.aff(inner).and_then(|a| a.floor_div(d))),
        }
    }

    /// The form as an expression. Forms mention only what surrounds them, so that every atom has a column.
    pub(crate) fn aff(&self, form: &Lin) -> Result<Aff> {
        let mut sum = Aff::constant(&self.space, form.constant.clone());
        for (atom, c) in &form.terms {
            let Some(a) = self.atom(atom) else {
                return Err(tilia_presburger::Error::Unsupported(format!("{atom:?} is not known here")));
            };
            sum = sum.add(&a?.scale(c))?;
        }
        Ok(sum)
    }

    fn constraint(&self, c: &Cond) -> Result<Constraint> {
        let aff = self.aff(&c.form)?;
        Ok(if c.equality { Constraint::eq(aff) } else { Constraint::ineq(aff) })
    }

    fn constraints(&self, conds: &[Cond]) -> Result<Vec<Constraint>> {
        conds.iter().map(|c| self.constraint(c)).collect()
    }

    /// The set of a condition.
    pub(crate) fn dnf(&self, dnf: &Dnf) -> Result<Set> {
        let mut out = Set::empty(&self.space);
        for conjunction in dnf {
            let b = BasicSet::from_constraints(&self.space, &self.constraints(conjunction)?)?;
            out = out.union(&b.to_union())?;
        }
        Ok(out)
    }

    /// The relation from iterators to elements: each subscript lies in `sub .. sub + extent`; anywhere where it isn't known.
    pub(crate) fn access(&self, subs: &[Option<Pw>], extents: &[u64]) -> Result<Map> {
        // All combinations of cases of the subscripts.
        let mut cases: Vec<Vec<Constraint>> = vec![Vec::new()];
        for (d, (sub, &extent)) in subs.iter().zip(extents).enumerate() {
            let Some(pw) = sub else { continue };
            let out = Aff::var(&self.space, DimType::Out, d);
            let mut next = Vec::new();
            for (conds, form) in &pw.0 {
                let mut own = self.constraints(conds)?;
                let distance = out.sub(&self.aff(form)?)?;
                if extent == 1 {
                    own.push(Constraint::eq(distance));
                } else {
                    own.push(Constraint::ineq(distance.neg().add_constant(&(Int::from(extent) - Int::ONE))));
                    own.push(Constraint::ineq(distance));
                }
                next.extend(cases.iter().map(|c| c.iter().chain(&own).cloned().collect()));
            }
            cases = next;
        }
        let mut all = Map::empty(&self.space);
        for case in &cases {
            all = all.union(&BasicMap::from_constraints(&self.space, case)?.to_union())?;
        }
        Ok(all)
    }

    /// The box `0 <= element < extents`, whatever the iterators.
    pub(crate) fn whole(&self, extents: &[Option<Pw>]) -> Result<Map> {
        let mut constraints = Vec::new();
        for (d, extent) in extents.iter().enumerate() {
            let out = Aff::var(&self.space, DimType::Out, d);
            constraints.push(Constraint::ineq(out.clone()));
            if let Some(form) = extent.as_ref().and_then(Pw::as_lin) {
                constraints.push(Constraint::ineq(self.aff(form)?.sub(&out)?.add_constant(&Int::NEG_ONE)));
            }
        }
        Ok(BasicMap::from_constraints(&self.space, &constraints)?.to_union())
    }
}
