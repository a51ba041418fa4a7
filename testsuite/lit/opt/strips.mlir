// A parallel loop along which memory is contiguous, around loops that jump from row to row: its iterations move inside them in strips, and become vectors.
// RUN: %tilia opt %s --machine=%testsuite/machine.toml --strategy=auto --remarks --emit=ast 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: %tilia run %s --machine=%testsuite/machine.toml --arg 0=67 --arg 1=67x67:rand(1) --arg 2=67:rand(2) --arg 3=67:rand(3) --threads=2 --grain=0 --check
// Rows of a handful of elements aren't worth it.
// RUN: %tilia run %s --machine=%testsuite/machine.toml --arg 0=9 --arg 1=9x9:rand(1) --arg 2=9:rand(2) --arg 3=9:rand(3) --threads=2 --grain=0 --check --remarks=auto 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: declined: a parallel loop around others isn't moved inside them: an estimated
// FEW-NOT: is distributed

// REMARKS: strips of {{[0-9]+}} iterations of a parallel loop, inside which each statement runs for the whole strip
// CHECK: for ({{.*}} // parallel
// CHECK: vector
// CHECK: S1(
// CHECK: vector
// CHECK: S2(

func.func @columns(%n: index, %A: memref<?x?xf64>, %q: memref<?xf64>, %r: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %j = 0 to %n {
    affine.store %zero, %r[%j] : memref<?xf64>
    affine.for %i = 0 to %n {
      %0 = affine.load %r[%j] : memref<?xf64>
      %1 = affine.load %q[%i] : memref<?xf64>
      %2 = affine.load %A[%i, %j] : memref<?x?xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      affine.store %4, %r[%j] : memref<?xf64>
    }
    affine.for %i = 0 to %n {
      %5 = affine.load %A[%i, %j] : memref<?x?xf64>
      %6 = affine.load %q[%i] : memref<?xf64>
      %7 = affine.load %r[%j] : memref<?xf64>
      %8 = arith.mulf %6, %7 : f64
      %9 = arith.subf %5, %8 : f64
      affine.store %9, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
