// S31 (crash)
// - Source: llvm/llvm-project #205712, #121091 - "normalize-memrefs segfaults on functions that return memrefs with a layout"
// - Symptom: A private function with two blocks returns a buffer whose layout permutes three dimensions; the caller reads it.
// - Right behaviour: Both functions agree on the layout.
// - Expected values: arg0=[7, 8, 9, 10, 11, 17, 18, 19, 20, 21, 27, 28, 29, 30, 31, 107, 108, 109, 110, 111, 117, 118, 119, 120, 121, 127, 128, 129, 130, 131]

#map = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
func.func private @mk(%v: i32) -> memref<2x3x5xi32, #map> {
  %a = memref.alloc() : memref<2x3x5xi32, #map>
  affine.for %i = 0 to 2 { affine.for %j = 0 to 3 { affine.for %k = 0 to 5 {
    %s = affine.apply affine_map<(d0, d1, d2) -> (d0 * 100 + d1 * 10 + d2)>(%i, %j, %k)
    %t = arith.index_cast %s : index to i32
    %u = arith.addi %t, %v : i32
    affine.store %u, %a[%i, %j, %k] : memref<2x3x5xi32, #map>
  } } }
  cf.br ^bb1
^bb1:
  return %a : memref<2x3x5xi32, #map>
}
func.func @k(%o: memref<2x3x5xi32>) {
  %c = arith.constant 7 : i32
  %a = call @mk(%c) : (i32) -> memref<2x3x5xi32, #map>
  affine.for %i = 0 to 2 { affine.for %j = 0 to 3 { affine.for %k = 0 to 5 {
    %u = affine.load %a[%i, %j, %k] : memref<2x3x5xi32, #map>
    affine.store %u, %o[%i, %j, %k] : memref<2x3x5xi32>
  } } }
  return
}
