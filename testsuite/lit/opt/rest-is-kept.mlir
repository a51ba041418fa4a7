// What isn't a loop nest stays as it is: attributes, other functions, unknown dialects in generic form.
// RUN: %tilia opt %s > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlir-opt --allow-unregistered-dialect %t.mlir -o /dev/null

// CHECK: module {{.*}}attributes {{{.*}}llvm.target_triple = "x86_64-unknown-linux-gnu"
module attributes {llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  // CHECK: memref.global "private" constant @weights : memref<3xf32> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
  memref.global "private" constant @weights : memref<3xf32> = dense<[1.0, 2.0, 3.0]>

  // CHECK: func.func private @external(memref<8xf32>) attributes {llvm.emit_c_interface}
  func.func private @external(memref<8xf32>) attributes {llvm.emit_c_interface}

  // CHECK: func.func @attributed(%{{.*}}: memref<8xf32> {llvm.noalias}, %{{.*}}: i32 {mine.attr = "x"}) -> i32
  func.func @attributed(%a: memref<8xf32> {llvm.noalias}, %n: i32 {mine.attr = "x"}) -> i32 attributes {mine.flag} {
    // CHECK: %[[SUM:.*]] = arith.addi
    %s = arith.addi %n, %n : i32
    // CHECK: call @external
    call @external(%a) : (memref<8xf32>) -> ()
    // CHECK: return %[[SUM]] : i32
    return %s : i32
  }

  // CHECK: func.func @unknown
  func.func @unknown(%a: memref<8xf32>) {
    // CHECK: "other.operation"(%{{.*}}) <{{.*}}size = 3{{.*}}> : (memref<8xf32>) -> i64
    %0 = "other.operation"(%a) <{size = 3 : i32}> : (memref<8xf32>) -> i64
    return
  }

  // CHECK: func.func private @"a name with spaces"
  func.func private @"a name with spaces"()
}
