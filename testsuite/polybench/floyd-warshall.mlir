// floyd-warshall: Shortest paths between all pairs of nodes.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.
// The conditional expression  path[i][j] < s ? path[i][j] : s  is arith.minsi.

// Fills the arguments as PolyBench's init_array does. The three alternatives of the condition are one affine.if each.
func.func @init(%n: index, %path: memref<?x?xi32>) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %c999_i32 = arith.constant 999 : i32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // path[i][j] = i * j % 7 + 1;
      %0 = arith.muli %i, %j : index
      %1 = arith.remsi %0, %c7 : index
      %2 = arith.addi %1, %c1 : index
      %3 = arith.index_cast %2 : index to i32
      affine.store %3, %path[%i, %j] : memref<?x?xi32>
      // if ((i + j) % 13 == 0)
      affine.if affine_set<(d0, d1) : ((d0 + d1) mod 13 == 0)>(%i, %j) {
        // path[i][j] = 999;
        affine.store %c999_i32, %path[%i, %j] : memref<?x?xi32>
      }
      // if ((i + j) % 7 == 0)
      affine.if affine_set<(d0, d1) : ((d0 + d1) mod 7 == 0)>(%i, %j) {
        // path[i][j] = 999;
        affine.store %c999_i32, %path[%i, %j] : memref<?x?xi32>
      }
      // if ((i + j) % 11 == 0)
      affine.if affine_set<(d0, d1) : ((d0 + d1) mod 11 == 0)>(%i, %j) {
        // path[i][j] = 999;
        affine.store %c999_i32, %path[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}

// The measured part.
func.func @kernel(%n: index, %path: memref<?x?xi32>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        // path[i][j] = MIN(path[i][j], path[i][k] + path[k][j]);
        %0 = affine.load %path[%i, %j] : memref<?x?xi32>
        %1 = affine.load %path[%i, %k] : memref<?x?xi32>
        %2 = affine.load %path[%k, %j] : memref<?x?xi32>
        %3 = arith.addi %1, %2 : i32
        %4 = arith.minsi %0, %3 : i32
        affine.store %4, %path[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
