// jacobi-2d in single precision; ../polybench/jacobi-2d.mlir is the double-precision one.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%tsteps: index, %n: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c2 = arith.constant 2 : index
  %f2 = arith.constant 2.0 : f32
  %c3 = arith.constant 3 : index
  %f3 = arith.constant 3.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // A[i][j] = ((DATA_TYPE)i * (j + 2) + 2) / n;
      %0 = arith.index_cast %i : index to i64
      %1 = arith.sitofp %0 : i64 to f32
      %2 = arith.addi %j, %c2 : index
      %3 = arith.index_cast %2 : index to i64
      %4 = arith.sitofp %3 : i64 to f32
      %5 = arith.mulf %1, %4 : f32
      %6 = arith.addf %5, %f2 : f32
      %7 = arith.index_cast %n : index to i64
      %8 = arith.sitofp %7 : i64 to f32
      %9 = arith.divf %6, %8 : f32
      affine.store %9, %A[%i, %j] : memref<?x?xf32>
      // B[i][j] = ((DATA_TYPE)i * (j + 3) + 3) / n;
      %10 = arith.index_cast %i : index to i64
      %11 = arith.sitofp %10 : i64 to f32
      %12 = arith.addi %j, %c3 : index
      %13 = arith.index_cast %12 : index to i64
      %14 = arith.sitofp %13 : i64 to f32
      %15 = arith.mulf %11, %14 : f32
      %16 = arith.addf %15, %f3 : f32
      %17 = arith.index_cast %n : index to i64
      %18 = arith.sitofp %17 : i64 to f32
      %19 = arith.divf %16, %18 : f32
      affine.store %19, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// The measured part.
func.func @kernel(%tsteps: index, %n: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %f0_2 = arith.constant 0.2 : f32
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        // B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
        %0 = affine.load %A[%i, %j] : memref<?x?xf32>
        %1 = affine.load %A[%i, %j - 1] : memref<?x?xf32>
        %2 = arith.addf %0, %1 : f32
        %3 = affine.load %A[%i, %j + 1] : memref<?x?xf32>
        %4 = arith.addf %2, %3 : f32
        %5 = affine.load %A[%i + 1, %j] : memref<?x?xf32>
        %6 = arith.addf %4, %5 : f32
        %7 = affine.load %A[%i - 1, %j] : memref<?x?xf32>
        %8 = arith.addf %6, %7 : f32
        %9 = arith.mulf %f0_2, %8 : f32
        affine.store %9, %B[%i, %j] : memref<?x?xf32>
      }
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        // A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
        %10 = affine.load %B[%i, %j] : memref<?x?xf32>
        %11 = affine.load %B[%i, %j - 1] : memref<?x?xf32>
        %12 = arith.addf %10, %11 : f32
        %13 = affine.load %B[%i, %j + 1] : memref<?x?xf32>
        %14 = arith.addf %12, %13 : f32
        %15 = affine.load %B[%i + 1, %j] : memref<?x?xf32>
        %16 = arith.addf %14, %15 : f32
        %17 = affine.load %B[%i - 1, %j] : memref<?x?xf32>
        %18 = arith.addf %16, %17 : f32
        %19 = arith.mulf %f0_2, %18 : f32
        affine.store %19, %A[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
