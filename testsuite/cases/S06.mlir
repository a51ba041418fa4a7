// S06 (crash)
// - Source: llvm/llvm-project #206081 - "affine-loop-fusion: spaces should match"
// - Symptom: Three loops over one buffer, the one in the middle with a bound that is an argument: subtracting the sets asserts, since only one has the symbol.
// - Right behaviour: Sets of one program share its parameters, whether they mention them or not.

func.func @k(%n: index, %a: memref<100xf64>, %b: memref<100xf64>) {
  %c = arith.constant 0.0 : f64
  %d = arith.constant 7.0 : f64
  affine.for %i = 0 to 10 { affine.store %c, %a[%i] : memref<100xf64> }
  affine.for %i = 0 to %n { affine.store %d, %a[%i] : memref<100xf64> }
  affine.for %i = 0 to 10 {
    %v = affine.load %a[%i] : memref<100xf64>
    affine.store %v, %b[%i] : memref<100xf64>
  }
  return
}
