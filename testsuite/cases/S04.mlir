// S04 (crash)
// - Source: llvm/llvm-project #108374, #58658 - "affine-loop-fusion: bound map has at least one result"
// - Symptom: Loops of a single iteration, d0 to d0 + 1, between producer and consumer, and a consumer that reads one element ahead: the slice that fusion computes has no bounds.
// - Right behaviour: Loops of one iteration are substitutions. The consumer needs the producer of the next element: a shift, or no fusion.
// - Expected values: arg1=[2, 3, 4, 5, 6, 7, 8, 9, 10, 0.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0.5]

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 1)>
func.func @k(%x: memref<10xf32>, %o: memref<3x10xf32>) {
  %m = memref.alloc() : memref<11xf32>
  %z = arith.constant 0.5 : f32
  affine.for %i = 0 to 11 { affine.store %z, %m[%i] : memref<11xf32> }
  affine.for %i = 0 to 10 {
    affine.for %j = #map(%i) to #map1(%i) {
      %v = affine.load %x[%j] : memref<10xf32>
      affine.store %v, %m[%j] : memref<11xf32>
    }
  }
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 10 {
      affine.for %a = #map(%i) to #map1(%i) {
        affine.for %b = #map(%j) to #map1(%j) {
          %q = affine.apply #map1(%b)
          %v = affine.load %m[%q] : memref<11xf32>
          affine.store %v, %o[%a, %b] : memref<3x10xf32>
        }
      }
    }
  }
  return
}
