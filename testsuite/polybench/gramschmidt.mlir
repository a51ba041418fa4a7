// gramschmidt: QR decomposition by modified Gram-Schmidt.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%m: index, %n: index, %A: memref<?x?xf64>, %R: memref<?x?xf64>, %Q: memref<?x?xf64>) {
  %f100 = arith.constant 100.0 : f64
  %f10 = arith.constant 10.0 : f64
  %f0 = arith.constant 0.0 : f64
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      // A[i][j] = (((DATA_TYPE)((i * j) % m) / m) * 100) + 10;
      %0 = arith.muli %i, %j : index
      %1 = arith.remsi %0, %m : index
      %2 = arith.index_cast %1 : index to i64
      %3 = arith.sitofp %2 : i64 to f64
      %4 = arith.index_cast %m : index to i64
      %5 = arith.sitofp %4 : i64 to f64
      %6 = arith.divf %3, %5 : f64
      %7 = arith.mulf %6, %f100 : f64
      %8 = arith.addf %7, %f10 : f64
      affine.store %8, %A[%i, %j] : memref<?x?xf64>
      // Q[i][j] = 0.0;
      affine.store %f0, %Q[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // R[i][j] = 0.0;
      affine.store %f0, %R[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%m: index, %n: index, %A: memref<?x?xf64>, %R: memref<?x?xf64>, %Q: memref<?x?xf64>) {
  %f0 = arith.constant 0.0 : f64
  %nrm = memref.alloca() : memref<f64>
  affine.for %k = 0 to %n {
    // nrm = 0.0;
    affine.store %f0, %nrm[] : memref<f64>
    affine.for %i = 0 to %m {
      // nrm += A[i][k] * A[i][k];
      %0 = affine.load %nrm[] : memref<f64>
      %1 = affine.load %A[%i, %k] : memref<?x?xf64>
      %2 = arith.mulf %1, %1 : f64
      %3 = arith.addf %0, %2 : f64
      affine.store %3, %nrm[] : memref<f64>
    }
    // R[k][k] = sqrt(nrm);
    %4 = affine.load %nrm[] : memref<f64>
    %5 = math.sqrt %4 : f64
    affine.store %5, %R[%k, %k] : memref<?x?xf64>
    affine.for %i = 0 to %m {
      // Q[i][k] = A[i][k] / R[k][k];
      %6 = affine.load %A[%i, %k] : memref<?x?xf64>
      %7 = affine.load %R[%k, %k] : memref<?x?xf64>
      %8 = arith.divf %6, %7 : f64
      affine.store %8, %Q[%i, %k] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
      // R[k][j] = 0.0;
      affine.store %f0, %R[%k, %j] : memref<?x?xf64>
      affine.for %i = 0 to %m {
        // R[k][j] += Q[i][k] * A[i][j];
        %9 = affine.load %R[%k, %j] : memref<?x?xf64>
        %10 = affine.load %Q[%i, %k] : memref<?x?xf64>
        %11 = affine.load %A[%i, %j] : memref<?x?xf64>
        %12 = arith.mulf %10, %11 : f64
        %13 = arith.addf %9, %12 : f64
        affine.store %13, %R[%k, %j] : memref<?x?xf64>
      }
      affine.for %i = 0 to %m {
        // A[i][j] = A[i][j] - Q[i][k] * R[k][j];
        %14 = affine.load %A[%i, %j] : memref<?x?xf64>
        %15 = affine.load %Q[%i, %k] : memref<?x?xf64>
        %16 = affine.load %R[%k, %j] : memref<?x?xf64>
        %17 = arith.mulf %15, %16 : f64
        %18 = arith.subf %14, %17 : f64
        affine.store %18, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
