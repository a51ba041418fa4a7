// All shortest paths in single precision; ../polybench/floyd-warshall.mlir has integers.

func.func @init(%n: index, %path: memref<?x?xf32>) {
  %far = arith.constant 999.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.apply affine_map<(i, j) -> ((i * 3 + j * 5) mod 7 + 1)>(%i, %j)
      %1 = arith.index_cast %0 : index to i64
      %2 = arith.sitofp %1 : i64 to f32
      affine.store %2, %path[%i, %j] : memref<?x?xf32>
      affine.if affine_set<(d0, d1) : ((d0 + d1) mod 13 == 0)>(%i, %j) {
        affine.store %far, %path[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

func.func @kernel(%n: index, %path: memref<?x?xf32>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %path[%i, %j] : memref<?x?xf32>
        %1 = affine.load %path[%i, %k] : memref<?x?xf32>
        %2 = affine.load %path[%k, %j] : memref<?x?xf32>
        %3 = arith.addf %1, %2 : f32
        %4 = arith.cmpf olt, %0, %3 : f32
        %5 = arith.select %4, %0, %3 : f32
        affine.store %5, %path[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
