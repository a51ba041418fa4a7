// S22 (wrong result)
// - Source: periscop/clan #11; libocca/occa #535 - "non-unit stride inverts the lower bound; nested tiled loops use incorrect bounds"
// - Symptom: A loop from 1 in steps of 2 gets the bound i + 1 >= 0; tiled loops with inclusive bounds run one iteration too many in each tile.
// - Right behaviour: The first iteration is the lower bound, whatever the step; each element once.

func.func @k(%n: index, %m: index, %a: memref<?x?xi32>) {
  affine.for %ib = 1 to affine_map<(d0) -> (d0 + 1)>(%n) step 2 {
    affine.for %ja = 0 to affine_map<(d0) -> (d0 + 1)>(%m) step 4 {
      affine.for %i = affine_map<(d0) -> (d0)>(%ib) to min affine_map<(d0)[s0] -> (d0 + 2, s0 + 1)>(%ib)[%n] {
        affine.for %j = affine_map<(d0) -> (d0)>(%ja) to min affine_map<(d0)[s0] -> (d0 + 4, s0 + 1)>(%ja)[%m] {
          %v = affine.load %a[%i, %j] : memref<?x?xi32>
          %w = arith.addi %v, %v : i32
          affine.store %w, %a[%i, %j] : memref<?x?xi32>
        }
      }
    }
  }
  return
}
