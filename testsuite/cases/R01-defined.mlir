// R01 with a body for the callee: it negates the whole buffer it is given, so the result tells in which order things ran.

func.func private @touch(%t: memref<24xf32>) {
  affine.for %i = 0 to 24 {
    %v = affine.load %t[%i] : memref<24xf32>
    %n = arith.negf %v : f32
    affine.store %n, %t[%i] : memref<24xf32>
  }
  return
}
func.func @k(%src: memref<24xf32>, %tmp: memref<24xf32>, %dst: memref<24xf32>) {
  affine.for %i = 0 to 24 {
    %v = affine.load %src[%i] : memref<24xf32>
    affine.store %v, %tmp[%i] : memref<24xf32>
    func.call @touch(%tmp) : (memref<24xf32>) -> ()
  }
  affine.for %i = 0 to 24 {
    %v = affine.load %tmp[%i] : memref<24xf32>
    %w = arith.mulf %v, %v : f32
    %x = arith.addf %w, %v : f32
    affine.store %x, %dst[%i] : memref<24xf32>
  }
  return
}
