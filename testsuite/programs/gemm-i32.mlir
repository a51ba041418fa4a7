// gemm on 32-bit integers, which wrap: C := alpha A B + beta C.

func.func @init(%ni: index, %nj: index, %nk: index, %alpha: memref<i32>, %beta: memref<i32>,
                %C: memref<?x?xi32>, %A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  %i3 = arith.constant 3 : i32
  %i2 = arith.constant 2 : i32
  affine.store %i3, %alpha[] : memref<i32>
  affine.store %i2, %beta[] : memref<i32>
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      %0 = affine.apply affine_map<(i, j) -> ((i * 7 + j * 3 + 1) mod 101 - 50)>(%i, %j)
      %1 = arith.index_cast %0 : index to i32
      affine.store %1, %C[%i, %j] : memref<?x?xi32>
    }
  }
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nk {
      %2 = affine.apply affine_map<(i, j) -> ((i * 5 + j * 11) mod 97 - 48)>(%i, %j)
      %3 = arith.index_cast %2 : index to i32
      affine.store %3, %A[%i, %j] : memref<?x?xi32>
    }
  }
  affine.for %i = 0 to %nk {
    affine.for %j = 0 to %nj {
      %4 = affine.apply affine_map<(i, j) -> ((i * 13 + j * 2) mod 89 - 44)>(%i, %j)
      %5 = arith.index_cast %4 : index to i32
      affine.store %5, %B[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

func.func @kernel(%ni: index, %nj: index, %nk: index, %alpha: memref<i32>, %beta: memref<i32>,
                  %C: memref<?x?xi32>, %A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to %nj {
      %0 = affine.load %C[%i, %j] : memref<?x?xi32>
      %1 = affine.load %beta[] : memref<i32>
      %2 = arith.muli %0, %1 : i32
      affine.store %2, %C[%i, %j] : memref<?x?xi32>
    }
    affine.for %k = 0 to %nk {
      affine.for %j = 0 to %nj {
        %3 = affine.load %C[%i, %j] : memref<?x?xi32>
        %4 = affine.load %alpha[] : memref<i32>
        %5 = affine.load %A[%i, %k] : memref<?x?xi32>
        %6 = arith.muli %4, %5 : i32
        %7 = affine.load %B[%k, %j] : memref<?x?xi32>
        %8 = arith.muli %6, %7 : i32
        %9 = arith.addi %3, %8 : i32
        affine.store %9, %C[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
