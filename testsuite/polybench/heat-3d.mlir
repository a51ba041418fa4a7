// heat-3d: Heat equation over a 3-D grid.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does. The chained assignment A = B = .. is two statements.
func.func @init(%tsteps: index, %n: index, %A: memref<?x?x?xf64>, %B: memref<?x?x?xf64>) {
  %f10 = arith.constant 10.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        // A[i][j][k] = (DATA_TYPE)(i + j + (n - k)) * 10 / (n);
        %0 = arith.addi %i, %j : index
        %1 = arith.subi %n, %k : index
        %2 = arith.addi %0, %1 : index
        %3 = arith.index_cast %2 : index to i64
        %4 = arith.sitofp %3 : i64 to f64
        %5 = arith.mulf %4, %f10 : f64
        %6 = arith.index_cast %n : index to i64
        %7 = arith.sitofp %6 : i64 to f64
        %8 = arith.divf %5, %7 : f64
        affine.store %8, %A[%i, %j, %k] : memref<?x?x?xf64>
        // B[i][j][k] = (DATA_TYPE)(i + j + (n - k)) * 10 / (n);
        %9 = arith.addi %i, %j : index
        %10 = arith.subi %n, %k : index
        %11 = arith.addi %9, %10 : index
        %12 = arith.index_cast %11 : index to i64
        %13 = arith.sitofp %12 : i64 to f64
        %14 = arith.mulf %13, %f10 : f64
        %15 = arith.index_cast %n : index to i64
        %16 = arith.sitofp %15 : i64 to f64
        %17 = arith.divf %14, %16 : f64
        affine.store %17, %B[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// The measured part.
func.func @kernel(%tsteps: index, %n: index, %A: memref<?x?x?xf64>, %B: memref<?x?x?xf64>) {
  %f2 = arith.constant 2.0 : f64
  %f0_125 = arith.constant 0.125 : f64
  affine.for %t = 1 to affine_map<()[s0] -> (s0 + 1)>()[%tsteps] {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        affine.for %k = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
          // B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k]) + 0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k]) + 0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1]) + A[i][j][k];
          %0 = affine.load %A[%i + 1, %j, %k] : memref<?x?x?xf64>
          %1 = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %2 = arith.mulf %f2, %1 : f64
          %3 = arith.subf %0, %2 : f64
          %4 = affine.load %A[%i - 1, %j, %k] : memref<?x?x?xf64>
          %5 = arith.addf %3, %4 : f64
          %6 = arith.mulf %f0_125, %5 : f64
          %7 = affine.load %A[%i, %j + 1, %k] : memref<?x?x?xf64>
          %8 = arith.subf %7, %2 : f64
          %9 = affine.load %A[%i, %j - 1, %k] : memref<?x?x?xf64>
          %10 = arith.addf %8, %9 : f64
          %11 = arith.mulf %f0_125, %10 : f64
          %12 = arith.addf %6, %11 : f64
          %13 = affine.load %A[%i, %j, %k + 1] : memref<?x?x?xf64>
          %14 = arith.subf %13, %2 : f64
          %15 = affine.load %A[%i, %j, %k - 1] : memref<?x?x?xf64>
          %16 = arith.addf %14, %15 : f64
          %17 = arith.mulf %f0_125, %16 : f64
          %18 = arith.addf %12, %17 : f64
          %19 = arith.addf %18, %1 : f64
          affine.store %19, %B[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        affine.for %k = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
          // A[i][j][k] = 0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k]) + 0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k]) + 0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1]) + B[i][j][k];
          %20 = affine.load %B[%i + 1, %j, %k] : memref<?x?x?xf64>
          %21 = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %22 = arith.mulf %f2, %21 : f64
          %23 = arith.subf %20, %22 : f64
          %24 = affine.load %B[%i - 1, %j, %k] : memref<?x?x?xf64>
          %25 = arith.addf %23, %24 : f64
          %26 = arith.mulf %f0_125, %25 : f64
          %27 = affine.load %B[%i, %j + 1, %k] : memref<?x?x?xf64>
          %28 = arith.subf %27, %22 : f64
          %29 = affine.load %B[%i, %j - 1, %k] : memref<?x?x?xf64>
          %30 = arith.addf %28, %29 : f64
          %31 = arith.mulf %f0_125, %30 : f64
          %32 = arith.addf %26, %31 : f64
          %33 = affine.load %B[%i, %j, %k + 1] : memref<?x?x?xf64>
          %34 = arith.subf %33, %22 : f64
          %35 = affine.load %B[%i, %j, %k - 1] : memref<?x?x?xf64>
          %36 = arith.addf %34, %35 : f64
          %37 = arith.mulf %f0_125, %36 : f64
          %38 = arith.addf %32, %37 : f64
          %39 = arith.addf %38, %21 : f64
          affine.store %39, %A[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}
