// S36 (wrong result)
// - Source: llvm/llvm-project #219456 - "WhileMoveIfDown miscompiles duplicated scf.condition operands"
// - Symptom: One value is passed on twice from the condition of a while loop; the second copy becomes the other branch's value.
// - Right behaviour: Both are the value that was passed.
// - Expected values: arg0=[20, 20, 2]

func.func @k(%o: memref<3xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c20 = arith.constant 20 : index
  %r:3 = scf.while (%s = %c0) : (index) -> (index, index, index) {
    %c = arith.cmpi slt, %s, %c1 : index
    %v = scf.if %c -> index {
      %n = arith.addi %s, %c2 : index
      scf.yield %n : index
    } else {
      scf.yield %c20 : index
    }
    scf.condition(%c) %v, %v, %s : index, index, index
  } do {
  ^bb0(%a: index, %b: index, %d: index):
    scf.yield %b : index
  }
  %x = arith.index_cast %r#0 : index to i64
  %y = arith.index_cast %r#1 : index to i64
  %z = arith.index_cast %r#2 : index to i64
  affine.store %x, %o[0] : memref<3xi64>
  affine.store %y, %o[1] : memref<3xi64>
  affine.store %z, %o[2] : memref<3xi64>
  return
}
