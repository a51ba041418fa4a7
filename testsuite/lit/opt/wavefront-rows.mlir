// An in-place stencil swept again and again: tiles of time and rows run in wavefronts, and in each of them skewed rows run side by side, the columns that all of them have written out.
// RUN: %tilia opt %s --machine=%testsuite/machine.toml --strategy=auto --threads=2 --remarks --emit=ast 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: %tilia run %s --machine=%testsuite/machine.toml --arg 0=21 --arg 1=83 --arg 2=83x83:rand(1) --threads=2 --grain=0 --check

// REMARKS: tiles run in wavefronts
// REMARKS: a register tile of {{[0-9]+}}
// REMARKS-NOT: not done: a register tile
// CHECK: // parallel
// CHECK: for (c4 = {{.*}}) { // full tile
// CHECK-NEXT: S0(
// CHECK-NEXT: S0(

func.func @sweeps(%t: index, %n: index, %A: memref<?x?xf64>) {
  %quarter = arith.constant 0.25 : f64
  affine.for %k = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %0 = affine.load %A[%i - 1, %j + 1] : memref<?x?xf64>
        %1 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %2 = arith.addf %0, %1 : f64
        %3 = affine.load %A[%i + 1, %j + 1] : memref<?x?xf64>
        %4 = arith.addf %2, %3 : f64
        %5 = affine.load %A[%i + 1, %j - 1] : memref<?x?xf64>
        %6 = arith.addf %4, %5 : f64
        %7 = arith.mulf %6, %quarter : f64
        affine.store %7, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
