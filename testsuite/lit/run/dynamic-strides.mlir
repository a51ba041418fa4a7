// Strides that are known at run time only, as bufferisation leaves them at the boundaries of functions. Contiguous rows run in parallel vector loops; columns, rows of one element, windows that
// overlap and a row that is every row run in the order of the source.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia run %s --entry add --arg 0=64x64 --arg 1=64x64 --threads 2 --grain 0 --strategy auto --json | FileCheck %s --check-prefix=RAN
// RAN: "parallel":{{[1-9]}}
// RAN-SAME: "vector":{{[1-9]}}
// RUN: %tilia opt %s | mlir-opt > /dev/null
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %tilia_run %t.opt.mlir > %t.again
// RUN: diff %t.mlir %t.again

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}

func.func @add(%a: memref<?x?xf64, strided<[?, ?], offset: ?>>, %b: memref<?x?xf64, strided<[?, ?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf64, strided<[?, ?], offset: ?>>
  %n = memref.dim %a, %c1 : memref<?x?xf64, strided<[?, ?], offset: ?>>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf64, strided<[?, ?], offset: ?>>
      %y = affine.load %b[%i, %j] : memref<?x?xf64, strided<[?, ?], offset: ?>>
      %two = arith.addf %x, %x : f64
      %z = arith.addf %two, %y : f64
      affine.store %z, %a[%i, %j] : memref<?x?xf64, strided<[?, ?], offset: ?>>
    }
  }
  return
}

func.func private @fill(%a: memref<6x6xf64>) {
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 6 {
      %s = affine.apply affine_map<(i, j) -> (7 * i + j + 1)>(%i, %j)
      %k = arith.index_cast %s : index to i32
      %x = arith.sitofp %k : i32 to f64
      affine.store %x, %a[%i, %j] : memref<6x6xf64>
    }
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c30 = arith.constant 30 : index
  %back_by_6 = arith.constant -6 : index
  %a = memref.alloc() : memref<6x6xf64>
  %b = memref.alloc() : memref<6x6xf64>
  call @fill(%a) : (memref<6x6xf64>) -> ()
  call @fill(%b) : (memref<6x6xf64>) -> ()
  %any = memref.cast %a : memref<6x6xf64> to memref<*xf64>
  %other = memref.cast %b : memref<6x6xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  // Rows.
  %rows = memref.cast %a : memref<6x6xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  call @add(%rows, %other) : (memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) -> ()
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  // Columns.
  %turned = memref.transpose %a (i, j) -> (j, i) : memref<6x6xf64> to memref<6x6xf64, strided<[1, 6]>>
  %columns = memref.cast %turned : memref<6x6xf64, strided<[1, 6]>> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  call @add(%columns, %other) : (memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) -> ()
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  // Windows that overlap: element [i, j] is element [i + 1, j - 1].
  %windows = memref.reinterpret_cast %a to offset: [%c3], sizes: [%c5, %c5], strides: [%c1, %c1] : memref<6x6xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  call @add(%windows, %other) : (memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) -> ()
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  // One row that is every row.
  %same = memref.reinterpret_cast %a to offset: [%c6], sizes: [%c4, %c6], strides: [%c0, %c1] : memref<6x6xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  call @add(%same, %other) : (memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) -> ()
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  // Rows one after the other that run backwards.
  %back = memref.reinterpret_cast %a to offset: [%c30], sizes: [%c3, %c6], strides: [%back_by_6, %c1] : memref<6x6xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  call @add(%back, %other) : (memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>) -> ()
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  memref.dealloc %a : memref<6x6xf64>
  memref.dealloc %b : memref<6x6xf64>
  return
}
