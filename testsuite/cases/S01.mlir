// S01 (wrong result)
// - Source: llvm/llvm-project #217538 - "affine-data-copy-generate copies out a fast buffer it never filled, when the loop also has a non-affine access"
// - Symptom: One store of the loop has a plain memref.store beside it, to the same cell. The pass stages the buffer, books the plain access nowhere, and writes back what it never read.
// - Right behaviour: Every kind of access to an array counts. All cells but the first keep their values.
// - Expected values: arg0=[99, -7, 11, -13]

memref.global "private" @m : memref<4xi32> = dense<[3, -7, 11, -13]>
func.func @k(%o: memref<4xi32>) {
  %s = arith.constant 99 : i32
  %c0 = arith.constant 0 : index
  %m = memref.get_global @m : memref<4xi32>
  affine.for %i = 0 to 4 {
    affine.store %s, %m[0] : memref<4xi32>
    memref.store %s, %m[%c0] : memref<4xi32>
  }
  affine.for %i = 0 to 4 {
    %q = affine.load %m[%i] : memref<4xi32>
    affine.store %q, %o[%i] : memref<4xi32>
  }
  return
}
