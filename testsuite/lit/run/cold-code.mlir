// With LLVM, the code for arguments that overlap is a module of its own, compiled when it is first called; it does what the source says, and gives back the source's results.
// RUN: %tilia opt --emit=llvm %s | FileCheck %s
// RUN: %tilia run --backend=llvm %s | FileCheck --check-prefix=RUN-IT %s
// RUN: %tilia run --backend=cranelift %s | FileCheck --check-prefix=RUN-IT %s

// CHECK: module {
// CHECK: llvm.func @unit{{[0-9]+}}
// CHECK: // Compiled when it is first called, since a check at run time failed:
// CHECK: module {
// The source's order, with its checks, and a call of another function.
// CHECK-NEXT: llvm.func @unit{{[0-9]+}}(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i64
// CHECK: llvm.func @[[COLD:unit[0-9]+]](%0: !llvm.ptr {llvm.noalias}, %1: !llvm.ptr {llvm.noalias})

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
func.func private @printF64(f64)
func.func private @printNewline()

func.func private @twice(%x: f64) -> f64 {
  %y = arith.addf %x, %x : f64
  return %y : f64
}

// Its result comes out of the scop.
func.func private @sums(%a: memref<?xf64>, %b: memref<?xf64>, %n: index) -> f64 {
  %zero = arith.constant 0.0 : f64
  %sum = affine.for %i = 1 to %n iter_args(%s = %zero) -> f64 {
    %v = affine.load %a[%i - 1] : memref<?xf64>
    %w = affine.load %b[%i] : memref<?xf64>
    %x = arith.addf %v, %w : f64
    %y = func.call @twice(%x) : (f64) -> f64
    affine.store %y, %b[%i] : memref<?xf64>
    %t = arith.addf %s, %y : f64
    affine.yield %t : f64
  }
  return %sum : f64
}

func.func @main() {
  %one = arith.constant 1.0 : f64
  %n = arith.constant 6 : index
  %a = memref.alloc(%n) : memref<?xf64>
  %b = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to 6 {
    affine.store %one, %a[%i] : memref<?xf64>
    affine.store %one, %b[%i] : memref<?xf64>
  }
  %apart = call @sums(%a, %b, %n) : (memref<?xf64>, memref<?xf64>, index) -> f64
  call @printF64(%apart) : (f64) -> ()
  call @printNewline() : () -> ()
  // RUN-IT: 20
  %b_u = memref.cast %b : memref<?xf64> to memref<*xf64>
  call @printMemrefF64(%b_u) : (memref<*xf64>) -> ()
  // RUN-IT: [1,  4,  4,  4,  4,  4]
  // Each element is twice the sum of 1 and the one before: 1, 4, 10, 22, 46, 94. Called again, the code is there.
  %same = call @sums(%a, %a, %n) : (memref<?xf64>, memref<?xf64>, index) -> f64
  call @printF64(%same) : (f64) -> ()
  call @printNewline() : () -> ()
  // RUN-IT: 176
  %a_u = memref.cast %a : memref<?xf64> to memref<*xf64>
  call @printMemrefF64(%a_u) : (memref<*xf64>) -> ()
  // RUN-IT: [1,  4,  10,  22,  46,  94]
  %again = call @sums(%a, %a, %n) : (memref<?xf64>, memref<?xf64>, index) -> f64
  call @printF64(%again) : (f64) -> ()
  call @printNewline() : () -> ()
  // 2 (1 + 4) = 10, 2 (10 + 10) = 40, 2 (40 + 22) = 124, 2 (124 + 46) = 340, 2 (340 + 94) = 868
  // RUN-IT: 1382
  return
}
