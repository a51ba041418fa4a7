//! What is printed reads back as the same object, and reads like isl's.

use std::fmt::Display;
use std::str::FromStr;

use crate::{
    Aff, Error, Map, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, Set, UnionMap, UnionPwAff, UnionPwMultiAff, UnionSet,
};

#[track_caller]
fn check<T: FromStr<Err = Error> + Display>(text: &str, printed: &str) {
    let x: T = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(x.to_string(), printed);
    let again: T = printed.parse().unwrap_or_else(|e| panic!("{printed}: {e}"));
    assert_eq!(again.to_string(), printed);
}

#[track_caller]
fn same<T: FromStr<Err = Error> + Display>(text: &str) {
    check::<T>(text, text);
}

#[track_caller]
fn set(text: &str, printed: &str) {
    check::<Set>(text, printed);
}

#[track_caller]
fn map(text: &str, printed: &str) {
    check::<Map>(text, printed);
}

#[track_caller]
fn refuse<T: FromStr<Err = Error> + Display>(text: &str, message: &str) {
    match text.parse::<T>() {
        Ok(x) => panic!("{text} was read as {x}"),
        Err(e) => assert!(e.to_string().contains(message), "{text}: {e}"),
    }
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

#[test]
fn unions_print_like_isl() {
    same::<UnionSet>("[n] -> { A[i] : i < n; B[]; [i, j] }");
    same::<UnionSet>("{ }");
    same::<UnionSet>("[n] -> { }");
    same::<UnionSet>("[n] -> { : n > 0 }");
    check::<UnionSet>("{ A[i] : i > 3; B[i]; A[j] : j < 0 }", "{ A[i] : i >= 4 or i < 0; B[i] }");
    same::<UnionMap>("{ A[] -> B[i]; [i, j] -> [] }");
    same::<UnionMap>("{ }");
}

#[test]
fn functions_print_like_isl() {
    same::<Aff>("[n] -> { [(1 + n)] }");
    check::<Aff>(
        "{ [i] -> [2*floor((i+1)/3) - i mod 4] }",
        "{ [i] -> [(2*floor((1 + i)/3) - (i) mod 4)] }",
    );
    check::<Aff>("{ [i] -> [i/2 + i/2] }", "{ [i] -> [(i)] }");
    check::<MultiAff>("{ S[i,j] -> T[i, floor(j/2)] }", "{ S[i, j] -> T[(i), (floor((j)/2))] }");
    check::<MultiAff>("{ S[i] -> [A[i] -> B[2i]] }", "{ S[i] -> [A[(i)] -> B[(2i)]] }");
    same::<MultiAff>("{ S[i] -> [] }");
    same::<MultiAff>("[n] -> { S[(n), (n)] }");
    same::<PwAff>("{ [i] -> [(1 + i)] : i > 0; [i] -> [(0)] : i <= 0 }");
    same::<PwAff>("[n] -> { [(1 + n)] : n >= 4 }");
    same::<PwMultiAff>("{ S[i, j] -> T[(i), (floor((j)/2))] : i > 0; S[i, j] -> T[(0), (0)] : i < 0 }");
    check::<MultiPwAff>(
        "{ S[i] -> T[(i : i > 0; 3: i < 0), i+1] }",
        "{ S[i] -> T[((i) : i > 0; (3) : i < 0), (1 + i)] }",
    );
    same::<MultiPwAff>("[n] -> { S[i] -> [] : n >= 4 }");
    same::<UnionPwAff>("{ S[i] -> [(i)]; T[i] -> [(2i)] : i > 0 }");
    same::<UnionPwAff>("{ }");
    same::<UnionPwMultiAff>("{ S[i] -> T[(i)]; T[i] -> S[(i)] : i > 0 }");
}

#[test]
fn band_schedules_print_like_isl() {
    check::<MultiUnionPwAff>(
        "[n] -> [{ S[i,j] -> [(i)]; T[i] -> [(i)] }, { S[i,j] -> [(j)]; T[i]->[0] : i < n}]",
        "[n] -> [{ S[i, j] -> [(i)]; T[i] -> [(i)] }, { S[i, j] -> [(j)]; T[i] -> [(0)] : i < n }]",
    );
    same::<MultiUnionPwAff>("[]");
    same::<MultiUnionPwAff>("[n] -> L[]");
    same::<MultiUnionPwAff>("L[{ S[i] -> [(i)] }]");
    same::<MultiUnionPwAff>("[n] -> [[{ A[i] -> [(i)] }] -> [{ A[i] -> [(n)] }]]");
    same::<MultiUnionPwAff>("[{ }, { S[i] -> [(i)] }]");
    same::<MultiUnionPwAff>("[n] -> ([] : { A[i] : i > 0; B[] })");
    same::<MultiUnionPwAff>("[{ [(3)] }]");
}

#[test]
fn wrong_kinds_are_refused() {
    refuse::<Set>("{ [i] -> [i] }", "expected a set, found a map");
    refuse::<Map>("{ [i] }", "expected a map, found a set");
    refuse::<Set>("{ A[i]; B[i] }", "several");
    refuse::<Set>("{ }", "needs a space");
    refuse::<Set>("{ A[i]; A[i] -> B[i] }", "1:9: sets and maps");
    refuse::<Aff>("{ [i] -> [i/2] }", "1:11: this value may be a fraction");
    refuse::<Aff>("{ [i] -> [i] : i > 0 }", "no conditions");
    refuse::<Aff>("{ [i] -> [i*i] }", "1:11: a product needs a constant factor");
    refuse::<Aff>("{ [i] -> [j] }", "1:11: unknown name `j`");
    refuse::<MultiAff>("{ [i] -> [*] }", "needs a value");
    refuse::<Aff>("{ [i] -> [i mod 0] }", "division by zero");
    refuse::<UnionPwMultiAff>("{ [i] -> A[i]; [i] -> B[i] }", "two spaces");
    refuse::<MultiUnionPwAff>("{ [i] -> A[i] }", "tuple of functions");
}

#[test]
fn names_that_need_quotes_get_them() {
    same::<Set>("[\"%n\"] -> { \"S 0\"[\"exists\", i] : \"%n\" <= i <= 2*\"exists\" }");
    same::<Set>("{ exists[i] : i > 0 }");
}
