// affine.for with min and max bounds, steps, negative bounds, zero trips, and steps above the trip count.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func private @mark(%o: memref<64xi64>, %at: index, %n: index, %m: index) {
  %one = arith.constant 1 : i64
  // Between max and min of several expressions, by steps of 3.
  affine.for %i = max affine_map<(d0)[s0] -> (d0 - 4, -s0, 2)>(%at)[%n] to min affine_map<(d0)[s0, s1] -> (s0 + 7, s1 * 2 + d0, 40)>(%at)[%n, %m] step 3 {
    %v = affine.load %o[%i] : memref<64xi64>
    %w = arith.addi %v, %one : i64
    affine.store %w, %o[%i] : memref<64xi64>
  }
  // From below zero.
  affine.for %i = -9 to 5 step 4 {
    %v = affine.load %o[%i + 50] : memref<64xi64>
    %w = arith.addi %v, %one : i64
    affine.store %w, %o[%i + 50] : memref<64xi64>
  }
  // One trip: the step is above the extent.
  affine.for %i = 60 to 64 step 100 {
    affine.store %one, %o[%i] : memref<64xi64>
  }
  // None.
  affine.for %i = 7 to 7 {
    affine.store %one, %o[%i + 1] : memref<64xi64>
  }
  affine.for %i = 10 to affine_map<()[s0] -> (s0 - 20)>()[%n] {
    affine.store %one, %o[%i] : memref<64xi64>
  }
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %n = arith.constant 9 : index
  %m = arith.constant 13 : index
  %o = memref.alloc() : memref<64xi64>
  affine.for %i = 0 to 64 {
    affine.store %zero, %o[%i] : memref<64xi64>
  }
  affine.for %a = 0 to 12 step 5 {
    func.call @mark(%o, %a, %n, %m) : (memref<64xi64>, index, index, index) -> ()
  }
  %o_u = memref.cast %o : memref<64xi64> to memref<*xi64>
  call @printMemrefI64(%o_u) : (memref<*xi64>) -> ()
  memref.dealloc %o : memref<64xi64>
  return
}
