// S35 (wrong result)
// - Source: llvm/llvm-project #107508, #58419 - "Semantic inconsistency in ceildiv optimization; assertion in semi-affine simplification"
// - Symptom: Divisions by a symbol are simplified as if the symbol cancelled.
// - Right behaviour: (a * s) ceildiv s may cancel only where everything is a multiple of s.

func.func @k(%s: index, %t: index, %o: memref<3x12xi64>) {
  affine.for %i = 0 to 12 {
    %a = affine.apply affine_map<(d0)[s0, s1] -> (((d0 floordiv 2) * s0 + s1 floordiv 2) * 2 + d0 mod 2)>(%i)[%s, %t]
    %b = affine.apply affine_map<(d0)[s0] -> (((((s0 * 2) ceildiv 4) * 5) + s0 * 42 + d0) ceildiv s0)>(%i)[%s]
    %c = affine.apply affine_map<(d0)[s0, s1] -> ((d0 - 6) mod s0 + (d0 - 6) floordiv s1)>(%i)[%s, %t]
    %x = arith.index_cast %a : index to i64
    %y = arith.index_cast %b : index to i64
    %z = arith.index_cast %c : index to i64
    affine.store %x, %o[0, %i] : memref<3x12xi64>
    affine.store %y, %o[1, %i] : memref<3x12xi64>
    affine.store %z, %o[2, %i] : memref<3x12xi64>
  }
  return
}
