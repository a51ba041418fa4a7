//! The golden tests of the specification's section 14 that need no C text of PolyBench: rows, parallel rows and bands.

use crate::program::scop;
use tilia_presburger::Budget;
use tilia_scheduler::{Options, Scheduled, schedule};
use tilia_scop::Scop;
use tilia_strategy::{Config, Strategy};

/// Schedules with a strategy and checks the result with the independent validator.
#[track_caller]
pub(crate) fn scheduled(scop: &Scop, strategy: &mut dyn Strategy) -> Scheduled {
    let (deps, _) = tilia_deps::dependences(scop, &Budget::default()).unwrap();
    let done = schedule((scop, &deps), strategy, &Options::default(), &Budget::default()).unwrap_or_else(|e| panic!("{e}"));
    if let Err(v) = tilia_validate::validate(scop, &done.tree, &Budget::default()) {
        panic!("{:?}\n{}", v, done.tree);
    }
    done
}

pub(crate) fn pluto() -> tilia_strategy::StaticStrategy {
    tilia_strategy::StaticStrategy::new("pluto", Config::default())
}

/// `P`, `s` or `-` for each row of a statement, a `|` where a new band begins.
pub(crate) fn flags(done: &Scheduled, stmt: usize) -> String {
    let mut out = String::new();
    let mut band = None;
    for p in &done.stmts[stmt].rows {
        if p.is_loop() && band.replace(p.info.band).is_some_and(|b| b != p.info.band) {
            out.push('|');
        }
        out.push(match (p.is_loop(), p.info.parallel) {
            (false, _) => '-',
            (true, true) => 'P',
            (true, false) => 's',
        });
    }
    out
}

