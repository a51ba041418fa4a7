// cholesky: Cholesky decomposition, in place, lower triangle.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does. A lower triangle times its transpose, so that the matrix is positive semi-definite.
func.func @init(%n: index, %A: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f64
  %f0 = arith.constant 0.0 : f64
  %B = memref.alloc(%n, %n) : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      // A[i][j] = (DATA_TYPE)(-j % n) / n + 1;
      %0 = arith.subi %c0, %j : index
      %1 = arith.remsi %0, %n : index
      %2 = arith.index_cast %1 : index to i64
      %3 = arith.sitofp %2 : i64 to f64
      %4 = arith.index_cast %n : index to i64
      %5 = arith.sitofp %4 : i64 to f64
      %6 = arith.divf %3, %5 : f64
      %7 = arith.addf %6, %f1 : f64
      affine.store %7, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
      // A[i][j] = 0;
      affine.store %f0, %A[%i, %j] : memref<?x?xf64>
    }
    // A[i][i] = 1;
    affine.store %f1, %A[%i, %i] : memref<?x?xf64>
  }
  affine.for %r = 0 to %n {
    affine.for %s = 0 to %n {
      // B[r][s] = 0;
      affine.store %f0, %B[%r, %s] : memref<?x?xf64>
    }
  }
  affine.for %t = 0 to %n {
    affine.for %r = 0 to %n {
      affine.for %s = 0 to %n {
        // B[r][s] += A[r][t] * A[s][t];
        %8 = affine.load %B[%r, %s] : memref<?x?xf64>
        %9 = affine.load %A[%r, %t] : memref<?x?xf64>
        %10 = affine.load %A[%s, %t] : memref<?x?xf64>
        %11 = arith.mulf %9, %10 : f64
        %12 = arith.addf %8, %11 : f64
        affine.store %12, %B[%r, %s] : memref<?x?xf64>
      }
    }
  }
  affine.for %r = 0 to %n {
    affine.for %s = 0 to %n {
      // A[r][s] = B[r][s];
      %13 = affine.load %B[%r, %s] : memref<?x?xf64>
      affine.store %13, %A[%r, %s] : memref<?x?xf64>
    }
  }
  memref.dealloc %B : memref<?x?xf64>
  return
}

// The measured part.
func.func @kernel(%n: index, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        // A[i][j] -= A[i][k] * A[j][k];
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %2 = affine.load %A[%j, %k] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.subf %0, %3 : f64
        affine.store %4, %A[%i, %j] : memref<?x?xf64>
      }
      // A[i][j] /= A[j][j];
      %5 = affine.load %A[%i, %j] : memref<?x?xf64>
      %6 = affine.load %A[%j, %j] : memref<?x?xf64>
      %7 = arith.divf %5, %6 : f64
      affine.store %7, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
      // A[i][i] -= A[i][k] * A[i][k];
      %8 = affine.load %A[%i, %i] : memref<?x?xf64>
      %9 = affine.load %A[%i, %k] : memref<?x?xf64>
      %10 = arith.mulf %9, %9 : f64
      %11 = arith.subf %8, %10 : f64
      affine.store %11, %A[%i, %i] : memref<?x?xf64>
    }
    // A[i][i] = sqrt(A[i][i]);
    %12 = affine.load %A[%i, %i] : memref<?x?xf64>
    %13 = math.sqrt %12 : f64
    affine.store %13, %A[%i, %i] : memref<?x?xf64>
  }
  return
}
