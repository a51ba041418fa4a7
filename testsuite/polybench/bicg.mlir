// bicg: The two products of the BiCG stabilized method: s := transpose(A) r, q := A p.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%m: index, %n: index, %A: memref<?x?xf64>, %s: memref<?xf64>, %q: memref<?xf64>,
                %p: memref<?xf64>, %r: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to %m {
    // p[i] = (DATA_TYPE)(i % m) / m;
    %0 = arith.remsi %i, %m : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f64
    %3 = arith.index_cast %m : index to i64
    %4 = arith.sitofp %3 : i64 to f64
    %5 = arith.divf %2, %4 : f64
    affine.store %5, %p[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    // r[i] = (DATA_TYPE)(i % n) / n;
    %6 = arith.remsi %i, %n : index
    %7 = arith.index_cast %6 : index to i64
    %8 = arith.sitofp %7 : i64 to f64
    %9 = arith.index_cast %n : index to i64
    %10 = arith.sitofp %9 : i64 to f64
    %11 = arith.divf %8, %10 : f64
    affine.store %11, %r[%i] : memref<?xf64>
    affine.for %j = 0 to %m {
      // A[i][j] = (DATA_TYPE)(i * (j + 1) % n) / n;
      %12 = arith.addi %j, %c1 : index
      %13 = arith.muli %i, %12 : index
      %14 = arith.remsi %13, %n : index
      %15 = arith.index_cast %14 : index to i64
      %16 = arith.sitofp %15 : i64 to f64
      %17 = arith.index_cast %n : index to i64
      %18 = arith.sitofp %17 : i64 to f64
      %19 = arith.divf %16, %18 : f64
      affine.store %19, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%m: index, %n: index, %A: memref<?x?xf64>, %s: memref<?xf64>, %q: memref<?xf64>,
                  %p: memref<?xf64>, %r: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %m {
    // s[i] = 0;
    affine.store %f0, %s[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    // q[i] = 0.0;
    affine.store %f0, %q[%i] : memref<?xf64>
    affine.for %j = 0 to %m {
      // s[j] = s[j] + r[i] * A[i][j];
      %0 = affine.load %s[%j] : memref<?xf64>
      %1 = affine.load %r[%i] : memref<?xf64>
      %2 = affine.load %A[%i, %j] : memref<?x?xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      affine.store %4, %s[%j] : memref<?xf64>
      // q[i] = q[i] + A[i][j] * p[j];
      %5 = affine.load %q[%i] : memref<?xf64>
      %6 = affine.load %A[%i, %j] : memref<?x?xf64>
      %7 = affine.load %p[%j] : memref<?xf64>
      %8 = arith.mulf %6, %7 : f64
      %9 = arith.addf %5, %8 : f64
      affine.store %9, %q[%i] : memref<?xf64>
    }
  }
  return
}
