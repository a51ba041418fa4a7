// The heat equation on a ring: neighbours of the first and the last cell are each other. Two time levels in turn.

func.func @init(%steps: index, %n: index, %A: memref<2x?xf64>) {
  %d = arith.constant 50.0 : f64
  affine.for %l = 0 to 2 {
    affine.for %i = 0 to %n {
      %0 = affine.apply affine_map<(l, i) -> ((i * 7 + l) mod 41)>(%l, %i)
      %1 = arith.index_cast %0 : index to i64
      %2 = arith.sitofp %1 : i64 to f64
      %3 = arith.divf %2, %d : f64
      affine.store %3, %A[%l, %i] : memref<2x?xf64>
    }
  }
  return
}

func.func @kernel(%steps: index, %n: index, %A: memref<2x?xf64>) {
  %half = arith.constant 0.5 : f64
  %quarter = arith.constant 0.25 : f64
  affine.for %t = 0 to %steps {
    affine.for %i = 0 to %n {
      %c = affine.load %A[%t mod 2, %i] : memref<2x?xf64>
      %l = affine.load %A[%t mod 2, (%i + symbol(%n) - 1) mod symbol(%n)] : memref<2x?xf64>
      %r = affine.load %A[%t mod 2, (%i + 1) mod symbol(%n)] : memref<2x?xf64>
      %0 = arith.addf %l, %r : f64
      %1 = arith.mulf %0, %quarter : f64
      %2 = arith.mulf %c, %half : f64
      %3 = arith.addf %2, %1 : f64
      affine.store %3, %A[(%t + 1) mod 2, %i] : memref<2x?xf64>
    }
  }
  return
}
