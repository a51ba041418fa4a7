//! Random programs with temporaries: the scop with copies, or with numbers in the elements that they are stored to in the end, computes what the program does, in the order of the source, in a scheduler's order, and lowered.
#![expect(clippy::unwrap_used, reason = "a test that meets something else fails")]
#![expect(clippy::cast_possible_truncation, reason = "small numbers")]

#[path = "../../raise/tests/raise/builder.rs"]
#[expect(dead_code, reason = "other tests use all of it")]
mod builder;
mod common;

use builder::{Builder, F64, add, c, d, map, memref};
use common::{lowered, run};
use std::collections::BTreeMap;
use tilia_abi::{MemRefValue, Value};
use tilia_expand::{Wish, expand, settle};
use tilia_interp::{Options, ScopOrder};
use tilia_presburger::Budget;
use tilia_program::{AffineExpr, Function, OpKind, Program, PureOp, ScalarType, ValueId};
use tilia_scop::Scop;

/// Extent of every dimension of arrays; loops stay below.
const SIZE: u64 = 6;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// A program being made: arrays with their ranks, and the loops around the place where operations go.
struct Maker {
    b: Builder,
    random: Random,
    arrays: Vec<(ValueId, usize)>,
    loops: Vec<ValueId>,
    /// Numbers that are worked on before they are stored to a matrix, if there are any.
    sums: Vec<ValueId>,
}

impl Maker {
    fn subscripts(&mut self, rank: usize) -> Vec<AffineExpr> {
        let one = |m: &mut Self| match m.random.below(5) {
            0 => c(m.random.below(2) as i64),
            1 if !m.loops.is_empty() => add(c(SIZE as i64 - 1), AffineExpr::mul(d(m.random.below(m.loops.len()) as u32), c(-1))),
            _ if m.loops.is_empty() => c(m.random.below(SIZE as usize) as i64),
            _ => d(m.random.below(m.loops.len()) as u32),
        };
        (0..rank).map(|_| one(self)).collect()
    }

    /// Temporaries are the last three arrays, and the most used.
    fn array(&mut self) -> (ValueId, usize) {
        let n = self.arrays.len();
        let k = if self.random.below(3) > 0 {
            n - 1 - self.random.below(3)
        } else {
            self.random.below(n)
        };
        self.arrays[k]
    }

    fn load(&mut self) -> ValueId {
        let (m, rank) = self.array();
        let subs = self.subscripts(rank);
        let loops = self.loops.clone();
        self.b.load(m, subs, &loops)
    }

    fn statement(&mut self) {
        let v = match self.random.below(4) {
            0 => self.b.float(2.5),
            1 => self.load(),
            _ => {
                let (x, y) = (self.load(), self.load());
                let op = if self.random.below(2) == 0 { PureOp::AddF } else { PureOp::SubF };
                self.b.pure(op, &[x, y], F64)
            }
        };
        let (m, rank) = self.array();
        let subs = self.subscripts(rank);
        let loops = self.loops.clone();
        self.b.store(v, m, subs, &loops);
    }

    /// A number that is loaded or set, worked on, maybe in a loop, and stored; other statements may come in between.
    fn sum(&mut self, depth: usize) {
        let t = self.sums[self.random.below(self.sums.len())];
        let (x, rank) = self.arrays[self.random.below(2)];
        let (subs, loops) = (self.subscripts(rank), self.loops.clone());
        let v = match self.random.below(3) {
            0 => self.load(),
            _ => self.b.load(x, subs.clone(), &loops),
        };
        self.b.store(v, t, vec![], &[]);
        if self.random.below(4) == 0 {
            self.statement();
        }
        if depth > 0 && self.random.below(3) > 0 {
            self.inside(|m| m.update(t));
        } else {
            self.update(t);
        }
        let v = self.b.load(t, vec![], &[]);
        let w = self.load();
        let v = if self.random.below(2) == 0 {
            v
        } else {
            self.b.pure(PureOp::SubF, &[v, w], F64)
        };
        self.b.store(v, x, subs, &loops);
    }

    fn update(&mut self, t: ValueId) {
        let v = self.load();
        let old = self.b.load(t, vec![], &[]);
        let v = self.b.pure(PureOp::SubF, &[old, v], F64);
        self.b.store(v, t, vec![], &[]);
    }

    fn body(&mut self, depth: usize) {
        for _ in 0..=self.random.below(3) {
            if !self.sums.is_empty() && self.random.below(2) == 0 {
                self.sum(depth);
            } else if depth > 0 && self.random.below(2) == 0 {
                self.nest(depth - 1);
            } else {
                self.statement();
            }
        }
    }

    fn nest(&mut self, depth: usize) {
        self.inside(|m| m.body(depth));
    }

    /// A loop around what `fill` makes.
    fn inside(&mut self, fill: impl FnOnce(&mut Maker)) {
        let mut fill = Some(fill);
        let lower = self.random.below(2) as i64;
        let below_outer = !self.loops.is_empty() && self.random.below(3) == 0;
        let outer: Vec<ValueId> = if below_outer { vec![self.loops[0]] } else { Vec::new() };
        let upper = if below_outer {
            map(1, vec![d(0)])
        } else {
            map(0, vec![c(SIZE as i64)])
        };
        let mut held = Some(std::mem::replace(self, Maker::empty()));
        let mut back = None;
        let mut b = std::mem::replace(&mut held.as_mut().unwrap().b, Builder::new(Vec::new()));
        b.for_full(
            (tilia_program::AffineMap::constant(lower), &[]),
            (upper, &outer),
            1,
            &[],
            |b, i, _| {
                let mut m = held.take().unwrap();
                m.b = std::mem::replace(b, Builder::new(Vec::new()));
                m.loops.push(i);
                fill.take().unwrap()(&mut m);
                m.loops.pop();
                *b = std::mem::replace(&mut m.b, Builder::new(Vec::new()));
                back = Some(m);
                Vec::new()
            },
        );
        *self = back.unwrap();
        self.b = b;
    }

