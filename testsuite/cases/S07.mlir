// S07 (wrong result)
// - Source: llvm/llvm-project #212028 - "affine-loop-fusion truncates the producer iteration space to the consumer domain"
// - Symptom: Two nests of an FDTD step, the first with one column more: the fused nest runs both over the smaller range and the last column is lost.
// - Right behaviour: Fusion is over the union of both domains; what only one of them has still runs.
// - Expected values: arg0=[1, 2, 3, 4, 1, 2, 3, 0, 1, 2, 3, 15, 12, 13, 14, -3]; arg1=[2, 3, 4, 5, 2, 3, 4, 9, -5, -4, -3, 2, 3, 4, 5, 6]

func.func @k(%ey: memref<4x4xf64>, %hz: memref<4x4xf64>) {
  affine.for %t = 0 to 2 {
    affine.for %i = 1 to 4 {
      affine.for %j = 0 to 4 {
        %old = affine.load %ey[%i, %j] : memref<4x4xf64>
        %a = affine.load %hz[%i, %j] : memref<4x4xf64>
        %b = affine.load %hz[%i - 1, %j] : memref<4x4xf64>
        %d = arith.subf %a, %b : f64
        %new = arith.subf %old, %d : f64
        affine.store %new, %ey[%i, %j] : memref<4x4xf64>
      }
    }
    affine.for %i = 0 to 3 {
      affine.for %j = 0 to 3 {
        %old = affine.load %hz[%i, %j] : memref<4x4xf64>
        %y1 = affine.load %ey[%i + 1, %j] : memref<4x4xf64>
        %y0 = affine.load %ey[%i, %j] : memref<4x4xf64>
        %d = arith.subf %y1, %y0 : f64
        %new = arith.subf %old, %d : f64
        affine.store %new, %hz[%i, %j] : memref<4x4xf64>
      }
    }
  }
  return
}
