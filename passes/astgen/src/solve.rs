//! Instances from schedule values: the equalities between both are solved for the instance's dimensions.

use crate::convert::con_of;
use crate::lin::{Atom, Lin};
use crate::options::Error;
use std::collections::BTreeSet;
use tilia_presburger::{BasicMap, Budget, DimType, Int, Map};

/// The instance dimensions of a map (instance -> schedule values) as expressions of the schedule values; `None` where the equalities don't determine one.
pub(crate) fn solve(map: &BasicMap, b: &Budget) -> Result<Vec<Option<Lin>>, Error> {
    let n = map.dim(DimType::In);
    let map = if map.has_known_divs() {
        map.clone()
    } else {
        match &Map::from_basic_map(map).compute_divs(b)?.basic_maps()[..] {
            [one] => one.clone(),
            _ => return Ok(vec![None; n]),
        }
    };
    let mut eqs: Vec<Lin> = map.constraints()?.iter().map(con_of).filter(|c| c.eq).map(|c| c.lin).collect();
    let mut found: Vec<Option<Lin>> = vec![None; n];
    loop {
        let solved = eliminate(&eqs, n);
        let mut progress = false;
        for (d, value) in solved {
            if found[d].is_none() {
                found[d] = Some(value);
                progress = true;
            }
        }
        if !progress || found.iter().all(Option::is_some) {
            break;
        }
        let value = |d: usize| found.get(d).cloned().flatten().unwrap_or_else(|| Lin::dim(d));
        eqs = eqs.iter().map(|e| e.substitute(&value)).filter(|e| !e.is_zero()).collect();
    }
    // Schedule values were numbered behind the instance's dimensions.
    let shift = |l: Lin| l.substitute(&|d| Lin::dim(d - n));
    Ok(found.into_iter().map(|f| f.map(shift)).collect())
}

/// Gauss-Jordan over the unknowns (instance dimensions, divisions that mention them): the dimensions that come out alone.
fn eliminate(eqs: &[Lin], n: usize) -> Vec<(usize, Lin)> {
    let unknown = |a: &Atom| (0..n).any(|d| Lin::atom(a.clone()).mentions(d));
    let columns: BTreeSet<Atom> = eqs.iter().flat_map(|e| e.terms.keys()).filter(|a| unknown(a)).cloned().collect();
    // Divisions first: they are to disappear.
    let mut order: Vec<Atom> = columns.into_iter().collect();
    order.sort_by_key(|a| (!matches!(a, Atom::Div(..)), a.clone()));
    let mut rows = eqs.to_vec();
    let mut used = vec![false; rows.len()];
    for atom in &order {
        let coefficient = |l: &Lin| l.terms.get(atom).cloned().unwrap_or(Int::ZERO);
        let candidates = (0..rows.len()).filter(|&r| !used[r] && !coefficient(&rows[r]).is_zero());
        let Some(pivot) = candidates.min_by_key(|&r| (coefficient(&rows[r]).abs(), rows[r].cost())) else {
            continue;
        };
        used[pivot] = true;
        let p = rows[pivot].clone();
        let a = coefficient(&p);
        for (r, row) in rows.iter_mut().enumerate() {
            let c = coefficient(row);
            if r != pivot && !c.is_zero() {
                let g = a.gcd(&c);
                let mut next = row.scaled(&a.div_exact(&g));
                next.add_scaled(&p, &-c.div_exact(&g));
                *row = next;
            }
        }
    }
    rows.iter().filter_map(|r| alone(r, n, &unknown)).collect()
}

/// `(d, value)` when the row says `a d = value` with nothing else unknown.
fn alone(row: &Lin, n: usize, unknown: &dyn Fn(&Atom) -> bool) -> Option<(usize, Lin)> {
    let mut open = row.terms.iter().filter(|(a, _)| unknown(a));
    let (Atom::Dim(d), a) = open.next()? else { return None };
    if open.next().is_some() || *d >= n {
        return None;
    }
    let mut rest = row.clone();
    rest.terms.remove(&Atom::Dim(*d));
    let value = if a.is_neg() { rest } else { rest.neg() };
    Some((*d, value.floor_div(&a.abs())))
}
