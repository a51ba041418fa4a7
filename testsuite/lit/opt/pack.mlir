// Operands that loops read again and again are copied before them, where that is expected to be faster: each element is scaled once, and what would be walked across its rows lies along the vectors.
// RUN: %tilia opt %s --machine=%S/Inputs/wide.toml --strategy=auto --backend=llvm --threads=1 --emit=ast --remarks 2>&1 | FileCheck %s
// RUN: %tilia run %s --machine=%S/Inputs/wide.toml --strategy=auto --backend=llvm --threads=2 --fp=contract --arg 0=700x700:rand(3) --arg 1=700x500:rand(5) --arg 2=:rand(7) --arg 3=700 --arg 4=500 --check --remarks 2>&1 | FileCheck %s --check-prefix=RAN
// CHECK-DAG: [pack] applied: an operand is copied before the loops, with what is computed of each element: arg1
// CHECK-DAG: [pack] applied: an operand is copied before the loops, in another order of its dimensions: arg1
// CHECK-DAG: [pack] analysis: operands get copies: an estimated
// CHECK-DAG: [auto] applied: a register tile of
// CHECK: syrk_0 in @syrk
// CHECK: S{{[12]}}(
// CHECK: S{{[12]}}(
// CHECK: S0(
// RAN: [pack] analysis: operands get copies
// RAN: identical
func.func @syrk(%C: memref<?x?xf64>, %A: memref<?x?xf64>, %alpha: memref<f64>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %k = 0 to %m {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        %0 = affine.load %alpha[] : memref<f64>
        %1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %A[%j, %k] : memref<?x?xf64>
        %4 = arith.mulf %2, %3 : f64
        %5 = affine.load %C[%i, %j] : memref<?x?xf64>
        %6 = arith.addf %5, %4 : f64
        affine.store %6, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
