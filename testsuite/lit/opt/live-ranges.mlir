// A scalar that each iteration writes and reads puts the iterations in a row. With live-range reordering only the live ranges are kept apart: the loops change places, so that both arrays are
// walked along their rows, without copies of the scalar and without a loop that claims to be parallel.
// RUN: echo '{"scheduling_strategy":{"ILP_construction":[{"cost_functions":["contiguity","proximity"]}],"options":{"live_range_reordering":true}}}' > %t.json
// RUN: echo '{"scheduling_strategy":{"ILP_construction":[{"cost_functions":["contiguity","proximity"]}]}}' > %t.kept.json
// RUN: %tilia opt %s --strategy %t.json --emit=schedule --remarks=applied 2>&1 | FileCheck %s
// RUN: %tilia opt %s --strategy %t.kept.json --emit=schedule | FileCheck %s --check-prefix=KEPT
// CHECK: remark: [schedule] applied: values of temporaries pass as in the source, in another order: live ranges are reordered
// CHECK: # scop transposed_0
// CHECK: schedule: "{{.*}}[{ S0[i0, i1] -> [(i1)]; S1[i0, i1] -> [(i1)] }, { S0[i0, i1] -> [(i0)]; S1[i0, i1] -> [(i0)] }]"
// CHECK-NEXT: permutable: 1
// CHECK-NOT: coincident
// KEPT: schedule: "{{.*}}[{ S0[i0, i1] -> [(i0)]; S1[i0, i1] -> [(i0)] }

// The result is that of the source order, and a saved schedule is accepted again under the same strategy; without it, all pairs must keep their order.
// RUN: %tilia run %s --strategy %t.json --check --grain=0 --threads=2
// RUN: %tilia opt %s --strategy %t.json --schedule-out %t.yaml -o /dev/null
// RUN: %tilia run %s --strategy %t.json --schedule-in %t.yaml --check --grain=0
// RUN: not %tilia opt %s --schedule-in %t.yaml -o /dev/null 2>&1 | FileCheck %s --check-prefix=PAIRS
// PAIRS: error: {{.*}}must come before

// Backwards, the scalar would end with another value.
// RUN: sed 's/\[(i0)\]/[(-i0)]/g; s/\[(i1)\]/[(-i1)]/g' %t.yaml > %t.backwards.yaml
// RUN: not %tilia opt %s --strategy %t.json --schedule-in %t.backwards.yaml -o /dev/null 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: error: {{.*}}must be the last value there
func.func @transposed(%t: memref<f64>, %a: memref<30x40xf64>, %b: memref<30x40xf64>) {
  affine.for %i = 0 to 40 {
    affine.for %j = 0 to 30 {
      %0 = affine.load %a[%j, %i] : memref<30x40xf64>
      affine.store %0, %t[] : memref<f64>
      %1 = affine.load %t[] : memref<f64>
      %2 = arith.addf %1, %1 : f64
      affine.store %2, %b[%j, %i] : memref<30x40xf64>
    }
  }
  return
}
