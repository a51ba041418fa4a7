// Rows of an in-place stencil, skewed so that they run side by side, start and end at different columns: only the columns that all four have are written out, without conditions.
// RUN: %tilia opt %s -p '[{"do":"skew","loop":"i1","by":"i0","factor":2},{"do":"unroll_jam","loop":"i0","factor":4}]' --emit=ast | FileCheck %s
// RUN: %tilia run %s --machine=%testsuite/machine.toml -p '[{"do":"skew","loop":"i1","by":"i0","factor":2},{"do":"unroll_jam","loop":"i0","factor":4}]' --arg 0=29 --arg 1=29x29:rand(1) --threads=2 --grain=0 --check
// RUN: %tilia run %s --machine=%testsuite/machine.toml --arg 0=61 --arg 1=61x61:rand(1) --threads=2 --grain=0 --check

// CHECK: for (i0_r = {{.*}}) { // full tile
// CHECK: for (i1 = {{.*}}) { // full tile
// CHECK-NEXT: S0(i0_r, i1 - 2 * i0_r);
// CHECK-NEXT: S0(i0_r + 1, i1 - 2 * i0_r - 2);
// CHECK-NEXT: S0(i0_r + 2, i1 - 2 * i0_r - 4);
// CHECK-NEXT: S0(i0_r + 3, i1 - 2 * i0_r - 6);
// CHECK-NEXT: }

func.func @rows(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %0 = affine.load %A[%i - 1, %j + 1] : memref<?x?xf64>
      %1 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      %3 = affine.load %A[%i + 1, %j] : memref<?x?xf64>
      %4 = arith.addf %2, %3 : f64
      affine.store %4, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
