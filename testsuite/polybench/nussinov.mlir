// nussinov: Dynamic programming for RNA secondary structure (Nussinov).
//
// PolyBench/C 4.2.1, statement for statement; each statement follows its C text.
// Loops that count down in C count up here, with the subscript turned round.
// max_score(a, b) is arith.maxsi; match(a, b) is a + b == 3.

// Fills the arguments as PolyBench's init_array does.
func.func @init(%n: index, %seq: memref<?xi8>, %table: memref<?x?xi32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c0_i32 = arith.constant 0 : i32
  affine.for %i = 0 to %n {
    // seq[i] = (i + 1) % 4;
    %0 = arith.addi %i, %c1 : index
    %1 = arith.remsi %0, %c4 : index
    %2 = arith.index_cast %1 : index to i8
    affine.store %2, %seq[%i] : memref<?xi8>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // table[i][j] = 0;
      affine.store %c0_i32, %table[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

// The measured part.
func.func @kernel(%n: index, %seq: memref<?xi8>, %table: memref<?x?xi32>) {
  %c3_i32 = arith.constant 3 : i32
  // for (i = n - 1; i >= 0; i--)
  affine.for %ir = 0 to %n {
    affine.for %j = affine_map<(d0)[s0] -> (s0 - d0)>(%ir)[%n] to %n {
      // if (j - 1 >= 0)
      affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%j) {
        // table[i][j] = max_score(table[i][j], table[i][j - 1]);
        %0 = affine.load %table[symbol(%n) - %ir - 1, %j] : memref<?x?xi32>
        %1 = affine.load %table[symbol(%n) - %ir - 1, %j - 1] : memref<?x?xi32>
        %2 = arith.maxsi %0, %1 : i32
        affine.store %2, %table[symbol(%n) - %ir - 1, %j] : memref<?x?xi32>
      }
      // if (i + 1 < n)
      affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%ir) {
        // table[i][j] = max_score(table[i][j], table[i + 1][j]);
        %3 = affine.load %table[symbol(%n) - %ir - 1, %j] : memref<?x?xi32>
        %4 = affine.load %table[symbol(%n) - %ir, %j] : memref<?x?xi32>
        %5 = arith.maxsi %3, %4 : i32
        affine.store %5, %table[symbol(%n) - %ir - 1, %j] : memref<?x?xi32>
      }
      // if (j - 1 >= 0 && i + 1 < n)
      affine.if affine_set<(d0, d1) : (d1 - 1 >= 0, d0 - 1 >= 0)>(%ir, %j) {
        // if (i < j - 1)
        affine.if affine_set<(d0, d1)[s0] : (d0 + d1 - s0 - 1 >= 0)>(%ir, %j)[%n] {
          // table[i][j] = max_score(table[i][j], table[i + 1][j - 1] + match(seq[i], seq[j]));
          %6 = affine.load %table[symbol(%n) - %ir - 1, %j] : memref<?x?xi32>
          %7 = affine.load %table[symbol(%n) - %ir, %j - 1] : memref<?x?xi32>
          %8 = affine.load %seq[symbol(%n) - %ir - 1] : memref<?xi8>
          %9 = affine.load %seq[%j] : memref<?xi8>
          %10 = arith.extsi %8 : i8 to i32
          %11 = arith.extsi %9 : i8 to i32
          %12 = arith.addi %10, %11 : i32
          %13 = arith.cmpi eq, %12, %c3_i32 : i32
          %14 = arith.extui %13 : i1 to i32
          %15 = arith.addi %7, %14 : i32
          %16 = arith.maxsi %6, %15 : i32
          affine.store %16, %table[symbol(%n) - %ir - 1, %j] : memref<?x?xi32>
        } else {
          // table[i][j] = max_score(table[i][j], table[i + 1][j - 1]);
          %17 = affine.load %table[symbol(%n) - %ir - 1, %j] : memref<?x?xi32>
          %18 = affine.load %table[symbol(%n) - %ir, %j - 1] : memref<?x?xi32>
          %19 = arith.maxsi %17, %18 : i32
          affine.store %19, %table[symbol(%n) - %ir - 1, %j] : memref<?x?xi32>
        }
      }
      affine.for %k = affine_map<(d0)[s0] -> (s0 - d0)>(%ir)[%n] to affine_map<(d0) -> (d0)>(%j) {
        // table[i][j] = max_score(table[i][j], table[i][k] + table[k + 1][j]);
        %20 = affine.load %table[symbol(%n) - %ir - 1, %j] : memref<?x?xi32>
        %21 = affine.load %table[symbol(%n) - %ir - 1, %k] : memref<?x?xi32>
        %22 = affine.load %table[%k + 1, %j] : memref<?x?xi32>
        %23 = arith.addi %21, %22 : i32
        %24 = arith.maxsi %20, %23 : i32
        affine.store %24, %table[symbol(%n) - %ir - 1, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
