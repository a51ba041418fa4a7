// A program in the style of MLIR's integration tests prints what mlir-runner prints, but for the address.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt
// RUN: FileCheck %s < %t.tilia

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func @main() {
  %A = memref.alloc() : memref<3x4xf64>
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 4 {
      %s = affine.apply affine_map<(d0, d1) -> (d0 * 10 + d1)>(%i, %j)
      %v = arith.index_cast %s : index to i64
      %f = arith.sitofp %v : i64 to f64
      affine.store %f, %A[%i, %j] : memref<3x4xf64>
    }
  }
  // CHECK: Unranked Memref base@ = ADDRESS rank = 2 offset = 0 sizes = [3, 4] strides = [4, 1] data =
  // CHECK-NEXT: {{\[\[}}0,   1,   2,   3],
  // CHECK-NEXT: [10,   11,   12,   13],
  // CHECK-NEXT: [20,   21,   22,   23]]
  %U = memref.cast %A : memref<3x4xf64> to memref<*xf64>
  call @printMemrefF64(%U) : (memref<*xf64>) -> ()

  // A view: rows 1 and 2, every other column.
  // CHECK: rank = 2 offset = 4 sizes = [2, 2] strides = [4, 2] data =
  // CHECK-NEXT: {{\[\[}}10,   12],
  // CHECK-NEXT: [20,   22]]
  %V = memref.subview %A[1, 0] [2, 2] [1, 2] : memref<3x4xf64> to memref<2x2xf64, strided<[4, 2], offset: 4>>
  %W = memref.cast %V : memref<2x2xf64, strided<[4, 2], offset: 4>> to memref<*xf64>
  call @printMemrefF64(%W) : (memref<*xf64>) -> ()

  // CHECK: rank = 1 {{.*}} data =
  // CHECK-NEXT: [0.333333, -2.5, 1e+10]
  %B = memref.alloc() : memref<3xf32>
  %third = arith.constant 0.33333333 : f32
  %neg = arith.constant -2.5 : f32
  %big = arith.constant 1.0e10 : f32
  affine.store %third, %B[0] : memref<3xf32>
  affine.store %neg, %B[1] : memref<3xf32>
  affine.store %big, %B[2] : memref<3xf32>
  %X = memref.cast %B : memref<3xf32> to memref<*xf32>
  call @printMemrefF32(%X) : (memref<*xf32>) -> ()

  // Rank 0.
  // CHECK: rank = 0 offset = 0 sizes = [] strides = [] data =
  // CHECK-NEXT: [-7]
  %C = memref.alloc() : memref<i32>
  %m7 = arith.constant -7 : i32
  affine.store %m7, %C[] : memref<i32>
  %Y = memref.cast %C : memref<i32> to memref<*xi32>
  call @printMemrefI32(%Y) : (memref<*xi32>) -> ()

  // CHECK: rank = 3 {{.*}} sizes = [2, 1, 2]
  %D = memref.alloc() : memref<2x1x2xi64>
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 2 {
      %s = affine.apply affine_map<(d0, d1) -> (d0 * 2 - d1)>(%i, %j)
      %v = arith.index_cast %s : index to i64
      affine.store %v, %D[%i, 0, %j] : memref<2x1x2xi64>
    }
  }
  %Z = memref.cast %D : memref<2x1x2xi64> to memref<*xi64>
  call @printMemrefI64(%Z) : (memref<*xi64>) -> ()
  memref.dealloc %A : memref<3x4xf64>
  memref.dealloc %B : memref<3xf32>
  memref.dealloc %C : memref<i32>
  memref.dealloc %D : memref<2x1x2xi64>
  return
}
