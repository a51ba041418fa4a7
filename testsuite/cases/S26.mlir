// S26 (crash)
// - Source: Tiramisu-Compiler/tiramisu #345 - "tiling and skewing: numbers of min and max in the code were missing"
// - Symptom: Bounds with three and four operands of min and max; the code generator keeps two.
// - Right behaviour: All operands count; the domain is their intersection.

func.func @k(%n: index, %m: index, %a: memref<20x20xi32>) {
  %c1 = arith.constant 1 : i32
  affine.for %i = max affine_map<()[s0, s1] -> (0, s0 - 9, s1 - 12)>()[%n, %m] to min affine_map<()[s0, s1] -> (20, s0 + 3, s1 * 2, s0 + s1)>()[%n, %m] {
    affine.for %j = max affine_map<(d0)[s0, s1] -> (0, d0 - 3, s0 - d0)>(%i)[%n, %m] to min affine_map<(d0)[s0, s1] -> (20, d0 + 5, s1 + d0 floordiv 2)>(%i)[%n, %m] step 3 {
      %v = affine.load %a[%i, %j] : memref<20x20xi32>
      %w = arith.addi %v, %c1 : i32
      affine.store %w, %a[%i, %j] : memref<20x20xi32>
    }
  }
  return
}
