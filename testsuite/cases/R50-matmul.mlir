// The input of R50: any plain product of 64x64 matrices. The main command must change it, or say why it didn't.

func.func @k(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %l = 0 to 64 {
        %x = affine.load %a[%i, %l] : memref<64x64xf32>
        %y = affine.load %b[%l, %j] : memref<64x64xf32>
        %p = arith.mulf %x, %y : f32
        %s = affine.load %c[%i, %j] : memref<64x64xf32>
        %t = arith.addf %s, %p : f32
        affine.store %t, %c[%i, %j] : memref<64x64xf32>
      }
    }
  }
  return
}
