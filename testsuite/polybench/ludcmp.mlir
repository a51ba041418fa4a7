// ludcmp: LU decomposition followed by forward and back substitution.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.
// Loops that count down in C count up here, with the subscript turned round.

// Fills the arguments as PolyBench's init_array does. A lower triangle times its transpose, so that the matrix is positive semi-definite.
func.func @init(%n: index, %A: memref<?x?xf64>, %b: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  %c1 = arith.constant 1 : index
  %f2 = arith.constant 2.0 : f64
  %f4 = arith.constant 4.0 : f64
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f64
  %fn = memref.alloca() : memref<f64>
  %B = memref.alloc(%n, %n) : memref<?x?xf64>
  // fn = n;
  %0 = arith.index_cast %n : index to i64
  %1 = arith.sitofp %0 : i64 to f64
  affine.store %1, %fn[] : memref<f64>
  affine.for %i = 0 to %n {
    // x[i] = 0;
    affine.store %f0, %x[%i] : memref<?xf64>
    // y[i] = 0;
    affine.store %f0, %y[%i] : memref<?xf64>
    // b[i] = (i + 1) / fn / 2.0 + 4;
    %2 = arith.addi %i, %c1 : index
    %3 = affine.load %fn[] : memref<f64>
    %4 = arith.index_cast %2 : index to i64
    %5 = arith.sitofp %4 : i64 to f64
    %6 = arith.divf %5, %3 : f64
    %7 = arith.divf %6, %f2 : f64
    %8 = arith.addf %7, %f4 : f64
    affine.store %8, %b[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      // A[i][j] = (DATA_TYPE)(-j % n) / n + 1;
      %9 = arith.subi %c0, %j : index
      %10 = arith.remsi %9, %n : index
      %11 = arith.index_cast %10 : index to i64
      %12 = arith.sitofp %11 : i64 to f64
      %13 = arith.index_cast %n : index to i64
      %14 = arith.sitofp %13 : i64 to f64
      %15 = arith.divf %12, %14 : f64
      %16 = arith.addf %15, %f1 : f64
      affine.store %16, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
      // A[i][j] = 0;
      affine.store %f0, %A[%i, %j] : memref<?x?xf64>
    }
    // A[i][i] = 1;
    affine.store %f1, %A[%i, %i] : memref<?x?xf64>
  }
  affine.for %r = 0 to %n {
    affine.for %s = 0 to %n {
      // B[r][s] = 0;
      affine.store %f0, %B[%r, %s] : memref<?x?xf64>
    }
  }
  affine.for %t = 0 to %n {
    affine.for %r = 0 to %n {
      affine.for %s = 0 to %n {
        // B[r][s] += A[r][t] * A[s][t];
        %17 = affine.load %B[%r, %s] : memref<?x?xf64>
        %18 = affine.load %A[%r, %t] : memref<?x?xf64>
        %19 = affine.load %A[%s, %t] : memref<?x?xf64>
        %20 = arith.mulf %18, %19 : f64
        %21 = arith.addf %17, %20 : f64
        affine.store %21, %B[%r, %s] : memref<?x?xf64>
      }
    }
  }
  affine.for %r = 0 to %n {
    affine.for %s = 0 to %n {
      // A[r][s] = B[r][s];
      %22 = affine.load %B[%r, %s] : memref<?x?xf64>
      affine.store %22, %A[%r, %s] : memref<?x?xf64>
    }
  }
  memref.dealloc %B : memref<?x?xf64>
  return
}

// The measured part.
func.func @kernel(%n: index, %A: memref<?x?xf64>, %b: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  %w = memref.alloca() : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      // w = A[i][j];
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %0, %w[] : memref<f64>
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        // w -= A[i][k] * A[k][j];
        %1 = affine.load %w[] : memref<f64>
        %2 = affine.load %A[%i, %k] : memref<?x?xf64>
        %3 = affine.load %A[%k, %j] : memref<?x?xf64>
        %4 = arith.mulf %2, %3 : f64
        %5 = arith.subf %1, %4 : f64
        affine.store %5, %w[] : memref<f64>
      }
      // A[i][j] = w / A[j][j];
      %6 = affine.load %w[] : memref<f64>
      %7 = affine.load %A[%j, %j] : memref<?x?xf64>
      %8 = arith.divf %6, %7 : f64
      affine.store %8, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      // w = A[i][j];
      %9 = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %9, %w[] : memref<f64>
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        // w -= A[i][k] * A[k][j];
        %10 = affine.load %w[] : memref<f64>
        %11 = affine.load %A[%i, %k] : memref<?x?xf64>
        %12 = affine.load %A[%k, %j] : memref<?x?xf64>
        %13 = arith.mulf %11, %12 : f64
        %14 = arith.subf %10, %13 : f64
        affine.store %14, %w[] : memref<f64>
      }
      // A[i][j] = w;
      %15 = affine.load %w[] : memref<f64>
      affine.store %15, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    // w = b[i];
    %16 = affine.load %b[%i] : memref<?xf64>
    affine.store %16, %w[] : memref<f64>
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      // w -= A[i][j] * y[j];
      %17 = affine.load %w[] : memref<f64>
      %18 = affine.load %A[%i, %j] : memref<?x?xf64>
      %19 = affine.load %y[%j] : memref<?xf64>
      %20 = arith.mulf %18, %19 : f64
      %21 = arith.subf %17, %20 : f64
      affine.store %21, %w[] : memref<f64>
    }
    // y[i] = w;
    %22 = affine.load %w[] : memref<f64>
    affine.store %22, %y[%i] : memref<?xf64>
  }
  // for (i = n - 1; i >= 0; i--)
  affine.for %ir = 0 to %n {
    // w = y[i];
    %23 = affine.load %y[symbol(%n) - %ir - 1] : memref<?xf64>
    affine.store %23, %w[] : memref<f64>
    affine.for %j = affine_map<(d0)[s0] -> (s0 - d0)>(%ir)[%n] to %n {
      // w -= A[i][j] * x[j];
      %24 = affine.load %w[] : memref<f64>
      %25 = affine.load %A[symbol(%n) - %ir - 1, %j] : memref<?x?xf64>
      %26 = affine.load %x[%j] : memref<?xf64>
      %27 = arith.mulf %25, %26 : f64
      %28 = arith.subf %24, %27 : f64
      affine.store %28, %w[] : memref<f64>
    }
    // x[i] = w / A[i][i];
    %29 = affine.load %w[] : memref<f64>
    %30 = affine.load %A[symbol(%n) - %ir - 1, symbol(%n) - %ir - 1] : memref<?x?xf64>
    %31 = arith.divf %29, %30 : f64
    affine.store %31, %x[symbol(%n) - %ir - 1] : memref<?xf64>
  }
  return
}
