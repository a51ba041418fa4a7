// S33 (wrong result)
// - Source: llvm/llvm-project #223232 - "Loop peeling makes a dynamic zero-trip loop execute"
// - Symptom: Bounds are arguments; the peeled iteration runs even if the lower bound isn't below the upper one.
// - Right behaviour: max(0, ceil((upper - lower) / step)) iterations, for negative bounds too; carried values come out as they went in.

func.func @k(%n: index, %m: index, %a: memref<8xi32>, %o: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 5 : i64
  %one = arith.constant 1 : i64
  %t = arith.constant 77 : i32
  %r = scf.for %i = %n to %m step %c3 iter_args(%x = %z) -> (i64) {
    %y = arith.addi %x, %one : i64
    memref.store %t, %a[%i] : memref<8xi32>
    scf.yield %y : i64
  }
  %q = affine.for %i = %n to %m step 3 iter_args(%x = %z) -> (i64) {
    %y = arith.addi %x, %one : i64
    affine.yield %y : i64
  }
  affine.store %r, %o[0] : memref<2xi64>
  affine.store %q, %o[1] : memref<2xi64>
  return
}
