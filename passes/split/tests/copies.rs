//! Copies of what a plane shares: which there are for floyd-warshall, and that pieces with copies compute what the program does.
#![expect(clippy::unwrap_used, reason = "a test that meets something else fails")]
#![expect(clippy::cast_possible_truncation, reason = "small numbers")]

#[path = "../../raise/tests/raise/builder.rs"]
#[expect(dead_code, reason = "other tests use all of it")]
mod builder;

use builder::{Builder, F64, add, c, d, map, memref};
use tilia_abi::{MemRefValue, Value};
use tilia_deps::dependences;
use tilia_interp::{Interpreter, Options, ScopOrder, ScopPlan};
use tilia_presburger::{Budget, Map, Set};
use tilia_program::{AffineExpr, AffineMap, Program, PureOp, ScalarType, ValueId};
use tilia_scop::{AccessKind, ArrayKind, Scop};
use tilia_split::{copies, split};

/// Extent of every dimension of arrays; loops stay below.
const SIZE: i64 = 6;

fn square() -> tilia_program::Type {
    memref(&[Some(SIZE as u64), Some(SIZE as u64)])
}

fn finished(b: Builder) -> Program {
    let (f, mut program) = b.finish();
    program.functions.push(f);
    program
}

/// The scop in pieces with copies, and whether there are pieces and copies; nothing if the program isn't one scop.
fn in_pieces(program: &Program) -> Option<(Scop, bool, bool)> {
    let b = Budget::default();
    let function = &program.functions[0];
    let scops = tilia_raise::raise(function, program, &tilia_raise::Options::default(), &b).scops;
    let [scop] = &scops[..] else { return None };
    let (deps, _) = dependences(scop, &b).unwrap();
    let cut = split(scop, &deps, &b).unwrap().0;
    let in_pieces = cut.is_some();
    let scop = cut.map_or_else(|| scop.clone(), |c| c.scop);
    let (deps, _) = dependences(&scop, &b).unwrap();
    // A place in the tree that copies aren't made for is an error; the scop is as it was.
    let with = copies(&scop, &deps, function, &b).ok().flatten();
    let copied = with.is_some();
    Some((with.map_or(scop, |w| w.0), in_pieces, copied))
}

/// `x[i, j] = x[i, j] + x[i, k] * x[k, j]` for k, i, j.
fn floyd_warshall() -> Program {
    let mut b = Builder::new(vec![square()]);
    let x = b.arg(0);
    b.for_(0, SIZE, |b, k| {
        b.for_(0, SIZE, |b, i| {
            b.for_(0, SIZE, |b, j| {
                let own = b.load(x, vec![d(0), d(1)], &[i, j]);
                let left = b.load(x, vec![d(0), d(1)], &[i, k]);
                let right = b.load(x, vec![d(0), d(1)], &[k, j]);
                let product = b.pure(PureOp::MulF, &[left, right], F64);
                let sum = b.pure(PureOp::AddF, &[own, product], F64);
                b.store(sum, x, vec![d(0), d(1)], &[i, j]);
            });
        });
    });
    finished(b)
}

