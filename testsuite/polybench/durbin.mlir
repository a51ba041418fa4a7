// durbin: Toeplitz system solver (Levinson-Durbin).
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%n: index, %r: memref<?xf64>, %y: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to %n {
    // r[i] = (n + 1 - i);
    %0 = arith.addi %n, %c1 : index
    %1 = arith.subi %0, %i : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.sitofp %2 : i64 to f64
    affine.store %3, %r[%i] : memref<?xf64>
  }
  return
}

// The measured part.
func.func @kernel(%n: index, %r: memref<?xf64>, %y: memref<?xf64>) {
  %f1 = arith.constant 1.0 : f64
  %f0 = arith.constant 0.0 : f64
  %alpha = memref.alloca() : memref<f64>
  %beta = memref.alloca() : memref<f64>
  %sum = memref.alloca() : memref<f64>
  %z = memref.alloc(%n) : memref<?xf64>
  // y[0] = -r[0];
  %0 = affine.load %r[0] : memref<?xf64>
  %1 = arith.negf %0 : f64
  affine.store %1, %y[0] : memref<?xf64>
  // beta = 1.0;
  affine.store %f1, %beta[] : memref<f64>
  // alpha = -r[0];
  %2 = affine.load %r[0] : memref<?xf64>
  %3 = arith.negf %2 : f64
  affine.store %3, %alpha[] : memref<f64>
  affine.for %k = 1 to %n {
    // beta = (1 - alpha * alpha) * beta;
    %4 = affine.load %alpha[] : memref<f64>
    %5 = arith.mulf %4, %4 : f64
    %6 = arith.subf %f1, %5 : f64
    %7 = affine.load %beta[] : memref<f64>
    %8 = arith.mulf %6, %7 : f64
    affine.store %8, %beta[] : memref<f64>
    // sum = 0.0;
    affine.store %f0, %sum[] : memref<f64>
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      // sum += r[k - i - 1] * y[i];
      %9 = affine.load %sum[] : memref<f64>
      %10 = affine.load %r[%k - %i - 1] : memref<?xf64>
      %11 = affine.load %y[%i] : memref<?xf64>
      %12 = arith.mulf %10, %11 : f64
      %13 = arith.addf %9, %12 : f64
      affine.store %13, %sum[] : memref<f64>
    }
    // alpha = -(r[k] + sum) / beta;
    %14 = affine.load %r[%k] : memref<?xf64>
    %15 = affine.load %sum[] : memref<f64>
    %16 = arith.addf %14, %15 : f64
    %17 = arith.negf %16 : f64
    %18 = affine.load %beta[] : memref<f64>
    %19 = arith.divf %17, %18 : f64
    affine.store %19, %alpha[] : memref<f64>
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      // z[i] = y[i] + alpha * y[k - i - 1];
      %20 = affine.load %y[%i] : memref<?xf64>
      %21 = affine.load %alpha[] : memref<f64>
      %22 = affine.load %y[%k - %i - 1] : memref<?xf64>
      %23 = arith.mulf %21, %22 : f64
      %24 = arith.addf %20, %23 : f64
      affine.store %24, %z[%i] : memref<?xf64>
    }
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      // y[i] = z[i];
      %25 = affine.load %z[%i] : memref<?xf64>
      affine.store %25, %y[%i] : memref<?xf64>
    }
    // y[k] = alpha;
    %26 = affine.load %alpha[] : memref<f64>
    affine.store %26, %y[%k] : memref<?xf64>
  }
  memref.dealloc %z : memref<?xf64>
  return
}
