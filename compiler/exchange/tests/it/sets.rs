//! Scops in isl's notation.

use crate::text;
use tilia_exchange::flatten;
use tilia_exchange::isl::{parse_scop, print_scop};
use tilia_presburger::{Budget, Map};
use tilia_scop::{AccessKind, Scop};

fn read(text: &str) -> Scop {
    parse_scop("x.yaml", "scop", text, &Budget::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn a_stencil() {
    let s = read(&text("jacobi.yaml"));
    let names: Vec<&str> = s.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["T", "N"]);
    assert_eq!((s.stmts.len(), s.arrays.len(), s.stmts[0].accesses.len()), (2, 2, 2));
    assert_eq!(s.stmts[0].accesses[0].kind, AccessKind::Read);
    let wanted: Map = "[T, N] -> { S0[t, i] -> A[x] : i - 1 <= x <= i + 1 and 0 <= t < T and 1 <= i < N - 1 }"
        .parse()
        .unwrap();
    assert!(s.stmts[0].accesses[0].relation.is_equal(&wanted, &Budget::default()).unwrap());
    let tree = s.schedule.to_string();
    assert!(tree.contains("sequence:"), "{tree}");
    assert_eq!(s.stmts[0].loc.to_string(), "x.yaml:3:10");
}

#[test]
fn what_is_printed_reads_back() {
    let b = Budget::default();
    for first in [read(&text("jacobi.yaml")), crate::scop("matmul.scop"), crate::scop("strided.scop")] {
        let text = print_scop(&first, &first.schedule).unwrap();
        let again = read(&text);
        for (s, t) in first.stmts.iter().zip(&again.stmts) {
            assert!(s.domain.is_equal(&t.domain, &b).unwrap());
        }
        for (m, n) in flatten(&first.schedule, &first, &b)
            .unwrap()
            .iter()
            .zip(&flatten(&again.schedule, &again, &b).unwrap())
        {
            assert!(m.is_equal(n, &b).unwrap(), "{m}\n{n}");
        }
    }
}

#[test]
fn errors_have_places() {
    let good = text("jacobi.yaml");
    let mut elsewhere = Vec::new();
    for (from, to, place, says) in [
        ("domain:", "domian:", (3, 1), "unknown key 'domian'"),
        ("context:", "domain:", (3, 1), "given twice"),
        ("N - 1;", "N - ;", (3, 61), ""),
        ("S1[t, j] : 0 <= t < T", "S1[t, j] : 0 <= t < ", (4, 43), ""),
        ("[T, N] -> { : T", "[T, N] -> { [x] : T", (2, 11), "set of parameters"),
        ("{ S0[t, i] -> A[x]", "{ S2[t, i] -> A[x]", (5, 9), "no statement S2"),
        ("S0[t, i] -> B[i]", "S0[t, i] -> B[i, i]", (6, 10), "array B has"),
        ("S0[t, i] -> B[i]", "S0[t, i] -> [i]", (6, 10), "needs a name"),
        ("S0[t, i] : 0", "[t, i] : 0", (3, 10), "needs a name"),
        ("; S1[t, j] -> [t, 1, j]", "", (7, 12), "S1 has no dates"),
        ("S1[t, j] -> [t, 1, j]", "S1[t, j] -> [t, 1, ", (7, 57), ""),
        ("schedule: \"{", "schedule: \"{ \"x", (7, 11), "follows the text"),
        ("[t, 1, j] }\"", "[t, 1, j] }", (7, 11), "doesn't end"),
        (
            "schedule: \"{ S0[t, i] -> [t, 0, i]; S1[t, j] -> [t, 1, j] }\"",
            "schedule:\n",
            (7, 1),
            "no value",
        ),
        (
            "schedule: \"{ S0[t, i] -> [t, 0, i]; S1[t, j] -> [t, 1, j] }\"",
            "schedule:\n  domain: \"{ S0[t, i] }\"",
            (8, 3),
            "instances of the domain",
        ),
        (
            "schedule: \"{ S0[t, i] -> [t, 0, i]; S1[t, j] -> [t, 1, j] }\"",
            "schedule:\n  domain: \"{ S0[t, i] }\"\n  chidl:\n    mark: \"x\"",
            (9, 3),
            "",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        let e = parse_scop("x.yaml", "scop", &good.replacen(from, to, 1), &Budget::default()).expect_err(to);
        assert!(e.message.contains(says), "{to}: {e}");
        if (e.line, e.column) != place {
            elsewhere.push(format!("{to}: not {place:?}: {e}"));
        }
    }
    assert!(elsewhere.is_empty(), "{}", elsewhere.join("\n"));
    let e = parse_scop("x.yaml", "scop", "domain: \"{ S[i] }\"", &Budget::default()).unwrap_err();
    assert_eq!(e.message, "the file has no schedule");
}
