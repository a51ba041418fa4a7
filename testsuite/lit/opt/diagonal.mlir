// A triangular solve: rows run side by side in a register tile, whose columns left of the diagonal all rows have. Up to there the loop has no condition, although another statement runs on the
// diagonal itself. Where sums may change their order, the source's loops add up in vectors, which the model knows to be faster than tiles that wait for each other.
// RUN: %tilia opt %s --machine=%testsuite/machine.toml --strategy=auto --threads=2 --emit=ast | FileCheck %s
// RUN: %tilia opt %s --machine=%testsuite/machine.toml --strategy=auto --threads=2 --fp=fast --backend=llvm --remarks --emit=ast 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: %tilia run %s --machine=%testsuite/machine.toml --arg 0=531 --arg 1=531x531:rand(1) --arg 2=531:rand(2) --arg 3=531:rand(3) --threads=2 --grain=0 --check
// RUN: %tilia run %s --machine=%testsuite/machine.toml --arg 0=531 --arg 1=531x531:rand(1) --arg 2=531:rand(2) --arg 3=531:rand(3) --threads=2 --grain=0 --fp=fast --backend=llvm --check

// CHECK: for (c3 = 512 * c1; c3 < i0_r; c3 += 1) { // full tile
// CHECK-NEXT: S1(i0_r, c3);
// CHECK-NEXT: S1(i0_r + 1, c3);
// CHECK-NEXT: S1(i0_r + 2, c3);
// CHECK-NEXT: S1(i0_r + 3, c3);
// CHECK-NEXT: S1(i0_r + 4, c3);
// CHECK-NEXT: S1(i0_r + 5, c3);
// CHECK-NEXT: }
// CHECK-NEXT: for (c3 = i0_r; c3 <= i0_r + 5; c3 += 1) { // full tile
// CHECK-NEXT: S2(c3);
// FAST: the order of the source is taken
func.func @solve(%n: index, %L: memref<?x?xf64>, %b: memref<?xf64>, %x: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %b[%i] : memref<?xf64>
    affine.store %0, %x[%i] : memref<?xf64>
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %1 = affine.load %L[%i, %j] : memref<?x?xf64>
      %2 = affine.load %x[%j] : memref<?xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = affine.load %x[%i] : memref<?xf64>
      %5 = arith.subf %4, %3 : f64
      affine.store %5, %x[%i] : memref<?xf64>
    }
    %6 = affine.load %x[%i] : memref<?xf64>
    %7 = affine.load %L[%i, %i] : memref<?x?xf64>
    %8 = arith.divf %6, %7 : f64
    affine.store %8, %x[%i] : memref<?xf64>
  }
  return
}