/// The column of a step is written in the middle of each row: what stands before reads the old value, what stands behind the new one. The same for its row.
#[test]
fn the_row_and_the_column_of_a_step_have_an_old_and_a_new_value() {
    let (scop, pieces, _) = in_pieces(&floyd_warshall()).unwrap();
    assert!(pieces);
    let copied: Vec<_> = scop.stmts.iter().filter(|s| s.name.as_str().contains("_read")).collect();
    let wanted = [
        // x[i, k] for j < k, and for j > k.
        ("{ [k, i] : 1 <= k <= 5 and 0 <= i <= 5 }", "{ [k, i] -> [i, k] }"),
        ("{ [k, i] : 0 <= k <= 4 and 0 <= i <= 5 }", "{ [k, i] -> [i, k] }"),
        // x[k, j] for i < k, and for i > k.
        ("{ [k, j] : 1 <= k <= 5 and 0 <= j <= 5 }", "{ [k, j] -> [k, j] }"),
        ("{ [k, j] : 0 <= k <= 4 and 0 <= j <= 5 }", "{ [k, j] -> [k, j] }"),
    ];
    assert_eq!(copied.len(), wanted.len(), "{scop}");
    let b = Budget::default();
    for (domain, element) in wanted {
        let (domain, element): (Set, Map) = (domain.parse().unwrap(), element.parse().unwrap());
        let element = element.intersect_domain(&domain).unwrap();
        let is = |s: &&&tilia_scop::Stmt| {
            let unnamed = |m: &Map| {
                m.reset_tuple(tilia_presburger::DimType::In, element.space().domain().out().clone())
                    .unwrap()
            };
            let read = unnamed(&s.accesses[0].relation)
                .reset_tuple(tilia_presburger::DimType::Out, element.space().out().clone())
                .unwrap();
            let own = s
                .domain
                .reset_tuple(tilia_presburger::DimType::Out, domain.space().out().clone())
                .unwrap();
            own.is_equal(&domain, &b).unwrap() && read.intersect_domain(&domain).unwrap().is_equal(&element, &b).unwrap()
        };
        assert_eq!(copied.iter().filter(is).count(), 1, "{domain} {element}\n{scop}");
    }
    // Off the planes nothing reads the matrix but the element that is written.
    let bulk: Vec<_> = scop
        .stmts
        .iter()
        .filter(|s| s.domain.space().dim(tilia_presburger::DimType::Out) == 3)
        .filter(|s| {
            s.accesses
                .iter()
                .filter(|a| matches!(scop[a.array].kind, ArrayKind::Copy(_)))
                .count()
                == 2
        })
        .collect();
    assert_eq!(bulk.len(), 4, "{scop}");
    for s in bulk {
        let own = |a: &&tilia_scop::Access| matches!(scop[a.array].kind, ArrayKind::Root(_));
        let reads = s.accesses.iter().filter(own).filter(|a| a.kind == AccessKind::Read).count();
        assert_eq!(reads, 1, "{scop}");
    }
    agree(&floyd_warshall(), &scop, "floyd-warshall");
}

/// `x[i, j] = x[i, j] + x[k, j]` for k in 0..2: the second step reads what the first one's own instance wrote, which no dependence between instances shows. The element gets no copy.
#[test]
fn an_element_that_its_reader_writes_gets_no_copy() {
    let mut b = Builder::new(vec![square()]);
    let x = b.arg(0);
    b.for_(0, 2, |b, k| {
        b.for_(2, SIZE, |b, i| {
            b.for_(0, SIZE, |b, j| {
                let own = b.load(x, vec![d(0), d(1)], &[i, j]);
                let row = b.load(x, vec![d(0), d(1)], &[k, j]);
                let sum = b.pure(PureOp::AddF, &[own, row], F64);
                b.store(sum, x, vec![d(0), d(1)], &[i, j]);
            });
        });
    });
    let program = finished(b);
    let (scop, _, copied) = in_pieces(&program).unwrap();
    assert!(!copied, "{scop}");
}

fn arguments() -> Vec<Value> {
    let one = |n: i64| {
        let m = MemRefValue::zeroed(ScalarType::F64, &[SIZE, SIZE]).unwrap();
        for i in 0..SIZE {
            for j in 0..SIZE {
                assert!(m.set(&[i, j], (1.0 / (i * SIZE + j + n) as f64).to_bits()));
            }
        }
        Value::MemRef(m)
    };
    vec![one(1), one(50)]
}

fn run(program: &Program, plan: Option<&Scop>) -> Vec<Vec<u64>> {
    let mut args = arguments();
    args.truncate(program.functions[0].params.len());
    let interpreter = Interpreter::new(program).unwrap();
    let plans: Vec<ScopPlan<'_>> = plan
        .iter()
        .map(|scop| ScopPlan {
            function: "k",
            scop,
            order: ScopOrder::Tree(&scop.schedule),
            check_accesses: true,
        })
        .collect();
    interpreter.run_scops("k", &args, &Options::default(), &plans).unwrap();
    let elements = |v: &Value| match v {
        Value::MemRef(m) => m.elements(),
        _ => None,
    };
    args.iter().filter_map(elements).collect()
}

