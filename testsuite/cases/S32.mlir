// S32 (crash)
// - Source: kumasento/polymer #98 - "Failed to process jacobi"
// - Symptom: Two buffers chosen by t mod 2: the remainder brings local variables that the tool can't hold.
// - Right behaviour: t mod 2 in a subscript is affine with a local variable; the stencil depends on the step before only.
// - Expected values: arg0=[1, 1.65625, 1.07812, 1.31641, 1.58203, 1.89844, 2.21484, 2.48828, 2.63281, 2.51953, 2.20703, 1.84766, 2.61719, 3, 4, 0.933594, 1.0127, 0.994141, 1.19922, 1.42383, 1.65039, 1.83398, 1.91016, 1.83984, 1.64355, 1.66797, 1.86621, 6]

func.func @k(%a: memref<2x14xf64>) {
  %h = arith.constant 0.25 : f64
  affine.for %t = 0 to 5 {
    affine.for %i = 1 to 13 {
      %x = affine.load %a[%t mod 2, %i - 1] : memref<2x14xf64>
      %y = affine.load %a[%t mod 2, %i] : memref<2x14xf64>
      %z = affine.load %a[%t mod 2, %i + 1] : memref<2x14xf64>
      %s = arith.addf %x, %y : f64
      %u = arith.addf %s, %z : f64
      %v = arith.mulf %u, %h : f64
      affine.store %v, %a[(%t + 1) mod 2, %i] : memref<2x14xf64>
    }
  }
  return
}
