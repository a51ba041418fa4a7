// A base without dimensions whose memref begins elsewhere: a[] is element 4 and r[] element 0 of the buffer, so "a[] = r[] + i" accumulates nothing, and the last iteration decides.
// RUN: %mlir_run %s > %t.mlir
// RUN: %tilia_run %s > %t.tilia
// RUN: diff %t.mlir %t.tilia
// RUN: not %tilia run %s --schedule-in %S/Inputs/rank0-base.yaml 2>&1 | FileCheck %s
// CHECK: error: {{.*}}S0[{{.*}} before S0

func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
func.func private @f(%a: memref<i64, strided<[], offset: 4>>) {
  %r = memref.reinterpret_cast %a to offset: [0], sizes: [], strides: [] : memref<i64, strided<[], offset: 4>> to memref<i64>
  affine.for %i = 0 to 8 {
    %k = arith.index_cast %i : index to i64
    %x = affine.load %r[] : memref<i64>
    %z = arith.addi %x, %k : i64
    affine.store %z, %a[] : memref<i64, strided<[], offset: 4>>
  }
  return
}
func.func @main() {
  %a = memref.alloc() : memref<8xi64>
  affine.for %i = 0 to 8 {
    %k = arith.index_cast %i : index to i64
    affine.store %k, %a[%i] : memref<8xi64>
  }
  %s = memref.subview %a[4] [1] [1] : memref<8xi64> to memref<i64, strided<[], offset: 4>>
  call @f(%s) : (memref<i64, strided<[], offset: 4>>) -> ()
  %any = memref.cast %a : memref<8xi64> to memref<*xi64>
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
