// Indirect subscripts and a histogram: statements that may touch anything in the array.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func private @work(%p: memref<20xi64>, %h: memref<7xi64>, %o: memref<20xi64>) {
  %one = arith.constant 1 : i64
  affine.for %i = 0 to 20 {
    %v = affine.load %p[%i] : memref<20xi64>
    %j = arith.index_cast %v : i64 to index
    %n = memref.load %h[%j] : memref<7xi64>
    %m = arith.addi %n, %one : i64
    memref.store %m, %h[%j] : memref<7xi64>
  }
  affine.for %i = 0 to 20 {
    %v = affine.load %p[%i] : memref<20xi64>
    %j = arith.index_cast %v : i64 to index
    %n = memref.load %h[%j] : memref<7xi64>
    affine.store %n, %o[%i] : memref<20xi64>
  }
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %p = memref.alloc() : memref<20xi64>
  %h = memref.alloc() : memref<7xi64>
  %o = memref.alloc() : memref<20xi64>
  affine.for %i = 0 to 20 {
    %s = affine.apply affine_map<(d0) -> ((d0 * 5 + d0 floordiv 3) mod 7)>(%i)
    %v = arith.index_cast %s : index to i64
    affine.store %v, %p[%i] : memref<20xi64>
  }
  affine.for %i = 0 to 7 {
    affine.store %zero, %h[%i] : memref<7xi64>
  }
  call @work(%p, %h, %o) : (memref<20xi64>, memref<7xi64>, memref<20xi64>) -> ()
  %h_u = memref.cast %h : memref<7xi64> to memref<*xi64>
  call @printMemrefI64(%h_u) : (memref<*xi64>) -> ()
  %o_u = memref.cast %o : memref<20xi64> to memref<*xi64>
  call @printMemrefI64(%o_u) : (memref<*xi64>) -> ()
  return
}
