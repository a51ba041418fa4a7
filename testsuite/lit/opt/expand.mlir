// A temporary gets a copy for each iteration of the loops in which its values stay: then nothing but the sum itself has an order. Without copies the one place orders all of them.
// RUN: echo '{"scheduling_strategy":{"ILP_construction":[{"cost_functions":["proximity"]}],"options":{"expand":["*"]}}}' > %t.json
// RUN: %tilia opt %s --strategy %t.json --emit=ast --remarks 2>&1 | FileCheck %s
// RUN: %tilia opt %s --strategy %t.json --emit=scop | FileCheck %s --check-prefix=SCOP
// RUN: %tilia opt %s --strategy pluto --emit=ast | FileCheck %s --check-prefix=SHARED
// RUN: %tilia run %s --strategy %t.json --threads 2 --grain=0 --check=interp --json | FileCheck %s --check-prefix=RAN
// RUN: echo '{"scheduling_strategy":{"options":{"expand":["arg0","nothing"]}}}' > %t.not.json
// RUN: %tilia opt %s --strategy %t.not.json --emit=ast --remarks 2>&1 | FileCheck %s --check-prefix=NOT
// CHECK: [expand] applied: mem{{[0-9]+}} gets copies: one for each iteration of the loop at {{.*}} and the loop at
// CHECK: for {{.*}} // parallel
// CHECK-NEXT: for {{.*}} // parallel
// SCOP: copies mem{{[0-9]+}}_0: of {{.*}}, f64, rank 2
// SCOP: must write {{.*}}S0[i0, i1] -> mem{{[0-9]+}}_0[{{.*}}, {{.*}}]
// SHARED-NOT: // parallel
// RAN: "check":{"identical":true
// NOT-DAG: [expand] declined: arg0 gets no copies: its storage alone orders no iterations
// NOT-DAG: [expand] declined: the scop has no array nothing to be expanded
func.func @main(%x: memref<20x30xf64>, %y: memref<20x30xf64>) {
  %zero = arith.constant 0.0 : f64
  %t = memref.alloca() : memref<f64>
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 30 {
      affine.store %zero, %t[] : memref<f64>
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %0 = affine.load %t[] : memref<f64>
        %1 = affine.load %x[%k, %j] : memref<20x30xf64>
        %2 = arith.addf %0, %1 : f64
        affine.store %2, %t[] : memref<f64>
      }
      %3 = affine.load %t[] : memref<f64>
      affine.store %3, %y[%i, %j] : memref<20x30xf64>
    }
  }
  return
}
