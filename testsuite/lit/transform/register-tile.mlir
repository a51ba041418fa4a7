// A matrix product driven by a script: cache tiles, then a register tile whose full tiles are written out.
// RUN: %tilia opt %s --transform %S/Inputs/register-tile.json --emit=ast | FileCheck %s
// RUN: %tilia run %s --transform %S/Inputs/register-tile.json --arg 0=37x29:ramp --arg 1=29x41:ramp --arg 2=37x41:ramp --arg 3=37 --arg 4=41 --arg 5=29 --threads=2 --grain=0 --check
// An illegal step is an error with its place in the script, and two iterations.
// RUN: not %tilia opt %s -p '[{"do": "reverse", "loop": "i2"}]' 2>&1 | FileCheck %s --check-prefix=ILLEGAL
// RUN: not %tilia opt %s -p '[{"do": "reverse", "loop": "x"}]' 2>&1 | FileCheck %s --check-prefix=NAMES
// RUN: not %tilia opt %s -p '[{"do": "reverse", "scop": "other", "loop": "i0"}]' 2>&1 | FileCheck %s --check-prefix=SCOPS

// CHECK: for (i0_r = i0_t; i0_r <= min(i0_t + 12, {{.*}} - 4); i0_r += 4) { // parallel
// CHECK-NEXT: for (i1_r = i1_t; {{.*}}; i1_r += 8) // parallel, full tile
// CHECK-NEXT: for (c5 = i2_t; {{.*}}; c5 += 1) { // full tile
// CHECK-NEXT: for (c7 = i1_r; c7 <= i1_r + 7; c7 += 1) // parallel, vector, full tile
// CHECK-NEXT: S0(i0_r, c7, c5);

// ILLEGAL: error: <-p>:1:2: step 1 (/0, reverse): illegal: it would run the dependence S0[0, 0, 0] -> S0[0, 0, 1] the wrong way round, with
// ILLEGAL: note: S0 is this statement
// NAMES: there are no such loops; there are i0, i1, i2 at /0 around S0
// SCOPS: there is no scop other; the input has product_0

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
