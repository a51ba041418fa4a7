// Loops that only accumulate work on vectors where their order may change: whole numbers always, floating-point numbers under --fp=fast. Lanes and copies have partial sums, which start
// from -0 and are combined after the loop.
// RUN: %tilia opt %s --strategy none --remarks 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: %tilia opt %s --strategy none --fp=contract --remarks 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: %tilia opt %s --strategy none --fp=fast --remarks 2>&1 | FileCheck %s
// RUN: %tilia opt %s --strategy none --emit=ast | FileCheck %s --check-prefix=AST

// STRICT-DAG: [vectorise] declined: its iterations depend on each other
// STRICT-DAG: [vectorise] applied: 4 iterations at a time, which accumulate apart and are combined at the end
// STRICT-LABEL: func.func @dot
// STRICT-NOT: vector<
// STRICT-LABEL: func.func @most
// STRICT: arith.maxsi {{.*}} : vector<4xi32>

// CHECK-DAG: [vectorise] applied: 2 iterations at a time, which accumulate apart and are combined at the end
// CHECK-LABEL: func.func @dot
// CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : vector<2xf64>
// CHECK: %[[STEP:.*]] = arith.constant 8 : index
// CHECK: %[[SUMS:.*]]:4 = scf.for {{.*}} step %[[STEP]] iter_args({{.*}} = %[[ZERO]], {{.*}} = %[[ZERO]], {{.*}} = %[[ZERO]], {{.*}} = %[[ZERO]])
// CHECK-COUNT-4: math.fma {{.*}} : vector<2xf64>
// CHECK: scf.yield
// CHECK: arith.addf %[[SUMS]]#0, %[[SUMS]]#2
// CHECK: scf.for {{.*}} -> (vector<2xf64>)
// CHECK: vector.extract
// CHECK: scf.for {{.*}} -> (f64)
// CHECK: math.fma {{.*}} : f64

// AST: for (c0 = 0; {{.*}}){{$}}
// AST: for (c0 = 0; {{.*}}) // reduces
func.func @dot(%n: index, %x: memref<?xf64>, %y: memref<?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %s[] : memref<f64>
    %1 = affine.load %x[%i] : memref<?xf64>
    %2 = affine.load %y[%i] : memref<?xf64>
    %3 = arith.mulf %1, %2 : f64
    %4 = arith.addf %0, %3 : f64
    affine.store %4, %s[] : memref<f64>
  }
  return
}

func.func @most(%n: index, %x: memref<?xi32>, %m: memref<i32>) {
  %least = arith.constant -2147483648 : i32
  %r = affine.for %i = 0 to %n iter_args(%a = %least) -> i32 {
    %1 = affine.load %x[%i] : memref<?xi32>
    %2 = arith.maxsi %1, %a : i32
    affine.yield %2 : i32
  }
  affine.store %r, %m[] : memref<i32>
  return
}

// What else is in the loop may read the sum on the way: its order stays.
// CHECK-LABEL: func.func @running
// CHECK-NOT: vector<
func.func @running(%n: index, %x: memref<?xf64>, %p: memref<?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %s[] : memref<f64>
    %1 = affine.load %x[%i] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %s[] : memref<f64>
    affine.store %2, %p[%i] : memref<?xf64>
  }
  return
}
