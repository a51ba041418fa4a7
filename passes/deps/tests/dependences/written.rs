//! Scops written down by hand, with known dependences.

use tilia_deps::{dependences, mark_coincident, value_flow};
use tilia_diag::Loc;
use tilia_presburger::{Budget, Id, Map, Set};
use tilia_program::{BlockId, ScalarType, ValueId};
use tilia_schedule::ScheduleTree;
use tilia_scop::{Access, AccessKind, AccessSource, Array, ArrayId, ArrayKind, Dep, DepKind, OpRange, Scop, Stmt, StmtKind};

/// An access: `"r"`, `"w"`, or `"?w"` for one that may happen; and its relation.
type Written<'a> = (&'a str, &'a str);

/// A scop of statements given by domain and accesses, in the order of the tree.
pub(crate) fn scop(context: &str, arrays: &[(&str, usize)], stmts: &[(&str, &[Written<'_>])], tree: &str) -> Scop {
    let array = |(name, rank): &(&str, usize)| Array {
        name: Id::new(name),
        kind: ArrayKind::Root(ValueId(0)),
        elem: ScalarType::F64,
        rank: *rank,
        live_out: None,
        loc: Loc::unknown(),
    };
    let access = |(kind, relation): &Written<'_>| {
        let relation: Map = relation.parse().unwrap();
        let name = relation.space().out().name.clone().unwrap();
        let n = arrays.iter().position(|(a, _)| *a == name.as_str()).unwrap();
        Access {
            array: ArrayId(n as u32),
            kind: if kind.ends_with('w') { AccessKind::Write } else { AccessKind::Read },
            must: !kind.starts_with('?'),
            relation,
            source: AccessSource::Cell(ValueId(0)),
            loc: Loc::unknown(),
        }
    };
    let stmt = |(domain, accesses): &(&str, &[Written<'_>])| {
        let domain: Set = domain.parse().unwrap();
        let n = domain.space().out().len();
        Stmt {
            name: domain.space().out().name.clone().unwrap(),
            kind: StmtKind::Plain,
            iters: vec![ValueId(0); n],
            domain,
            ops: Vec::new(),
            accesses: accesses.iter().map(access).collect(),
            cell_writes: Vec::new(),
            cell_reads: Vec::new(),
            reduction: None,
            loc: Loc::unknown(),
        }
    };
    Scop {
        name: Id::new("test"),
        range: OpRange {
            block: BlockId(0),
            ops: Vec::new(),
        },
        preamble: Vec::new(),
        params: Vec::new(),
        context: context.parse().unwrap(),
        assumptions: Vec::new(),
        may_alias: Vec::new(),
        unproven_layouts: Vec::new(),
        checked_ops: Vec::new(),
        arrays: arrays.iter().map(array).collect(),
        stmts: stmts.iter().map(stmt).collect(),
        schedule: tree.parse::<ScheduleTree>().unwrap(),
        float_order: tilia_scop::FloatOrder::Kept,
        loops: Vec::new(),
        loc: Loc::unknown(),
    }
}

fn relation(deps: &[Dep], kind: DepKind, source: u32, target: u32) -> Option<Map> {
    let mut found = deps
        .iter()
        .filter(|d| d.kind == kind && d.source.0 == source && d.target.0 == target)
        .map(|d| d.relation.clone());
    let first = found.next()?;
    Some(found.fold(first, |a, b| a.union(&b).unwrap()))
}

fn same(m: &Map, text: &str) {
    let want: Map = text.parse().unwrap();
    assert!(m.is_equal(&want, &Budget::default()).unwrap(), "{m} is not {want}");
}

/// for i < n: S: A[i] = ..; for i < n: T: .. = A[n - 1 - i]
#[test]
fn reversed_reader() {
    let s = scop(
        "[n] -> { : n >= 0 }",
        &[("A", 1)],
        &[
            ("[n] -> { S[i] : 0 <= i < n }", &[("w", "{ S[i] -> A[i] }")]),
            ("[n] -> { T[i] : 0 <= i < n }", &[("r", "[n] -> { T[i] -> A[n - 1 - i] }")]),
        ],
        "domain: \"[n] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < n }\"\nchild:\n  sequence:\n  - filter: \"{ S[i] }\"\n    child:\n      schedule: \"[{ S[i] -> [(i)] }]\"\n  - filter: \"{ T[i] }\"\n    child:\n      schedule: \"[{ T[i] -> [(i)] }]\"\n",
    );
    let (deps, _) = dependences(&s, &Budget::default()).unwrap();
    assert_eq!(deps.memory.len(), 1);
    same(&deps.memory[0].relation, "[n] -> { S[i] -> T[n - 1 - i] : 0 <= i < n }");
}

/// for i: S: A[i mod 3] = A[floor(i/2)]
#[test]
fn divisions_are_exact() {
    let s = scop(
        "{ : }",
        &[("A", 1)],
        &[(
            "{ S[i] : 0 <= i < 8 }",
            &[("r", "{ S[i] -> A[floor(i/2)] }"), ("w", "{ S[i] -> A[i mod 3] }")],
        )],
        "domain: \"{ S[i] : 0 <= i < 8 }\"\nchild:\n  schedule: \"[{ S[i] -> [(i)] }]\"\n",
    );
    let (deps, _) = dependences(&s, &Budget::default()).unwrap();
    same(
        &relation(&deps.memory, DepKind::Flow, 0, 0).unwrap(),
        "{ S[0] -> S[1]; S[1] -> S[2]; S[1] -> S[3]; S[2] -> S[4]; S[2] -> S[5] }",
    );
    same(
        &relation(&deps.memory, DepKind::Output, 0, 0).unwrap(),
        "{ S[i] -> S[j] : 0 <= i < j < 8 and (j - i) mod 3 = 0 }",
    );
    let (flow, _) = value_flow(&s, &deps.memory, &Budget::default()).unwrap();
    same(
        &relation(&flow, DepKind::Flow, 0, 0).unwrap(),
        "{ S[0] -> S[1]; S[1] -> S[2]; S[1] -> S[3]; S[2] -> S[4]; S[2] -> S[5] }",
    );
}

/// A wide write covers all that a narrow one before it wrote; a write that may happen covers nothing.
fn overwritten(second: &str) -> Scop {
    scop(
        "{ : }",
        &[("A", 1)],
        &[
            ("{ S[i] : 0 <= i < 8 }", &[("w", "{ S[i] -> A[i] }")]),
            ("{ T[] }", &[(second, "{ T[] -> A[a] : 0 <= a < 6 }")]),
            ("{ U[i] : 0 <= i < 8 }", &[("r", "{ U[i] -> A[i] }")]),
        ],
        "domain: \"{ S[i] : 0 <= i < 8; T[]; U[i] : 0 <= i < 8 }\"\nchild:\n  sequence:\n  - filter: \"{ S[i] }\"\n    child:\n      schedule: \"[{ S[i] -> [(i)] }]\"\n  - filter: \"{ T[] }\"\n  - filter: \"{ U[i] }\"\n    child:\n      schedule: \"[{ U[i] -> [(i)] }]\"\n",
    )
}

#[test]
fn wide_writes_hide_and_possible_ones_do_not() {
    let b = Budget::default();
    let certain = overwritten("w");
    let (deps, _) = dependences(&certain, &b).unwrap();
    same(
        &relation(&deps.memory, DepKind::Flow, 0, 2).unwrap(),
        "{ S[i] -> U[i] : 0 <= i < 8 }",
    );
    let (flow, _) = value_flow(&certain, &deps.memory, &b).unwrap();
    same(&relation(&flow, DepKind::Flow, 0, 2).unwrap(), "{ S[i] -> U[i] : 6 <= i < 8 }");
    same(&relation(&flow, DepKind::Flow, 1, 2).unwrap(), "{ T[] -> U[i] : 0 <= i < 6 }");

    let possible = overwritten("?w");
    let (deps, _) = dependences(&possible, &b).unwrap();
    let (flow, _) = value_flow(&possible, &deps.memory, &b).unwrap();
    same(&relation(&flow, DepKind::Flow, 0, 2).unwrap(), "{ S[i] -> U[i] : 0 <= i < 8 }");
    same(&relation(&flow, DepKind::Flow, 1, 2).unwrap(), "{ T[] -> U[i] : 0 <= i < 6 }");
}

/// for t, i: S: A[i] = A[i - 1] + A[i + 1]: neither loop is parallel, but along t + i .. it is not asked here.
#[test]
fn remarks_name_a_pair() {
    let s = scop(
        "[n] -> { : }",
        &[("A", 1)],
        &[(
            "[n] -> { S[t, i] : 0 <= t < 10 and 0 < i < n }",
            &[("r", "{ S[t, i] -> A[i - 1] }"), ("w", "{ S[t, i] -> A[i] }")],
        )],
        "domain: \"[n] -> { S[t, i] : 0 <= t < 10 and 0 < i < n }\"\nchild:\n  schedule: \"[{ S[t, i] -> [(t)] }]\"\n  child:\n    schedule: \"[{ S[t, i] -> [(i)] }]\"\n",
    );
    let b = Budget::default();
    let (deps, _) = dependences(&s, &b).unwrap();
    let (tree, remarks) = mark_coincident(&s.schedule, &deps, &s, &b).unwrap();
    assert!(!tree.to_string().contains("coincident"));
    assert_eq!(remarks.len(), 2);
    for r in remarks {
        assert!(
            r.message.contains("not parallel") && r.message.contains("on A from S[") && r.message.contains("to S["),
            "{}",
            r.message
        );
    }
    // In the order (i, t) with i outside, the inner loop carries writes to one element.
    let turned: ScheduleTree = "domain: \"[n] -> { S[t, i] : 0 <= t < 10 and 0 < i < n }\"\nchild:\n  schedule: \"[{ S[t, i] -> [(i)] }, { S[t, i] -> [(t)] }]\"\n".parse().unwrap();
    let (_, remarks) = mark_coincident(&turned, &deps, &s, &b).unwrap();
    assert!(remarks.iter().all(|r| r.message.contains("not parallel")));
}

/// The members of one band are judged for equal outer values, whatever the other members of the band do.
#[test]
fn members_of_a_band_are_judged_together() {
    // S writes A[i]: each i for itself; in the band (i, j) neither member moves a dependence of i, but j moves the accumulation.
    let s = scop(
        "{ : }",
        &[("A", 1)],
        &[(
            "{ S[i, j] : 0 <= i < 5 and 0 <= j < 5 }",
            &[("r", "{ S[i, j] -> A[i] }"), ("w", "{ S[i, j] -> A[i] }")],
        )],
        "domain: \"{ S[i, j] : 0 <= i < 5 and 0 <= j < 5 }\"\nchild:\n  schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]\"\n",
    );
    let b = Budget::default();
    let (deps, _) = dependences(&s, &b).unwrap();
    let (tree, _) = mark_coincident(&s.schedule, &deps, &s, &b).unwrap();
    assert!(
        tree.to_string().contains("coincident: [ 1, 0 ]") || tree.to_string().contains("coincident: [1, 0]"),
        "{tree}"
    );
}
