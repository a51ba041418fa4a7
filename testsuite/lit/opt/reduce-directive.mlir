// The directive reduce frees the order in which a statement accumulates along an iterator: here that iterator runs backwards, as the outer loop. For floating-point numbers that takes --fp=fast.
// RUN: echo '{"scheduling_strategy":{"directives":[{"type":"reduce","stmts":["0"],"iterator":1}],"custom_constraints":[{"scheduling_dimension":0,"constraints":["S0_it_0 == 0","S0_it_1 == -1"]}],"options":{"negative_coefficients":true}}}' > %t.json
// RUN: %tilia opt %s --strategy %t.json --fp=fast --emit=ast | FileCheck %s
// RUN: not %tilia opt %s --strategy %t.json -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: %tilia run %s --strategy %t.json --fp=fast --check --grain=0 --threads=2
// KEPT: error: [E302] no row exists at dimension 0
// CHECK: for (c0 = -29; c0 <= 0; c0 += 1) // reduces
// CHECK: for (c1 = 0; c1 <= 39; c1 += 1) // parallel

// Where it can't be followed, that is said.
// RUN: echo '{"scheduling_strategy":{"directives":[{"type":"reduce","stmts":["0"],"iterator":1}]}}' > %t.alone.json
// RUN: %tilia opt %s --strategy %t.alone.json --remarks=declined -o /dev/null 2>&1 | FileCheck %s --check-prefix=DROPPED
// DROPPED: [schedule] declined: [R401] the directive "reduce iterator 1 of S0" is dropped: the order of floating-point reductions changes under --fp=fast only

// The order turned round by hand: refused in strict and contract mode, accepted under --fp=fast.
// RUN: %tilia opt %s --strategy none --schedule-out %t.yaml -o /dev/null
// RUN: sed 's/(i1)/(-i1)/' %t.yaml > %t.reversed.yaml
// RUN: not %tilia opt %s --schedule-in %t.reversed.yaml -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not %tilia opt %s --fp=contract --schedule-in %t.reversed.yaml -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %tilia opt %s --fp=fast --schedule-in %t.reversed.yaml --emit=ast | FileCheck %s --check-prefix=FAST
// REFUSED: error: S0[{{.*}}] {{.*}} must come before S0[
// FAST: for (c1 = -29; c1 <= 0; c1 += 1) // reduces
func.func @rows(%x: memref<40x30xf64>, %s: memref<40xf64>) {
  affine.for %i = 0 to 40 {
    affine.for %j = 0 to 30 {
      %0 = affine.load %s[%i] : memref<40xf64>
      %1 = affine.load %x[%i, %j] : memref<40x30xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %s[%i] : memref<40xf64>
    }
  }
  return
}
