// S29 (crash)
// - Source: llvm/llvm-project #61734, PR #184130 - "affine.parallel with min/max of constants as bounds"
// - Symptom: Bounds of a parallel loop are min and max of constants; code that expects a single constant asserts.
// - Right behaviour: The smaller upper bound and the larger lower bound hold; steps 3 and 5.
// - Expected values: arg0: 2048 elements, sum 17029, sum of (k+1)*x[k] 1.70305e+07

func.func @k(%a: memref<64x32xf32>) {
  affine.parallel (%i, %j) = (0, max(1, 3)) to (min(62, 60), 32) step (3, 5) {
    %v = affine.load %a[%i, %j] : memref<64x32xf32>
    %w = arith.mulf %v, %v : f32
    affine.store %w, %a[%i, %j] : memref<64x32xf32>
  }
  return
}
