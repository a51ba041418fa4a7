// correlation: Correlation matrix of the columns of a data set.
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.
// eps = 0.1 below which a deviation counts as zero is a literal here.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%m: index, %n: index, %float_n: memref<f64>, %data: memref<?x?xf64>, %corr: memref<?x?xf64>,
                %mean: memref<?xf64>, %stddev: memref<?xf64>) {
  // float_n = n;
  %0 = arith.index_cast %n : index to i64
  %1 = arith.sitofp %0 : i64 to f64
  affine.store %1, %float_n[] : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // data[i][j] = (DATA_TYPE)(i * j) / m + i;
      %2 = arith.muli %i, %j : index
      %3 = arith.index_cast %2 : index to i64
      %4 = arith.sitofp %3 : i64 to f64
      %5 = arith.index_cast %m : index to i64
      %6 = arith.sitofp %5 : i64 to f64
      %7 = arith.divf %4, %6 : f64
      %8 = arith.index_cast %i : index to i64
      %9 = arith.sitofp %8 : i64 to f64
      %10 = arith.addf %7, %9 : f64
      affine.store %10, %data[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%m: index, %n: index, %float_n: memref<f64>, %data: memref<?x?xf64>, %corr: memref<?x?xf64>,
                  %mean: memref<?xf64>, %stddev: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  %f0_1 = arith.constant 0.1 : f64
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
  affine.for %j = 0 to %m {
    // stddev[j] = 0.0;
    affine.store %f0, %stddev[%j] : memref<?xf64>
    affine.for %i = 0 to %n {
      // stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
      %6 = affine.load %stddev[%j] : memref<?xf64>
      %7 = affine.load %data[%i, %j] : memref<?x?xf64>
      %8 = affine.load %mean[%j] : memref<?xf64>
      %9 = arith.subf %7, %8 : f64
      %10 = arith.mulf %9, %9 : f64
      %11 = arith.addf %6, %10 : f64
      affine.store %11, %stddev[%j] : memref<?xf64>
    }
    // stddev[j] /= float_n;
    %12 = affine.load %stddev[%j] : memref<?xf64>
    %13 = affine.load %float_n[] : memref<f64>
    %14 = arith.divf %12, %13 : f64
    affine.store %14, %stddev[%j] : memref<?xf64>
    // stddev[j] = sqrt(stddev[j]);
    %15 = affine.load %stddev[%j] : memref<?xf64>
    %16 = math.sqrt %15 : f64
    affine.store %16, %stddev[%j] : memref<?xf64>
    // stddev[j] = stddev[j] <= 0.1 ? 1.0 : stddev[j];
    %17 = affine.load %stddev[%j] : memref<?xf64>
    %18 = arith.cmpf ole, %17, %f0_1 : f64
    %19 = arith.select %18, %f1, %17 : f64
    affine.store %19, %stddev[%j] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      // data[i][j] -= mean[j];
      %20 = affine.load %data[%i, %j] : memref<?x?xf64>
      %21 = affine.load %mean[%j] : memref<?xf64>
      %22 = arith.subf %20, %21 : f64
      affine.store %22, %data[%i, %j] : memref<?x?xf64>
      // data[i][j] /= sqrt(float_n) * stddev[j];
      %23 = affine.load %data[%i, %j] : memref<?x?xf64>
      %24 = affine.load %float_n[] : memref<f64>
      %25 = math.sqrt %24 : f64
      %26 = affine.load %stddev[%j] : memref<?xf64>
      %27 = arith.mulf %25, %26 : f64
      %28 = arith.divf %23, %27 : f64
      affine.store %28, %data[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to affine_map<()[s0] -> (s0 - 1)>()[%m] {
    // corr[i][i] = 1.0;
    affine.store %f1, %corr[%i, %i] : memref<?x?xf64>
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
      // corr[i][j] = 0.0;
      affine.store %f0, %corr[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %n {
        // corr[i][j] += data[k][i] * data[k][j];
        %29 = affine.load %corr[%i, %j] : memref<?x?xf64>
        %30 = affine.load %data[%k, %i] : memref<?x?xf64>
        %31 = affine.load %data[%k, %j] : memref<?x?xf64>
        %32 = arith.mulf %30, %31 : f64
        %33 = arith.addf %29, %32 : f64
        affine.store %33, %corr[%i, %j] : memref<?x?xf64>
      }
      // corr[j][i] = corr[i][j];
      %34 = affine.load %corr[%i, %j] : memref<?x?xf64>
      affine.store %34, %corr[%j, %i] : memref<?x?xf64>
    }
  }
  // corr[m - 1][m - 1] = 1.0;
  affine.store %f1, %corr[symbol(%m) - 1, symbol(%m) - 1] : memref<?x?xf64>
  return
}
