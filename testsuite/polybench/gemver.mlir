// gemver: Vector multiplication and matrix addition: A += u1 v1 + u2 v2; x += beta transpose(A) y + z; w += alpha A x.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%n: index, %alpha: memref<f64>, %beta: memref<f64>, %A: memref<?x?xf64>, %u1: memref<?xf64>,
                %v1: memref<?xf64>, %u2: memref<?xf64>, %v2: memref<?xf64>, %w: memref<?xf64>,
                %x: memref<?xf64>, %y: memref<?xf64>, %z: memref<?xf64>) {
  %f1_5 = arith.constant 1.5 : f64
  %f1_2 = arith.constant 1.2 : f64
  %c1 = arith.constant 1 : index
  %f2 = arith.constant 2.0 : f64
  %f4 = arith.constant 4.0 : f64
  %f6 = arith.constant 6.0 : f64
  %f8 = arith.constant 8.0 : f64
  %f9 = arith.constant 9.0 : f64
  %f0 = arith.constant 0.0 : f64
  %fn = memref.alloca() : memref<f64>
  // alpha = 1.5;
  affine.store %f1_5, %alpha[] : memref<f64>
  // beta = 1.2;
  affine.store %f1_2, %beta[] : memref<f64>
  // fn = n;
  %0 = arith.index_cast %n : index to i64
  %1 = arith.sitofp %0 : i64 to f64
  affine.store %1, %fn[] : memref<f64>
  affine.for %i = 0 to %n {
    // u1[i] = i;
    %2 = arith.index_cast %i : index to i64
    %3 = arith.sitofp %2 : i64 to f64
    affine.store %3, %u1[%i] : memref<?xf64>
    // u2[i] = ((i + 1) / fn) / 2.0;
    %4 = arith.addi %i, %c1 : index
    %5 = affine.load %fn[] : memref<f64>
    %6 = arith.index_cast %4 : index to i64
    %7 = arith.sitofp %6 : i64 to f64
    %8 = arith.divf %7, %5 : f64
    %9 = arith.divf %8, %f2 : f64
    affine.store %9, %u2[%i] : memref<?xf64>
    // v1[i] = ((i + 1) / fn) / 4.0;
    %10 = arith.addi %i, %c1 : index
    %11 = affine.load %fn[] : memref<f64>
    %12 = arith.index_cast %10 : index to i64
    %13 = arith.sitofp %12 : i64 to f64
    %14 = arith.divf %13, %11 : f64
    %15 = arith.divf %14, %f4 : f64
    affine.store %15, %v1[%i] : memref<?xf64>
    // v2[i] = ((i + 1) / fn) / 6.0;
    %16 = arith.addi %i, %c1 : index
    %17 = affine.load %fn[] : memref<f64>
    %18 = arith.index_cast %16 : index to i64
    %19 = arith.sitofp %18 : i64 to f64
    %20 = arith.divf %19, %17 : f64
    %21 = arith.divf %20, %f6 : f64
    affine.store %21, %v2[%i] : memref<?xf64>
    // y[i] = ((i + 1) / fn) / 8.0;
    %22 = arith.addi %i, %c1 : index
    %23 = affine.load %fn[] : memref<f64>
    %24 = arith.index_cast %22 : index to i64
    %25 = arith.sitofp %24 : i64 to f64
    %26 = arith.divf %25, %23 : f64
    %27 = arith.divf %26, %f8 : f64
    affine.store %27, %y[%i] : memref<?xf64>
    // z[i] = ((i + 1) / fn) / 9.0;
    %28 = arith.addi %i, %c1 : index
    %29 = affine.load %fn[] : memref<f64>
    %30 = arith.index_cast %28 : index to i64
    %31 = arith.sitofp %30 : i64 to f64
    %32 = arith.divf %31, %29 : f64
    %33 = arith.divf %32, %f9 : f64
    affine.store %33, %z[%i] : memref<?xf64>
    // x[i] = 0.0;
    affine.store %f0, %x[%i] : memref<?xf64>
    // w[i] = 0.0;
    affine.store %f0, %w[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      // A[i][j] = (DATA_TYPE)(i * j % n) / n;
      %34 = arith.muli %i, %j : index
      %35 = arith.remsi %34, %n : index
      %36 = arith.index_cast %35 : index to i64
      %37 = arith.sitofp %36 : i64 to f64
      %38 = arith.index_cast %n : index to i64
      %39 = arith.sitofp %38 : i64 to f64
      %40 = arith.divf %37, %39 : f64
      affine.store %40, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%n: index, %alpha: memref<f64>, %beta: memref<f64>, %A: memref<?x?xf64>, %u1: memref<?xf64>,
                  %v1: memref<?xf64>, %u2: memref<?xf64>, %v2: memref<?xf64>, %w: memref<?xf64>,
                  %x: memref<?xf64>, %y: memref<?xf64>, %z: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      %1 = affine.load %u1[%i] : memref<?xf64>
      %2 = affine.load %v1[%j] : memref<?xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      %5 = affine.load %u2[%i] : memref<?xf64>
      %6 = affine.load %v2[%j] : memref<?xf64>
      %7 = arith.mulf %5, %6 : f64
      %8 = arith.addf %4, %7 : f64
      affine.store %8, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // x[i] = x[i] + beta * A[j][i] * y[j];
      %9 = affine.load %x[%i] : memref<?xf64>
      %10 = affine.load %beta[] : memref<f64>
      %11 = affine.load %A[%j, %i] : memref<?x?xf64>
      %12 = arith.mulf %10, %11 : f64
      %13 = affine.load %y[%j] : memref<?xf64>
      %14 = arith.mulf %12, %13 : f64
      %15 = arith.addf %9, %14 : f64
      affine.store %15, %x[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %n {
    // x[i] = x[i] + z[i];
    %16 = affine.load %x[%i] : memref<?xf64>
    %17 = affine.load %z[%i] : memref<?xf64>
    %18 = arith.addf %16, %17 : f64
    affine.store %18, %x[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // w[i] = w[i] + alpha * A[i][j] * x[j];
      %19 = affine.load %w[%i] : memref<?xf64>
      %20 = affine.load %alpha[] : memref<f64>
      %21 = affine.load %A[%i, %j] : memref<?x?xf64>
      %22 = arith.mulf %20, %21 : f64
      %23 = affine.load %x[%j] : memref<?xf64>
      %24 = arith.mulf %22, %23 : f64
      %25 = arith.addf %19, %24 : f64
      affine.store %25, %w[%i] : memref<?xf64>
    }
  }
  return
}
