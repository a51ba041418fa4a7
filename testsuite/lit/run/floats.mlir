// Floating-point arithmetic with zeros of both signs, infinities and NaNs, compared by bits.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

memref.global "private" @v_f64 : memref<6xf64> = dense<[-0.0, 0.0, -3.7, 1.25e-3, 1.0e30, 0x7FF0000000000000]>
memref.global "private" @v_f32 : memref<6xf32> = dense<[-0.0, 0.0, -3.7, 1.25e-3, 1.0e30, 0x7F800000]>

func.func private @ops_f64(%v: memref<6xf64>, %o: memref<6x6x16xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 6 {
      %x = affine.load %v[%i] : memref<6xf64>
      %y = affine.load %v[%j] : memref<6xf64>
      // The oracle expands maxima and minima by comparisons, which overlook the sign of zero: make zeros one.
      %x0 = arith.addf %x, %zero : f64
      %y0 = arith.addf %y, %zero : f64
      %r0 = arith.addf %x, %y : f64
      affine.store %r0, %o[%i, %j, 0] : memref<6x6x16xf64>
      %r1 = arith.subf %x, %y : f64
      affine.store %r1, %o[%i, %j, 1] : memref<6x6x16xf64>
      %r2 = arith.mulf %x, %y : f64
      affine.store %r2, %o[%i, %j, 2] : memref<6x6x16xf64>
      %r3 = arith.divf %x, %y : f64
      affine.store %r3, %o[%i, %j, 3] : memref<6x6x16xf64>
      %r4 = arith.remf %x, %y : f64
      affine.store %r4, %o[%i, %j, 4] : memref<6x6x16xf64>
      %r5 = arith.maximumf %x0, %y0 : f64
      affine.store %r5, %o[%i, %j, 5] : memref<6x6x16xf64>
      %r6 = arith.minimumf %x0, %y0 : f64
      affine.store %r6, %o[%i, %j, 6] : memref<6x6x16xf64>
      %r7 = arith.maxnumf %x0, %y0 : f64
      affine.store %r7, %o[%i, %j, 7] : memref<6x6x16xf64>
      %r8 = arith.minnumf %x0, %y0 : f64
      affine.store %r8, %o[%i, %j, 8] : memref<6x6x16xf64>
      %p9 = arith.cmpf olt, %x, %y : f64
      %r9 = arith.select %p9, %x, %y : f64
      affine.store %r9, %o[%i, %j, 9] : memref<6x6x16xf64>
      %p10 = arith.cmpf uge, %x, %y : f64
      %r10 = arith.select %p10, %x, %y : f64
      affine.store %r10, %o[%i, %j, 10] : memref<6x6x16xf64>
      %p11 = arith.cmpf one, %x, %y : f64
      %r11 = arith.select %p11, %x, %y : f64
      affine.store %r11, %o[%i, %j, 11] : memref<6x6x16xf64>
      %p12 = arith.cmpf ueq, %x, %y : f64
      %r12 = arith.select %p12, %x, %y : f64
      affine.store %r12, %o[%i, %j, 12] : memref<6x6x16xf64>
      %a = math.absf %x : f64
      %r13 = math.sqrt %a : f64
      affine.store %r13, %o[%i, %j, 13] : memref<6x6x16xf64>
      %r14 = math.fma %x, %y, %x : f64
      affine.store %r14, %o[%i, %j, 14] : memref<6x6x16xf64>
      %r15 = math.floor %x : f64
      affine.store %r15, %o[%i, %j, 15] : memref<6x6x16xf64>
    }
  }
  return
}

