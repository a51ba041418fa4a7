// Many small matrix products in single precision: C[b] = A[b] B[b].

func.func private @fill(%a: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d = arith.constant 16.0 : f32
  %n0 = memref.dim %a, %c0 : memref<?x?x?xf32>
  %n1 = memref.dim %a, %c1 : memref<?x?x?xf32>
  %n2 = memref.dim %a, %c2 : memref<?x?x?xf32>
  affine.for %i = 0 to %n0 {
    affine.for %j = 0 to %n1 {
      affine.for %k = 0 to %n2 {
        %0 = affine.apply affine_map<(i, j, k) -> ((i * 5 + j * 3 + k) mod 13 - 6)>(%i, %j, %k)
        %1 = arith.index_cast %0 : index to i64
        %2 = arith.sitofp %1 : i64 to f32
        %3 = arith.divf %2, %d : f32
        affine.store %3, %a[%i, %j, %k] : memref<?x?x?xf32>
      }
    }
  }
  return
}

func.func @init(%n: index, %m: index, %A: memref<?x?x?xf32>, %B: memref<?x?x?xf32>, %C: memref<?x?x?xf32>) {
  call @fill(%A) : (memref<?x?x?xf32>) -> ()
  call @fill(%B) : (memref<?x?x?xf32>) -> ()
  return
}

func.func @kernel(%n: index, %m: index, %A: memref<?x?x?xf32>, %B: memref<?x?x?xf32>, %C: memref<?x?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %b = 0 to %n {
    affine.for %i = 0 to %m {
      affine.for %j = 0 to %m {
        affine.store %zero, %C[%b, %i, %j] : memref<?x?x?xf32>
      }
      affine.for %k = 0 to %m {
        affine.for %j = 0 to %m {
          %0 = affine.load %C[%b, %i, %j] : memref<?x?x?xf32>
          %1 = affine.load %A[%b, %i, %k] : memref<?x?x?xf32>
          %2 = affine.load %B[%b, %k, %j] : memref<?x?x?xf32>
          %3 = arith.mulf %1, %2 : f32
          %4 = arith.addf %0, %3 : f32
          affine.store %4, %C[%b, %i, %j] : memref<?x?x?xf32>
        }
      }
    }
  }
  return
}
