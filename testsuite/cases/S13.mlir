// S13 (wrong result)
// - Source: llvm/llvm-project #114654; tensorflow/mlir #82 - "Inconsistent results for affine.apply; d0 - (d0 + 1) becomes 0"
// - Symptom: The difference of a value and itself plus a constant is divided and reduced; the simplifier takes the quotient for its dividend, another one the difference for a remainder.
// - Right behaviour: Floor division and remainder of negative numbers as defined, simplified or not.
// - Expected values: arg0: 60 elements, sum 2772, sum of (k+1)*x[k] 33572

#m = affine_map<(d0, d1) -> (((d1 - (d1 + 2)) floordiv 8) mod 8)>
#m2 = affine_map<(d0) -> ((d0 - 37) ceildiv 5 - ((d0 - 37) floordiv 5) * 3 + (d0 - 37) mod 5)>
func.func @k(%o: memref<60xi64>) {
  affine.for %i = 0 to 60 {
    %a = affine.apply #m(%i, %i)
    %b = affine.apply #m2(%i)
    %c = arith.muli %a, %b : index
    %d = arith.index_cast %c : index to i64
    affine.store %d, %o[%i] : memref<60xi64>
  }
  return
}
