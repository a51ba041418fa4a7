// S02 (crash)
// - Source: llvm/llvm-project #59461 - "Affine Scalrep pass violated an assertion in mergeAndAlignVars"
// - Symptom: A condition gives one constant for all four of its operands; the analysis wants its values distinct and aborts.
// - Right behaviour: A set's operands may be one value, or constants: substitute them. The condition holds here.
// - Expected values: arg0=[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]; arg1=[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

func.func @k(%o: memref<15xi1>, %p: memref<15xi32>) {
  %c1 = arith.constant 1 : index
  %t = arith.constant true
  %f = arith.constant false
  %m = memref.alloc() : memref<15xi1>
  affine.for %i = 0 to 15 { affine.store %f, %m[%i] : memref<15xi1> }
  affine.store %t, %m[%c1] : memref<15xi1>
  affine.if affine_set<(d0, d1, d2, d3) : ((d0 + 1) mod 8 >= 0, d0 * -8 + 8 >= 0, d1 + d2 - d3 - 1 == 0)>(%c1, %c1, %c1, %c1) {
    affine.for %i = 0 to 15 {
      %v = affine.load %m[%i] : memref<15xi1>
      affine.store %v, %o[%i] : memref<15xi1>
      %e = arith.extui %v : i1 to i32
      affine.store %e, %p[%i] : memref<15xi32>
    }
  }
  return
}
