// Operations that the compiler doesn't know stay in their loops: in both versions of one that was made twice, with what is in their regions.
// RUN: %tilia opt %s | FileCheck %s
// RUN: %tilia opt %s | mlir-opt --allow-unregistered-dialect -o /dev/null

// CHECK-LABEL: func.func @two_versions
// CHECK: scf.if
// CHECK: affine.for %[[I:.*]] = 0 to 8
// CHECK: %[[V:.*]] = affine.load
// CHECK: %[[S:.*]] = "test.square"(%[[V]]) {exact} : (i32) -> i32
// CHECK: "test.region"(%[[S]]) ({
// CHECK: arith.index_cast %[[I]]
// CHECK: memref.load %{{.*}}[%[[I]]]
// CHECK: "test.yield"(%[[S]]
// CHECK: else
// CHECK: "test.square"
// CHECK: "test.region"
func.func @two_versions(%a: memref<8xi32>, %o: memref<8xi32>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xi32>
    %s = "test.square"(%v) {exact} : (i32) -> i32
    %w = "test.region"(%s) ({
      %j = arith.index_cast %i : index to i32
      %x = memref.load %o[%i] : memref<8xi32>
      "test.yield"(%s, %j, %x) : (i32, i32, i32) -> ()
    }) : (i32) -> i32
    affine.store %w, %o[%i] : memref<8xi32>
  }
  return
}

// Memory spaces of other dialects stay with the buffers that have them.
// CHECK-LABEL: func.func @spaces
// CHECK: memref.alloc() : memref<8xf32, #spirv.storage_class<StorageBuffer>>
func.func @spaces(%a: memref<8xf32>) {
  %m = memref.alloc() : memref<8xf32, #spirv.storage_class<StorageBuffer>>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %m[%i] : memref<8xf32, #spirv.storage_class<StorageBuffer>>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %m[7 - %i] : memref<8xf32, #spirv.storage_class<StorageBuffer>>
    affine.store %v, %a[%i] : memref<8xf32>
  }
  return
}
