//! Fusion at the outermost dimension.

use crate::golden::{GEMM, SYMM, check_with, scheduled, strategy};
use crate::program::scop;

fn with(heuristic: &str) -> Box<dyn tilia_strategy::Strategy> {
    strategy(&format!(
        r#"{{"scheduling_strategy":{{
        "ILP_construction":[{{"scheduling_dimension":"default","cost_functions":["proximity"]}}],
        "options":{{"fusion_heuristic":"{heuristic}"}}}}}}"#
    ))
}

#[test]
fn gemm_is_distributed_into_full_bands() {
    check_with(
        with("reuse").as_mut(),
        &["ni", "nj", "nk"],
        GEMM,
        &["(0, i, j) -PP", "(1, i, j, k) -PPs"],
    );
}

#[test]
fn symm_is_distributed_for_parallelism() {
    let expected = [
        "(0, i, j, 0, 0) -s|s|s-",
        "(1, j, k, i) -PPs",
        "(0, i, j, k, 1) -s|s|s-",
        "(0, i, j, i, 2) -s|s|s-",
    ];
    check_with(with("reuse").as_mut(), &["M", "N"], SYMM, &expected);
}

const TWO_MM: &str = "
    for i in 0..ni
      for j in 0..nj
        tmp[i][j] = z[]
        for k in 0..nk
          tmp[i][j] += A[i][k] * B[k][j]
    for i in 0..ni
      for j in 0..nl
        D[i][j] *= beta[]
        for k in 0..nj
          D[i][j] += tmp[i][k] * C[k][j]
    ";

#[test]
fn two_products_keep_their_bands() {
    let expected = ["(0, i, j) -PP", "(1, i, j, k) -PPs", "(2, i, j) -PP", "(3, i, j, k) -PPs"];
    check_with(with("reuse").as_mut(), &["ni", "nj", "nk", "nl"], TWO_MM, &expected);
}

/// A point-wise pipeline.
const PIPELINE: &str = "
    for i in 0..N
      for j in 0..N
        b[i][j] = a[i][j]
    for i in 0..N
      for j in 0..N
        c[i][j] = b[i][j] * b[i][j]
    for i in 0..N
      for j in 0..N
        d[i][j] = x[i][j]
    ";

#[test]
fn producers_and_consumers_fuse_where_they_meet() {
    let expected = ["(0, i, j, 0) -PP-", "(0, i, j, 1) -PP-", "(1, i, j) -PP"];
    check_with(with("reuse").as_mut(), &["N"], PIPELINE, &expected);
    check_with(with("typed").as_mut(), &["N"], PIPELINE, &expected);
}

#[test]
fn without_fusion_every_component_stands_alone() {
    check_with(
        with("none").as_mut(),
        &["N"],
        PIPELINE,
        &["(0, i, j) -PP", "(1, i, j) -PP", "(2, i, j) -PP"],
    );
}

#[test]
fn a_stencil_that_needs_a_shift_keeps_its_parallel_loop() {
    // Fused, row i would have to run b ahead of c: sequential.
    let program = "
        for i in 1..N-1
          b[i] = a[i]
        for i in 1..N-1
          c[i] = b[i-1] + b[i+1]
        ";
    check_with(with("reuse").as_mut(), &["N"], program, &["(0, i) -P", "(1, i) -P"]);
}

#[test]
fn decisions_are_remarks() {
    let scop = scop(&["N"], PIPELINE);
    let done = scheduled(&scop, with("reuse").as_mut());
    let said = |text: &str| done.remarks.iter().any(|r| r.message == text);
    assert!(said("S1 is fused with S0"), "{:?}", done.remarks);
    assert!(said("S2 is not fused with S0, S1: they share no data"), "{:?}", done.remarks);
}
