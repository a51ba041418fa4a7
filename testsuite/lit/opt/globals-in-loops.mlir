// A global that is named inside a loop, as inlining leaves it: its name is written with each copy of the statement that uses it.
// RUN: %tilia opt %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlir-opt %t.mlir > /dev/null
// CHECK-LABEL: func.func @k
// CHECK: affine.parallel
// CHECK-NEXT: memref.get_global @g

memref.global "private" @g : memref<64xi64> = dense<3>

func.func @k(%a: memref<64xi64>) {
  affine.for %i = 0 to 63 {
    %h = memref.get_global @g : memref<64xi64>
    %0 = affine.load %a[%i] : memref<64xi64>
    affine.store %0, %h[%i + 1] : memref<64xi64>
  }
  return
}
