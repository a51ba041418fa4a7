// S23 (crash)
// - Source: roastduck/FreeTensor #58 - "prop across loops generates invalid ISL"
// - Symptom: Three coalesced loops, each taking its iterator apart by its own divisions and remainders, and reading what the one before wrote.
// - Right behaviour: Subscripts with floordiv and mod of one iterator are affine with local variables.
// - Expected values: arg0: 1080 elements, sum 6452, sum of (k+1)*x[k] 3.48882e+06; arg1: 320 elements, sum 1908, sum of (k+1)*x[k] 303294

func.func @k(%u: memref<6x6x6x5xf64>, %v: memref<4x4x4x5xf64>) {
  %s = memref.alloc() : memref<6x6x6x5xf64>
  affine.for %x = 0 to 36 { affine.for %k = 0 to 6 { affine.for %c = 0 to 5 {
    %a = affine.load %u[%x floordiv 6, %x mod 6, 1, %c] : memref<6x6x6x5xf64>
    affine.store %a, %s[%x floordiv 6, %x mod 6, %k, %c] : memref<6x6x6x5xf64>
  } } }
  affine.for %x = 0 to 320 {
    %a = affine.load %s[%x floordiv 80 + 1, (%x floordiv 20) mod 4 + 1, (%x floordiv 5) mod 4, %x mod 5] : memref<6x6x6x5xf64>
    affine.store %a, %v[%x floordiv 80, (%x floordiv 20) mod 4, (%x floordiv 5) mod 4, %x mod 5] : memref<4x4x4x5xf64>
  }
  affine.for %x = 0 to 320 {
    %a = affine.load %v[(%x floordiv 5) floordiv 16, ((%x floordiv 5) floordiv 4) mod 4, (%x floordiv 5) mod 4, %x mod 5] : memref<4x4x4x5xf64>
    affine.store %a, %u[(%x floordiv 5) floordiv 16 + 1, ((%x floordiv 5) floordiv 4) mod 4 + 1, (%x floordiv 5) mod 4, %x mod 5] : memref<6x6x6x5xf64>
  }
  return
}
