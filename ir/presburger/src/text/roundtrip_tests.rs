//! What is printed reads back as the same object, and reads like isl's.

use crate::{Map, Set};

#[track_caller]
fn set(text: &str, printed: &str) {
    let s: Set = text.parse().unwrap();
    assert_eq!(s.to_string(), printed);
    let again: Set = printed.parse().unwrap_or_else(|e| panic!("{printed}: {e}"));
    assert_eq!(again.to_string(), printed);
}

#[track_caller]
fn map(text: &str, printed: &str) {
    let m: Map = text.parse().unwrap();
    assert_eq!(m.to_string(), printed);
    let again: Map = printed.parse().unwrap_or_else(|e| panic!("{printed}: {e}"));
    assert_eq!(again.to_string(), printed);
}

#[test]
fn sets_print_like_isl() {
    set(
        "[n,m] -> { S[i,j] : 0 <= i < n and j <= m }",
        "[n, m] -> { S[i, j] : 0 <= i < n and j <= m }",
    );
    set("{ : }", "{ : }");
    set("[n] -> { : n > 3 or n = 0 }", "[n] -> { : n >= 4 or n = 0 }");
    set("{ [i, i] }", "{ [i, i] }");
    set("[n] -> { [n, i] }", "[n] -> { [n, i] }");
    set("{ [*, i] : i > 0 }", "{ [i0, i] : i > 0 }");
    set("{ [i = 3, j] }", "{ [i = 3, j] }");
    set("{ [0:5] }", "{ [i0] : 0 <= i0 <= 5 }");
    set("{ [i] : i mod 3 = 1 }", "{ [i] : (i) mod 3 = 1 }");
    set("{ A[[i] -> [j]] }", "{ A[[i] -> [j]] }");
    set("{ [i] : false }", "{ [i] : false }");
    set(
        "{ [i,j,k] : 2i+3j-4k >= 7 and i - j >= -3 }",
        "{ [i, j, k] : j <= 3 + i and 4k <= -7 + 2i + 3j }",
    );
    set(
        "{ [i,j] : i >= 100000000000000000000000 j }",
        "{ [i, j] : 100000000000000000000000j <= i }",
    );
}

#[test]
fn maps_print_like_isl() {
    map("{ [i] -> [i + 1] }", "{ [i] -> [1 + i] }");
    map("{ [i] -> [i'] : i' = i+1 }", "{ [i] -> [i' = 1 + i] }");
    map("{ A[i] -> B[C[i] -> D[2i, 3]] : i > 0 }", "{ A[i] -> B[C[i] -> D[2i, 3]] : i > 0 }");
}
