// The base of a buffer, which has no dimensions, and views that count from it: they reach all of the buffer, whatever descriptor they are made of.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}

// One after the other: each element becomes the first.
func.func private @spread(%a: memref<16xf64>) {
  %base, %off, %size, %stride = memref.extract_strided_metadata %a : memref<16xf64> -> memref<f64>, index, index, index
  %v = memref.reinterpret_cast %base to offset: [0], sizes: [16], strides: [1] : memref<f64> to memref<16xf64, strided<[1]>>
  affine.for %i = 0 to 15 {
    %0 = affine.load %v[%i] : memref<16xf64, strided<[1]>>
    affine.store %0, %a[%i + 1] : memref<16xf64>
  }
  return
}

// A view of a view counts from the start of the buffer, too.
func.func private @from_the_middle(%a: memref<16xf64>) {
  %half = memref.subview %a[8] [8] [1] : memref<16xf64> to memref<8xf64, strided<[1], offset: 8>>
  %v = memref.reinterpret_cast %half to offset: [1], sizes: [8], strides: [2] : memref<8xf64, strided<[1], offset: 8>> to memref<8xf64, strided<[2], offset: 1>>
  affine.for %i = 0 to 7 {
    %0 = affine.load %v[%i] : memref<8xf64, strided<[2], offset: 1>>
    %1 = arith.addf %0, %0 : f64
    affine.store %1, %a[2 * %i + 3] : memref<16xf64>
  }
  return
}

// The base alone, as an argument: its view may be another argument's memory although the base is not.
func.func private @beside(%base: memref<f64>, %end: memref<8xf64, strided<[1], offset: ?>>) {
  %v = memref.reinterpret_cast %base to offset: [0], sizes: [16], strides: [1] : memref<f64> to memref<16xf64, strided<[1]>>
  affine.for %i = 0 to 7 {
    %0 = affine.load %v[%i + 8] : memref<16xf64, strided<[1]>>
    %1 = arith.addf %0, %0 : f64
    affine.store %1, %end[%i + 1] : memref<8xf64, strided<[1], offset: ?>>
  }
  return
}

func.func @main() {
  %one = arith.constant 1.0 : f64
  %a = memref.alloc() : memref<16xf64>
  affine.for %i = 0 to 16 {
    %k = arith.index_cast %i : index to i32
    %x = arith.sitofp %k : i32 to f64
    %y = arith.addf %x, %one : f64
    affine.store %y, %a[%i] : memref<16xf64>
  }
  %any = memref.cast %a : memref<16xf64> to memref<*xf64>
  call @from_the_middle(%a) : (memref<16xf64>) -> ()
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  %base, %off, %size, %stride = memref.extract_strided_metadata %a : memref<16xf64> -> memref<f64>, index, index, index
  %end = memref.subview %a[8] [8] [1] : memref<16xf64> to memref<8xf64, strided<[1], offset: 8>>
  %cast = memref.cast %end : memref<8xf64, strided<[1], offset: 8>> to memref<8xf64, strided<[1], offset: ?>>
  call @beside(%base, %cast) : (memref<f64>, memref<8xf64, strided<[1], offset: ?>>) -> ()
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  call @spread(%a) : (memref<16xf64>) -> ()
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  memref.dealloc %a : memref<16xf64>
  return
}
