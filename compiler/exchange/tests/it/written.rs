//! What is written reads back as the same.

use crate::{file, scop};
use tilia_exchange::{OpenScop, flatten};
use tilia_presburger::Budget;
use tilia_schedule::ScheduleTree;
use tilia_scop::Scop;

fn reread(f: &OpenScop) -> OpenScop {
    let text = f.to_string();
    let again = OpenScop::parse_all(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).remove(0);
    assert_eq!(again.to_string(), text);
    again
}

fn assert_same(a: &Scop, b: &Scop) {
    let budget = Budget::default();
    assert!(a.context.is_equal(&b.context, &budget).unwrap(), "{} {}", a.context, b.context);
    assert_eq!(a.stmts.len(), b.stmts.len());
    for (s, t) in a.stmts.iter().zip(&b.stmts) {
        assert!(s.domain.is_equal(&t.domain, &budget).unwrap(), "{} {}", s.domain, t.domain);
        assert_eq!(s.accesses.len(), t.accesses.len());
        for (x, y) in s.accesses.iter().zip(&t.accesses) {
            assert_eq!((x.kind, x.must), (y.kind, y.must));
            assert!(x.relation.is_equal(&y.relation, &budget).unwrap(), "{} {}", x.relation, y.relation);
        }
    }
}

fn assert_same_dates(a: (&ScheduleTree, &Scop), b: (&ScheduleTree, &Scop)) {
    let budget = Budget::default();
    let (x, y) = (flatten(a.0, a.1, &budget).unwrap(), flatten(b.0, b.1, &budget).unwrap());
    for (m, n) in x.iter().zip(&y) {
        assert!(m.is_equal(n, &budget).unwrap(), "{m}\n{n}");
    }
}

#[test]
fn files_read_back() {
    for name in ["matmul.scop", "strided.scop"] {
        let f = file(name);
        let again = reread(&f).to_scop(name, "scop", &Budget::default()).unwrap();
        let first = scop(name);
        assert_same(&first, &again);
        assert_same_dates((&first.schedule, &first), (&again.schedule, &again));
    }
}

#[test]
fn scops_become_files() {
    for name in ["matmul.scop", "strided.scop"] {
        let first = scop(name);
        let f = reread(&OpenScop::from_scop(&first, &first.schedule, &Budget::default()).unwrap());
        let again = f.to_scop(name, "scop", &Budget::default()).unwrap();
        assert_same(&first, &again);
        assert_same_dates((&first.schedule, &first), (&again.schedule, &again));
    }
}

/// A schedule with tiles, reversed loops and several pieces survives as scattering; what isn't the schedule's stays as it is.
#[test]
fn schedules_are_put_in() {
    let f = file("matmul.scop");
    let s = scop("matmul.scop");
    let tree: ScheduleTree = r#"
domain: "[N, M, K] -> { S0[i, j] : 0 <= i < N and 0 <= j < M; S1[i, j, k] : 0 <= i < N and 0 <= j < M and 0 <= k < K }"
child:
  sequence:
  - filter: "{ S0[i, j] }"
    child:
      schedule: "[{ S0[i, j] -> [(floor((i)/32))] }, { S0[i, j] -> [(-j)] }, { S0[i, j] -> [(i)] }]"
      permutable: 1
      coincident: [ 1, 0, 1 ]
  - filter: "{ S1[i, j, k] }"
    child:
      schedule: "[{ S1[i, j, k] -> [(i mod 4)] }, { S1[i, j, k] -> [(floor((i)/4))] }, { S1[i, j, k] -> [(j)] }, { S1[i, j, k] -> [(k)] }]"
      coincident: [ 0, 1, 1, 0 ]
"#
    .parse()
    .unwrap();
    let out = reread(&f.with_schedule(&s, &tree, &Budget::default()).unwrap());
    let again = out.to_scop("out.scop", "scop", &Budget::default()).unwrap();
    assert_same(&s, &again);
    assert_same_dates((&tree, &s), (&again.schedule, &again));
    let tags: Vec<&str> = out.extensions.iter().map(|e| e.tag.as_str()).collect();
    assert_eq!(tags, ["scatnames", "arrays", "coordinates", "loop"]);
    assert_eq!(out.extensions[0].text, "t1 t2 t3 t4 t5\n");
    let numbers = |text: &str| -> Vec<String> { text.lines().filter(|l| !l.starts_with('#')).map(str::to_owned).collect() };
    // S0: t2 parallel, t4 vector. S1: t3 parallel; its innermost loop isn't coincident.
    let wanted = [
        "3", "t2", "1", "1", "(null)", "1", "t3", "1", "2", "(null)", "1", "t4", "1", "1", "(null)", "4",
    ];
    assert_eq!(numbers(&out.extensions[3].text), wanted);
    assert_eq!(out.statements[1].extensions, f.statements[1].extensions);
}

