// A sum over two loops keeps their order, so only the inner one could stand in a register tile, where nothing is reused: parallel loops move inside, next to it.
// RUN: %tilia opt %s --machine=%S/Inputs/wide.toml --strategy=auto --backend=llvm --threads=2 --fp=contract --emit=ast --remarks 2>&1 | FileCheck %s
// RUN: %tilia run %s --machine=%S/Inputs/wide.toml --strategy=auto --backend=llvm --threads=2 --grain=0 --fp=contract --arg 0=7 --arg 1=40 --arg 2=7x7x40x40:rand(3) --arg 3=7x7x40x40:rand(5) --arg 4=7x7x40x40:rand(7) --check --remarks 2>&1 | FileCheck %s --check-prefix=RAN
// CHECK-DAG: [auto] applied: parallel loops move inside loops whose order stays, for a register tile with the innermost of them
// CHECK-DAG: [auto] applied: a register tile of {{[0-9]+}}x{{[0-9]+}} with vectors
// RUN: %tilia opt %s --machine=%S/Inputs/wide.toml --strategy=auto --backend=llvm --threads=2 --fp=contract --emit=ast | FileCheck %s --check-prefix=AST
// AST: for (i3_r = {{.*}} // parallel, full tile
// AST-NEXT: for (c8 = {{.*}} // full tile
// AST-NEXT: for (c10 = i3_r; c10 <= i3_r + 7; c10 += 1) // parallel, vector, full tile
// AST-NEXT: S0(c0, c1, i2_r, c10, c2, c8);
// RAN: [auto] applied: parallel loops move inside
// RAN: identical
func.func @contraction(%n: index, %m: index, %A: memref<?x?x?x?xf64>, %B: memref<?x?x?x?xf64>, %C: memref<?x?x?x?xf64>) {
  affine.for %a = 0 to %n {
    affine.for %b = 0 to %n {
      affine.for %i = 0 to %m {
        affine.for %j = 0 to %m {
          affine.for %c = 0 to %n {
            affine.for %k = 0 to %m {
              %0 = affine.load %C[%a, %b, %i, %j] : memref<?x?x?x?xf64>
              %1 = affine.load %A[%a, %c, %i, %k] : memref<?x?x?x?xf64>
              %2 = affine.load %B[%c, %b, %k, %j] : memref<?x?x?x?xf64>
              %3 = arith.mulf %1, %2 : f64
              %4 = arith.addf %0, %3 : f64
              affine.store %4, %C[%a, %b, %i, %j] : memref<?x?x?x?xf64>
            }
          }
        }
      }
    }
  }
  return
}
