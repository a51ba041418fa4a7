// syr2k: C := alpha A transpose(B) + alpha B transpose(A) + beta C, lower triangle only.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%n: index, %m: index, %alpha: memref<f64>, %beta: memref<f64>, %C: memref<?x?xf64>,
                %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %f1_5 = arith.constant 1.5 : f64
  %f1_2 = arith.constant 1.2 : f64
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  // alpha = 1.5;
  affine.store %f1_5, %alpha[] : memref<f64>
  // beta = 1.2;
  affine.store %f1_2, %beta[] : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // A[i][j] = (DATA_TYPE)((i * j + 1) % n) / n;
      %0 = arith.muli %i, %j : index
      %1 = arith.addi %0, %c1 : index
      %2 = arith.remsi %1, %n : index
      %3 = arith.index_cast %2 : index to i64
      %4 = arith.sitofp %3 : i64 to f64
      %5 = arith.index_cast %n : index to i64
      %6 = arith.sitofp %5 : i64 to f64
      %7 = arith.divf %4, %6 : f64
      affine.store %7, %A[%i, %j] : memref<?x?xf64>
      // B[i][j] = (DATA_TYPE)((i * j + 2) % m) / m;
      %8 = arith.muli %i, %j : index
      %9 = arith.addi %8, %c2 : index
      %10 = arith.remsi %9, %m : index
      %11 = arith.index_cast %10 : index to i64
      %12 = arith.sitofp %11 : i64 to f64
      %13 = arith.index_cast %m : index to i64
      %14 = arith.sitofp %13 : i64 to f64
      %15 = arith.divf %12, %14 : f64
      affine.store %15, %B[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // C[i][j] = (DATA_TYPE)((i * j + 3) % n) / m;
      %16 = arith.muli %i, %j : index
      %17 = arith.addi %16, %c3 : index
      %18 = arith.remsi %17, %n : index
      %19 = arith.index_cast %18 : index to i64
      %20 = arith.sitofp %19 : i64 to f64
      %21 = arith.index_cast %m : index to i64
      %22 = arith.sitofp %21 : i64 to f64
      %23 = arith.divf %20, %22 : f64
      affine.store %23, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%n: index, %m: index, %alpha: memref<f64>, %beta: memref<f64>, %C: memref<?x?xf64>,
                  %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      // C[i][j] *= beta;
      %0 = affine.load %C[%i, %j] : memref<?x?xf64>
      %1 = affine.load %beta[] : memref<f64>
      %2 = arith.mulf %0, %1 : f64
      affine.store %2, %C[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to %m {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        // C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = affine.load %A[%j, %k] : memref<?x?xf64>
        %5 = affine.load %alpha[] : memref<f64>
        %6 = arith.mulf %4, %5 : f64
        %7 = affine.load %B[%i, %k] : memref<?x?xf64>
        %8 = arith.mulf %6, %7 : f64
        %9 = affine.load %B[%j, %k] : memref<?x?xf64>
        %10 = arith.mulf %9, %5 : f64
        %11 = affine.load %A[%i, %k] : memref<?x?xf64>
        %12 = arith.mulf %10, %11 : f64
        %13 = arith.addf %8, %12 : f64
        %14 = arith.addf %3, %13 : f64
        affine.store %14, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
