// Views of one buffer: subview, reinterpret_cast, cast, dynamic sizes, copies, and globals.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

memref.global "private" constant @table : memref<2x3xi32> = dense<[[5, -6, 7], [8, 9, -10]]>
memref.global "private" @cell : memref<f64> = dense<2.5>

func.func private @shift(%s: memref<?xf64, strided<[?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %s, %c0 : memref<?xf64, strided<[?], offset: ?>>
  affine.for %i = 1 to %n {
    %v = affine.load %s[%i - 1] : memref<?xf64, strided<[?], offset: ?>>
    %w = affine.load %s[%i] : memref<?xf64, strided<[?], offset: ?>>
    %x = arith.addf %v, %w : f64
    affine.store %x, %s[%i] : memref<?xf64, strided<[?], offset: ?>>
  }
  return
}

func.func @main() {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %a = memref.alloc(%c5, %c7) : memref<?x?xf64>
  %cell = memref.get_global @cell : memref<f64>
  affine.for %i = 0 to %c5 {
    affine.for %j = 0 to %c7 {
      %v = affine.load %cell[] : memref<f64>
      affine.store %v, %a[%i, %j] : memref<?x?xf64>
    }
  }
  // A row and a column with a stride, changed in place.
  %row = memref.subview %a[%c2, 0] [1, %c5] [1, 1] : memref<?x?xf64> to memref<?xf64, strided<[1], offset: ?>>
  %row_c = memref.cast %row : memref<?xf64, strided<[1], offset: ?>> to memref<?xf64, strided<[?], offset: ?>>
  call @shift(%row_c) : (memref<?xf64, strided<[?], offset: ?>>) -> ()
  %col = memref.subview %a[0, %c3] [3, 1] [2, 1] : memref<?x?xf64> to memref<3xf64, strided<[?], offset: ?>>
  %col_c = memref.cast %col : memref<3xf64, strided<[?], offset: ?>> to memref<?xf64, strided<[?], offset: ?>>
  call @shift(%col_c) : (memref<?xf64, strided<[?], offset: ?>>) -> ()
  %a_u = memref.cast %a : memref<?x?xf64> to memref<*xf64>
  call @printMemrefF64(%a_u) : (memref<*xf64>) -> ()

  // The same buffer as one row of 35.
  %flat = memref.reinterpret_cast %a to offset: [1], sizes: [17], strides: [2] : memref<?x?xf64> to memref<17xf64, strided<[2], offset: 1>>
  affine.for %i = 0 to 17 {
    %v = affine.load %flat[%i] : memref<17xf64, strided<[2], offset: 1>>
    %w = arith.negf %v : f64
    affine.store %w, %flat[%i] : memref<17xf64, strided<[2], offset: 1>>
  }
  %b = memref.alloc(%c5, %c7) : memref<?x?xf64>
  memref.copy %a, %b : memref<?x?xf64> to memref<?x?xf64>
  %b_u = memref.cast %b : memref<?x?xf64> to memref<*xf64>
  call @printMemrefF64(%b_u) : (memref<*xf64>) -> ()

  %t = memref.get_global @table : memref<2x3xi32>
  %u = memref.alloc() : memref<3x2xi32>
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 3 {
      %v = affine.load %t[%i, %j] : memref<2x3xi32>
      affine.store %v, %u[%j, %i] : memref<3x2xi32>
    }
  }
  %u_u = memref.cast %u : memref<3x2xi32> to memref<*xi32>
  call @printMemrefI32(%u_u) : (memref<*xi32>) -> ()
  memref.dealloc %a : memref<?x?xf64>
  memref.dealloc %b : memref<?x?xf64>
  memref.dealloc %u : memref<3x2xi32>
  return
}
