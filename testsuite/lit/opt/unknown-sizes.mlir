// Loops of unknown size around loops of different statements, one of which has none of the inner ones: the model counts each loop in its place for every statement.
// RUN: %tilia opt %s --machine=%testsuite/machine.toml --strategy=auto --threads=1 --emit=ast | FileCheck %s
// RUN: %tilia run %s --machine=%testsuite/machine.toml --arg 0=40 --arg 1=40x40:rand(1) --threads=1 --check

// CHECK: S0(
// CHECK: S1(
func.func @f(%n: index, %C: memref<?x?xf64>) {
  affine.for %i = 2 to affine_map<()[s0] -> (s0 - 3)>()[%n] {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %0 = affine.load %C[%i, %j] : memref<?x?xf64>
        %1 = affine.load %C[%i, %k] : memref<?x?xf64>
        %2 = affine.load %C[%j, %k] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %0, %3 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
      %5 = affine.load %C[%i, %j] : memref<?x?xf64>
      %6 = arith.addf %5, %5 : f64
      affine.store %6, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