func.func private @ops_f32(%v: memref<6xf32>, %o: memref<6x6x16xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 6 {
      %x = affine.load %v[%i] : memref<6xf32>
      %y = affine.load %v[%j] : memref<6xf32>
      // The oracle expands maxima and minima by comparisons, which overlook the sign of zero: make zeros one.
      %x0 = arith.addf %x, %zero : f32
      %y0 = arith.addf %y, %zero : f32
      %r0 = arith.addf %x, %y : f32
      affine.store %r0, %o[%i, %j, 0] : memref<6x6x16xf32>
      %r1 = arith.subf %x, %y : f32
      affine.store %r1, %o[%i, %j, 1] : memref<6x6x16xf32>
      %r2 = arith.mulf %x, %y : f32
      affine.store %r2, %o[%i, %j, 2] : memref<6x6x16xf32>
      %r3 = arith.divf %x, %y : f32
      affine.store %r3, %o[%i, %j, 3] : memref<6x6x16xf32>
      %r4 = arith.remf %x, %y : f32
      affine.store %r4, %o[%i, %j, 4] : memref<6x6x16xf32>
      %r5 = arith.maximumf %x0, %y0 : f32
      affine.store %r5, %o[%i, %j, 5] : memref<6x6x16xf32>
      %r6 = arith.minimumf %x0, %y0 : f32
      affine.store %r6, %o[%i, %j, 6] : memref<6x6x16xf32>
      %r7 = arith.maxnumf %x0, %y0 : f32
      affine.store %r7, %o[%i, %j, 7] : memref<6x6x16xf32>
      %r8 = arith.minnumf %x0, %y0 : f32
      affine.store %r8, %o[%i, %j, 8] : memref<6x6x16xf32>
      %p9 = arith.cmpf olt, %x, %y : f32
      %r9 = arith.select %p9, %x, %y : f32
      affine.store %r9, %o[%i, %j, 9] : memref<6x6x16xf32>
      %p10 = arith.cmpf uge, %x, %y : f32
      %r10 = arith.select %p10, %x, %y : f32
      affine.store %r10, %o[%i, %j, 10] : memref<6x6x16xf32>
      %p11 = arith.cmpf one, %x, %y : f32
      %r11 = arith.select %p11, %x, %y : f32
      affine.store %r11, %o[%i, %j, 11] : memref<6x6x16xf32>
      %p12 = arith.cmpf ueq, %x, %y : f32
      %r12 = arith.select %p12, %x, %y : f32
      affine.store %r12, %o[%i, %j, 12] : memref<6x6x16xf32>
      %a = math.absf %x : f32
      %r13 = math.sqrt %a : f32
      affine.store %r13, %o[%i, %j, 13] : memref<6x6x16xf32>
      %r14 = math.fma %x, %y, %x : f32
      affine.store %r14, %o[%i, %j, 14] : memref<6x6x16xf32>
      %r15 = math.floor %x : f32
      affine.store %r15, %o[%i, %j, 15] : memref<6x6x16xf32>
    }
  }
  return
}

func.func @main() {
  %v_f64 = memref.get_global @v_f64 : memref<6xf64>
  %o_f64 = memref.alloc() : memref<6x6x16xf64>
  %b_f64 = memref.alloc() : memref<6x6x16xi64>
  %c_f64 = arith.constant -1 : i64
  call @ops_f64(%v_f64, %o_f64) : (memref<6xf64>, memref<6x6x16xf64>) -> ()
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 6 {
      affine.for %k = 0 to 16 {
        %x = affine.load %o_f64[%i, %j, %k] : memref<6x6x16xf64>
        %n = arith.cmpf uno, %x, %x : f64
        %y = arith.bitcast %x : f64 to i64
        // All NaNs count as one.
        %z = arith.select %n, %c_f64, %y : i64
        affine.store %z, %b_f64[%i, %j, %k] : memref<6x6x16xi64>
      }
    }
  }
  %b_f64_u = memref.cast %b_f64 : memref<6x6x16xi64> to memref<*xi64>
  call @printMemrefI64(%b_f64_u) : (memref<*xi64>) -> ()
  %v_f32 = memref.get_global @v_f32 : memref<6xf32>
  %o_f32 = memref.alloc() : memref<6x6x16xf32>
  %b_f32 = memref.alloc() : memref<6x6x16xi32>
  %c_f32 = arith.constant -1 : i32
  call @ops_f32(%v_f32, %o_f32) : (memref<6xf32>, memref<6x6x16xf32>) -> ()
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 6 {
      affine.for %k = 0 to 16 {
        %x = affine.load %o_f32[%i, %j, %k] : memref<6x6x16xf32>
        %n = arith.cmpf uno, %x, %x : f32
        %y = arith.bitcast %x : f32 to i32
        // All NaNs count as one.
        %z = arith.select %n, %c_f32, %y : i32
        affine.store %z, %b_f32[%i, %j, %k] : memref<6x6x16xi32>
      }
    }
  }
  %b_f32_u = memref.cast %b_f32 : memref<6x6x16xi32> to memref<*xi32>
  call @printMemrefI32(%b_f32_u) : (memref<*xi32>) -> ()
  return
}
