// S40 (rejects valid input)
// - Source: llvm/llvm-project #108368, #73540, #205301 - "files with operations of other dialects (test.*, llvm.*) among affine loops"
// - Symptom: Fuzzers and partial lowerings leave operations in the loops that the loop passes don't know, some with regions that use the iterators; passes crash on them.
// - Right behaviour: Such an operation may do anything to memory, and stays. A loop that exists in two versions has it in both. Running it is a diagnostic at its line.

func.func @k(%a: memref<8xi32>, %o: memref<8xi32>) {
  %c = llvm.mlir.constant(5 : i32) : i32
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xi32>
    %s = "test.square"(%v) {exact} : (i32) -> i32
    %w = "test.region"(%s) ({
      %j = arith.index_cast %i : index to i32
      %x = memref.load %o[%i] : memref<8xi32>
      "test.yield"(%s, %j, %x) : (i32, i32, i32) -> ()
    }) : (i32) -> i32
    %m = llvm.intr.smin(%w, %c) : (i32, i32) -> i32
    affine.store %m, %o[%i] : memref<8xi32>
  }
  return
}
