// S16 (wrong result)
// - Source: llvm/llvm-project #116664 - "Inconsistent results for affine.for and memref.store"
// - Symptom: A loop of 61 iterations stores one value to one cell of a buffer with run-time extents; after tiling and normalising, the value is wrong.
// - Right behaviour: The cell holds the value.
// - Expected values: arg0=[21848]

func.func @k(%o: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c = arith.constant 21848 : i16
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %m = memref.alloc(%c5, %c1) : memref<?x?x1xi16>
  affine.for %i = 0 to 61 {
    memref.store %c, %m[%c0, %c0, %c0] : memref<?x?x1xi16>
  }
  %v = memref.load %m[%c0, %c0, %c0] : memref<?x?x1xi16>
  %w = arith.extsi %v : i16 to i32
  affine.store %w, %o[0] : memref<1xi32>
  return
}
