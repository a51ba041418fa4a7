//! Which statements are cut, where, and that nothing else changes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tilia_deps::dependences;
use tilia_diag::Loc;
use tilia_presburger::{Budget, Id, Map, Set, UnionSet};
use tilia_program::{BlockId, ScalarType, ValueId};
use tilia_schedule::ScheduleTree;
use tilia_scop::{Access, AccessKind, AccessSource, Array, ArrayId, ArrayKind, OpRange, Scop, Stmt, StmtKind};
use tilia_split::split;

/// A scop of statements, each with its domain and accesses (`r` or `w`, and the relation); equally named dimensions are one loop.
fn scop(context: &str, array: (&str, usize), stmts: &[(&str, &[(&str, &str)])], tree: &str) -> Scop {
    let access = |(kind, relation): &(&str, &str)| Access {
        array: ArrayId(0),
        kind: if *kind == "w" { AccessKind::Write } else { AccessKind::Read },
        must: true,
        relation: relation.parse::<Map>().unwrap(),
        source: AccessSource::Cell(ValueId(99)),
        loc: Loc::unknown(),
    };
    let stmt = |(domain, accesses): &(&str, &[(&str, &str)])| {
        let domain: Set = domain.parse().unwrap();
        let dims = &domain.space().out().dims;
        let loop_of = |n: &Option<Id>| ValueId(u32::from(n.as_ref().unwrap().as_str().as_bytes()[0]));
        Stmt {
            name: domain.space().out().name.clone().unwrap(),
            kind: StmtKind::Plain,
            iters: dims.iter().map(loop_of).collect(),
            domain: domain.clone(),
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
        arrays: vec![Array {
            name: Id::new(array.0),
            kind: ArrayKind::Root(ValueId(0)),
            elem: ScalarType::F64,
            rank: array.1,
            live_out: None,
            loc: Loc::unknown(),
        }],
        stmts: stmts.iter().map(stmt).collect(),
        schedule: tree.parse::<ScheduleTree>().unwrap(),
        float_order: tilia_scop::FloatOrder::Kept,
        loops: Vec::new(),
        loc: Loc::unknown(),
    }
}

fn floyd_warshall() -> Scop {
    scop(
        "[n] -> { : n >= 1 }",
        ("A", 2),
        &[(
            "[n] -> { S[k, i, j] : 0 <= k, i, j < n }",
            &[
                ("r", "[n] -> { S[k, i, j] -> A[i, j] }"),
                ("r", "[n] -> { S[k, i, j] -> A[i, k] }"),
                ("r", "[n] -> { S[k, i, j] -> A[k, j] }"),
                ("w", "[n] -> { S[k, i, j] -> A[i, j] }"),
            ],
        )],
        r#"
domain: "[n] -> { S[k, i, j] : 0 <= k, i, j < n }"
child:
  schedule: "[n] -> [{ S[k, i, j] -> [(k)] }, { S[k, i, j] -> [(i)] }, { S[k, i, j] -> [(j)] }]"
"#,
    )
}

/// The domains of the pieces, by `split`.
fn pieces(scop: &Scop) -> Vec<Set> {
    let b = Budget::default();
    let (deps, _) = dependences(scop, &b).unwrap();
    let (done, _) = split(scop, &deps, &b).unwrap();
    done.map(|d| d.scop.stmts.iter().map(|s| s.domain.clone()).collect())
        .unwrap_or_default()
}

#[test]
fn floyd_warshall_is_cut_at_the_row_and_the_column_of_its_step() {
    let found = pieces(&floyd_warshall());
    let b = Budget::default();
    let mut wanted = Vec::new();
    for i in ["i < k", "i = k", "i > k"] {
        for j in ["j < k", "j = k", "j > k"] {
            wanted.push(format!("[n] -> {{ S[k, i, j] : 0 <= k, i, j < n and {i} and {j} }}"));
        }
    }
    assert_eq!(found.len(), 9);
    for w in &wanted {
        let w: Set = w.parse().unwrap();
        let same = |f: &&Set| {
            f.reset_tuple(tilia_presburger::DimType::Out, w.space().out().clone())
                .unwrap()
                .is_equal(&w, &b)
                .unwrap()
        };
        assert_eq!(found.iter().filter(same).count(), 1, "{w}");
    }
}

/// Pieces run in the order of the source: by enumeration at n = 3.
#[test]
fn the_order_of_the_source_stays() {
    let old = floyd_warshall();
    let b = Budget::default();
    let (deps, _) = dependences(&old, &b).unwrap();
    let new = split(&old, &deps, &b).unwrap().0.unwrap();
    let n = [(Id::new("n"), 3.into())];
    let order = |tree: &ScheduleTree| -> Vec<Vec<i64>> {
        let mut all = tree.executions(&n, 1000, &b).unwrap();
        all.sort_by(|x, y| x.key.cmp(&y.key));
        all.iter().map(|e| e.args.iter().map(|c| c.to_i64().unwrap()).collect()).collect()
    };
    assert_eq!(order(&old.schedule).len(), 27);
    assert_eq!(order(&old.schedule), order(&new.scop.schedule));
    assert_eq!(new.origin.len(), 9);
    let all = UnionSet::from_members(new.scop.stmts.iter().map(|s| &s.domain)).unwrap();
    assert!(all.is_equal(new.scop.schedule.domain().unwrap(), &b).unwrap());
}

/// Nobody waits for a plane where each element is updated by itself, or by its neighbours.
#[test]
fn products_and_stencils_stay_whole() {
    let product = scop(
        "[n] -> { : n >= 1 }",
        ("A", 2),
        &[(
            "[n] -> { S[k, i, j] : 0 <= k, i, j < n }",
            &[("r", "[n] -> { S[k, i, j] -> A[i, j] }"), ("w", "[n] -> { S[k, i, j] -> A[i, j] }")],
        )],
        r#"
domain: "[n] -> { S[k, i, j] : 0 <= k, i, j < n }"
child:
  schedule: "[n] -> [{ S[k, i, j] -> [(k)] }, { S[k, i, j] -> [(i)] }, { S[k, i, j] -> [(j)] }]"
"#,
    );
    assert!(pieces(&product).is_empty());
    let seidel = scop(
        "[n] -> { : n >= 3 }",
        ("A", 1),
        &[(
            "[n] -> { S[t, i] : 0 <= t < n and 0 < i < n - 1 }",
            &[
                ("r", "[n] -> { S[t, i] -> A[i - 1] }"),
                ("r", "[n] -> { S[t, i] -> A[i + 1] }"),
                ("w", "[n] -> { S[t, i] -> A[i] }"),
            ],
        )],
        r#"
domain: "[n] -> { S[t, i] : 0 <= t < n and 0 < i < n - 1 }"
child:
  schedule: "[n] -> [{ S[t, i] -> [(t)] }, { S[t, i] -> [(i)] }]"
"#,
    );
    assert!(pieces(&seidel).is_empty());
}

/// A ring: cell 0 reads cell n - 1 and the reverse, so both ends of these dependences have their middle at (n - 1) / 2.
#[test]
fn a_ring_is_cut_in_the_middle() {
    let ring = scop(
        "[n, m] -> { : n >= 1 and m >= 20 }",
        ("A", 2),
        &[(
            "[n, m] -> { S[t, i] : 0 <= t < n and 0 <= i < m }",
            &[
                ("r", "[n, m] -> { S[t, i] -> A[t, i - 1] : i >= 1; S[t, 0] -> A[t, m - 1] }"),
                (
                    "r",
                    "[n, m] -> { S[t, i] -> A[t, i + 1] : i < m - 1; S[t, i] -> A[t, 0] : i = m - 1 }",
                ),
                ("w", "[n, m] -> { S[t, i] -> A[t + 1, i] }"),
            ],
        )],
        r#"
domain: "[n, m] -> { S[t, i] : 0 <= t < n and 0 <= i < m }"
child:
  schedule: "[n, m] -> [{ S[t, i] -> [(t)] }, { S[t, i] -> [(i)] }]"
"#,
    );
    let found = pieces(&ring);
    let b = Budget::default();
    assert_eq!(found.len(), 2);
    for (piece, wanted) in found.iter().zip(["2i < m - 1", "2i >= m - 1"]) {
        let wanted: Set = format!("[n, m] -> {{ S[t, i] : 0 <= t < n and 0 <= i < m and m >= 20 and {wanted} }}")
            .parse()
            .unwrap();
        let piece = piece
            .reset_tuple(tilia_presburger::DimType::Out, wanted.space().out().clone())
            .unwrap()
            .intersect_params(&"[n, m] -> { : m >= 20 }".parse().unwrap())
            .unwrap();
        assert!(piece.is_equal(&wanted, &b).unwrap(), "{piece}");
    }
}