/// The scop computes what the program does, in the order of the source and in that of a scheduler that takes no notice of where loops were.
fn agree(program: &Program, scop: &Scop, what: &str) {
    let b = Budget::default();
    tilia_validate::validate(scop, &scop.schedule, &b).unwrap();
    let truth = run(program, None);
    assert_eq!(run(program, Some(scop)), truth, "{what}\n{scop}");
    // A schedule for many pieces takes a while.
    if scop.stmts.len() > 16 {
        return;
    }
    let (deps, _) = dependences(scop, &b).unwrap();
    let config = r#"{"scheduling_strategy":{"ILP_construction":[{"cost_functions":["feautrier"]}]}}"#;
    let mut strategy = tilia_strategy::load("test", "test.json", config).unwrap();
    let made = tilia_scheduler::schedule((scop, &deps), strategy.as_mut(), &tilia_scheduler::Options::default(), &b).unwrap();
    tilia_validate::validate(scop, &made.tree, &b).unwrap();
    let other = Scop {
        schedule: made.tree,
        ..scop.clone()
    };
    assert_eq!(run(program, Some(&other)), truth, "{what}\n{other}");
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn subscripts(&mut self, loops: usize) -> Vec<AffineExpr> {
        let one = |m: &mut Self| match m.below(8) {
            0 => c(m.below(2) as i64),
            1 => add(c(SIZE - 1), AffineExpr::mul(d(m.below(loops) as u32), c(-1))),
            _ => d(m.below(loops) as u32),
        };
        vec![one(self), one(self)]
    }

    fn statement(&mut self, b: &mut Builder, loops: &[ValueId]) {
        let array = |m: &mut Self, b: &Builder| b.arg(usize::from(m.below(3) == 0));
        let mut value = None;
        for _ in 0..=1 + self.below(2) {
            let (m, subs) = (array(self, b), self.subscripts(loops.len()));
            let v = b.load(m, subs, loops);
            value = Some(match value {
                None => v,
                Some(old) => b.pure(if self.below(2) == 0 { PureOp::AddF } else { PureOp::SubF }, &[old, v], F64),
            });
        }
        let (m, subs) = (array(self, b), self.subscripts(loops.len()));
        b.store(value.unwrap(), m, subs, loops);
    }

    fn body(&mut self, b: &mut Builder, loops: &mut Vec<ValueId>, depth: usize) {
        if depth == 0 {
            for _ in 0..=self.below(2) {
                self.statement(b, loops);
            }
            return;
        }
        if !loops.is_empty() && self.below(3) == 0 {
            self.statement(b, loops);
        }
        let bound = |m: &mut Self, loops: &[ValueId], offset: i64, other: i64| match (m.below(4), loops.last()) {
            (0, Some(&outer)) => (map(1, vec![add(d(0), c(offset))]), vec![outer]),
            _ => (AffineMap::constant(other), Vec::new()),
        };
        let (lower, below) = bound(self, loops, 1, 0);
        let (upper, above) = bound(self, loops, 0, SIZE);
        b.for_full((lower, &below), (upper, &above), 1, &[], |b, i, _| {
            loops.push(i);
            self.body(b, loops, depth - 1);
            loops.pop();
            Vec::new()
        });
        if !loops.is_empty() && self.below(4) == 0 {
            self.statement(b, loops);
        }
    }
}

/// One update in place below three loops, by elements of rows and columns.
fn update(random: &mut Random) -> Program {
    let mut b = Builder::new(vec![square()]);
    let x = b.arg(0);
    // Subscripts, and the loops that they are of: a load that mentions a loop is taken to depend on it.
    let mut pair = |own: bool| {
        let first = random.below(3);
        let second = (first + 1 + random.below(2)) % 3;
        match (own, random.below(6)) {
            (true, n) if n > 0 => (vec![d(0), d(1)], vec![1, 2]),
            (false, 0) => (vec![d(0), add(c(SIZE - 1), AffineExpr::mul(d(1), c(-1)))], vec![first, second]),
            (false, 1) => (vec![d(0), d(0)], vec![first]),
            _ => (vec![d(0), d(1)], vec![first, second]),
        }
    };
    let (own, left, right) = (pair(true), pair(false), pair(false));
    let bounds = [random.below(3), random.below(3)];
    b.for_(0, SIZE, |b, k| {
        let bound = |n: usize| match n {
            0 => ((map(1, vec![add(d(0), c(1))]), vec![k]), (AffineMap::constant(SIZE), vec![])),
            _ => ((AffineMap::constant(0), vec![]), (AffineMap::constant(SIZE), vec![])),
        };
        let ((lower, below), (upper, above)) = bound(bounds[0]);
        b.for_full((lower, &below), (upper, &above), 1, &[], |b, i, _| {
            let ((lower, below), (upper, above)) = bound(bounds[1]);
            b.for_full((lower, &below), (upper, &above), 1, &[], |b, j, _| {
                let loops = [k, i, j];
                let of = |which: &[usize]| which.iter().map(|&n| loops[n]).collect::<Vec<_>>();
                let old = b.load(x, own.0.clone(), &of(&own.1));
                let left = b.load(x, left.0, &of(&left.1));
                let right = b.load(x, right.0, &of(&right.1));
                let product = b.pure(PureOp::MulF, &[left, right], F64);
                let sum = b.pure(PureOp::SubF, &[old, product], F64);
                b.store(sum, x, own.0, &of(&own.1));
                Vec::new()
            });
            Vec::new()
        });
    });
    finished(b)
}

