// S25 (wrong result)
// - Source: firedrakeproject/tsfc #25 - "Code generation merges loops incorrectly"
// - Symptom: a[i] * sum(a): the loop of the sum and the loop of the products are merged, and each product has a partial sum.
// - Right behaviour: The products follow the whole sum.
// - Expected values: arg1=[21, 42, 63, 84, 105, 126]

func.func @k(%a: memref<6xf64>, %o: memref<6xf64>) {
  %z = arith.constant 0.0 : f64
  %t = memref.alloca() : memref<f64>
  affine.store %z, %t[] : memref<f64>
  affine.for %i = 0 to 6 {
    %s = affine.load %t[] : memref<f64>
    %v = affine.load %a[%i] : memref<6xf64>
    %n = arith.addf %s, %v : f64
    affine.store %n, %t[] : memref<f64>
  }
  affine.for %i = 0 to 6 {
    %s = affine.load %t[] : memref<f64>
    %v = affine.load %a[%i] : memref<6xf64>
    %n = arith.mulf %s, %v : f64
    affine.store %n, %o[%i] : memref<6xf64>
  }
  return
}
