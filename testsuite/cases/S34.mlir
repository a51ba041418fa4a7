// S34 (crash)
// - Source: llvm/llvm-project #60094 - "scf-for-loop-peeling: lhs or rhs symbolic or constant"
// - Symptom: A bound s*s, the step s, and a minimum that mentions both.
// - Right behaviour: Products of symbols are numbers that are computed; the minimum is s in each iteration.

func.func @k(%a: memref<i64>, %s: index, %o: memref<9xi64>) {
  %c0 = arith.constant 0 : index
  %e = affine.apply affine_map<()[s0] -> (s0 * s0)>()[%s]
  scf.for %i = %c0 to %e step %s {
    %m = affine.min affine_map<(d0)[s0] -> (s0, -d0 + s0 * s0)>(%i)[%s]
    %v = arith.index_cast %m : index to i64
    memref.store %v, %a[] : memref<i64>
    %x = arith.divui %i, %s : index
    memref.store %v, %o[%x] : memref<9xi64>
  }
  return
}
