// Sizes that come from an i32 argument, from memref.dim, from arithmetic inside a loop, and from constants beside unused arguments.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func private @work(%n32: i32, %m32: i32, %unused: i32, %a: memref<?x?xi64>) attributes {llvm.linkage = #llvm.linkage<external>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i64
  %n = arith.index_cast %n32 : i32 to index
  %m = arith.index_cast %m32 : i32 to index
  %d1 = memref.dim %a, %c1 : memref<?x?xi64>
  affine.for %i = 0 to %n {
    // A pure operation on symbols inside a loop is a symbol all the same.
    %last = arith.subi %d1, %c1 : index
    affine.for %j = 0 to %m {
      %v = affine.load %a[%i, %j] : memref<?x?xi64>
      %k = affine.apply affine_map<(d0, d1) -> (d0 * 100 + d1)>(%i, %j)
      %w = arith.index_cast %k : index to i64
      %x = arith.addi %v, %w : i64
      affine.store %x, %a[%i, %j] : memref<?x?xi64>
    }
    affine.store %one, %a[%i, symbol(%last)] : memref<?x?xi64>
  }
  affine.for %j = 0 to affine_map<()[s0] -> (s0 floordiv 2)>()[%d1] {
    %v = affine.load %a[0, %j * 2 + 1] : memref<?x?xi64>
    affine.store %v, %a[0, %j] : memref<?x?xi64>
  }
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %five = arith.constant 5 : i32
  %six = arith.constant 6 : i32
  %n = arith.constant 5 : index
  %m = arith.constant 8 : index
  %a = memref.alloc(%n, %m) : memref<?x?xi64>
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %a[%i, %j] : memref<?x?xi64>
    }
  }
  call @work(%five, %six, %six, %a) : (i32, i32, i32, memref<?x?xi64>) -> ()
  %a_u = memref.cast %a : memref<?x?xi64> to memref<*xi64>
  call @printMemrefI64(%a_u) : (memref<*xi64>) -> ()
  return
}
