// S30 (crash)
// - Source: llvm/llvm-project #185250, PR #186189 - "AffineParallelLowering crashes for reductions"
// - Symptom: A parallel loop with several results, each combined in its own way.
// - Right behaviour: Sum, product, or, and: each starts from its neutral element.
// - Expected values: arg1=[67, 3.99168e+07, 15, 0, 6, 7, 8]

func.func @k(%a: memref<12xi32>, %o: memref<7xi32>) {
  %r:4 = affine.parallel (%i) = (0) to (12) reduce ("addi", "muli", "ori", "andi") -> (i32, i32, i32, i32) {
    %v = affine.load %a[%i] : memref<12xi32>
    affine.yield %v, %v, %v, %v : i32, i32, i32, i32
  }
  affine.store %r#0, %o[0] : memref<7xi32>
  affine.store %r#1, %o[1] : memref<7xi32>
  affine.store %r#2, %o[2] : memref<7xi32>
  affine.store %r#3, %o[3] : memref<7xi32>
  return
}
