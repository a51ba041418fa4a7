//! Schedules as union maps.

use crate::scop;
use tilia_exchange::flatten;
use tilia_exchange::isl::{Error, parse_schedule, print_schedule};
use tilia_presburger::Budget;

#[test]
fn there_and_back() {
    let b = Budget::default();
    for name in ["matmul.scop", "strided.scop"] {
        let s = scop(name);
        let text = print_schedule(&s.schedule, &s, &b).unwrap();
        let tree = parse_schedule(&text, &s, &b).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for (m, n) in flatten(&s.schedule, &s, &b).unwrap().iter().zip(&flatten(&tree, &s, &b).unwrap()) {
            assert!(m.is_equal(n, &b).unwrap(), "{m}\n{n}");
        }
    }
}

#[test]
fn written_by_hand() {
    let b = Budget::default();
    let s = scop("matmul.scop");
    let tree = parse_schedule("{ S0[i, j] -> T[0, i, 0, 0]; S1[i, j, k] -> [1, k, i, j] }", &s, &b);
    // S0 leaves out j, so its instances share dates: the tree doesn't order them.
    assert!(tree.is_ok(), "{tree:?}");
    for (text, says) in [
        ("{ S0[i, j] -> [i, j]; S1[i, j, k] -> [", "column"),
        ("{ S0[i, j] -> [i, j] }", "S1 has no dates"),
        ("{ S0[i, j] -> [i, j]; S1[i, j, k] -> [i]; S2[i] -> [i] }", "no statement S2"),
        ("{ S0[i, j] -> [i, j]; S1[i, j, k] -> [i, t] }", "several dates"),
        ("{ S0[i, j] -> [i, j] : i > 3; S1[i, j, k] -> [i, j] }", "without a date"),
        (
            "{ S0[i, j] -> [i, j]; S1[i, j, k] -> [i, j] : k = 0; S1[i, j, k] -> [i] : k > 0 }",
            "different lengths",
        ),
    ] {
        let e = parse_schedule(text, &s, &b).expect_err(text);
        assert!(e.to_string().contains(says), "{text}: {e}");
        assert_eq!(says == "column", matches!(e, Error::Syntax { .. }));
    }
}
