// S14 (crash)
// - Source: llvm/llvm-project #118225 - "Crash when using affine-loop-coalescing"
// - Symptom: The value that the inner loop carries is a buffer, and an extent of it is asked for in the loop; here two buffers change places each time.
// - Right behaviour: A buffer may be carried: which one an access reaches then depends on the iteration.
// - Expected values: arg1=[0, 3, 4, 5, 6, 7]

func.func @k(%n: index, %o: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc(%n) : memref<?xi64>
  affine.for %i = 0 to %n {
    %x = arith.index_cast %i : index to i64
    affine.store %x, %m[%i] : memref<?xi64>
  }
  affine.for %i = 0 to 9 {
    %r:2 = affine.for %j = 0 to 3 iter_args(%p = %m, %q = %o) -> (memref<?xi64>, memref<?xi64>) {
      %d = memref.dim %p, %c0 : memref<?xi64>
      %x = memref.load %p[%j] : memref<?xi64>
      %y = arith.addi %x, %x : i64
      memref.store %y, %q[%j] : memref<?xi64>
      affine.yield %q, %p : memref<?xi64>, memref<?xi64>
    }
  }
  return
}
