// trmm: B := alpha transpose(A) B, A unit lower triangular.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%m: index, %n: index, %alpha: memref<f64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %f1_5 = arith.constant 1.5 : f64
  %f1 = arith.constant 1.0 : f64
  // alpha = 1.5;
  affine.store %f1_5, %alpha[] : memref<f64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      // A[i][j] = (DATA_TYPE)((i + j) % m) / m;
      %0 = arith.addi %i, %j : index
      %1 = arith.remsi %0, %m : index
      %2 = arith.index_cast %1 : index to i64
      %3 = arith.sitofp %2 : i64 to f64
      %4 = arith.index_cast %m : index to i64
      %5 = arith.sitofp %4 : i64 to f64
      %6 = arith.divf %3, %5 : f64
      affine.store %6, %A[%i, %j] : memref<?x?xf64>
    }
    // A[i][i] = 1.0;
    affine.store %f1, %A[%i, %i] : memref<?x?xf64>
    affine.for %j = 0 to %n {
      // B[i][j] = (DATA_TYPE)((n + (i - j)) % n) / n;
      %7 = arith.subi %i, %j : index
      %8 = arith.addi %n, %7 : index
      %9 = arith.remsi %8, %n : index
      %10 = arith.index_cast %9 : index to i64
      %11 = arith.sitofp %10 : i64 to f64
      %12 = arith.index_cast %n : index to i64
      %13 = arith.sitofp %12 : i64 to f64
      %14 = arith.divf %11, %13 : f64
      affine.store %14, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%m: index, %n: index, %alpha: memref<f64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
        // B[i][j] += A[k][i] * B[k][j];
        %0 = affine.load %B[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%k, %i] : memref<?x?xf64>
        %2 = affine.load %B[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %0, %3 : f64
        affine.store %4, %B[%i, %j] : memref<?x?xf64>
      }
      // B[i][j] = alpha * B[i][j];
      %5 = affine.load %alpha[] : memref<f64>
      %6 = affine.load %B[%i, %j] : memref<?x?xf64>
      %7 = arith.mulf %5, %6 : f64
      affine.store %7, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
