// A Jacobi stencil in two dimensions on 32-bit integers, which wrap: each point becomes its neighbours' sum with its own value, times a small weight.

func.func @init(%tsteps: index, %n: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.apply affine_map<(i, j) -> ((i * 7 + j * 3 + 2) mod 101)>(%i, %j)
      %1 = arith.index_cast %0 : index to i32
      affine.store %1, %A[%i, %j] : memref<?x?xi32>
      %2 = affine.apply affine_map<(i, j) -> ((i * 5 + j * 11 + 3) mod 97)>(%i, %j)
      %3 = arith.index_cast %2 : index to i32
      affine.store %3, %B[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

func.func @kernel(%tsteps: index, %n: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  %w = arith.constant 3 : i32
  affine.for %t = 0 to %tsteps {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %0 = affine.load %A[%i, %j] : memref<?x?xi32>
        %1 = affine.load %A[%i, %j - 1] : memref<?x?xi32>
        %2 = arith.addi %0, %1 : i32
        %3 = affine.load %A[%i, %j + 1] : memref<?x?xi32>
        %4 = arith.addi %2, %3 : i32
        %5 = affine.load %A[%i + 1, %j] : memref<?x?xi32>
        %6 = arith.addi %4, %5 : i32
        %7 = affine.load %A[%i - 1, %j] : memref<?x?xi32>
        %8 = arith.addi %6, %7 : i32
        %9 = arith.muli %w, %8 : i32
        affine.store %9, %B[%i, %j] : memref<?x?xi32>
      }
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %10 = affine.load %B[%i, %j] : memref<?x?xi32>
        %11 = affine.load %B[%i, %j - 1] : memref<?x?xi32>
        %12 = arith.addi %10, %11 : i32
        %13 = affine.load %B[%i, %j + 1] : memref<?x?xi32>
        %14 = arith.addi %12, %13 : i32
        %15 = affine.load %B[%i + 1, %j] : memref<?x?xi32>
        %16 = arith.addi %14, %15 : i32
        %17 = affine.load %B[%i - 1, %j] : memref<?x?xi32>
        %18 = arith.addi %16, %17 : i32
        %19 = arith.muli %w, %18 : i32
        affine.store %19, %A[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