fn program(seed: u64) -> Program {
    let mut random = Random(seed);
    if seed.is_multiple_of(2) {
        return update(&mut random);
    }
    let mut b = Builder::new(vec![square(), square()]);
    for _ in 0..=random.below(2) {
        random.body(&mut b, &mut Vec::new(), 3);
    }
    finished(b)
}

/// A body that reads `x[i, 0]` in iterations that write `x[i + j, 0]`, before or after that, and statements that have nothing to do with it around these.
fn around_a_write(order: &[char]) -> Program {
    let mut b = Builder::new(vec![square(), square()]);
    let (x, y) = (b.arg(0), b.arg(1));
    b.for_(0, SIZE / 2, |b, i| {
        b.for_(0, SIZE / 2, |b, j| {
            for (n, what) in order.iter().enumerate() {
                let own = vec![add(d(0), c(i64::from(n > 1))), add(d(1), c(n as i64 % 2))];
                let v = b.load(y, own.clone(), &[i, j]);
                match what {
                    'w' => {
                        let at = vec![add(d(0), d(1)), c(0)];
                        let old = b.load(x, at.clone(), &[i, j]);
                        let sum = b.pure(PureOp::AddF, &[old, v], F64);
                        b.store(sum, x, at, &[i, j]);
                    }
                    'r' => {
                        let shared = b.load(x, vec![d(0), c(0)], &[i]);
                        let sum = b.pure(PureOp::AddF, &[shared, v], F64);
                        b.store(sum, y, own, &[i, j]);
                    }
                    _ => {
                        let sum = b.pure(PureOp::AddF, &[v, v], F64);
                        b.store(sum, x, vec![d(0), add(d(1), c(3))], &[i, j]);
                    }
                }
            }
        });
    });
    // What is read is written again.
    b.for_(0, SIZE, |b, i| {
        let v = b.load(y, vec![d(0), c(1)], &[i]);
        b.store(v, x, vec![d(0), c(0)], &[i]);
    });
    finished(b)
}

/// A copy is made where its first reader stood, behind what the same iteration has written.
#[test]
fn copies_are_made_behind_writes_of_their_iteration() {
    let mut copied = 0;
    for a in ['w', 'r', '-'] {
        for b in ['w', 'r', '-'] {
            for c in ['w', 'r', '-'] {
                let program = around_a_write(&[a, b, c]);
                let (scop, _, copies) = in_pieces(&program).unwrap();
                copied += usize::from(copies);
                agree(&program, &scop, &format!("{a}{b}{c}"));
            }
        }
    }
    assert!(copied >= 4, "{copied} with copies");
}

/// Updates in place whose loads are shared along loops in every way.
#[test]
fn pieces_with_copies_change_no_result() {
    let (mut cut, mut copied) = (0, 0);
    for seed in 0..40 {
        let program = program(seed);
        let Some((scop, pieces, copies)) = in_pieces(&program) else {
            continue;
        };
        cut += usize::from(pieces);
        copied += usize::from(copies);
        if pieces || copies {
            agree(&program, &scop, &format!("seed {seed}"));
        }
    }
    assert!(cut > 15 && copied > 5, "{cut} in pieces, {copied} with copies");
}