#[test]
fn golden() {
    let s = scop("strided.scop");
    let text = OpenScop::from_scop(&s, &s.schedule, &Budget::default()).unwrap().to_string();
    for part in [
        "<OpenScop>",
        "SCATTERING",
        "<strings>\nN\n</strings>",
        "S0(i);",
        "1 A1",
        "</OpenScop>",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// A set says that its children may run in any order; in a file they run one after the other, not interleaved.
#[test]
fn children_of_a_set_stay_apart() {
    let s = scop("matmul.scop");
    let text = r#"
domain: "[N, M, K] -> { S0[i, j] : 0 <= i < N and 0 <= j < M; S1[i, j, k] : 0 <= i < N and 0 <= j < M and 0 <= k < K }"
child:
  LIST:
  - filter: "{ S0[i, j] }"
    child:
      schedule: "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
  - filter: "{ S1[i, j, k] }"
    child:
      schedule: "[{ S1[i, j, k] -> [(i)] }, { S1[i, j, k] -> [(j)] }, { S1[i, j, k] -> [(k)] }]"
      coincident: [ 1, 0, 0 ]
"#;
    let sequence: ScheduleTree = text.replace("LIST", "sequence").parse().unwrap();
    let set: ScheduleTree = text.replace("LIST", "set").parse().unwrap();
    assert_same_dates((&sequence, &s), (&set, &s));
    let write = |tree| file("matmul.scop").with_schedule(&s, tree, &Budget::default()).unwrap().to_string();
    assert_eq!(write(&sequence), write(&set));
}

/// Rows stand in the order of the dimensions that they define, conditions after them.
#[test]
fn rows_have_an_order() {
    let s = scop("strided.scop");
    let f = OpenScop::from_scop(&s, &s.schedule, &Budget::default()).unwrap();
    for r in f.statements[0].scattering.iter().chain(&f.statements[0].accesses) {
        for m in &r.parts {
            let key = |row: &Vec<tilia_presburger::Int>| {
                let first = row[1..=m.outputs].iter().position(|c| !c.is_zero()).unwrap_or(m.outputs);
                if row[0].is_zero() { (0, first) } else { (1, 0) }
            };
            assert!(m.rows.is_sorted_by_key(key), "{:?}", m.rows);
        }
    }
}

#[test]
fn no_parameters() {
    let text = "<OpenScop>\nC\nCONTEXT\n0 2 0 0 0 0\n0\n1\n2\nDOMAIN\n2 3 1 0 0 0\n1 1 0\n1 -1 9\nSCATTERING\n1 4 1 1 0 0\n0 -1 1 0\n0\n</OpenScop>\n";
    let f = OpenScop::parse_all(text).unwrap().remove(0);
    let s = f.to_scop("x.scop", "scop", &Budget::default()).unwrap();
    let written = OpenScop::from_scop(&s, &s.schedule, &Budget::default()).unwrap();
    let again = reread(&written).to_scop("x.scop", "scop", &Budget::default()).unwrap();
    assert_same(&s, &again);
    assert!(written.to_string().contains("not provided\n0\n"));
}
