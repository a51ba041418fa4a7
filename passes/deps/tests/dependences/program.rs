//! Random small functions, raised to scops: a few nests over two buffers.

use crate::builder::{Builder, F64, add, c, d, map, memref};
use tilia_presburger::Budget;
use tilia_program::{AffineExpr, AffineMap, PureOp, Type, ValueId};
use tilia_raise::{Options, raise};
use tilia_scop::Scop;

/// A source of numbers; the same seed gives the same numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn pick(&mut self, low: i64, high: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (self.0 >> 11) as i64 % (high - low + 1)
    }

    pub(crate) fn chance(&mut self, percent: i64) -> bool {
        self.pick(1, 100) <= percent
    }
}

/// A random scop. It has at most one parameter, `p0`.
pub(crate) fn scop(seed: u64) -> Option<Scop> {
    let mut random = Random::new(seed);
    let mut b = Builder::new(vec![Type::INDEX, memref(&[Some(64)]), memref(&[Some(32), Some(32)])]);
    for _ in 0..random.pick(1, 2) {
        nest(&mut b, &mut random, &[], 2);
    }
    let (f, p) = b.finish();
    let mut raised = raise(&f, &p, &Options::default(), &Budget::default());
    (!raised.scops.is_empty()).then(|| raised.scops.remove(0))
}

fn subscript(random: &mut Random, iters: usize, centre: i64) -> AffineExpr {
    let mut e = c(centre + random.pick(-1, 1));
    for n in 0..iters {
        let k = if random.chance(50) { 1 } else { random.pick(-1, 2) };
        e = add(e, AffineExpr::mul(d(n as u32), c(k)));
    }
    if random.chance(10) {
        AffineExpr::FloorDiv(Box::new(e), Box::new(c(2)))
    } else {
        e
    }
}

fn load(b: &mut Builder, random: &mut Random, iters: &[ValueId]) -> ValueId {
    let (one, two) = (b.arg(1), b.arg(2));
    if random.chance(60) {
        let subs = vec![subscript(random, iters.len(), 30)];
        b.load(one, subs, iters)
    } else {
        let subs = vec![subscript(random, iters.len(), 14), subscript(random, iters.len(), 14)];
        b.load(two, subs, iters)
    }
}

fn store(b: &mut Builder, random: &mut Random, iters: &[ValueId], v: ValueId) {
    let (one, two) = (b.arg(1), b.arg(2));
    if random.chance(60) {
        let subs = vec![subscript(random, iters.len(), 30)];
        b.store(v, one, subs, iters);
    } else {
        let subs = vec![subscript(random, iters.len(), 14), subscript(random, iters.len(), 14)];
        b.store(v, two, subs, iters);
    }
}

fn statement(b: &mut Builder, random: &mut Random, iters: &[ValueId]) {
    let x = load(b, random, iters);
    let y = if random.chance(40) { load(b, random, iters) } else { x };
    let v = b.pure(PureOp::AddF, &[x, y], F64);
    store(b, random, iters, v);
    if random.chance(20) {
        store(b, random, iters, x);
    }
}

fn nest(b: &mut Builder, random: &mut Random, iters: &[ValueId], depth: usize) {
    let n = b.arg(0);
    let low = random.pick(0, 1);
    let lower: (AffineMap, Vec<ValueId>) = match iters.last() {
        Some(&i) if random.chance(40) => (AffineMap::identity(1), vec![i]),
        _ => (AffineMap::constant(low), vec![]),
    };
    let upper: (AffineMap, Vec<ValueId>) = if random.chance(30) {
        (map(1, vec![d(0), c(4)]), vec![n])
    } else {
        (AffineMap::constant(low + random.pick(1, 3)), vec![])
    };
    let step = if random.chance(20) { 2 } else { 1 };
    let inits: Vec<ValueId> = if random.chance(20) { vec![b.float(1.0)] } else { vec![] };
    let results = b.for_full((lower.0, &lower.1), (upper.0, &upper.1), step, &inits, |b, i, carried| {
        let iters = [iters, &[i]].concat();
        for _ in 0..random.pick(1, 2) {
            match random.pick(0, 5) {
                0 | 1 if depth > 1 => nest(b, random, &iters, depth - 1),
                2 => {
                    let e = add(d(iters.len() as u32 - 1), c(-1));
                    b.if_(
                        Builder::at_least(iters.len() as u32, e),
                        &iters,
                        |b| statement(b, random, &iters),
                        None,
                    );
                }
                _ => statement(b, random, &iters),
            }
        }
        carried
            .iter()
            .map(|&s| {
                let v = load(b, random, &iters);
                b.pure(PureOp::AddF, &[s, v], F64)
            })
            .collect()
    });
    if let Some(&r) = results.first() {
        store(b, random, iters, r);
    }
}
