//! The oracle: enumeration of the integer variables, elimination of the continuous ones.

use tilia_ilp::{Problem, RowKind};

/// A row `Σ a·x + c >= 0` in machine integers.
type Ineq = (Vec<i128>, i128);

fn inequalities(p: &Problem) -> Vec<Ineq> {
    let mut out = Vec::new();
    let int = |x: &tilia_presburger::Int| i128::from(x.to_i64().unwrap());
    for r in &p.rows {
        let mut a = vec![0; p.vars.len()];
        for (v, c) in &r.terms {
            a[*v] += int(c);
        }
        let c = int(&r.constant);
        if r.kind == RowKind::Eq {
            out.push((a.iter().map(|x| -x).collect(), -c));
        }
        out.push((a, c));
    }
    for (v, var) in p.vars.iter().enumerate() {
        let unit = |s: i128| (0..p.vars.len()).map(|k| if k == v { s } else { 0 }).collect();
        out.extend(var.lower.as_ref().map(|l| (unit(1), -int(l))));
        out.extend(var.upper.as_ref().map(|u| (unit(-1), int(u))));
    }
    out
}

/// Is there a rational solution? By Fourier and Motzkin.
fn feasible(mut rows: Vec<Ineq>) -> bool {
    let n = rows.first().map_or(0, |r| r.0.len());
    for k in 0..n {
        let (pos, rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|r| r.0[k] > 0);
        let (neg, mut zero): (Vec<_>, Vec<_>) = rest.into_iter().partition(|r| r.0[k] < 0);
        for (a, c) in &pos {
            for (b, d) in &neg {
                let (s, t) = (-b[k], a[k]);
                zero.push((a.iter().zip(b).map(|(x, y)| s * x + t * y).collect(), s * c + t * d));
            }
        }
        rows = zero;
    }
    rows.iter().all(|r| r.1 >= 0)
}

/// The lexicographic minimum of the integer variables, each within `-reach..=reach`; continuous variables get 0 in the result and must not be minimised.
pub(crate) fn lexmin(p: &Problem, reach: i64) -> Option<Vec<i64>> {
    let rows = inequalities(p);
    let integers: Vec<usize> = (0..p.vars.len()).filter(|&v| p.vars[v].integer).collect();
    let mut x = vec![0i64; p.vars.len()];
    for &v in &integers {
        x[v] = -reach;
    }
    let continuous: Vec<usize> = (0..p.vars.len()).filter(|&v| !p.vars[v].integer).collect();
    let mut fixed: Vec<Ineq> = rows.iter().map(|(a, _)| (continuous.iter().map(|&v| a[v]).collect(), 0)).collect();
    loop {
        for (f, (a, c)) in fixed.iter_mut().zip(&rows) {
            f.1 = c + integers.iter().map(|&v| a[v] * i128::from(x[v])).sum::<i128>();
        }
        let holds = if continuous.is_empty() {
            fixed.iter().all(|f| f.1 >= 0)
        } else {
            feasible(fixed.clone())
        };
        if holds {
            return Some(x);
        }
        let v = integers.iter().rposition(|&v| x[v] < reach)?;
        x[integers[v]] += 1;
        for &w in &integers[v + 1..] {
            x[w] = -reach;
        }
    }
}

/// Do the values satisfy everything?
pub(crate) fn holds(p: &Problem, s: &tilia_ilp::Solution) -> bool {
    use tilia_presburger::Int;
    let den = s.rationals.iter().fold(Int::ONE, |d, r| d.lcm(r.den()));
    let x: Vec<Int> = s.rationals.iter().map(|r| r.num() * &den.div_exact(r.den())).collect();
    let rows = p.rows.iter().all(|r| {
        let mut v = &r.constant * &den;
        for (k, a) in &r.terms {
            v.add_mul(a, &x[*k]);
        }
        if r.kind == RowKind::Eq { v.is_zero() } else { !v.is_neg() }
    });
    rows && p.vars.iter().enumerate().all(|(k, v)| {
        v.lower.as_ref().is_none_or(|l| x[k] >= l * &den)
            && v.upper.as_ref().is_none_or(|u| x[k] <= u * &den)
            && (!v.integer || s.rationals[k].den().is_one())
    })
}
