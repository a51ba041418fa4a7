// A ring over time: the first cell needs the last one and the reverse, so no skewing of the whole loop makes it tilable over time. Cut in the middle, with one half run backwards, it is.
// RUN: echo '{"scheduling_strategy":{"ILP_construction":[{"cost_functions":["proximity"]}],"options":{"negative_coefficients":true,"coeff_max":4,"index_set_splitting":true}}}' > %t.json
// RUN: %tilia opt %s --strategy %t.json --tile=8 --emit=ast --remarks 2>&1 | FileCheck %s
// RUN: echo '{"scheduling_strategy":{"ILP_construction":[{"cost_functions":["proximity"]}],"options":{"negative_coefficients":true,"coeff_max":4}}}' > %t.whole.json
// RUN: %tilia opt %s --strategy %t.whole.json --tile=8 --emit=ast --remarks 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: %tilia run %s --strategy %t.json --tile=8 --threads 2 --grain=0 --check=interp --json | FileCheck %s --check-prefix=RAN
// CHECK-DAG: [split] applied: S0 is cut at {{.*}} the middle of long dependences into 2 pieces
// CHECK-DAG: [tile] applied: {{.*}} tiled by 8 x 8
// CHECK: S0_0(c2, c3 - c2);
// CHECK: S0_1(c2, c2 - c3 + 62);
// WHOLE-NOT: tiled by 8 x 8
// RAN: "check":{"identical":true
func.func @main(%a: memref<41x64xf64>) {
  affine.for %t = 0 to 40 {
    affine.for %i = 0 to 64 {
      %0 = affine.load %a[%t, (%i + 63) mod 64] : memref<41x64xf64>
      %1 = affine.load %a[%t, %i] : memref<41x64xf64>
      %2 = affine.load %a[%t, (%i + 1) mod 64] : memref<41x64xf64>
      %3 = arith.addf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      affine.store %4, %a[%t + 1, %i] : memref<41x64xf64>
    }
  }
  return
}
