// S27 (crash)
// - Source: llvm/llvm-project #61158, #186830 - "collapse_shape with a dynamic dimension of size 1; expand_shape with two dynamic dimensions in a group"
// - Symptom: A row of one is flattened and expanded into three run-time extents in one group; the lowering segfaults or takes a wrong stride.
// - Right behaviour: Extents are as given; elements keep their row-major order.
// - Expected values: arg0=[2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 2]; arg3=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1]

func.func @k(%a: memref<?x?xf32>, %n: index, %m: index, %o: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = memref.collapse_shape %a [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  %d = memref.dim %f, %c0 : memref<?xf32>
  %e = memref.expand_shape %f [[0, 1, 2]] output_shape [%n, %m, %c1] : memref<?xf32> into memref<?x?x?xf32>
  affine.for %i = 0 to %n { affine.for %j = 0 to %m {
    %v = affine.load %e[%i, %j, 0] : memref<?x?x?xf32>
    affine.store %v, %o[%i, %j, 0] : memref<?x?x?xf32>
  } }
  affine.for %i = 0 to %d {
    %v = affine.load %f[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %f[%i] : memref<?xf32>
  }
  return
}
