// symm: C := alpha A B + beta C, A symmetric and stored as its lower triangle.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%m: index, %n: index, %alpha: memref<f64>, %beta: memref<f64>, %C: memref<?x?xf64>,
                %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %f1_5 = arith.constant 1.5 : f64
  %f1_2 = arith.constant 1.2 : f64
  %c100 = arith.constant 100 : index
  %fm999 = arith.constant -999.0 : f64
  // alpha = 1.5;
  affine.store %f1_5, %alpha[] : memref<f64>
  // beta = 1.2;
  affine.store %f1_2, %beta[] : memref<f64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      // C[i][j] = (DATA_TYPE)((i + j) % 100) / m;
      %0 = arith.addi %i, %j : index
      %1 = arith.remsi %0, %c100 : index
      %2 = arith.index_cast %1 : index to i64
      %3 = arith.sitofp %2 : i64 to f64
      %4 = arith.index_cast %m : index to i64
      %5 = arith.sitofp %4 : i64 to f64
      %6 = arith.divf %3, %5 : f64
      affine.store %6, %C[%i, %j] : memref<?x?xf64>
      // B[i][j] = (DATA_TYPE)((n + i - j) % 100) / m;
      %7 = arith.addi %n, %i : index
      %8 = arith.subi %7, %j : index
      %9 = arith.remsi %8, %c100 : index
      %10 = arith.index_cast %9 : index to i64
      %11 = arith.sitofp %10 : i64 to f64
      %12 = arith.index_cast %m : index to i64
      %13 = arith.sitofp %12 : i64 to f64
      %14 = arith.divf %11, %13 : f64
      affine.store %14, %B[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      // A[i][j] = (DATA_TYPE)((i + j) % 100) / m;
      %15 = arith.addi %i, %j : index
      %16 = arith.remsi %15, %c100 : index
      %17 = arith.index_cast %16 : index to i64
      %18 = arith.sitofp %17 : i64 to f64
      %19 = arith.index_cast %m : index to i64
      %20 = arith.sitofp %19 : i64 to f64
      %21 = arith.divf %18, %20 : f64
      affine.store %21, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
      // A[i][j] = -999;
      affine.store %fm999, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%m: index, %n: index, %alpha: memref<f64>, %beta: memref<f64>, %C: memref<?x?xf64>,
                  %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %f0 = arith.constant 0.0 : f64
  %temp2 = memref.alloca() : memref<f64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      // temp2 = 0;
      affine.store %f0, %temp2[] : memref<f64>
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        // C[k][j] += alpha * B[i][j] * A[i][k];
        %0 = affine.load %C[%k, %j] : memref<?x?xf64>
        %1 = affine.load %alpha[] : memref<f64>
        %2 = affine.load %B[%i, %j] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = affine.load %A[%i, %k] : memref<?x?xf64>
        %5 = arith.mulf %3, %4 : f64
        %6 = arith.addf %0, %5 : f64
        affine.store %6, %C[%k, %j] : memref<?x?xf64>
        // temp2 += B[k][j] * A[i][k];
        %7 = affine.load %temp2[] : memref<f64>
        %8 = affine.load %B[%k, %j] : memref<?x?xf64>
        %9 = affine.load %A[%i, %k] : memref<?x?xf64>
        %10 = arith.mulf %8, %9 : f64
        %11 = arith.addf %7, %10 : f64
        affine.store %11, %temp2[] : memref<f64>
      }
      // C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp2;
      %12 = affine.load %beta[] : memref<f64>
      %13 = affine.load %C[%i, %j] : memref<?x?xf64>
      %14 = arith.mulf %12, %13 : f64
      %15 = affine.load %alpha[] : memref<f64>
      %16 = affine.load %B[%i, %j] : memref<?x?xf64>
      %17 = arith.mulf %15, %16 : f64
      %18 = affine.load %A[%i, %i] : memref<?x?xf64>
      %19 = arith.mulf %17, %18 : f64
      %20 = arith.addf %14, %19 : f64
      %21 = affine.load %temp2[] : memref<f64>
      %22 = arith.mulf %15, %21 : f64
      %23 = arith.addf %20, %22 : f64
      affine.store %23, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
