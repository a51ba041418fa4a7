// S12 (crash)
// - Source: llvm/llvm-project #128277 - "Crash when using affine-super-vectorize (a memref.dim in the loop)"
// - Symptom: An extent is asked for in the loop; the pass makes a vector of memrefs.
// - Right behaviour: An extent is invariant. The sum is 78 times 7 on top of what was there.
// - Expected values: arg1=[548]

func.func @k(%a: memref<7xi64>, %o: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 78 {
    %d = memref.dim %a, %c0 : memref<7xi64>
    %x = arith.index_cast %d : index to i64
    %y = affine.load %o[0] : memref<1xi64>
    %z = arith.addi %x, %y : i64
    affine.store %z, %o[0] : memref<1xi64>
  }
  return
}
