// Two arguments that are the same memory, or overlap: the result is the one of the source order.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}

func.func private @shift(%a: memref<?xf64>, %b: memref<?xf64>, %n: index) {
  affine.for %i = 1 to %n {
    %v = affine.load %a[%i - 1] : memref<?xf64>
    %w = affine.load %b[%i] : memref<?xf64>
    %x = arith.addf %v, %w : f64
    affine.store %x, %b[%i] : memref<?xf64>
  }
  return
}

func.func private @views(%a: memref<?xf64, strided<[1], offset: ?>>, %b: memref<?xf64, strided<[1], offset: ?>>, %n: index) {
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf64, strided<[1], offset: ?>>
    %w = arith.addf %v, %v : f64
    affine.store %w, %b[%i] : memref<?xf64, strided<[1], offset: ?>>
  }
  return
}

func.func @main() {
  %one = arith.constant 1.0 : f64
  %n = arith.constant 24 : index
  %m = arith.constant 20 : index
  %a = memref.alloc(%n) : memref<?xf64>
  %b = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to 24 {
    affine.store %one, %a[%i] : memref<?xf64>
    affine.store %one, %b[%i] : memref<?xf64>
  }
  call @shift(%a, %b, %n) : (memref<?xf64>, memref<?xf64>, index) -> ()
  %b_u = memref.cast %b : memref<?xf64> to memref<*xf64>
  call @printMemrefF64(%b_u) : (memref<*xf64>) -> ()
  call @shift(%a, %a, %n) : (memref<?xf64>, memref<?xf64>, index) -> ()
  %a_u = memref.cast %a : memref<?xf64> to memref<*xf64>
  call @printMemrefF64(%a_u) : (memref<*xf64>) -> ()
  %p = memref.subview %b[0] [%m] [1] : memref<?xf64> to memref<?xf64, strided<[1]>>
  %q = memref.subview %b[3] [%m] [1] : memref<?xf64> to memref<?xf64, strided<[1], offset: 3>>
  %pc = memref.cast %p : memref<?xf64, strided<[1]>> to memref<?xf64, strided<[1], offset: ?>>
  %qc = memref.cast %q : memref<?xf64, strided<[1], offset: 3>> to memref<?xf64, strided<[1], offset: ?>>
  call @views(%pc, %qc, %m) : (memref<?xf64, strided<[1], offset: ?>>, memref<?xf64, strided<[1], offset: ?>>, index) -> ()
  %b2 = memref.cast %b : memref<?xf64> to memref<*xf64>
  call @printMemrefF64(%b2) : (memref<*xf64>) -> ()
  call @views(%qc, %pc, %m) : (memref<?xf64, strided<[1], offset: ?>>, memref<?xf64, strided<[1], offset: ?>>, index) -> ()
  call @printMemrefF64(%b2) : (memref<*xf64>) -> ()
  return
}
