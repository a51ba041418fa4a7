// S18 (crash)
// - Source: llvm/llvm-project #212046 - "affine-loop-fusion crashes after erasing a result-producing loop with live uses"
// - Symptom: A running sum is stored on the way, the total divides all elements afterwards and is stored, too.
// - Right behaviour: The loop's result is used after it; the second loop needs the total, so no fusion.
// - Expected values: arg0=[0.0123457, 0.037037, 0.0740741, 0.123457, 0.185185, 0.259259, 0.345679, 0.444444, 0.555556, 0.679012, 0.814815, 0.82716, 0.851852, 0.888889, 0.938272, 1]; arg1=[1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 67, 69, 72, 76, 81]; arg2=[81]

func.func @k(%a: memref<16xf32>, %b: memref<16xf32>, %o: memref<1xf32>) {
  %z = arith.constant 0.0 : f32
  %s = affine.for %i = 0 to 16 iter_args(%acc = %z) -> (f32) {
    %v = affine.load %a[%i] : memref<16xf32>
    %w = arith.addf %acc, %v : f32
    affine.store %w, %b[%i] : memref<16xf32>
    affine.yield %w : f32
  }
  affine.for %i = 0 to 16 {
    %v = affine.load %b[%i] : memref<16xf32>
    %w = arith.divf %v, %s : f32
    affine.store %w, %a[%i] : memref<16xf32>
  }
  affine.store %s, %o[0] : memref<1xf32>
  return
}
