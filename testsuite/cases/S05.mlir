// S05 (crash)
// - Source: llvm/llvm-project #121020 - "affine-loop-fusion crashes in createPrivateMemRef"
// - Symptom: A table of indices is rewritten by one loop and read by the next, which uses what it loads as a subscript.
// - Right behaviour: A subscript that is loaded may be anything; the table's own dependence still holds.
// - Expected values: arg0=[1, 0, -1]; arg2=[12, 6, 11]

#map = affine_map<()[s0] -> (s0 + 5)>
func.func @k(%t: memref<3xindex>, %a: memref<18x18xf32>, %o: memref<3xf32>) {
  %c2 = arith.constant 2 : index
  affine.for %i = 0 to 3 {
    %v = affine.load %t[%i] : memref<3xindex>
    %w = arith.subi %c2, %v : index
    affine.store %w, %t[%i] : memref<3xindex>
  }
  affine.for %i = 0 to 3 {
    %v = affine.load %t[%i] : memref<3xindex>
    %p = arith.addi %v, %c2 : index
    %q = memref.load %a[%p, %i] : memref<18x18xf32>
    affine.store %q, %o[%i] : memref<3xf32>
  }
  return
}
