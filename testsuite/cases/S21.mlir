// S21 (wrong result)
// - Source: numba/numba #4555, #9518 - "incorrect result with parfor and -=; bug with prange without warning"
// - Symptom: Sums by subtraction, of a row and of two scalars, in a parallel loop; partial results are subtracted from each other, or the sign of one is lost since a loop before used the same scalar.
// - Right behaviour: x - a - b is x - (a + b): the partial sums are added.
// - Expected values: arg1=[-56, -54, -52, -50]; arg2=[119, -54]

func.func @k(%t: memref<10x4xi64>, %r: memref<4xi64>, %s: memref<2xi64>) {
  affine.for %i = 0 to 10 {
    %p = affine.load %s[0] : memref<2xi64>
    %v = affine.load %t[%i, 0] : memref<10x4xi64>
    %q = arith.addi %p, %v : i64
    affine.store %q, %s[0] : memref<2xi64>
  }
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 4 {
      %p = affine.load %r[%j] : memref<4xi64>
      %v = affine.load %t[%i, %j] : memref<10x4xi64>
      %q = arith.subi %p, %v : i64
      affine.store %q, %r[%j] : memref<4xi64>
    }
    %v = affine.load %t[%i, 0] : memref<10x4xi64>
    %a = affine.load %s[0] : memref<2xi64>
    %b = affine.load %s[1] : memref<2xi64>
    %c = arith.addi %a, %v : i64
    %d = arith.subi %b, %v : i64
    affine.store %c, %s[0] : memref<2xi64>
    affine.store %d, %s[1] : memref<2xi64>
  }
  return
}
