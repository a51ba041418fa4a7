// 2mm: D := alpha A B C + beta D.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%ni: index, %nj: index, %nk: index, %nl: index, %alpha: memref<f64>, %beta: memref<f64>,
                %tmp: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>,
                %D: memref<?x?xf64>) {
  %f1_5 = arith.constant 1.5 : f64
  %f1_2 = arith.constant 1.2 : f64
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  // alpha = 1.5;
  affine.store %f1_5, %alpha[] : memref<f64>
  // beta = 1.2;
  affine.store %f1_2, %beta[] : memref<f64>
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nk {
      // A[i][j] = (DATA_TYPE)((i * j + 1) % ni) / ni;
      %0 = arith.muli %i, %j : index
      %1 = arith.addi %0, %c1 : index
      %2 = arith.remsi %1, %ni : index
      %3 = arith.index_cast %2 : index to i64
      %4 = arith.sitofp %3 : i64 to f64
      %5 = arith.index_cast %ni : index to i64
      %6 = arith.sitofp %5 : i64 to f64
      %7 = arith.divf %4, %6 : f64
      affine.store %7, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %nk {
    affine.for %j = 0 to %nj {
      // B[i][j] = (DATA_TYPE)(i * (j + 1) % nj) / nj;
      %8 = arith.addi %j, %c1 : index
      %9 = arith.muli %i, %8 : index
      %10 = arith.remsi %9, %nj : index
      %11 = arith.index_cast %10 : index to i64
      %12 = arith.sitofp %11 : i64 to f64
      %13 = arith.index_cast %nj : index to i64
      %14 = arith.sitofp %13 : i64 to f64
      %15 = arith.divf %12, %14 : f64
      affine.store %15, %B[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %nj {
    affine.for %j = 0 to %nl {
      // C[i][j] = (DATA_TYPE)((i * (j + 3) + 1) % nl) / nl;
      %16 = arith.addi %j, %c3 : index
      %17 = arith.muli %i, %16 : index
      %18 = arith.addi %17, %c1 : index
      %19 = arith.remsi %18, %nl : index
      %20 = arith.index_cast %19 : index to i64
      %21 = arith.sitofp %20 : i64 to f64
      %22 = arith.index_cast %nl : index to i64
      %23 = arith.sitofp %22 : i64 to f64
      %24 = arith.divf %21, %23 : f64
      affine.store %24, %C[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      // D[i][j] = (DATA_TYPE)(i * (j + 2) % nk) / nk;
      %25 = arith.addi %j, %c2 : index
      %26 = arith.muli %i, %25 : index
      %27 = arith.remsi %26, %nk : index
      %28 = arith.index_cast %27 : index to i64
      %29 = arith.sitofp %28 : i64 to f64
      %30 = arith.index_cast %nk : index to i64
      %31 = arith.sitofp %30 : i64 to f64
      %32 = arith.divf %29, %31 : f64
      affine.store %32, %D[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%ni: index, %nj: index, %nk: index, %nl: index, %alpha: memref<f64>, %beta: memref<f64>,
                  %tmp: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>,
                  %D: memref<?x?xf64>) {
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      // tmp[i][j] = 0.0;
      affine.store %f0, %tmp[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nk {
        // tmp[i][j] += alpha * A[i][k] * B[k][j];
        %0 = affine.load %tmp[%i, %j] : memref<?x?xf64>
        %1 = affine.load %alpha[] : memref<f64>
        %2 = affine.load %A[%i, %k] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = affine.load %B[%k, %j] : memref<?x?xf64>
        %5 = arith.mulf %3, %4 : f64
        %6 = arith.addf %0, %5 : f64
        affine.store %6, %tmp[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nl {
      // D[i][j] *= beta;
      %7 = affine.load %D[%i, %j] : memref<?x?xf64>
      %8 = affine.load %beta[] : memref<f64>
      %9 = arith.mulf %7, %8 : f64
      affine.store %9, %D[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %nj {
        // D[i][j] += tmp[i][k] * C[k][j];
        %10 = affine.load %D[%i, %j] : memref<?x?xf64>
        %11 = affine.load %tmp[%i, %k] : memref<?x?xf64>
        %12 = affine.load %C[%k, %j] : memref<?x?xf64>
        %13 = arith.mulf %11, %12 : f64
        %14 = arith.addf %10, %13 : f64
        affine.store %14, %D[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
