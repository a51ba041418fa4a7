// Steps of transformation scripts, with the loops that they make; each also runs and gives the results of the original order.
// RUN: %tilia opt %s --strategy=none --emit=ast -p '[{"do": "unroll_jam", "loop": "i0", "factor": 2}]' | FileCheck %s --check-prefix=JAM
// RUN: %tilia run %s --strategy=none --arg 0=7x5:ramp --arg 1=5x9:ramp --arg 2=7x9:ramp --arg 3=7 --arg 4=9 --arg 5=5 --threads=2 --grain=0 --check -p '[{"do": "unroll_jam", "loop": "i0", "factor": 2}]'
// RUN: %tilia opt %s --strategy=none --emit=ast -p '[{"do": "peel", "loop": "i2", "first": 1, "last": 2}]' | FileCheck %s --check-prefix=PEEL
// RUN: %tilia run %s --strategy=none --arg 0=7x5:ramp --arg 1=5x9:ramp --arg 2=7x9:ramp --arg 3=7 --arg 4=9 --arg 5=5 --threads=2 --grain=0 --check -p '[{"do": "peel", "loop": "i2", "first": 1, "last": 2}]'
// RUN: %tilia opt %s --strategy=none --emit=ast -p '[{"do": "interchange", "loops": ["i1", "i2"], "order": ["i2", "i1"]}, {"do": "vector", "loop": "i1"}]' | FileCheck %s --check-prefix=VECTOR
// RUN: %tilia run %s --strategy=none --arg 0=7x5:ramp --arg 1=5x9:ramp --arg 2=7x9:ramp --arg 3=7 --arg 4=9 --arg 5=5 --threads=2 --grain=0 --check -p '[{"do": "interchange", "loops": ["i1", "i2"], "order": ["i2", "i1"]}, {"do": "vector", "loop": "i1"}]'
// RUN: %tilia opt %s --strategy=none --emit=ast -p '[{"do": "strip_mine", "loop": "i2", "size": 4, "name": "kk"}, {"do": "mark", "loops": ["i1"], "name": "here"}]' | FileCheck %s --check-prefix=STRIP
// RUN: %tilia run %s --strategy=none --arg 0=7x5:ramp --arg 1=5x9:ramp --arg 2=7x9:ramp --arg 3=7 --arg 4=9 --arg 5=5 --threads=2 --grain=0 --check -p '[{"do": "strip_mine", "loop": "i2", "size": 4, "name": "kk"}, {"do": "mark", "loops": ["i1"], "name": "here"}]'
// RUN: %tilia opt %s --strategy=none --emit=ast -p '[{"do": "tile", "loops": ["i0", "i1"], "sizes": [[32, 32], [8, 8]], "names": [["I", "J"], ["a", "b"]]}]' | FileCheck %s --check-prefix=LEVELS
// RUN: %tilia run %s --strategy=none --arg 0=7x5:ramp --arg 1=5x9:ramp --arg 2=7x9:ramp --arg 3=7 --arg 4=9 --arg 5=5 --threads=2 --grain=0 --check -p '[{"do": "tile", "loops": ["i0", "i1"], "sizes": [[32, 32], [8, 8]], "names": [["I", "J"], ["a", "b"]]}]'
// RUN: %tilia opt %s --strategy=none --emit=ast -p '[{"do": "skew", "loop": "i1", "by": "i0"}, {"do": "reverse", "loop": "i0"}]' | FileCheck %s --check-prefix=SKEW
// RUN: %tilia run %s --strategy=none --arg 0=7x5:ramp --arg 1=5x9:ramp --arg 2=7x9:ramp --arg 3=7 --arg 4=9 --arg 5=5 --threads=2 --grain=0 --check -p '[{"do": "skew", "loop": "i1", "by": "i0"}, {"do": "reverse", "loop": "i0"}]'
// RUN: %tilia opt %s --strategy=none --emit=ast -p '[{"do": "index_set_split", "loops": ["i2"], "where": "{ S0[i, j, k] : k < 8 }"}]' | FileCheck %s --check-prefix=SPLIT
// RUN: %tilia run %s --strategy=none --arg 0=7x5:ramp --arg 1=5x9:ramp --arg 2=7x9:ramp --arg 3=7 --arg 4=9 --arg 5=5 --threads=2 --grain=0 --check -p '[{"do": "index_set_split", "loops": ["i2"], "where": "{ S0[i, j, k] : k < 8 }"}]'

// JAM: for (i0_r = 0; i0_r < [[P:p[0-9]+]] - 1; i0_r += 2) // parallel, full tile
// JAM-NEXT: for (c1 = 0;
// JAM-NEXT: for (c2 = 0;
// JAM-NEXT: S0(i0_r, c1, c2);
// JAM-NEXT: S0(i0_r + 1, c1, c2);

// PEEL: S0(c0, c1, 0);
// PEEL-NEXT: for (c2 = 1; c2 < [[P:p[0-9]+]] - 2; c2 += 1)
// PEEL-NEXT: S0(c0, c1, c2);
// PEEL-NEXT: for (c2 = max([[P]] - 2, 1); c2 < [[P]]; c2 += 1)
// PEEL-NEXT: S0(c0, c1, c2);

// VECTOR: for (c2 = 0; {{.*}}) // parallel, vector
// VECTOR-NEXT: S0(c0, c2, c1);

// STRIP: // here
// STRIP-NEXT: for (c1 = 0;
// STRIP-NEXT: for (kk = 0; kk < [[P:p[0-9]+]]; kk += 4)
// STRIP-NEXT: for (c3 = kk; c3 <= min(kk + 3, [[P]] - 1); c3 += 1)

// LEVELS: for (I = 0; {{.*}} I += 32)
// LEVELS-NEXT: for (J = 0; {{.*}} J += 32)
// LEVELS-NEXT: for (a = I; {{.*}} a += 8)
// LEVELS-NEXT: for (b = J; {{.*}} b += 8)

// SKEW: S0(-i0, i0 + i1, c2);

// SPLIT: for (c2 = 0; c2 < min([[P:p[0-9]+]], 8); c2 += 1)
// SPLIT-NEXT: S0(c0, c1, c2);
// SPLIT-NEXT: for (c2 = 8; c2 < [[P]]; c2 += 1)

func.func @product(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index, %m: index, %p: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %p {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %x = arith.mulf %a, %b : f64
        %y = arith.addf %c, %x : f64
        affine.store %y, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
