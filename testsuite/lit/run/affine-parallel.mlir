// affine.parallel: several dimensions, steps, min and max bounds, reductions, and nesting.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func private @work(%a: memref<6x8xf64>, %r: memref<4xf64>, %k: memref<2xi64>) {
  affine.parallel (%i, %j) = (0, 1) to (6, 8) step (1, 2) {
    %s = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)>(%i, %j)
    %v = arith.index_cast %s : index to i64
    %f = arith.sitofp %v : i64 to f64
    affine.store %f, %a[%i, %j] : memref<6x8xf64>
  }
  affine.parallel (%i) = (0) to (6) {
    affine.parallel (%j) = (max(0, %i - 1)) to (min(8, %i + 2)) {
      %v = affine.load %a[%i, %j] : memref<6x8xf64>
      %w = arith.addf %v, %v : f64
      affine.store %w, %a[%i, %j] : memref<6x8xf64>
    }
  }
  // Whole numbers: any order of the reduction gives the same.
  %sum, %most = affine.parallel (%i, %j) = (0, 0) to (6, 8) reduce ("addf", "maximumf") -> (f64, f64) {
    %v = affine.load %a[%i, %j] : memref<6x8xf64>
    affine.yield %v, %v : f64, f64
  }
  affine.store %sum, %r[0] : memref<4xf64>
  affine.store %most, %r[1] : memref<4xf64>
  %count = affine.parallel (%i) = (0) to (100) step (3) reduce ("addi") -> (i64) {
    %v = arith.index_cast %i : index to i64
    affine.yield %v : i64
  }
  affine.store %count, %k[0] : memref<2xi64>
  return
}

func.func @main() {
  %zero = arith.constant 0.0 : f64
  %i0 = arith.constant 0 : i64
  %a = memref.alloc() : memref<6x8xf64>
  %r = memref.alloc() : memref<4xf64>
  %k = memref.alloc() : memref<2xi64>
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %a[%i, %j] : memref<6x8xf64>
    }
  }
  affine.for %i = 0 to 4 {
    affine.store %zero, %r[%i] : memref<4xf64>
  }
  affine.for %i = 0 to 2 {
    affine.store %i0, %k[%i] : memref<2xi64>
  }
  call @work(%a, %r, %k) : (memref<6x8xf64>, memref<4xf64>, memref<2xi64>) -> ()
  %a_u = memref.cast %a : memref<6x8xf64> to memref<*xf64>
  call @printMemrefF64(%a_u) : (memref<*xf64>) -> ()
  %r_u = memref.cast %r : memref<4xf64> to memref<*xf64>
  call @printMemrefF64(%r_u) : (memref<*xf64>) -> ()
  %k_u = memref.cast %k : memref<2xi64> to memref<*xi64>
  call @printMemrefI64(%k_u) : (memref<*xi64>) -> ()
  return
}
