//! Subscripts of copies (`ArrayKind::Copy`): functions of the instance that their access relations state.

use crate::form::{Atom, Form};
use crate::tree::{Declined, Place};
use rustc_hash::FxHashMap;
use tilia_presburger::{Aff, Budget, DimType, Id, MultiAff, PwMultiAff, Term};
use tilia_program::ValueId;
use tilia_scop::{ArrayKind, Scop, StmtId};

/// The subscripts of all accesses of copies, by statement and number of the access.
#[derive(Debug, Default)]
pub(crate) struct Copies(FxHashMap<(StmtId, usize), MultiAff>);

impl Copies {
    pub(crate) fn of(scop: &Scop, budget: &Budget) -> Result<Copies, Declined> {
        let mut all = FxHashMap::default();
        for (n, stmt) in (0u32..).zip(&scop.stmts) {
            for (k, access) in stmt.accesses.iter().enumerate() {
                if !matches!(scop[access.array].kind, ArrayKind::Copy(_)) {
                    continue;
                }
                let fail = |why: String| Declined::new(&stmt.loc, format!("the subscripts of a copy aren't known: {why}"));
                let function = PwMultiAff::from_map(&access.relation, budget).map_err(|e| fail(e.to_string()))?;
                let [(_, subscripts)] = function.pieces() else {
                    return Err(fail("they are several functions".to_owned()));
                };
                all.insert((StmtId(n), k), subscripts.clone());
            }
        }
        Ok(Copies(all))
    }

    /// The element that an access touches in the instance with these arguments; `None` where a subscript leaves 64 bits.
    pub(crate) fn place(
        &self,
        scop: &Scop,
        (stmt, access): (StmtId, usize),
        args: &[Form],
        params: &FxHashMap<Id, ValueId>,
    ) -> Option<Place> {
        let subs = self.0.get(&(stmt, access))?;
        Some(Place {
            array: scop[stmt].accesses[access].array,
            memref: None,
            subs: subs.affs().iter().map(|a| form(a, args, params)).collect::<Option<_>>()?,
            lanes: 1,
        })
    }
}

/// An affine function of an instance, its iterators being `args`.
fn form(aff: &Aff, args: &[Form], params: &FxHashMap<Id, ValueId>) -> Option<Form> {
    let mut out = Form::constant(aff.constant_term().to_i64()?);
    for term in aff.terms() {
        let (part, coefficient) = match term {
            Term::Dim {
                kind: DimType::Param,
                pos,
                coefficient,
            } => (Form::atom(Atom::Value(*params.get(&aff.space().params()[pos])?)), coefficient),
            Term::Dim { pos, coefficient, .. } => (args.get(pos)?.clone(), coefficient),
            Term::Div {
                coefficient,
                numerator,
                denominator,
            } => (form(&numerator, args, params)?.floor_div(denominator.to_i64()?)?, coefficient),
        };
        out = out.add_scaled(&part, coefficient.to_i64()?)?;
    }
    Some(out)
}
