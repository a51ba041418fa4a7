// Shortest paths: in step k, everyone reads the step's row and column while they are written. Cut at both, with copies of their old and new values, what stands off them is parallel and runs as vectors.
// RUN: echo '{"scheduling_strategy":{"ILP_construction":[{"cost_functions":["feautrier","contiguity"]}],"options":{"index_set_splitting":true,"fusion_heuristic":"none"}}}' > %t.json
// RUN: %tilia opt %s --strategy %t.json --emit=ast --remarks 2>&1 | FileCheck %s
// RUN: %tilia opt %s --strategy %t.json --emit=ast | grep -B2 "S0_8(" | FileCheck %s --check-prefix=BULK
// RUN: %tilia opt %s --strategy %t.json --emit=scop | FileCheck %s --check-prefix=SCOP
// RUN: %tilia opt %s --strategy feautrier --emit=ast | FileCheck %s --check-prefix=WHOLE
// RUN: %tilia run %s --arg 0=20 --arg 1=20x20:ramp --strategy %t.json --threads 2 --grain=0 --check=interp --json | FileCheck %s --check-prefix=RAN
// CHECK-DAG: [split] applied: S0 is cut at {{.*}} into 9 pieces
// CHECK-DAG: [split] applied: S0_0, S0_1, S0_2 read copies of what their instances share of arg1
// CHECK-DAG: [split] applied: S0_6, S0_7, S0_8 read copies of what their instances share of arg1
// CHECK-DAG: [vectorise] applied: 4 iterations at a time
// BULK: for (c1 = {{.*}} // parallel
// BULK-NEXT: for (c2 = {{.*}} // parallel
// BULK-NEXT: S0_8(
// SCOP: copies arg1_copy0: of {{.*}}, i32, rank 2
// WHOLE: S0(
// WHOLE-NOT: S0_
// RAN: "check":{"identical":true
func.func @main(%n: index, %path: memref<?x?xi32>) {
  affine.for %k = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %path[%i, %j] : memref<?x?xi32>
        %1 = affine.load %path[%i, %k] : memref<?x?xi32>
        %2 = affine.load %path[%k, %j] : memref<?x?xi32>
        %3 = arith.addi %1, %2 : i32
        %4 = arith.minsi %0, %3 : i32
        affine.store %4, %path[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}
