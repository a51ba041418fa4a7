// S39 (crash)
// - Source: llvm/llvm-project #118759, #116536 - "Using getMemorySpaceInteger with non-Integer attribute"
// - Symptom: The memory space of a buffer is an attribute of another dialect.
// - Right behaviour: A memory space says where, not what: on one host all are the same.
// - Expected values: arg0: 512 elements, sum 3069, sum of (k+1)*x[k] 788505

func.func @k(%a: memref<64x8xf32>) {
  %m = memref.alloc() : memref<64x8xf32, #spirv.storage_class<StorageBuffer>>
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 8 {
      %v = affine.load %a[%i, %j] : memref<64x8xf32>
      affine.store %v, %m[%i, %j] : memref<64x8xf32, #spirv.storage_class<StorageBuffer>>
    }
  }
  affine.for %i = 16 to 32 {
    affine.for %j = 0 to 8 {
      %v = affine.load %m[%i + 1, %j] : memref<64x8xf32, #spirv.storage_class<StorageBuffer>>
      affine.store %v, %a[%i, %j] : memref<64x8xf32>
    }
  }
  return
}
