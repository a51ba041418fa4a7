// seidel-2d: Gauss-Seidel stencil in two dimensions.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%tsteps: index, %n: index, %A: memref<?x?xf64>) {
  %c2 = arith.constant 2 : index
  %f2 = arith.constant 2.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // A[i][j] = ((DATA_TYPE)i * (j + 2) + 2) / n;
      %0 = arith.index_cast %i : index to i64
      %1 = arith.sitofp %0 : i64 to f64
      %2 = arith.addi %j, %c2 : index
      %3 = arith.index_cast %2 : index to i64
      %4 = arith.sitofp %3 : i64 to f64
      %5 = arith.mulf %1, %4 : f64
      %6 = arith.addf %5, %f2 : f64
      %7 = arith.index_cast %n : index to i64
      %8 = arith.sitofp %7 : i64 to f64
      %9 = arith.divf %6, %8 : f64
      affine.store %9, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%tsteps: index, %n: index, %A: memref<?x?xf64>) {
  %f9 = arith.constant 9.0 : f64
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        // A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
        %0 = affine.load %A[%i - 1, %j - 1] : memref<?x?xf64>
        %1 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %2 = arith.addf %0, %1 : f64
        %3 = affine.load %A[%i - 1, %j + 1] : memref<?x?xf64>
        %4 = arith.addf %2, %3 : f64
        %5 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %6 = arith.addf %4, %5 : f64
        %7 = affine.load %A[%i, %j] : memref<?x?xf64>
        %8 = arith.addf %6, %7 : f64
        %9 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %10 = arith.addf %8, %9 : f64
        %11 = affine.load %A[%i + 1, %j - 1] : memref<?x?xf64>
        %12 = arith.addf %10, %11 : f64
        %13 = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %14 = arith.addf %12, %13 : f64
        %15 = affine.load %A[%i + 1, %j + 1] : memref<?x?xf64>
        %16 = arith.addf %14, %15 : f64
        %17 = arith.divf %16, %f9 : f64
        affine.store %17, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
