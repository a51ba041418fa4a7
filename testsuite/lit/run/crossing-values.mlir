// SSA values that cross statements: a load used by two stores, values of an outer loop used inside, conditional results.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}

func.func private @work(%x: memref<9xf64>, %y: memref<9x9xf64>, %z: memref<9xf64>) {
  %half = arith.constant 0.5 : f64
  affine.for %i = 0 to 9 {
    %v = affine.load %x[%i] : memref<9xf64>
    %w = arith.mulf %v, %half : f64
    // Overwrites what was loaded: the value above must stay the old one.
    affine.store %w, %x[%i] : memref<9xf64>
    %c = affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) -> f64 {
      %s = arith.addf %v, %w : f64
      affine.yield %s : f64
    } else {
      affine.yield %v : f64
    }
    affine.for %j = 0 to 9 {
      %p = affine.load %x[%j] : memref<9xf64>
      %q = arith.subf %p, %v : f64
      %r = arith.mulf %q, %c : f64
      affine.store %r, %y[%i, %j] : memref<9x9xf64>
      affine.store %p, %z[%j] : memref<9xf64>
    }
    affine.store %c, %z[%i] : memref<9xf64>
  }
  return
}

func.func @main() {
  %x = memref.alloc() : memref<9xf64>
  %y = memref.alloc() : memref<9x9xf64>
  %z = memref.alloc() : memref<9xf64>
  affine.for %i = 0 to 9 {
    %v = arith.index_cast %i : index to i64
    %f = arith.sitofp %v : i64 to f64
    affine.store %f, %x[%i] : memref<9xf64>
    affine.store %f, %z[%i] : memref<9xf64>
  }
  call @work(%x, %y, %z) : (memref<9xf64>, memref<9x9xf64>, memref<9xf64>) -> ()
  %x_u = memref.cast %x : memref<9xf64> to memref<*xf64>
  call @printMemrefF64(%x_u) : (memref<*xf64>) -> ()
  %y_u = memref.cast %y : memref<9x9xf64> to memref<*xf64>
  call @printMemrefF64(%y_u) : (memref<*xf64>) -> ()
  %z_u = memref.cast %z : memref<9xf64> to memref<*xf64>
  call @printMemrefF64(%z_u) : (memref<*xf64>) -> ()
  return
}
