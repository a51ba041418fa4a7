// The best way to cut a range: the minimum is made by two statements, so the loop over cuts may move outwards, past the loop along memory, which is then a parallel vector loop.
// RUN: %tilia opt %s --threads=2 --machine=%S/../../machine.toml --remarks=auto --emit=ast 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID < %t.remarks
// RUN: %tilia run %s --entry cuts --arg 0=1024x1024:ramp --arg 1=1024x1024:ramp --check --threads=2 --grain=0
// RUN: %tilia run %s --entry cuts --arg 0=1024x1024:ramp --arg 1=1024x1024:ramp --check --threads=1
// SAID: applied: accumulations run in another order, which gives the same
// CHECK: S0(
// CHECK-NEXT: for ([[J:c[0-9]+]] = {{.*}} // parallel
// CHECK-NEXT: S1({{c[0-9]+}}, [[J]], {{c[0-9]+}});

// By two operations they keep their order.
// RUN: sed 's/%4 = arith.minsi/%4 = arith.maxsi/' %s > %t.mlir
// RUN: %tilia opt %t.mlir --threads=2 --machine=%S/../../machine.toml --remarks=auto -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT-NOT: accumulations run in another order
// KEPT: accumulations keep their order: no nest of the source allows
// KEPT-NOT: accumulations run in another order
func.func @cuts(%w: memref<1024x1024xi32>, %m: memref<1024x1024xi32>) {
  affine.for %r = 0 to 1024 {
    affine.for %j = affine_map<(d0) -> (1024 - d0)>(%r) to 1024 {
      %0 = affine.load %m[1023 - %r, %j] : memref<1024x1024xi32>
      %1 = affine.load %m[1023 - %r, %j - 1] : memref<1024x1024xi32>
      %2 = affine.load %w[1023 - %r, %j] : memref<1024x1024xi32>
      %3 = arith.addi %1, %2 : i32
      %4 = arith.minsi %0, %3 : i32
      affine.store %4, %m[1023 - %r, %j] : memref<1024x1024xi32>
      affine.for %k = affine_map<(d0) -> (1024 - d0)>(%r) to affine_map<(d0) -> (d0)>(%j) {
        %5 = affine.load %m[1023 - %r, %j] : memref<1024x1024xi32>
        %6 = affine.load %m[1023 - %r, %k] : memref<1024x1024xi32>
        %7 = affine.load %m[%k + 1, %j] : memref<1024x1024xi32>
        %8 = arith.addi %6, %7 : i32
        %9 = arith.minsi %5, %8 : i32
        affine.store %9, %m[1023 - %r, %j] : memref<1024x1024xi32>
      }
    }
  }
  return
}
