// S10 (crash)
// - Source: llvm/llvm-project #122210 - "affine-data-copy-generate crashes in runOnBlock"
// - Symptom: A constant global goes through extract_strided_metadata and reinterpret_cast, and its copy is read in a nest.
// - Right behaviour: The base buffer of a global is the global.
// - Expected values: arg0=[2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5]

memref.global "private" constant @g : memref<1x1x29xf32> = dense<2.5>
func.func @k(%o: memref<1x29xf32>) {
  %2 = memref.get_global @g : memref<1x1x29xf32>
  %base, %off, %sz:3, %st:3 = memref.extract_strided_metadata %2 : memref<1x1x29xf32> -> memref<f32>, index, index, index, index, index, index, index
  %rc = memref.reinterpret_cast %base to offset: [0], sizes: [29], strides: [1] : memref<f32> to memref<29xf32, strided<[1]>>
  %m = memref.alloc() : memref<29xf32>
  memref.copy %rc, %m : memref<29xf32, strided<[1]>> to memref<29xf32>
  affine.for %i = 0 to 1 {
    affine.for %j = 0 to 29 {
      %v = affine.load %m[%j] : memref<29xf32>
      affine.store %v, %o[%i, %j] : memref<1x29xf32>
    }
  }
  return
}
