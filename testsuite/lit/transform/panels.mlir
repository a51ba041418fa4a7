// Panels of an LU decomposition: the diagonal block, the panels beside and below it, and the rest, in which only the strip's loop has an order.
// RUN: %tilia opt %s --strategy=pluto --emit=ast -p '[{"do": "panels", "loops": ["i0", "i1", "i2"], "strips": "i2", "size": 8}]' | FileCheck %s
// RUN: %tilia run %s --strategy=pluto --arg 0=21x21:rand(3) --arg 1=21 --threads=2 --grain=0 --check -p '[{"do": "panels", "loops": ["i0", "i1", "i2"], "strips": "i2", "size": 8}]'
// RUN: not %tilia opt %s --strategy=pluto -p '[{"do": "panels", "loops": ["i0", "i1", "i2"], "strips": "i0", "size": 8}]' 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK: for (i2_t = 0; i2_t < [[N:p[0-9]+]] - 1; i2_t += 8) {
// CHECK-NEXT: for (i2 = i2_t; i2 <= min(i2_t + 6, [[N]] - 2); i2 += 1)
// CHECK-NEXT: for (i0 = i2 + 1; i0 <= min(i2_t + 7, [[N]] - 1); i0 += 1) { // parallel
// CHECK: for (i1 = i2_t + 8; i1 < [[N]]; i1 += 1) // parallel
// CHECK-NEXT: S2(i0, i1, i2);
// CHECK: for (i0 = i2_t + 8; i0 < [[N]]; i0 += 1) { // parallel
// CHECK-NEXT: S1(i0, i2);
// CHECK: for (i0 = i2_t + 9; i0 < [[N]]; i0 += 1) // parallel
// CHECK-NEXT: for (i1 = i2_t + 8; i1 < i0; i1 += 1) // parallel
// CHECK-NEXT: S0(i0, i1, i2);
// CHECK: for (i0 = i2_t + 8; i0 < [[N]]; i0 += 1) // parallel
// CHECK-NEXT: for (i1 = i0; i1 < [[N]]; i1 += 1) // parallel
// CHECK-NEXT: S2(i0, i1, i2);

// Along a row there are no planes: an element of the row waits for others of it.
// OTHER: step 1 (/0, panels):

func.func @lu(%A: memref<?x?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %2 = affine.load %A[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.subf %0, %3 : f64
        affine.store %4, %A[%i, %j] : memref<?x?xf64>
      }
      %5 = affine.load %A[%i, %j] : memref<?x?xf64>
      %6 = affine.load %A[%j, %j] : memref<?x?xf64>
      %7 = arith.divf %5, %6 : f64
      affine.store %7, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %8 = affine.load %A[%i, %j] : memref<?x?xf64>
        %9 = affine.load %A[%i, %k] : memref<?x?xf64>
        %10 = affine.load %A[%k, %j] : memref<?x?xf64>
        %11 = arith.mulf %9, %10 : f64
        %12 = arith.subf %8, %11 : f64
        affine.store %12, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
