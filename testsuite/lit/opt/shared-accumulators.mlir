// A maximum that two statements make is one accumulation: either may come first, by a schedule from a file or by the directive reduce. Who reads the result waits for both.
// RUN: %tilia opt %s --strategy none --schedule-out %t.yaml -o /dev/null
// RUN: sed -e 's/S0\[i0\] }"$/SX[i0] }"/' -e 's/S1\[i0\] }"$/S0[i0] }"/' -e 's/SX\[i0\] }"$/S1[i0] }"/' %t.yaml > %t.turned.yaml
// RUN: %tilia opt %s --schedule-in %t.turned.yaml --emit=ast --remarks 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID < %t.remarks
// RUN: %tilia run %s --entry max --schedule-in %t.turned.yaml --check --grain=0 --threads=2
// CHECK: for (c0 = 0; c0 <= 39; c0 += 1)
// CHECK-NEXT: S1(c0);
// CHECK-NEXT: S0(c0);
// CHECK-NEXT: S2(c0);
// SAID: applied: accumulations run in another order, which gives the same

// The reader before the second update; and another operation.
// RUN: sed -e 's/S2\[i0\] }"$/SX[i0] }"/' -e 's/S1\[i0\] }"$/S2[i0] }"/' -e 's/SX\[i0\] }"$/S1[i0] }"/' %t.yaml > %t.early.yaml
// RUN: not %tilia opt %s --schedule-in %t.early.yaml -o /dev/null 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: S1[{{.*}}] {{.*}} must come before S2[
// RUN: sed 's/%3 = arith.maxsi/%3 = arith.minsi/' %s > %t.mlir
// RUN: not %tilia opt %t.mlir --schedule-in %t.turned.yaml -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: S0[{{.*}}] {{.*}} must come before S1[

// The strategy may ask for it.
// RUN: echo '{"scheduling_strategy":{"directives":[{"type":"reduce","stmts":["1"],"iterator":0}],"fusion":[{"scheduling_dimension":0,"stmts_fusion":[["1"],["0"],["2"]]}]}}' > %t.json
// RUN: %tilia run %s --strategy %t.json --check --grain=0 --threads=2
// RUN: echo '{"scheduling_strategy":{"fusion":[{"scheduling_dimension":0,"stmts_fusion":[["1"],["0"],["2"]]}]}}' > %t.kept.json
// RUN: not %tilia opt %s --strategy %t.kept.json -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: error: [E301]
func.func @max(%x: memref<40xi32>, %y: memref<40xi32>, %s: memref<40xi32>, %z: memref<40xi32>) {
  affine.for %i = 0 to 40 {
    %0 = affine.load %s[%i] : memref<40xi32>
    %1 = affine.load %x[%i] : memref<40xi32>
    %2 = arith.maxsi %0, %1 : i32
    affine.store %2, %s[%i] : memref<40xi32>
    %5 = affine.load %s[%i] : memref<40xi32>
    %4 = affine.load %y[%i] : memref<40xi32>
    %3 = arith.maxsi %5, %4 : i32
    affine.store %3, %s[%i] : memref<40xi32>
    %6 = affine.load %s[%i] : memref<40xi32>
    affine.store %6, %z[%i] : memref<40xi32>
  }
  return
}
