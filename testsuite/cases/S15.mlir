// S15 (crash)
// - Source: llvm/llvm-project #59994 - "affine-loop-normalize: invalid index"
// - Symptom: An affine loop with constant operands as bounds, in an scf loop.
// - Right behaviour: Constants are constants, whatever operand they come through.
// - Expected values: arg0=[2, 4, 6, 8, 10, 12, 14, 16]

func.func @k(%a: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %j = %c0 to %c8 step %c1 {
    affine.for %i = %c0 to %c1 {
      %v = memref.load %a[%j] : memref<8xf64>
      %w = arith.addf %v, %v : f64
      memref.store %w, %a[%j] : memref<8xf64>
    }
  }
  return
}
