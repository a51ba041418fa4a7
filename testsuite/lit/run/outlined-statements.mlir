// Statements outlined as private functions that the loops call, with views and scalars as arguments.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}

func.func private @S0(%c: memref<?x?xf64>, %i: index, %j: index) {
  %zero = arith.constant 0.0 : f64
  affine.store %zero, %c[symbol(%i), symbol(%j)] : memref<?x?xf64>
  return
}

func.func private @S1(%c: memref<?x?xf64>, %a: memref<?x?xf64>, %alpha: f64, %i: index, %j: index, %k: index) attributes {scop.stmt} {
  %x = affine.load %a[symbol(%i), symbol(%k)] : memref<?x?xf64>
  %y = affine.load %a[symbol(%k), symbol(%j)] : memref<?x?xf64>
  %p = arith.mulf %x, %y : f64
  %q = arith.mulf %p, %alpha : f64
  %s = affine.load %c[symbol(%i), symbol(%j)] : memref<?x?xf64>
  %t = arith.addf %s, %q : f64
  affine.store %t, %c[symbol(%i), symbol(%j)] : memref<?x?xf64>
  return
}

func.func private @work(%a: memref<?x?xf64>, %c: memref<?x?xf64>, %n: index, %alpha: f64) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      func.call @S0(%c, %i, %j) : (memref<?x?xf64>, index, index) -> ()
      affine.for %k = 0 to %n {
        func.call @S1(%c, %a, %alpha, %i, %j, %k) : (memref<?x?xf64>, memref<?x?xf64>, f64, index, index, index) -> ()
      }
    }
  }
  return
}

func.func @main() {
  %n = arith.constant 7 : index
  %alpha = arith.constant 0.1 : f64
  %a = memref.alloc(%n, %n) : memref<?x?xf64>
  %c = memref.alloc(%n, %n) : memref<?x?xf64>
  affine.for %i = 0 to 7 {
    affine.for %j = 0 to 7 {
      %s = affine.apply affine_map<(d0, d1) -> (d0 * 3 - d1)>(%i, %j)
      %v = arith.index_cast %s : index to i64
      %f = arith.sitofp %v : i64 to f64
      affine.store %f, %a[%i, %j] : memref<?x?xf64>
    }
  }
  call @work(%a, %c, %n, %alpha) : (memref<?x?xf64>, memref<?x?xf64>, index, f64) -> ()
  %c_u = memref.cast %c : memref<?x?xf64> to memref<*xf64>
  call @printMemrefF64(%c_u) : (memref<*xf64>) -> ()
  return
}
