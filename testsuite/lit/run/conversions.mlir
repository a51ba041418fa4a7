// Conversions between integer and floating-point types, with saturation left aside.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func private @work(%v: memref<6xf64>, %k: memref<6xi64>, %o: memref<6x8xf64>, %p: memref<6x8xi64>) {
  affine.for %i = 0 to 6 {
    %x = affine.load %v[%i] : memref<6xf64>
    %n = affine.load %k[%i] : memref<6xi64>
    %f = arith.truncf %x : f64 to f32
    %g = arith.extf %f : f32 to f64
    affine.store %g, %o[%i, 0] : memref<6x8xf64>
    %h = arith.truncf %x : f64 to f16
    %hh = arith.extf %h : f16 to f64
    affine.store %hh, %o[%i, 1] : memref<6x8xf64>
    %s = arith.sitofp %n : i64 to f64
    affine.store %s, %o[%i, 2] : memref<6x8xf64>
    %u = arith.uitofp %n : i64 to f64
    affine.store %u, %o[%i, 3] : memref<6x8xf64>
    %s32 = arith.sitofp %n : i64 to f32
    %e32 = arith.extf %s32 : f32 to f64
    affine.store %e32, %o[%i, 4] : memref<6x8xf64>
    %a = arith.fptosi %x : f64 to i64
    affine.store %a, %p[%i, 0] : memref<6x8xi64>
    %b = arith.fptosi %x : f64 to i32
    %c = arith.extsi %b : i32 to i64
    affine.store %c, %p[%i, 1] : memref<6x8xi64>
    %d = arith.trunci %n : i64 to i8
    %e = arith.extsi %d : i8 to i64
    affine.store %e, %p[%i, 2] : memref<6x8xi64>
    %w = arith.extui %d : i8 to i64
    affine.store %w, %p[%i, 3] : memref<6x8xi64>
    %t = arith.trunci %n : i64 to i1
    %y = arith.extui %t : i1 to i64
    affine.store %y, %p[%i, 4] : memref<6x8xi64>
    %z = arith.extsi %t : i1 to i64
    affine.store %z, %p[%i, 5] : memref<6x8xi64>
    %q = arith.trunci %n : i64 to i5
    %r = arith.extsi %q : i5 to i64
    affine.store %r, %p[%i, 6] : memref<6x8xi64>
    %bits = arith.bitcast %x : f64 to i64
    affine.store %bits, %p[%i, 7] : memref<6x8xi64>
  }
  return
}
memref.global "private" @v : memref<6xf64> = dense<[-2.75, 0.1, 1234.5678, -0.0, 65000.0, 2.0e9]>
memref.global "private" @k : memref<6xi64> = dense<[-1, 0, 255, -129, 4611686018427387905, -9223372036854775808]>

func.func @main() {
  %zf = arith.constant 0.0 : f64
  %v = memref.get_global @v : memref<6xf64>
  %k = memref.get_global @k : memref<6xi64>
  %o = memref.alloc() : memref<6x8xf64>
  %p = memref.alloc() : memref<6x8xi64>
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 8 {
      affine.store %zf, %o[%i, %j] : memref<6x8xf64>
    }
  }
  call @work(%v, %k, %o, %p) : (memref<6xf64>, memref<6xi64>, memref<6x8xf64>, memref<6x8xi64>) -> ()
  %o_u = memref.cast %o : memref<6x8xf64> to memref<*xf64>
  call @printMemrefF64(%o_u) : (memref<*xf64>) -> ()
  %p_u = memref.cast %p : memref<6x8xi64> to memref<*xi64>
  call @printMemrefI64(%p_u) : (memref<*xi64>) -> ()
  return
}
