// An operand that the loops write themselves, but no more once it is read (the rows of a factor that are done), is copied as soon as it is final, in the order in which vectors read it; panels then have
// register tiles of vectors.
// RUN: %tilia opt %s --machine=%S/Inputs/widest.toml --strategy=auto --backend=llvm --threads=1 --fp=contract --emit=ast --remarks 2>&1 | FileCheck %s
// RUN: %tilia run %s --machine=%S/Inputs/widest.toml --strategy=auto --backend=llvm --threads=2 --fp=contract --arg 0=700 --arg 1=700x700:rand(3) --check --remarks 2>&1 | FileCheck %s --check-prefix=RAN
// CHECK-DAG: [pack] applied: an operand is copied once nothing writes it any more, in another order of its dimensions: arg1
// CHECK-DAG: [pack] analysis: operands get copies: an estimated
// CHECK-DAG: [auto] applied: panels: strips of 32 iterations
// CHECK-DAG: [auto] applied: a register tile of {{[0-9]+}}x{{[0-9]+}} with vectors
// RUN: %tilia opt %s --machine=%S/Inputs/widest.toml --strategy=auto --backend=llvm --threads=1 --fp=contract --emit=ast | FileCheck %s --check-prefix=AST
// The copy's statement stands right behind the division, before what reads the element.
// AST: S1(i0, i2);
// AST-NEXT: S2(i0, i2);
// AST: // parallel, vector, full tile
// AST-NEXT: S0({{.*}});
// RAN: [pack] analysis: operands get copies
// RAN: identical
func.func @factor(%n: index, %A: memref<?x?xf64>) {
  %hundred = arith.constant 100.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %2 = affine.load %A[%j, %k] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.subf %0, %3 : f64
        affine.store %4, %A[%i, %j] : memref<?x?xf64>
      }
      %5 = affine.load %A[%i, %j] : memref<?x?xf64>
      %6 = affine.load %A[%j, %j] : memref<?x?xf64>
      %7 = arith.addf %6, %hundred : f64
      %8 = arith.divf %5, %7 : f64
      affine.store %8, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
