// S37 (rejects valid input)
// - Source: llvm/llvm-project #121020, #118225 - "files with builtin.unrealized_conversion_cast between index and i64"
// - Symptom: A partial lowering leaves casts between index and i64 in the loops.
// - Right behaviour: Both have 64 bits: the value stays.
// - Expected values: arg1=[4, 5, 6, 7, 8, 9, 10, 11]

func.func @k(%a: memref<8xindex>, %o: memref<8xf32>, %x: memref<16xf32>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xindex>
    %w = builtin.unrealized_conversion_cast %v : index to i64
    %u = builtin.unrealized_conversion_cast %w : i64 to index
    %e = memref.load %x[%u] : memref<16xf32>
    affine.store %e, %o[%i] : memref<8xf32>
  }
  return
}
