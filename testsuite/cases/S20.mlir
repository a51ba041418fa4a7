// S20 (crash)
// - Source: llvm/llvm-project #119525 - "affine-loop-fusion crashes in AffineOps.cpp"
// - Symptom: The minimum over the middle dimension, through loops of one iteration.
// - Right behaviour: A minimum of integers is a reduction in any order.
// - Expected values: arg1=[1, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1]

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 1)>
func.func @k(%x: memref<1x8x26xi32>, %o: memref<1x26xi32>) {
  affine.for %a = 0 to 1 { affine.for %b = 0 to 8 { affine.for %c = 0 to 26 {
    affine.for %d = #map(%a) to #map1(%a) { affine.for %e = #map(%b) to #map1(%b) { affine.for %f = #map(%c) to #map1(%c) {
      %u = affine.load %x[%d, %e, %f] : memref<1x8x26xi32>
      %v = affine.load %o[%d, %f] : memref<1x26xi32>
      %m = arith.minsi %u, %v : i32
      affine.store %m, %o[%d, %f] : memref<1x26xi32>
    } } }
  } } }
  return
}
