// --fp=fast: what an iteration gets from the one before is added last, and a division by a constant is a product; unless the reciprocal isn't a normal number.
// RUN: %tilia opt %s --strategy none --fp=fast | FileCheck %s
// RUN: %tilia opt %s --strategy none --fp=contract | FileCheck %s --check-prefix=KEPT
// RUN: %tilia run %s --entry sweep --strategy none --fp=fast --check --arg 0=40

// CHECK-LABEL: func.func @sweep
// CHECK: %[[A:.*]] = affine.load %{{.*}}[%[[I:.*]] - 1]
// CHECK: %[[B:.*]] = affine.load %{{.*}}[%[[I]]]
// CHECK: %[[C:.*]] = affine.load %{{.*}}[%[[I]] + 1]
// CHECK: %[[S:.*]] = arith.addf %[[B]], %[[C]]
// CHECK: %[[T:.*]] = arith.addf %[[S]], %[[A]]
// CHECK: arith.mulf %[[T]], %{{.*}} : f64
// KEPT-LABEL: func.func @sweep
// KEPT: arith.divf
func.func @sweep(%n: index, %a: memref<64xf64>) {
  %three = arith.constant 3.0 : f64
  affine.for %i = 1 to %n {
    %0 = affine.load %a[%i - 1] : memref<64xf64>
    %1 = affine.load %a[%i] : memref<64xf64>
    %2 = affine.load %a[%i + 1] : memref<64xf64>
    %3 = arith.addf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    %5 = arith.divf %4, %three : f64
    affine.store %5, %a[%i] : memref<64xf64>
  }
  return
}

// Terms that are subtracted stay so; the value of two iterations ago comes before that of the last one.
// CHECK-LABEL: func.func @filter
// CHECK: affine.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}, %[[OLDER:.*]] = %{{.*}})
// CHECK: %[[X:.*]] = affine.load
// CHECK: %[[U:.*]] = arith.subf %[[X]], %[[OLDER]]
// CHECK: %[[Y:.*]] = arith.addf %[[U]], %[[OLD]]
// CHECK: affine.yield %[[Y]], %[[OLD]]
func.func @filter(%x: memref<64xf64>, %y: memref<64xf64>) {
  %zero = arith.constant 0.0 : f64
  %r:2 = affine.for %i = 0 to 64 iter_args(%old = %zero, %older = %zero) -> (f64, f64) {
    %0 = affine.load %x[%i] : memref<64xf64>
    %1 = arith.addf %old, %0 : f64
    %2 = arith.subf %1, %older : f64
    affine.store %2, %y[%i] : memref<64xf64>
    affine.yield %2, %old : f64, f64
  }
  return
}

// CHECK-LABEL: func.func @tiny
// CHECK: arith.divf
func.func @tiny(%a: memref<64xf64>) {
  %c = arith.constant 1.0e-310 : f64
  affine.for %i = 0 to 64 {
    %0 = affine.load %a[%i] : memref<64xf64>
    %1 = arith.divf %0, %c : f64
    affine.store %1, %a[%i] : memref<64xf64>
  }
  return
}
