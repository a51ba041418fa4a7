// Local alignment of two sequences after Smith and Waterman, linear gap cost, whole score matrix.

func.func @init(%n: index, %m: index, %a: memref<?xi32>, %b: memref<?xi32>, %H: memref<?x?xi32>) {
  affine.for %i = 0 to %n {
    %0 = affine.apply affine_map<(i) -> ((i * 7 + i floordiv 3) mod 4)>(%i)
    %1 = arith.index_cast %0 : index to i32
    affine.store %1, %a[%i] : memref<?xi32>
  }
  affine.for %j = 0 to %m {
    %0 = affine.apply affine_map<(j) -> ((j * 3 + j floordiv 5) mod 4)>(%j)
    %1 = arith.index_cast %0 : index to i32
    affine.store %1, %b[%j] : memref<?xi32>
  }
  return
}

func.func @kernel(%n: index, %m: index, %a: memref<?xi32>, %b: memref<?xi32>, %H: memref<?x?xi32>) {
  %zero = arith.constant 0 : i32
  %match = arith.constant 3 : i32
  %differ = arith.constant -3 : i32
  %gap = arith.constant 2 : i32
  affine.for %i = 1 to affine_map<()[s0] -> (s0 + 1)>()[%n] {
    affine.for %j = 1 to affine_map<()[s0] -> (s0 + 1)>()[%m] {
      %x = affine.load %a[%i - 1] : memref<?xi32>
      %y = affine.load %b[%j - 1] : memref<?xi32>
      %same = arith.cmpi eq, %x, %y : i32
      %score = arith.select %same, %match, %differ : i32
      %diagonal = affine.load %H[%i - 1, %j - 1] : memref<?x?xi32>
      %up = affine.load %H[%i - 1, %j] : memref<?x?xi32>
      %left = affine.load %H[%i, %j - 1] : memref<?x?xi32>
      %d = arith.addi %diagonal, %score : i32
      %u = arith.subi %up, %gap : i32
      %l = arith.subi %left, %gap : i32
      %0 = arith.maxsi %d, %u : i32
      %1 = arith.maxsi %0, %l : i32
      %2 = arith.maxsi %1, %zero : i32
      affine.store %2, %H[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
