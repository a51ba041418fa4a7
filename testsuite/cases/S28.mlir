// S28 (crash)
// - Source: llvm/llvm-project #55229 - "MemrefCopyLowering crashes on scalar memref.copy"
// - Symptom: A subview of one element, collapsed to rank 0, is copied.
// - Right behaviour: One element is copied, from offset 1.

func.func @k(%a: memref<2xi32>, %o: memref<i32>) {
  %s = memref.subview %a[1] [1] [1] : memref<2xi32> to memref<1xi32, strided<[1], offset: 1>>
  %c = memref.collapse_shape %s [] : memref<1xi32, strided<[1], offset: 1>> into memref<i32, strided<[], offset: 1>>
  memref.copy %c, %o : memref<i32, strided<[], offset: 1>> to memref<i32>
  return
}
