//! What files mean.

use crate::{file, scop};
use tilia_presburger::{Budget, Map, Set};
use tilia_scop::AccessKind;

fn same_set(found: &Set, wanted: &str) {
    let wanted: Set = wanted.parse().unwrap();
    assert!(found.is_equal(&wanted, &Budget::default()).unwrap(), "{found} is not {wanted}");
}

fn same_map(found: &Map, wanted: &str) {
    let wanted: Map = wanted.parse().unwrap();
    assert!(found.is_equal(&wanted, &Budget::default()).unwrap(), "{found} is not {wanted}");
}

#[test]
fn matmul() {
    let s = scop("matmul.scop");
    let names: Vec<&str> = s.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["N", "M", "K"]);
    same_set(&s.context, "[N, M, K] -> { : N >= 1 }");
    same_set(&s.stmts[0].domain, "[N, M] -> { S0[i, j] : 0 <= i < N and 0 <= j < M }");
    same_set(
        &s.stmts[1].domain,
        "[N, M, K] -> { S1[i, j, k] : 0 <= i < N and 0 <= j < M and 0 <= k < K }",
    );
    let arrays: Vec<&str> = s.arrays.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(arrays, ["C", "A", "B"]);
    let kinds: Vec<AccessKind> = s.stmts[1].accesses.iter().map(|a| a.kind).collect();
    assert_eq!(kinds, [AccessKind::Read, AccessKind::Write, AccessKind::Read, AccessKind::Read]);
    same_map(
        &s.stmts[1].accesses[3].relation,
        "[N, M, K] -> { S1[i, j, k] -> B[k, j] : 0 <= i < N and 0 <= j < M and 0 <= k < K }",
    );
    // The sequence inside the two loops, the loop k inside its second half.
    let tree = s.schedule.to_string();
    let order: Vec<&str> = tree
        .lines()
        .map(str::trim)
        .filter(|l| l.starts_with("schedule") || l.starts_with("sequence"))
        .collect();
    assert_eq!(order.len(), 4, "{tree}");
    assert_eq!(order[2], "sequence:", "{tree}");
    assert!(tree.contains("S1[i, j, k] -> [(k)]"), "{tree}");
    assert_eq!(s.stmts[1].loc.to_string(), "matmul.scop:64:1");
}

#[test]
fn strides_parts_and_tiles() {
    let s = scop("strided.scop");
    same_set(
        &s.stmts[0].domain,
        "[N] -> { S0[i] : (0 <= i < N and i mod 2 = 0) or (i = N and N >= 1) }",
    );
    let dates = tilia_exchange::flatten(&s.schedule, &s, &Budget::default()).unwrap();
    same_map(
        &dates[0],
        "[N] -> { S0[i] -> [t, i] : 8t <= i < 8t + 8 and ((0 <= i < N and i mod 2 = 0) or (i = N and N >= 1)) }",
    );
    assert_eq!(s.arrays[0].name.as_str(), "A1");
}

#[test]
fn old_bodies_become_extensions() {
    let f = file("strided.scop");
    assert_eq!(f.statements[0].extensions[0].tag, "body");
    assert_eq!(f.statements[0].extensions[0].text, "1\ni\na[i] = 1;\n");
    assert_eq!(f.params.as_deref(), Some(&["N".to_owned()][..]));
}

/// Names that sets can't have are replaced; what is written has the file's own.
#[test]
fn odd_names() {
    let text = crate::text("matmul.scop")
        .replace("\nN M K\n", "\nmod i-1 i_1\n")
        .replace("5 C", "5 exists")
        .replace("\ni j k\n", "\nmod mod .x\n");
    let f = tilia_exchange::OpenScop::parse_all(&text).unwrap().remove(0);
    let s = f.to_scop("odd.scop", "scop", &Budget::default()).unwrap();
    let printed = s.to_string();
    for set in [s.context.to_string(), s.stmts[1].domain.to_string()] {
        set.parse::<Set>().unwrap_or_else(|e| panic!("{set}: {e}\n{printed}"));
    }
    let names: Vec<&str> = s.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["mod_1", "i_1", "i_1_1"]);
    assert!(f.to_string().contains("\nmod i-1 i_1\n"));
}
