// S17 (crash)
// - Source: llvm/llvm-project #73540, #70439 - "affine-loop-coalescing: cannot destroy a value that still has uses"
// - Symptom: Loops in memref.alloca_scope, bounds and arithmetic in the dialect index.
// - Right behaviour: The scope is a region like another; index is a number of 64 bits.
// - Expected values: arg0=[32, 31, 33, 32, 31, 33, 32, 31, 33, 32, 31, 33, 32, 31, 33, 32, 31, 33, 32, 31]

func.func @k(%o: memref<20xi64>) {
  %c3 = index.constant 3
  %c29 = index.constant 29
  %c0 = index.constant 0
  %c1 = index.constant 1
  %c20 = index.constant 20
  memref.alloca_scope {
    %t = memref.alloca() : memref<20xi64>
    %x = index.or %c3, %c29
    scf.for %i = %c0 to %c20 step %c1 {
      %r = index.remu %i, %c3
      %s = index.add %r, %x
      %u = index.casts %s : index to i64
      memref.store %u, %t[%i] : memref<20xi64>
    }
    affine.for %i = 0 to 20 {
      %v = affine.load %t[%i] : memref<20xi64>
      affine.store %v, %o[19 - %i] : memref<20xi64>
    }
  }
  return
}
