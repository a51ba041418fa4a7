// covariance: Covariance matrix of the columns of a data set.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%m: index, %n: index, %float_n: memref<f64>, %data: memref<?x?xf64>, %cov: memref<?x?xf64>,
                %mean: memref<?xf64>) {
  // float_n = n;
  %0 = arith.index_cast %n : index to i64
  %1 = arith.sitofp %0 : i64 to f64
  affine.store %1, %float_n[] : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // data[i][j] = ((DATA_TYPE)i * j) / m;
      %2 = arith.index_cast %i : index to i64
      %3 = arith.sitofp %2 : i64 to f64
      %4 = arith.index_cast %j : index to i64
      %5 = arith.sitofp %4 : i64 to f64
      %6 = arith.mulf %3, %5 : f64
      %7 = arith.index_cast %m : index to i64
      %8 = arith.sitofp %7 : i64 to f64
      %9 = arith.divf %6, %8 : f64
      affine.store %9, %data[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%m: index, %n: index, %float_n: memref<f64>, %data: memref<?x?xf64>, %cov: memref<?x?xf64>,
                  %mean: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  %f1 = arith.constant 1.0 : f64
  affine.for %j = 0 to %m {
    // mean[j] = 0.0;
    affine.store %f0, %mean[%j] : memref<?xf64>
    affine.for %i = 0 to %n {
      // mean[j] += data[i][j];
      %0 = affine.load %mean[%j] : memref<?xf64>
      %1 = affine.load %data[%i, %j] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %mean[%j] : memref<?xf64>
    }
    // mean[j] /= float_n;
    %3 = affine.load %mean[%j] : memref<?xf64>
    %4 = affine.load %float_n[] : memref<f64>
    %5 = arith.divf %3, %4 : f64
    affine.store %5, %mean[%j] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // data[i][j] -= mean[j];
      %6 = affine.load %data[%i, %j] : memref<?x?xf64>
      %7 = affine.load %mean[%j] : memref<?xf64>
      %8 = arith.subf %6, %7 : f64
      affine.store %8, %data[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %m {
      // cov[i][j] = 0.0;
      affine.store %f0, %cov[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %n {
        // cov[i][j] += data[k][i] * data[k][j];
        %9 = affine.load %cov[%i, %j] : memref<?x?xf64>
        %10 = affine.load %data[%k, %i] : memref<?x?xf64>
        %11 = affine.load %data[%k, %j] : memref<?x?xf64>
        %12 = arith.mulf %10, %11 : f64
        %13 = arith.addf %9, %12 : f64
        affine.store %13, %cov[%i, %j] : memref<?x?xf64>
      }
      // cov[i][j] /= (float_n - 1.0);
      %14 = affine.load %cov[%i, %j] : memref<?x?xf64>
      %15 = affine.load %float_n[] : memref<f64>
      %16 = arith.subf %15, %f1 : f64
      %17 = arith.divf %14, %16 : f64
      affine.store %17, %cov[%i, %j] : memref<?x?xf64>
      // cov[j][i] = cov[i][j];
      %18 = affine.load %cov[%i, %j] : memref<?x?xf64>
      affine.store %18, %cov[%j, %i] : memref<?x?xf64>
    }
  }
  return
}
