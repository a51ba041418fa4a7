// jacobi-1d: Jacobi stencil in one dimension.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%tsteps: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %f2 = arith.constant 2.0 : f64
  %f3 = arith.constant 3.0 : f64
  affine.for %i = 0 to %n {
    // A[i] = ((DATA_TYPE)i + 2) / n;
    %0 = arith.index_cast %i : index to i64
    %1 = arith.sitofp %0 : i64 to f64
    %2 = arith.addf %1, %f2 : f64
    %3 = arith.index_cast %n : index to i64
    %4 = arith.sitofp %3 : i64 to f64
    %5 = arith.divf %2, %4 : f64
    affine.store %5, %A[%i] : memref<?xf64>
    // B[i] = ((DATA_TYPE)i + 3) / n;
    %6 = arith.index_cast %i : index to i64
    %7 = arith.sitofp %6 : i64 to f64
    %8 = arith.addf %7, %f3 : f64
    %9 = arith.index_cast %n : index to i64
    %10 = arith.sitofp %9 : i64 to f64
    %11 = arith.divf %8, %10 : f64
    affine.store %11, %B[%i] : memref<?xf64>
  }
  return
}

// The measured part.
func.func @kernel(%tsteps: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %f0_33333 = arith.constant 0.33333 : f64
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      // B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
      %0 = affine.load %A[%i - 1] : memref<?xf64>
      %1 = affine.load %A[%i] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      %3 = affine.load %A[%i + 1] : memref<?xf64>
      %4 = arith.addf %2, %3 : f64
      %5 = arith.mulf %f0_33333, %4 : f64
      affine.store %5, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      // A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
      %6 = affine.load %B[%i - 1] : memref<?xf64>
      %7 = affine.load %B[%i] : memref<?xf64>
      %8 = arith.addf %6, %7 : f64
      %9 = affine.load %B[%i + 1] : memref<?xf64>
      %10 = arith.addf %8, %9 : f64
      %11 = arith.mulf %f0_33333, %10 : f64
      affine.store %11, %A[%i] : memref<?xf64>
    }
  }
  return
}
