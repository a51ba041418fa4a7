// Layer normalisation: each row is brought to mean 0 and variance 1, then scaled and shifted.

func.func @init(%n: index, %d: index, %X: memref<?x?xf64>, %gamma: memref<?xf64>, %beta: memref<?xf64>, %Y: memref<?x?xf64>) {
  %ten = arith.constant 10.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %d {
      %0 = affine.apply affine_map<(i, j) -> ((i * 3 + j * 5) mod 17 - 4)>(%i, %j)
      %1 = arith.index_cast %0 : index to i64
      %2 = arith.sitofp %1 : i64 to f64
      %3 = arith.divf %2, %ten : f64
      affine.store %3, %X[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %j = 0 to %d {
    %0 = affine.apply affine_map<(j) -> (j mod 5 + 1)>(%j)
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f64
    %3 = arith.divf %2, %ten : f64
    affine.store %2, %gamma[%j] : memref<?xf64>
    affine.store %3, %beta[%j] : memref<?xf64>
  }
  return
}

func.func @kernel(%n: index, %d: index, %X: memref<?x?xf64>, %gamma: memref<?xf64>, %beta: memref<?xf64>, %Y: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  %eps = arith.constant 1.0e-5 : f64
  %0 = arith.index_cast %d : index to i64
  %width = arith.sitofp %0 : i64 to f64
  affine.for %i = 0 to %n {
    %sum = affine.for %j = 0 to %d iter_args(%acc = %zero) -> (f64) {
      %x = affine.load %X[%i, %j] : memref<?x?xf64>
      %s = arith.addf %acc, %x : f64
      affine.yield %s : f64
    }
    %mean = arith.divf %sum, %width : f64
    %squares = affine.for %j = 0 to %d iter_args(%acc = %zero) -> (f64) {
      %x = affine.load %X[%i, %j] : memref<?x?xf64>
      %c = arith.subf %x, %mean : f64
      %q = arith.mulf %c, %c : f64
      %s = arith.addf %acc, %q : f64
      affine.yield %s : f64
    }
    %variance = arith.divf %squares, %width : f64
    %positive = arith.addf %variance, %eps : f64
    %deviation = math.sqrt %positive : f64
    affine.for %j = 0 to %d {
      %x = affine.load %X[%i, %j] : memref<?x?xf64>
      %c = arith.subf %x, %mean : f64
      %u = arith.divf %c, %deviation : f64
      %g = affine.load %gamma[%j] : memref<?xf64>
      %v = arith.mulf %u, %g : f64
      %b = affine.load %beta[%j] : memref<?xf64>
      %y = arith.addf %v, %b : f64
      affine.store %y, %Y[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
