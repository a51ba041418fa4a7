// gemm in single precision; ../polybench/gemm.mlir is the double-precision one.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%ni: index, %nj: index, %nk: index, %alpha: memref<f32>, %beta: memref<f32>,
                %C: memref<?x?xf32>, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %f1_5 = arith.constant 1.5 : f32
  %f1_2 = arith.constant 1.2 : f32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // alpha = 1.5;
  affine.store %f1_5, %alpha[] : memref<f32>
  // beta = 1.2;
  affine.store %f1_2, %beta[] : memref<f32>
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      // C[i][j] = (DATA_TYPE)((i * j + 1) % ni) / ni;
      %0 = arith.muli %i, %j : index
      %1 = arith.addi %0, %c1 : index
      %2 = arith.remsi %1, %ni : index
      %3 = arith.index_cast %2 : index to i64
      %4 = arith.sitofp %3 : i64 to f32
      %5 = arith.index_cast %ni : index to i64
      %6 = arith.sitofp %5 : i64 to f32
      %7 = arith.divf %4, %6 : f32
      affine.store %7, %C[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nk {
      // A[i][j] = (DATA_TYPE)(i * (j + 1) % nk) / nk;
      %8 = arith.addi %j, %c1 : index
      %9 = arith.muli %i, %8 : index
      %10 = arith.remsi %9, %nk : index
      %11 = arith.index_cast %10 : index to i64
      %12 = arith.sitofp %11 : i64 to f32
      %13 = arith.index_cast %nk : index to i64
      %14 = arith.sitofp %13 : i64 to f32
      %15 = arith.divf %12, %14 : f32
      affine.store %15, %A[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %nk {
    affine.for %j = 0 to %nj {
      // B[i][j] = (DATA_TYPE)(i * (j + 2) % nj) / nj;
      %16 = arith.addi %j, %c2 : index
      %17 = arith.muli %i, %16 : index
      %18 = arith.remsi %17, %nj : index
      %19 = arith.index_cast %18 : index to i64
      %20 = arith.sitofp %19 : i64 to f32
      %21 = arith.index_cast %nj : index to i64
      %22 = arith.sitofp %21 : i64 to f32
      %23 = arith.divf %20, %22 : f32
      affine.store %23, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// The measured part.
func.func @kernel(%ni: index, %nj: index, %nk: index, %alpha: memref<f32>, %beta: memref<f32>,
                  %C: memref<?x?xf32>, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      // C[i][j] *= beta;
      %0 = affine.load %C[%i, %j] : memref<?x?xf32>
      %1 = affine.load %beta[] : memref<f32>
      %2 = arith.mulf %0, %1 : f32
      affine.store %2, %C[%i, %j] : memref<?x?xf32>
    }
    affine.for %k = 0 to %nk {
      affine.for %j = 0 to %nj {
        // C[i][j] += alpha * A[i][k] * B[k][j];
        %3 = affine.load %C[%i, %j] : memref<?x?xf32>
        %4 = affine.load %alpha[] : memref<f32>
        %5 = affine.load %A[%i, %k] : memref<?x?xf32>
        %6 = arith.mulf %4, %5 : f32
        %7 = affine.load %B[%k, %j] : memref<?x?xf32>
        %8 = arith.mulf %6, %7 : f32
        %9 = arith.addf %3, %8 : f32
        affine.store %9, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
