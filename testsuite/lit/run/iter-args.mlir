// Loop-carried values: several, nested, chains that are no reduction, zero trips, and floating-point sums in source order.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func private @chains(%x: memref<40xf64>, %f: memref<6xf64>, %k: memref<4xi64>, %n: index) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  // A sum, a product-like chain and a running maximum in one loop.
  %r:3 = affine.for %i = 0 to %n iter_args(%s = %zero, %h = %one, %m = %zero) -> (f64, f64, f64) {
    %v = affine.load %x[%i] : memref<40xf64>
    %t = arith.addf %s, %v : f64
    %a = arith.mulf %h, %half : f64
    %b = arith.addf %a, %v : f64
    %c = arith.maximumf %m, %b : f64
    affine.yield %t, %b, %c : f64, f64, f64
  }
  affine.store %r#0, %f[0] : memref<6xf64>
  affine.store %r#1, %f[1] : memref<6xf64>
  affine.store %r#2, %f[2] : memref<6xf64>
  // Nested: the inner chain starts from the outer one.
  %s = affine.for %i = 0 to %n iter_args(%a = %zero) -> f64 {
    %q = affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) iter_args(%b = %a) -> f64 {
      %v = affine.load %x[%i - %j] : memref<40xf64>
      %t = arith.subf %v, %b : f64
      affine.yield %t : f64
    }
    affine.yield %q : f64
  }
  affine.store %s, %f[3] : memref<6xf64>
  // Zero trips give the initial value.
  %z = affine.for %i = 5 to 5 iter_args(%a = %half) -> f64 {
    affine.yield %one : f64
  }
  affine.store %z, %f[4] : memref<6xf64>
  // Swapped values: Fibonacci.
  %p:2 = affine.for %i = 0 to %n iter_args(%a = %i0, %b = %i1) -> (i64, i64) {
    %c = arith.addi %a, %b : i64
    affine.yield %b, %c : i64, i64
  }
  affine.store %p#0, %k[0] : memref<4xi64>
  affine.store %p#1, %k[1] : memref<4xi64>
  // The index itself is carried.
  %c0 = arith.constant 0 : index
  %u = affine.for %i = 0 to %n step 7 iter_args(%a = %c0) -> index {
    %b = arith.addi %a, %i : index
    affine.yield %b : index
  }
  %ui = arith.index_cast %u : index to i64
  affine.store %ui, %k[2] : memref<4xi64>
  return
}

func.func @main() {
  %zero = arith.constant 0.0 : f64
  %i0 = arith.constant 0 : i64
  %third = arith.constant 0.33333333333333331 : f64
  %n = arith.constant 40 : index
  %x = memref.alloc() : memref<40xf64>
  %f = memref.alloc() : memref<6xf64>
  %k = memref.alloc() : memref<4xi64>
  affine.for %i = 0 to 6 {
    affine.store %zero, %f[%i] : memref<6xf64>
  }
  affine.for %i = 0 to 4 {
    affine.store %i0, %k[%i] : memref<4xi64>
  }
  affine.for %i = 0 to 40 {
    %a = arith.index_cast %i : index to i64
    %b = arith.sitofp %a : i64 to f64
    %c = arith.mulf %b, %third : f64
    affine.store %c, %x[%i] : memref<40xf64>
  }
  call @chains(%x, %f, %k, %n) : (memref<40xf64>, memref<6xf64>, memref<4xi64>, index) -> ()
  %f_u = memref.cast %f : memref<6xf64> to memref<*xf64>
  call @printMemrefF64(%f_u) : (memref<*xf64>) -> ()
  %k_u = memref.cast %k : memref<4xi64> to memref<*xi64>
  call @printMemrefI64(%k_u) : (memref<*xi64>) -> ()
  return
}
