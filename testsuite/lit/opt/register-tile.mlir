// A register tile: the loops over it are written out as vectors, what they accumulate lives in registers across the loop around, what they share is loaded and spread once.
// RUN: %tilia opt %s --strategy none -p '[{"do":"register_tile","loops":["i0","i1"],"sizes":[2,4],"vector":"i1"}]' | FileCheck %s
// RUN: %tilia run %s --strategy none -p '[{"do":"register_tile","loops":["i0","i1"],"sizes":[2,4],"vector":"i1"}]' --arg 0=23 --arg 1=23x23 --arg 2=23x23 --arg 3=23x23:rand(1) --threads=2 --grain=0 --check

// CHECK-LABEL: func.func @product
// CHECK: %[[C:.*]] = affine.vector_load %arg3[%[[I:.*]], %[[J:.*]]]
// CHECK-NEXT: affine.vector_load %arg3[%[[I]], %[[J]] + 2]
// CHECK-NEXT: affine.vector_load %arg3[%[[I]] + 1, %[[J]]]
// CHECK-NEXT: affine.vector_load %arg3[%[[I]] + 1, %[[J]] + 2]
// CHECK-NEXT: %[[R:.*]]:4 = affine.for %[[K:.*]] = 0 to %arg0 iter_args(%{{.*}} = %[[C]], {{.*}}) -> (vector<2xf64>, vector<2xf64>, vector<2xf64>, vector<2xf64>) {
// CHECK-NEXT: affine.load %arg1[%[[I]], %[[K]]]
// CHECK-NEXT: affine.vector_load %arg2[%[[K]], %[[J]]]
// CHECK-NEXT: vector.broadcast
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: affine.vector_load %arg2[%[[K]], %[[J]] + 2]
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: affine.load %arg1[%[[I]] + 1, %[[K]]]
// CHECK-NEXT: vector.broadcast
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: affine.yield
// CHECK-NEXT: }
// CHECK-NEXT: affine.vector_store %[[R]]#0, %arg3[%[[I]], %[[J]]]

func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %C[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %2 = affine.load %B[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %0, %3 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
