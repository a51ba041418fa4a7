// Conditions on data become selections where both branches may be executed, and their loops work on vectors.
// RUN: %tilia opt %s --strategy none --remarks 2>&1 | FileCheck %s
// RUN: %tilia run %s --entry clamp --strategy none --check --arg 0=101 --arg 1=101:rand(3)
// RUN: %tilia run %s --entry read --strategy none --check --arg 0=101 --arg 1=101:rand(3)
// RUN: %tilia run %s --entry sides --strategy none --check --arg 0=101 --arg 1=101:rand(3) --arg 2=101
// RUN: %tilia run %s --entry elsewhere --strategy none --check --arg 0=64:rand(3) --arg 1=1

// A store under a condition where the iteration stores anyway: the new value or the old one.
// CHECK-LABEL: func.func @clamp
// CHECK: arith.cmpf ogt, {{.*}} : vector<2xf64>
// CHECK: arith.select {{.*}} : vector<2xi1>, vector<2xf64>
// CHECK: vector.store
func.func @clamp(%n: index, %a: memref<?xf64>) {
  %half = arith.constant 0.5 : f64
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xf64>
    %1 = arith.mulf %0, %half : f64
    affine.store %1, %a[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %0, %half : f64
    scf.if %c {
      affine.store %half, %a[%i] : memref<?xf64>
    }
  }
  return
}

// Memory that the iteration only reads isn't written where the condition doesn't hold: it may be read-only.
// CHECK-LABEL: func.func @read
// CHECK: scf.if
func.func @read(%n: index, %a: memref<?xf64>) {
  %half = arith.constant 0.5 : f64
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %0, %half : f64
    scf.if %c {
      affine.store %half, %a[%i] : memref<?xf64>
    }
  }
  return
}

// Results of both branches, and a store in each.
// CHECK-LABEL: func.func @sides
// CHECK: arith.select {{.*}} : vector<2xi1>, vector<2xf64>
// CHECK: arith.select {{.*}} : vector<2xi1>, vector<2xf64>
func.func @sides(%n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  %half = arith.constant 0.5 : f64
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf olt, %0, %half : f64
    %r = scf.if %c -> (f64) {
      %1 = arith.mulf %0, %half : f64
      affine.store %1, %b[%i] : memref<?xf64>
      scf.yield %1 : f64
    } else {
      %1 = arith.addf %0, %half : f64
      affine.store %half, %b[%i] : memref<?xf64>
      scf.yield %1 : f64
    }
    affine.store %r, %a[%i] : memref<?xf64>
  }
  return
}

// What only the condition keeps inside its buffer stays under it: %b has one element, and is reached where it may be.
// CHECK-LABEL: func.func @elsewhere
// CHECK: scf.if
func.func @elsewhere(%a: memref<64xf64>, %b: memref<?xf64>) {
  %two = arith.constant 2.0 : f64
  affine.for %i = 0 to 64 {
    %0 = affine.load %a[%i] : memref<64xf64>
    %c = arith.cmpf ogt, %0, %two : f64
    scf.if %c {
      affine.store %0, %b[%i] : memref<?xf64>
    }
  }
  return
}