/// A strategy from a file's text.
#[track_caller]
pub(crate) fn strategy(text: &str) -> Box<dyn Strategy> {
    tilia_strategy::load("test", "test.json", text).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Rows and flags of all statements under proximity.
#[track_caller]
fn check(params: &[&str], text: &str, expected: &[&str]) {
    check_with(&mut pluto(), params, text, expected);
}

/// Rows and flags of all statements under a strategy.
#[track_caller]
pub(crate) fn check_with(strategy: &mut dyn Strategy, params: &[&str], text: &str, expected: &[&str]) {
    let scop = scop(params, text);
    let done = scheduled(&scop, strategy);
    let got: Vec<String> = (0..scop.stmts.len())
        .map(|s| format!("{} {}", done.text(&scop, s), flags(&done, s)))
        .collect();
    assert_eq!(got, expected, "{}", done.tree);
}

#[test]
fn matmul() {
    check(
        &["N", "M", "K"],
        "
        for i in 0..N
          for j in 0..M
            for k in 0..K
              C[i][j] += A[i][k] * B[k][j]
        ",
        &["(i, j, k) PPs"],
    );
}

pub(crate) const GEMM: &str = "
    for i in 0..ni
      for j in 0..nj
        C[i][j] *= beta[]
      for k in 0..nk
        for j in 0..nj
          C[i][j] += A[i][k] * B[k][j]
    ";

#[test]
fn gemm() {
    check(&["ni", "nj", "nk"], GEMM, &["(i, j, 0, 0) PPs-", "(i, j, k, 1) PPs-"]);
}

pub(crate) const JACOBI_1D: &str = "
    for t in 0..T
      for i in 1..N-1
        B[i] = A[i-1] + A[i] + A[i+1]
      for i in 1..N-1
        A[i] = B[i-1] + B[i] + B[i+1]
    ";

#[test]
fn jacobi_1d() {
    check(&["T", "N"], JACOBI_1D, &["(t, 2t+i, 0) ss-", "(t, 2t+i+1, 1) ss-"]);
}

/// All four rows are one band; the last is parallel for equal values of the others, which is why trees that are not tiled show it apart.
#[test]
fn heat_3d() {
    let text = "
        for t in 0..T
          for i in 1..N-1
            for j in 1..N-1
              for k in 1..N-1
                B[i][j][k] = A[i+1][j][k] + A[i][j][k] + A[i-1][j][k] + A[i][j+1][k] + A[i][j-1][k] + A[i][j][k+1] + A[i][j][k-1]
          for i in 1..N-1
            for j in 1..N-1
              for k in 1..N-1
                A[i][j][k] = B[i+1][j][k] + B[i][j][k] + B[i-1][j][k] + B[i][j+1][k] + B[i][j-1][k] + B[i][j][k+1] + B[i][j][k-1]
        ";
    let scop = scop(&["T", "N"], text);
    let done = scheduled(&scop, &mut pluto());
    let rows: Vec<String> = (0..2).map(|s| format!("{} {}", done.text(&scop, s), flags(&done, s))).collect();
    assert!(rows[0].starts_with("(t, 2t+i, 2t+j, 2t+k") && rows[0].contains(" sssP"), "{rows:?}");
    assert!(
        rows[1].starts_with("(t, 2t+i+1, 2t+j+1, 2t+k+1") && rows[1].contains(" sssP"),
        "{rows:?}"
    );
    // One band of four in the tree, too.
    let band = done.tree.root().children()[0].as_band().unwrap();
    assert!(band.len() == 4 && band.permutable, "{}", done.tree);
}

#[test]
fn jacobi_1d_with_a_copy() {
    check(
        &["T", "N"],
        "
        for t in 0..T
          for i in 1..N-1
            B[i] = A[i-1] + A[i] + A[i+1]
          for i in 1..N-1
            A[i] = B[i]
        ",
        &["(t, 2t+i, 0) ss-", "(t, 2t+i+1, 1) ss-"],
    );
}

#[test]
fn jacobi_2d() {
    check(
        &["T", "N"],
        "
        for t in 0..T
          for i in 1..N-1
            for j in 1..N-1
              B[i][j] = A[i][j] + A[i][j-1] + A[i][j+1] + A[i+1][j] + A[i-1][j]
          for i in 1..N-1
            for j in 1..N-1
              A[i][j] = B[i][j] + B[i][j-1] + B[i][j+1] + B[i+1][j] + B[i-1][j]
        ",
        &["(t, 2t+i, 2t+j) sss", "(t, 2t+i+1, 2t+j+1) sss"],
    );
}

#[test]
fn seidel_2d() {
    check(
        &["T", "N"],
        "
        for t in 0..T
          for i in 1..N-1
            for j in 1..N-1
              A[i][j] = A[i-1][j-1] + A[i-1][j] + A[i-1][j+1] + A[i][j-1] + A[i][j] + A[i][j+1] + A[i+1][j-1] + A[i+1][j] + A[i+1][j+1]
        ",
        &["(t, t+i, 2t+i+j) sss"],
    );
}

pub(crate) const FDTD_2D: &str = "
    for t in 0..T
      for j in 0..Y
        ey[0][j] = fict[t]
      for i in 1..X
        for j in 0..Y
          ey[i][j] = ey[i][j] - hz[i][j] - hz[i-1][j]
      for i in 0..X
        for j in 1..Y
          ex[i][j] = ex[i][j] - hz[i][j] - hz[i][j-1]
      for i in 0..X-1
        for j in 0..Y-1
          hz[i][j] = hz[i][j] - ex[i][j+1] - ex[i][j] + ey[i+1][j] - ey[i][j]
    ";

#[test]
fn fdtd_2d() {
    check(
        &["T", "X", "Y"],
        FDTD_2D,
        &["(t, t+j, t) sss", "(t, t+j, t+i) sss", "(t, t+j, t+i) sss", "(t, t+j+1, t+i+1) sss"],
    );
}

#[test]
fn lu_in_kij_form() {
    check(
        &["N"],
        "
        for k in 0..N
          for j in k+1..N
            A[k][j] = A[k][j] / A[k][k]
          for i in k+1..N
            for j in k+1..N
              A[i][j] -= A[i][k] * A[k][j]
        ",
        &["(k, j, k) sPs", "(k, j, i) sPs"],
    );
}

#[test]
fn a_transposed_read_needs_a_skew() {
    check(
        &["N"],
        "
        for i in 0..N
          for j in 0..N
            a[i][j] = a[j][i] + a[i][j-1]
        ",
        &["(i+j, i) ss"],
    );
}

#[test]
fn statements_that_swap_their_order() {
    check(
        &["N"],
        "
        for i in 1..N
          for j in 1..N
            a[i][j] = b[i][j-1] + a[i][j-1]
            b[i][j] = a[i-1][j+1] + b[i-1][j]
        ",
        &["(i, j, 1) ss-", "(i, j+1, 0) ss-"],
    );
}

#[test]
fn loops_of_independent_sizes_fuse() {
    check(
        &["N", "M", "L"],
        "
        for i in 0..N
          a[i] = x[i]
        for i in 0..M
          a[i] = y[i]
        for i in 0..L
          a[i] = z[i]
        ",
        &["(i, 0) P-", "(i, 1) P-", "(i, 2) P-"],
    );
}

#[test]
fn doitgen() {
    check(
        &["nr", "nq", "np"],
        "
        for r in 0..nr
          for q in 0..nq
            for p in 0..np
              sum[p] = z[]
              for s in 0..np
                sum[p] += A[r][q][s] * C4[s][p]
            for p in 0..np
              A[r][q][p] = sum[p]
        ",
        &["(r, q, 0, p) s|s-|P", "(r, q, 1, p, s) s|s-|Ps", "(r, q, 2, p) s|s-|P"],
    );
}

#[test]
fn trisolv() {
    check(
        &["N"],
        "
        for i in 0..N
          x[i] = b[i]
          for j in 0..i
            x[i] -= L[i][j] * x[j]
          x[i] = x[i] / L[i][i]
        ",
        &["(i, 0, 0) ss-", "(i, j, 1) ss-", "(i, i, 2) ss-"],
    );
}

#[test]
fn trmm() {
    check(
        &["M", "N"],
        "
        for i in 0..M
          for j in 0..N
            for k in i+1..M
              B[i][j] += A[k][i] * B[k][j]
            B[i][j] = alpha[] * B[i][j]
        ",
        &["(j, i, 0, k) Ps-|s", "(j, i, 1) Ps-"],
    );
}

#[test]
fn lu() {
    check(
        &["N"],
        "
        for i in 0..N
          for j in 0..i
            for k in 0..j
              A[i][j] -= A[i][k] * A[k][j]
            A[i][j] /= A[j][j]
          for j in i..N
            for k in 0..i
              A[i][j] -= A[i][k] * A[k][j]
        ",
        &["(i, j, k) sss", "(i, j, j) sss", "(i, j, k) sss"],
    );
}

pub(crate) const SYMM: &str = "
    for i in 0..M
      for j in 0..N
        temp2[] = z[]
        for k in 0..i
          C[k][j] += B[i][j] * A[i][k]
          temp2[] += B[k][j] * A[i][k]
        C[i][j] = beta[] * C[i][j] + B[i][j] * A[i][i] + temp2[]
    ";

#[test]
fn symm_with_a_scalar() {
    check(
        &["M", "N"],
        SYMM,
        // Statement 1 is a component of its own once row i has ordered its dependences on the others.
        &[
            "(i, j, 0, 0) s|s|s-",
            "(i, j, k) s|PP",
            "(i, j, k, 1) s|s|s-",
            "(i, j, i, 2) s|s|s-",
        ],
    );
}

/// The product alone: two parallel loops outside.
#[test]
fn the_product_of_symm_alone() {
    check(
        &["M", "N"],
        "
        for i in 0..M
          for j in 0..N
            for k in 0..i
              C[k][j] += B[i][j] * A[i][k]
        ",
        &["(j, k, i) PPs"],
    );
}

pub(crate) const SYMM_EXPANDED: &str = "
    for i in 0..M
      for j in 0..N
        temp2[i][j] = z[]
        for k in 0..i
          C[k][j] += B[i][j] * A[i][k]
          temp2[i][j] += B[k][j] * A[i][k]
        C[i][j] = beta[] * C[i][j] + B[i][j] * A[i][i] + temp2[i][j]
    ";

/// With a temporary for each iteration, the loops over rows and columns are parallel, and all three are one band.
#[test]
fn symm_with_an_expanded_temporary() {
    check(
        &["M", "N"],
        SYMM_EXPANDED,
        // Nothing orders statement 1 among the others once the loops have ordered its dependences: it has no place at the end.
        &["(i, j, 0, 0) PPs-", "(k, j, i) PPs", "(i, j, k, 1) PPs-", "(i, j, i, 2) PPs-"],
    );
}

pub(crate) const TRSML_OFF_DIAG: &str = "
    for i in 0..N
      for j in 0..i
        for l in 0..L
          for k in 0..16
            inv[i][16*l+k] = a[i][j] * b[j][16*l+k]
            b[i][16*l+k] -= inv[i][16*l+k]
    ";

#[test]
fn trsml_off_diag() {
    check(&["N", "L"], TRSML_OFF_DIAG, &["(l, k, i, j, 0) PPss-", "(l, k, i, j, 1) PPss-"]);
}

/// Nests that share nothing get the rows that they get alone, in either order.
#[test]
fn the_order_of_independent_nests_changes_nothing() {
    let params = ["T", "X", "Y", "ni", "nj", "nk"];
    let (mut rows, mut count) = (Vec::new(), 0);
    for text in [format!("{FDTD_2D}{GEMM}"), format!("{GEMM}{FDTD_2D}")] {
        let scop = scop(&params, &text);
        let done = scheduled(&scop, &mut pluto());
        count = scop.stmts.len();
        rows.push(
            (0..count)
                .map(|s| format!("{} {}", done.text(&scop, s), flags(&done, s)))
                .collect::<Vec<_>>(),
        );
    }
    rows[1].rotate_left(2);
    assert_eq!((count, &rows[0]), (6, &rows[1]));
    assert_eq!(rows[0][4..], ["(i, j, 0, 0) PPs-", "(i, j, k, 1) PPs-"]);
}
