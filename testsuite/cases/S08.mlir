// S08 (crash)
// - Source: llvm/llvm-project #224224 - "affine-loop-fusion crashes during dependence analysis"
// - Symptom: A view whose stride and offset are unknown, f16 arithmetic, and a loop whose step is larger than its range.
// - Right behaviour: A loop with a step beyond its range runs once. A view of unknown layout is a view of what it was made from.
// - Expected values: arg1=[-0.5, -0.333252, -0.25, -0.199951]

#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 1)>
func.func @k(%x: memref<8xf32>, %o: memref<4xf32>) {
  %cst = arith.constant 1.0 : f16
  %v1 = memref.subview %x[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  %v = memref.cast %v1 : memref<4xf32, strided<[1], offset: 2>> to memref<4xf32, strided<[?], offset: ?>>
  %m = memref.alloc() : memref<4xf16, 1>
  affine.for %i = 0 to 4 {
    affine.for %j = #map(%i) to #map1(%i) {
      %20 = affine.load %v[%j] : memref<4xf32, strided<[?], offset: ?>>
      %2 = arith.truncf %20 : f32 to f16
      %3 = arith.negf %2 : f16
      %5 = arith.addf %3, %cst : f16
      %6 = arith.divf %cst, %5 : f16
      affine.store %6, %m[%j] : memref<4xf16, 1>
    }
  }
  affine.for %i = 0 to 4 step 128 {
    affine.for %j = 0 to 4 {
      %2 = affine.load %m[%i + %j] : memref<4xf16, 1>
      %30 = arith.extf %2 : f16 to f32
      affine.store %30, %o[%i + %j] : memref<4xf32>
    }
  }
  return
}
