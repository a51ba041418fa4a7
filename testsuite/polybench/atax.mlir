// atax: y := transpose(A) (A x).
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%m: index, %n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>,
                %tmp: memref<?xf64>) {
  %f1 = arith.constant 1.0 : f64
  %c5 = arith.constant 5 : index
  %fn = memref.alloca() : memref<f64>
  // fn = n;
  %0 = arith.index_cast %n : index to i64
  %1 = arith.sitofp %0 : i64 to f64
  affine.store %1, %fn[] : memref<f64>
  affine.for %i = 0 to %n {
    // x[i] = 1 + (i / fn);
    %2 = affine.load %fn[] : memref<f64>
    %3 = arith.index_cast %i : index to i64
    %4 = arith.sitofp %3 : i64 to f64
    %5 = arith.divf %4, %2 : f64
    %6 = arith.addf %f1, %5 : f64
    affine.store %6, %x[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      // A[i][j] = (DATA_TYPE)((i + j) % n) / (5 * m);
      %7 = arith.addi %i, %j : index
      %8 = arith.remsi %7, %n : index
      %9 = arith.index_cast %8 : index to i64
      %10 = arith.sitofp %9 : i64 to f64
      %11 = arith.muli %c5, %m : index
      %12 = arith.index_cast %11 : index to i64
      %13 = arith.sitofp %12 : i64 to f64
      %14 = arith.divf %10, %13 : f64
      affine.store %14, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%m: index, %n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>,
                  %tmp: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    // y[i] = 0;
    affine.store %f0, %y[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %m {
    // tmp[i] = 0.0;
    affine.store %f0, %tmp[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      // tmp[i] = tmp[i] + A[i][j] * x[j];
      %0 = affine.load %tmp[%i] : memref<?xf64>
      %1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %2 = affine.load %x[%j] : memref<?xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      affine.store %4, %tmp[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      // y[j] = y[j] + A[i][j] * tmp[i];
      %5 = affine.load %y[%j] : memref<?xf64>
      %6 = affine.load %A[%i, %j] : memref<?x?xf64>
      %7 = affine.load %tmp[%i] : memref<?xf64>
      %8 = arith.mulf %6, %7 : f64
      %9 = arith.addf %5, %8 : f64
      affine.store %9, %y[%j] : memref<?xf64>
    }
  }
  return
}
