// S38 (rejects valid input)
// - Source: llvm/llvm-project #149327, #113687 - "vector.transfer and vector operations in affine loops"
// - Symptom: A transfer reads past the end and pads, lanes are shuffled and summed.
// - Right behaviour: Lanes beyond the end hold the padding; the sum goes lane by lane.
// - Expected values: arg1=[11, 2, 33, 2, 135, 6, 189, 6, 306, 10, 238, 10]

func.func @k(%a: memref<10xf32>, %o: memref<12xf32>) {
  %pad = arith.constant 7.0 : f32
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 12 step 4 {
    %v = vector.transfer_read %a[%i], %pad : memref<10xf32>, vector<4xf32>
    %r = vector.reduction <add>, %v : vector<4xf32> into f32
    %b = vector.broadcast %r : f32 to vector<4xf32>
    %w = vector.fma %v, %b, %v : vector<4xf32>
    %s = vector.shuffle %w, %v [0, 5, 2, 7] : vector<4xf32>, vector<4xf32>
    %e = vector.extract %s[1] : f32 from vector<4xf32>
    %n = vector.insert %e, %s [3] : f32 into vector<4xf32>
    affine.vector_store %n, %o[%i] : memref<12xf32>, vector<4xf32>
  }
  return
}
