//! How many instances a set has whose iterators are tied to each other by strips (`floor(i / 32) = floor(k / 32)`): a product of full extents would count parts of a panel as the whole matrix.

use crate::trips::step;
use crate::{Error, Estimates};
use std::collections::BTreeMap;
use tilia_presburger::{Aff, Budget, DimType, Int, Optimum, Set, Term};
use tilia_schedule::Member;

/// Iterators up to which all orders of elimination are looked at.
const MOST_ITERATORS: usize = 4;

/// Are iterators tied to each other by divisions?
pub(crate) fn is_stripped(set: &Set) -> bool {
    set.basic_sets().iter().any(|b| b.n_div() > 0)
}

/// An upper estimate of the instances: the product of how far each iterator runs while those before it stand still, in the order of iterators that makes it least. Nothing for sets of many iterators or without
/// bounds.
///
/// # Errors
/// When the sets library gives up.
pub(crate) fn stripped_instances(set: &Set, estimates: &Estimates, b: &Budget) -> Result<Option<f64>, Error> {
    let n = set.dim(DimType::Out);
    if n > MOST_ITERATORS {
        return Ok(None);
    }
    let pair = Pair::of(set, estimates)?;
    // The least product for the iterators in a set of bits, with those still missing running later.
    let mut best: BTreeMap<u32, f64> = BTreeMap::from([(0, 1.0)]);
    for _ in 0..n {
        let mut next: BTreeMap<u32, f64> = BTreeMap::new();
        for (&fixed, &product) in &best {
            let still = (0..n).filter(|k| fixed & (1 << k) != 0).map(|k| var(set, k)).collect::<Vec<_>>();
            for k in (0..n).filter(|k| fixed & (1 << k) == 0) {
                let Some(run) = pair.run(&var(set, k), &still, b)? else {
                    return Ok(None);
                };
                let own = next.entry(fixed | (1 << k)).or_insert(f64::INFINITY);
                *own = own.min(product * run);
            }
        }
        best = next;
    }
    Ok(best.into_values().next())
}

/// Values that a member takes while the outer ones stand still; nothing where that isn't one expression, or unbounded.
///
/// # Errors
/// When the sets library gives up.
pub(crate) fn stripped_trips(
    member: &Member,
    outer: &[Member],
    set: &Set,
    estimates: &Estimates,
    b: &Budget,
) -> Result<Option<u64>, Error> {
    let aff = |m: &Member| m.func.extract(set.space()).and_then(|f| f.as_aff().cloned());
    let Some(own) = aff(member) else { return Ok(None) };
    let still: Vec<Aff> = outer.iter().filter_map(aff).collect();
    let Some(run) = Pair::of(set, estimates)?.run(&own, &still, b)? else {
        return Ok(None);
    };
    Ok(Some((run / step(&own) as f64).ceil().max(1.0) as u64))
}

/// Does the member count strips, so that it says nothing that a loop over their points doesn't?
pub(crate) fn counts_strips(member: &Member) -> bool {
    let strips = |f: &tilia_presburger::PwAff| f.as_aff().is_some_and(|a| matches!(&a.terms()[..], [Term::Div { .. }]));
    !member.func.is_empty() && member.func.pw_affs().iter().all(strips)
}

fn var(set: &Set, k: usize) -> Aff {
    Aff::var(set.space(), DimType::Out, k)
}

/// Two instances of a set at the estimated parameters, one behind the other.
struct Pair {
    both: Set,
    n: usize,
    values: Vec<Int>,
}

impl Pair {
    fn of(set: &Set, estimates: &Estimates) -> Result<Pair, Error> {
        let names = set.space().params().to_vec();
        let values: Vec<Int> = names.iter().map(|p| Int::from(estimates.of(p))).collect();
        let fixed = estimates
            .fix(set)?
            .project_out(DimType::Param, 0, names.len(), &Budget::unlimited())?;
        Ok(Pair {
            both: fixed.flat_product(&fixed)?.set_tuple_name(DimType::Out, None),
            n: set.dim(DimType::Out),
            values,
        })
    }

    /// An expression of the first or second of both.
    fn lifted(&self, aff: &Aff, second: bool) -> Result<Aff, Error> {
        let space = self.both.space();
        let mut out = Aff::constant(space, aff.constant_term().clone());
        for t in aff.terms() {
            let (value, c) = match t {
                Term::Dim {
                    kind: DimType::Param,
                    pos,
                    coefficient,
                } => (
                    Aff::constant(space, self.values.get(pos).cloned().unwrap_or(Int::ZERO)),
                    coefficient,
                ),
                Term::Dim { pos, coefficient, .. } => (Aff::var(space, DimType::Out, if second { self.n + pos } else { pos }), coefficient),
                Term::Div {
                    coefficient,
                    numerator,
                    denominator,
                } => (self.lifted(&numerator, second)?.floor_div(&denominator)?, coefficient),
            };
            out = out.add(&value.scale(&c))?;
        }
        Ok(out)
    }

    /// One more than the greatest distance of an expression between two instances for which the others are the same.
    fn run(&self, aff: &Aff, still: &[Aff], b: &Budget) -> Result<Option<f64>, Error> {
        let mut both = self.both.clone();
        for s in still {
            let same = self.lifted(s, true)?.sub(&self.lifted(s, false)?)?;
            both = both.add_constraint(&tilia_presburger::Constraint::eq(same))?;
        }
        let distance = self.lifted(aff, true)?.sub(&self.lifted(aff, false)?)?;
        Ok(match both.max_aff(&distance, b)? {
            Optimum::Bounded(v) => Some(v.to_f64() + 1.0),
            Optimum::Empty => Some(0.0),
            Optimum::Unbounded => None,
        })
    }
}
