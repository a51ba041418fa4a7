// A contraction of quantum chemistry: C[a, b, i, j] = sum over c and k of A[a, c, i, k] B[c, b, k, j].

func.func private @fill4(%a: memref<?x?x?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %d = arith.constant 8.0 : f64
  %n0 = memref.dim %a, %c0 : memref<?x?x?x?xf64>
  %n1 = memref.dim %a, %c1 : memref<?x?x?x?xf64>
  %n2 = memref.dim %a, %c2 : memref<?x?x?x?xf64>
  %n3 = memref.dim %a, %c3 : memref<?x?x?x?xf64>
  affine.for %i = 0 to %n0 {
    affine.for %j = 0 to %n1 {
      affine.for %k = 0 to %n2 {
        affine.for %l = 0 to %n3 {
          %0 = affine.apply affine_map<(i, j, k, l) -> ((i + j * 3 + k * 5 + l * 2) mod 9 - 4)>(%i, %j, %k, %l)
          %1 = arith.index_cast %0 : index to i64
          %2 = arith.sitofp %1 : i64 to f64
          %3 = arith.divf %2, %d : f64
          affine.store %3, %a[%i, %j, %k, %l] : memref<?x?x?x?xf64>
        }
      }
    }
  }
  return
}

func.func @init(%n: index, %m: index, %A: memref<?x?x?x?xf64>, %B: memref<?x?x?x?xf64>, %C: memref<?x?x?x?xf64>) {
  call @fill4(%A) : (memref<?x?x?x?xf64>) -> ()
  call @fill4(%B) : (memref<?x?x?x?xf64>) -> ()
  return
}

func.func @kernel(%n: index, %m: index, %A: memref<?x?x?x?xf64>, %B: memref<?x?x?x?xf64>, %C: memref<?x?x?x?xf64>) {
  affine.for %a = 0 to %n {
    affine.for %b = 0 to %n {
      affine.for %i = 0 to %m {
        affine.for %j = 0 to %m {
          affine.for %c = 0 to %n {
            affine.for %k = 0 to %m {
              %0 = affine.load %C[%a, %b, %i, %j] : memref<?x?x?x?xf64>
              %1 = affine.load %A[%a, %c, %i, %k] : memref<?x?x?x?xf64>
              %2 = affine.load %B[%c, %b, %k, %j] : memref<?x?x?x?xf64>
              %3 = arith.mulf %1, %2 : f64
              %4 = arith.addf %0, %3 : f64
              affine.store %4, %C[%a, %b, %i, %j] : memref<?x?x?x?xf64>
            }
          }
        }
      }
    }
  }
  return
}
