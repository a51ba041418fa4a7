// S24 (wrong result)
// - Source: apache/tvm #10336, #5922; halide/Halide #2949 - "fix FloorMod simplifier; keep div mode; random simplifier error"
// - Symptom: Remainders of multiples of quotients of remainders, and divisions with negative factors, simplified by rules that hold for other signs only.
// - Right behaviour: Any simplification keeps the value for negative dividends.
// - Expected values: arg0: 400 elements, sum 306410, sum of (k+1)*x[k] 3.10745e+07

func.func @k(%o: memref<5x80xi64>) {
  affine.for %i = 0 to 80 {
    %a = affine.apply affine_map<(d0) -> ((((d0 mod 20) floordiv 2) * 2) mod 4)>(%i)
    %b = affine.apply affine_map<(d0) -> ((d0 * -8040 + 586920) floordiv 69)>(%i)
    %c = affine.apply affine_map<(d0) -> ((-(d0 * 5)) floordiv 2 - (37 - (d0 + 7) * 5) floordiv 2)>(%i)
    %d = affine.apply affine_map<(d0) -> ((241 - d0 * 48) floordiv 16)>(%i)
    %e = affine.apply affine_map<(d0) -> ((-d0) mod 2 + (d0 * 3 - 100) mod 7 * 10)>(%i)
    %a1 = arith.index_cast %a : index to i64
    %b1 = arith.index_cast %b : index to i64
    %c1 = arith.index_cast %c : index to i64
    %d1 = arith.index_cast %d : index to i64
    %e1 = arith.index_cast %e : index to i64
    affine.store %a1, %o[0, %i] : memref<5x80xi64>
    affine.store %b1, %o[1, %i] : memref<5x80xi64>
    affine.store %c1, %o[2, %i] : memref<5x80xi64>
    affine.store %d1, %o[3, %i] : memref<5x80xi64>
    affine.store %e1, %o[4, %i] : memref<5x80xi64>
  }
  return
}
