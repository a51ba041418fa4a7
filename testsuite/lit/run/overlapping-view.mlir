// A view that shows one element under several subscripts: v[0, 1] and v[1, 0] are one number, so neither may live in a register while the other is stored to.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}

func.func private @work(%a: memref<8xf64>, %b: memref<20xf64>) {
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [4, 4], strides: [1, 1] : memref<8xf64> to memref<4x4xf64, strided<[1, 1]>>
  affine.for %i = 0 to 20 {
    %x = affine.load %v[0, 1] : memref<4x4xf64, strided<[1, 1]>>
    %y = affine.load %b[%i] : memref<20xf64>
    %sum = arith.addf %x, %y : f64
    affine.store %sum, %v[0, 1] : memref<4x4xf64, strided<[1, 1]>>
    %z = affine.load %v[1, 0] : memref<4x4xf64, strided<[1, 1]>>
    %product = arith.mulf %z, %y : f64
    affine.store %product, %v[1, 0] : memref<4x4xf64, strided<[1, 1]>>
  }
  return
}

func.func @main() {
  %a = memref.alloc() : memref<8xf64>
  %b = memref.alloc() : memref<20xf64>
  %one = arith.constant 1.0 : f64
  %most = arith.constant 0.75 : f64
  affine.for %i = 0 to 8 {
    affine.store %one, %a[%i] : memref<8xf64>
  }
  affine.for %i = 0 to 20 {
    affine.store %most, %b[%i] : memref<20xf64>
  }
  call @work(%a, %b) : (memref<8xf64>, memref<20xf64>) -> ()
  %u = memref.cast %a : memref<8xf64> to memref<*xf64>
  call @printMemrefF64(%u) : (memref<*xf64>) -> ()
  memref.dealloc %a : memref<8xf64>
  memref.dealloc %b : memref<20xf64>
  return
}
