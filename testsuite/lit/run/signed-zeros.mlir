// maximumf and minimumf know the sign of zero, and NaNs pass through them.
// RUN: %tilia_run %s | FileCheck %s

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}

func.func @main() {
  %one = arith.constant 1.0 : f64
  %p = arith.constant 0.0 : f64
  %m = arith.constant -0.0 : f64
  %nan = arith.constant 0x7FF8000000000000 : f64
  %a = memref.alloc() : memref<2xf64>
  %o = memref.alloc() : memref<2x4xf64>
  affine.store %p, %a[0] : memref<2xf64>
  affine.store %m, %a[1] : memref<2xf64>
  affine.for %i = 0 to 2 {
    %x = affine.load %a[%i] : memref<2xf64>
    %y = affine.load %a[-%i + 1] : memref<2xf64>
    %max = arith.maximumf %x, %y : f64
    %min = arith.minimumf %x, %y : f64
    // The reciprocal tells the sign.
    %rmax = arith.divf %one, %max : f64
    %rmin = arith.divf %one, %min : f64
    affine.store %rmax, %o[%i, 0] : memref<2x4xf64>
    affine.store %rmin, %o[%i, 1] : memref<2x4xf64>
    %n = arith.maximumf %x, %nan : f64
    %isnan = arith.cmpf uno, %n, %n : f64
    %r = arith.select %isnan, %one, %p : f64
    affine.store %r, %o[%i, 2] : memref<2x4xf64>
    %k = arith.minnumf %nan, %one : f64
    affine.store %k, %o[%i, 3] : memref<2x4xf64>
  }
  // CHECK: {{\[\[}}inf, -inf, 1, 1],
  // CHECK-NEXT: [inf, -inf, 1, 1]]
  %u = memref.cast %o : memref<2x4xf64> to memref<*xf64>
  call @printMemrefF64(%u) : (memref<*xf64>) -> ()
  return
}
