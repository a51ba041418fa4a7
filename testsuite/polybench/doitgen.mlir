// doitgen: Multiresolution analysis kernel (MADNESS).
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%nr: index, %nq: index, %np: index, %A: memref<?x?x?xf64>, %C4: memref<?x?xf64>,
                %sum: memref<?xf64>) {
  affine.for %i = 0 to %nr {
    affine.for %j = 0 to %nq {
      affine.for %k = 0 to %np {
        // A[i][j][k] = (DATA_TYPE)((i * j + k) % np) / np;
        %0 = arith.muli %i, %j : index
        %1 = arith.addi %0, %k : index
        %2 = arith.remsi %1, %np : index
        %3 = arith.index_cast %2 : index to i64
        %4 = arith.sitofp %3 : i64 to f64
        %5 = arith.index_cast %np : index to i64
        %6 = arith.sitofp %5 : i64 to f64
        %7 = arith.divf %4, %6 : f64
        affine.store %7, %A[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %np {
    affine.for %j = 0 to %np {
      // C4[i][j] = (DATA_TYPE)(i * j % np) / np;
      %8 = arith.muli %i, %j : index
      %9 = arith.remsi %8, %np : index
      %10 = arith.index_cast %9 : index to i64
      %11 = arith.sitofp %10 : i64 to f64
      %12 = arith.index_cast %np : index to i64
      %13 = arith.sitofp %12 : i64 to f64
      %14 = arith.divf %11, %13 : f64
      affine.store %14, %C4[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The measured part.
func.func @kernel(%nr: index, %nq: index, %np: index, %A: memref<?x?x?xf64>, %C4: memref<?x?xf64>,
                  %sum: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  affine.for %r = 0 to %nr {
    affine.for %q = 0 to %nq {
      affine.for %p = 0 to %np {
        // sum[p] = 0.0;
        affine.store %f0, %sum[%p] : memref<?xf64>
        affine.for %s = 0 to %np {
          // sum[p] += A[r][q][s] * C4[s][p];
          %0 = affine.load %sum[%p] : memref<?xf64>
          %1 = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %2 = affine.load %C4[%s, %p] : memref<?x?xf64>
          %3 = arith.mulf %1, %2 : f64
          %4 = arith.addf %0, %3 : f64
          affine.store %4, %sum[%p] : memref<?xf64>
        }
      }
      affine.for %p = 0 to %np {
        // A[r][q][p] = sum[p];
        %5 = affine.load %sum[%p] : memref<?xf64>
        affine.store %5, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  return
}
