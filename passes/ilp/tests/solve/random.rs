//! Random problems.

use tilia_ilp::{Linear, Problem, Var};
use tilia_presburger::Int;

/// A deterministic generator (xorshift).
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    pub(crate) fn range(&mut self, lo: i64, hi: i64) -> i64 {
        lo + i64::try_from(self.next() % u64::try_from(hi - lo + 1).unwrap()).unwrap()
    }

    pub(crate) fn chance(&mut self, percent: i64) -> bool {
        self.range(1, 100) <= percent
    }
}

/// How to make problems.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Integer variables lie within `-reach..=reach`.
    pub(crate) reach: i64,
    /// Percentage of variables whose limits are rows of several times the variable instead of limits.
    pub(crate) hidden: i64,
    pub(crate) continuous: usize,
    pub(crate) coefficient: i64,
    pub(crate) equalities: i64,
}

/// A problem whose integer variables all lie within the reach.
pub(crate) fn problem(rng: &mut Rng, s: Shape) -> Problem {
    let mut p = Problem::new();
    let n = usize::try_from(rng.range(1, 4)).unwrap();
    for k in 0..n {
        let (lo, hi) = (rng.range(-s.reach, s.reach), rng.range(-s.reach, s.reach));
        let (lo, hi) = if rng.chance(80) {
            (lo.min(hi), lo.max(hi))
        } else {
            (-s.reach, s.reach)
        };
        if rng.chance(s.hidden) {
            let v = p.add_free(format!("x{k}"));
            let by = rng.range(1, 3);
            let mut low = Linear::constant(-lo * by);
            low.add_term(v, by);
            p.add_ge(low);
            let mut high = Linear::constant(hi * by + rng.range(0, by - 1));
            high.add_term(v, -by);
            p.add_ge(high);
        } else {
            p.add_bounded(format!("x{k}"), lo, hi);
        }
    }
    for k in 0..s.continuous {
        let mut v = Var::multiplier(format!("l{k}"));
        match rng.range(0, 3) {
            0 => v.upper = Some(Int::new(rng.range(0, 4))),
            1 => v.lower = None,
            _ => {}
        }
        p.add_var(v);
    }
    for _ in 0..rng.range(0, 5) {
        let mut e = Linear::constant(rng.range(-6, 6));
        for v in 0..p.vars.len() {
            if rng.chance(70) {
                e.add_term(v, rng.range(-s.coefficient, s.coefficient));
            }
        }
        if rng.chance(s.equalities) { p.add_eq(e) } else { p.add_ge(e) }
    }
    p
}
