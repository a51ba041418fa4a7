// Layouts at their limits: transposed, overlapping, backwards, of no distance, of distances that no product holds, and views of such memrefs. Each is written and read under two sets of subscripts.
// RUN: %mlir_run %s > %t.mlir
// RUN: %tilia_run %s > %t.tilia
// RUN: diff %t.mlir %t.tilia

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
func.func @cum(%a: memref<?x?xf64, strided<[?, ?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf64, strided<[?, ?], offset: ?>>
  %n = memref.dim %a, %c1 : memref<?x?xf64, strided<[?, ?], offset: ?>>
  %t = memref.transpose %a (i, j) -> (j, i) : memref<?x?xf64, strided<[?, ?], offset: ?>> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf64, strided<[?, ?], offset: ?>>
      %y = affine.load %t[%j, %i] : memref<?x?xf64, strided<[?, ?], offset: ?>>
      %z = arith.addf %x, %y : f64
      affine.store %z, %t[%j, %i] : memref<?x?xf64, strided<[?, ?], offset: ?>>
    }
  }
  return
}
func.func @sub(%a: memref<?x?xf64, strided<[?, ?], offset: ?>>, %o: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.subview %a[%o, 0] [2, 3] [2, 2] : memref<?x?xf64, strided<[?, ?], offset: ?>> to memref<2x3xf64, strided<[?, ?], offset: ?>>
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 3 {
      %x = affine.load %a[%i, %j] : memref<?x?xf64, strided<[?, ?], offset: ?>>
      %y = affine.load %v[%i, %j] : memref<2x3xf64, strided<[?, ?], offset: ?>>
      %z = arith.addf %x, %y : f64
      affine.store %z, %v[%i, %j] : memref<2x3xf64, strided<[?, ?], offset: ?>>
    }
  }
  return
}
func.func @fill(%a: memref<6x6xf64>) {
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
func.func @go(%a: memref<6x6xf64>, %off: index, %m: index, %n: index, %s: index, %t: index) {
  %v = memref.reinterpret_cast %a to offset: [%off], sizes: [%m, %n], strides: [%s, %t] : memref<6x6xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  call @cum(%v) : (memref<?x?xf64, strided<[?, ?], offset: ?>>) -> ()
  %any = memref.cast %a : memref<6x6xf64> to memref<*xf64>
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c35 = arith.constant 35 : index
  %m1 = arith.constant -1 : index
  %m6 = arith.constant -6 : index
  %huge = arith.constant 4611686018427387904 : index
  %min = arith.constant -9223372036854775808 : index
  %a = memref.alloc() : memref<6x6xf64>
  call @fill(%a) : (memref<6x6xf64>) -> ()
  call @go(%a, %c0, %c6, %c6, %c6, %c1) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c0, %c6, %c6, %c1, %c6) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c0, %c5, %c5, %c1, %c1) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c0, %c5, %c4, %c2, %c1) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c0, %c5, %c4, %c3, %c1) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c35, %c6, %c6, %m6, %m1) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c5, %c6, %c6, %c6, %m1) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c0, %c6, %c6, %c0, %c1) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c0, %c6, %c1, %c0, %c1) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c0, %c6, %c1, %c6, %c0) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c0, %c1, %c6, %huge, %c1) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c0, %c1, %c6, %min, %c1) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  call @go(%a, %c0, %c0, %c6, %c1, %c1) : (memref<6x6xf64>, index, index, index, index, index) -> ()
  %d = memref.cast %a : memref<6x6xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
  call @sub(%d, %c1) : (memref<?x?xf64, strided<[?, ?], offset: ?>>, index) -> ()
  call @sub(%d, %c0) : (memref<?x?xf64, strided<[?, ?], offset: ?>>, index) -> ()
  %any = memref.cast %a : memref<6x6xf64> to memref<*xf64>
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  return
}