    fn empty() -> Maker {
        Maker {
            b: Builder::new(Vec::new()),
            random: Random(0),
            arrays: Vec::new(),
            loops: Vec::new(),
            sums: Vec::new(),
        }
    }
}

/// Two matrices as arguments; two scalars and a row of its own, all written before anything else.
fn program(seed: u64, sums: bool) -> Program {
    let size = [Some(SIZE), Some(SIZE)];
    let mut b = Builder::new(vec![memref(&size), memref(&size)]);
    let mut arrays = vec![(b.arg(0), 2), (b.arg(1), 2)];
    for shape in [&[][..], &[], &[Some(SIZE)]] {
        let kind = OpKind::Alloc { stack: true, align: 0 };
        arrays.push((b.value(kind, vec![], memref(shape)), shape.len()));
    }
    let mut numbers = Vec::new();
    for _ in 0..if sums { 2 } else { 0 } {
        let kind = OpKind::Alloc { stack: true, align: 0 };
        numbers.push(b.value(kind, vec![], memref(&[])));
    }
    let mut m = Maker {
        b,
        random: Random(seed),
        arrays,
        loops: Vec::new(),
        sums: numbers,
    };
    let one = m.b.float(1.0);
    for k in 2..4 {
        let t = m.arrays[k].0;
        m.b.store(one, t, vec![], &[]);
    }
    let row = m.arrays[4].0;
    m.b.for_(0, SIZE as i64, |b, i| {
        b.store(one, row, vec![d(0)], &[i]);
    });
    for _ in 0..2 {
        m.nest(2);
    }
    let (f, mut program) = m.b.finish();
    program.functions.push(f);
    program
}

fn arguments() -> Vec<Value> {
    let one = |n: u64| {
        let m = MemRefValue::zeroed(ScalarType::F64, &[SIZE as i64, SIZE as i64]).unwrap();
        for i in 0..SIZE {
            for j in 0..SIZE {
                assert!(m.set(&[i as i64, j as i64], ((i * SIZE + j + n) as f64).to_bits()));
            }
        }
        Value::MemRef(m)
    };
    vec![one(1), one(50)]
}

/// The scop with copies, if there are any.
fn with_copies(f: &mut Function, scop: &Scop) -> Option<Scop> {
    let b = Budget::default();
    let (deps, _) = tilia_deps::dependences(scop, &b).unwrap();
    let values = BTreeMap::new();
    let wish = Wish {
        names: &["*".to_owned()],
        asked: false,
        values: &values,
    };
    expand(f, scop, &deps, &wish, &b).unwrap().scop
}

/// The scop with numbers in the elements that they are stored to, if there are any.
fn settled(f: &mut Function, scop: &Scop) -> Option<Scop> {
    let b = Budget::default();
    let (deps, _) = tilia_deps::dependences(scop, &b).unwrap();
    settle(f, scop, &deps, &b).unwrap().0
}

const CONFIG: &str =
    r#"{"scheduling_strategy":{"ILP_construction":[{"cost_functions":["proximity"]}],"options":{"fusion_heuristic":"max"}}}"#;

#[test]
fn copies_change_no_result() {
    same_results(false, with_copies);
}

#[test]
fn homes_change_no_result() {
    same_results(true, settled);
}

fn same_results(sums: bool, change: fn(&mut Function, &Scop) -> Option<Scop>) {
    let (mut expanded, mut lowering) = (0, 0);
    for seed in 0..120 {
        let mut program = program(seed, sums);
        let b = Budget::default();
        let scops = tilia_raise::raise(&program.functions[0], &program, &tilia_raise::Options::default(), &b).scops;
        let [scop] = &scops[..] else { continue };
        let Some(scop) = change(&mut program.functions[0], scop) else {
            continue;
        };
        expanded += 1;
        let plain = Options::default();
        let truth = run(&program, arguments(), &plain, None);
        assert_eq!(
            run(&program, arguments(), &plain, Some((&scop, ScopOrder::Tree(&scop.schedule)))),
            truth,
            "seed {seed}\n{scop}"
        );
        let (deps, _) = tilia_deps::dependences(&scop, &b).unwrap();
        let mut strategy = tilia_strategy::load("test", "test.json", CONFIG).unwrap();
        let done = tilia_scheduler::schedule((&scop, &deps), strategy.as_mut(), &tilia_scheduler::Options::default(), &b).unwrap();
        tilia_validate::validate(&scop, &done.tree, &b).unwrap();
        assert_eq!(
            run(&program, arguments(), &plain, Some((&scop, ScopOrder::Tree(&done.tree)))),
            truth,
            "scheduled, seed {seed}\n{scop}"
        );
        for (tree, bits) in [(&scop.schedule, 0), (&done.tree, 0), (&done.tree, 256)] {
            let Some(changed) = lowered(&program, &scop, tree, bits) else {
                continue;
            };
            lowering += 1;
            for (shuffle, detect_races) in [(Some(1), false), (None, true)] {
                let options = Options {
                    shuffle,
                    detect_races,
                    ..Options::default()
                };
                assert_eq!(
                    run(&changed, arguments(), &options, None),
                    truth,
                    "lowered, seed {seed}\n{scop}\n{tree}"
                );
            }
        }
    }
    assert!(expanded > 20 && lowering > 2 * expanded, "{expanded} expanded, {lowering} lowered");
}
