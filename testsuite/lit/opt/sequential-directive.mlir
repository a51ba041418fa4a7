// A sequential directive keeps a loop off the threads and out of vectors, also where no dependence asks for it.
// RUN: echo '{"scheduling_strategy":{"directives":[{"type":"sequential","stmts":["0"],"iterator":0}]}}' > %t.json
// RUN: %tilia opt %s --strategy %t.json --emit=ast --remarks 2>&1 | FileCheck %s
// RUN: %tilia opt %s --strategy pluto --emit=ast | FileCheck %s --check-prefix=FREE
// CHECK: [parallel] declined: the loop is kept sequential
// CHECK: for (c0 = 0; c0 <= 63; c0 += 1){{$}}
// CHECK: for (c1 = 0; c1 <= 31; c1 += 1) // parallel
// FREE: for (c0 = 0; c0 <= 63; c0 += 1) // parallel
func.func @k(%a: memref<64x32xf64>) {
  %c = arith.constant 1.0 : f64
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 32 {
      affine.store %c, %a[%i, %j] : memref<64x32xf64>
    }
  }
  return
}
