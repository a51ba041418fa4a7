// S19 (crash)
// - Source: llvm/llvm-project #139231, #132155 - "affine-loop-fusion: expected at least one operation; inconsistent output with fusion"
// - Symptom: A dilated convolution over a padded copy: fill, copy into the middle through a subview, accumulate from i*2 + u*2.
// - Right behaviour: As the loops say.
// - Expected values: arg1=[3, 10, 3, 10, 21, 24, 21, 24, 17, 38, 17, 38]

func.func @k(%x: memref<3x4x5xf32>, %o: memref<3x2x2xf32>) {
  %z = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<3x8x7xf32>
  affine.for %i = 0 to 3 { affine.for %j = 0 to 8 { affine.for %l = 0 to 7 {
    affine.store %z, %p[%i, %j, %l] : memref<3x8x7xf32>
  } } }
  %s = memref.subview %p[0, 2, 1] [3, 4, 5] [1, 1, 1] : memref<3x8x7xf32> to memref<3x4x5xf32, strided<[56, 7, 1], offset: 15>>
  memref.copy %x, %s : memref<3x4x5xf32> to memref<3x4x5xf32, strided<[56, 7, 1], offset: 15>>
  affine.for %i = 0 to 3 { affine.for %j = 0 to 2 { affine.for %l = 0 to 2 {
    affine.store %z, %o[%i, %j, %l] : memref<3x2x2xf32>
  } } }
  affine.for %i = 0 to 3 { affine.for %j = 0 to 2 { affine.for %l = 0 to 2 {
    affine.for %u = 0 to 3 { affine.for %v = 0 to 2 {
      %a = affine.load %p[%i, %j * 2 + %u * 2, %l * 2 + %v * 2] : memref<3x8x7xf32>
      %b = affine.load %o[%i, %j, %l] : memref<3x2x2xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %o[%i, %j, %l] : memref<3x2x2xf32>
    } }
  } } }
  return
}
