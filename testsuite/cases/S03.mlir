// S03 (crash)
// - Source: llvm/llvm-project #76309 - "affine-scalrep crashes: multiple simultaneous replacement stores"
// - Symptom: A scalar of type f16 in another memory space is stored twice in a loop whose upper bound is rounded up to a multiple of the step; the pass finds two stores that could be the last one and aborts.
// - Right behaviour: Of two stores in one iteration the later one counts. The loop with the rounded bound runs once for each i.
// - Expected values: arg0=[1.5, 1.5, 1.5, 1.5, 5, 6, 7, 8]

#map1 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> (d0 + ((-d0 + 3) floordiv 4) * 4 + 4)>
func.func @k(%o: memref<8xf32>) {
  %tmp = arith.constant 1.5 : f16
  %m = memref.alloc() : memref<f16, 1>
  affine.for %i = 4 to 8 {
    affine.store %tmp, %m[] : memref<f16, 1>
    affine.for %j = #map1(%i) to #map4(%i) step 4 {
      %x0 = affine.load %o[%i] : memref<8xf32>
      %x = arith.truncf %x0 : f32 to f16
      affine.store %x, %m[] : memref<f16, 1>
      affine.store %tmp, %m[] : memref<f16, 1>
    }
    affine.for %j = #map1(%i) to #map4(%i) {
      %v = affine.load %m[] : memref<f16, 1>
      %w = arith.addf %v, %v : f16
      affine.store %w, %m[] : memref<f16, 1>
    }
    %v = affine.load %m[] : memref<f16, 1>
    %v0 = arith.extf %v : f16 to f32
    affine.store %v0, %o[%i - 4] : memref<8xf32>
  }
  return
}
