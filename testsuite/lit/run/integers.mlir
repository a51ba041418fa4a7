// Integer arithmetic of every width, at the ends of the range.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

memref.global "private" @v_i8 : memref<5xi8> = dense<[-128, -7, 1, 5, 127]>
memref.global "private" @v_i16 : memref<5xi16> = dense<[-32768, -7, 1, 300, 32767]>
memref.global "private" @v_i32 : memref<5xi32> = dense<[-2147483648, -7, 1, 70000, 2147483647]>
memref.global "private" @v_i64 : memref<5xi64> = dense<[-9223372036854775808, -7, 1, 5000000000, 9223372036854775807]>

func.func private @ops_i8(%v: memref<5xi8>, %o: memref<5x5x28xi8>) {
  %sh = arith.constant 3 : i8
  affine.for %i = 0 to 5 {
    // Left out: the smallest number divided by minus one doesn't occur, and no divisor is zero.
    affine.for %j = 0 to 5 {
      %x = affine.load %v[%i] : memref<5xi8>
      %y = affine.load %v[%j] : memref<5xi8>
      %r0 = arith.addi %x, %y : i8
      affine.store %r0, %o[%i, %j, 0] : memref<5x5x28xi8>
      %r1 = arith.subi %x, %y : i8
      affine.store %r1, %o[%i, %j, 1] : memref<5x5x28xi8>
      %r2 = arith.muli %x, %y : i8
      affine.store %r2, %o[%i, %j, 2] : memref<5x5x28xi8>
      %r3 = arith.divsi %x, %y : i8
      affine.store %r3, %o[%i, %j, 3] : memref<5x5x28xi8>
      %r4 = arith.divui %x, %y : i8
      affine.store %r4, %o[%i, %j, 4] : memref<5x5x28xi8>
      %r5 = arith.remsi %x, %y : i8
      affine.store %r5, %o[%i, %j, 5] : memref<5x5x28xi8>
      %r6 = arith.remui %x, %y : i8
      affine.store %r6, %o[%i, %j, 6] : memref<5x5x28xi8>
      %r7 = arith.ceildivsi %x, %y : i8
      affine.store %r7, %o[%i, %j, 7] : memref<5x5x28xi8>
      %r8 = arith.floordivsi %x, %y : i8
      affine.store %r8, %o[%i, %j, 8] : memref<5x5x28xi8>
      %r9 = arith.ceildivui %x, %y : i8
      affine.store %r9, %o[%i, %j, 9] : memref<5x5x28xi8>
      %r10 = arith.andi %x, %y : i8
      affine.store %r10, %o[%i, %j, 10] : memref<5x5x28xi8>
      %r11 = arith.ori %x, %y : i8
      affine.store %r11, %o[%i, %j, 11] : memref<5x5x28xi8>
      %r12 = arith.xori %x, %y : i8
      affine.store %r12, %o[%i, %j, 12] : memref<5x5x28xi8>
      %r13 = arith.maxsi %x, %y : i8
      affine.store %r13, %o[%i, %j, 13] : memref<5x5x28xi8>
      %r14 = arith.minsi %x, %y : i8
      affine.store %r14, %o[%i, %j, 14] : memref<5x5x28xi8>
      %r15 = arith.maxui %x, %y : i8
      affine.store %r15, %o[%i, %j, 15] : memref<5x5x28xi8>
      %r16 = arith.minui %x, %y : i8
      affine.store %r16, %o[%i, %j, 16] : memref<5x5x28xi8>
      %r17 = arith.shli %x, %sh : i8
      affine.store %r17, %o[%i, %j, 17] : memref<5x5x28xi8>
      %r18 = arith.shrsi %x, %sh : i8
      affine.store %r18, %o[%i, %j, 18] : memref<5x5x28xi8>
      %r19 = arith.shrui %x, %sh : i8
      affine.store %r19, %o[%i, %j, 19] : memref<5x5x28xi8>
      %p20 = arith.cmpi slt, %x, %y : i8
      %r20 = arith.select %p20, %x, %y : i8
      affine.store %r20, %o[%i, %j, 20] : memref<5x5x28xi8>
      %p21 = arith.cmpi ule, %x, %y : i8
      %r21 = arith.select %p21, %x, %y : i8
      affine.store %r21, %o[%i, %j, 21] : memref<5x5x28xi8>
      %p22 = arith.cmpi eq, %x, %y : i8
      %r22 = arith.select %p22, %x, %y : i8
      affine.store %r22, %o[%i, %j, 22] : memref<5x5x28xi8>
    }
  }
  return
}

func.func private @ops_i16(%v: memref<5xi16>, %o: memref<5x5x28xi16>) {
  %sh = arith.constant 3 : i16
  affine.for %i = 0 to 5 {
    // Left out: the smallest number divided by minus one doesn't occur, and no divisor is zero.
    affine.for %j = 0 to 5 {
      %x = affine.load %v[%i] : memref<5xi16>
      %y = affine.load %v[%j] : memref<5xi16>
      %r0 = arith.addi %x, %y : i16
      affine.store %r0, %o[%i, %j, 0] : memref<5x5x28xi16>
      %r1 = arith.subi %x, %y : i16
      affine.store %r1, %o[%i, %j, 1] : memref<5x5x28xi16>
      %r2 = arith.muli %x, %y : i16
      affine.store %r2, %o[%i, %j, 2] : memref<5x5x28xi16>
      %r3 = arith.divsi %x, %y : i16
      affine.store %r3, %o[%i, %j, 3] : memref<5x5x28xi16>
      %r4 = arith.divui %x, %y : i16
      affine.store %r4, %o[%i, %j, 4] : memref<5x5x28xi16>
      %r5 = arith.remsi %x, %y : i16
      affine.store %r5, %o[%i, %j, 5] : memref<5x5x28xi16>
      %r6 = arith.remui %x, %y : i16
      affine.store %r6, %o[%i, %j, 6] : memref<5x5x28xi16>
      %r7 = arith.ceildivsi %x, %y : i16
      affine.store %r7, %o[%i, %j, 7] : memref<5x5x28xi16>
      %r8 = arith.floordivsi %x, %y : i16
      affine.store %r8, %o[%i, %j, 8] : memref<5x5x28xi16>
      %r9 = arith.ceildivui %x, %y : i16
      affine.store %r9, %o[%i, %j, 9] : memref<5x5x28xi16>
      %r10 = arith.andi %x, %y : i16
      affine.store %r10, %o[%i, %j, 10] : memref<5x5x28xi16>
      %r11 = arith.ori %x, %y : i16
      affine.store %r11, %o[%i, %j, 11] : memref<5x5x28xi16>
      %r12 = arith.xori %x, %y : i16
      affine.store %r12, %o[%i, %j, 12] : memref<5x5x28xi16>
      %r13 = arith.maxsi %x, %y : i16
      affine.store %r13, %o[%i, %j, 13] : memref<5x5x28xi16>
      %r14 = arith.minsi %x, %y : i16
      affine.store %r14, %o[%i, %j, 14] : memref<5x5x28xi16>
      %r15 = arith.maxui %x, %y : i16
      affine.store %r15, %o[%i, %j, 15] : memref<5x5x28xi16>
      %r16 = arith.minui %x, %y : i16
      affine.store %r16, %o[%i, %j, 16] : memref<5x5x28xi16>
      %r17 = arith.shli %x, %sh : i16
      affine.store %r17, %o[%i, %j, 17] : memref<5x5x28xi16>
      %r18 = arith.shrsi %x, %sh : i16
      affine.store %r18, %o[%i, %j, 18] : memref<5x5x28xi16>
      %r19 = arith.shrui %x, %sh : i16
      affine.store %r19, %o[%i, %j, 19] : memref<5x5x28xi16>
      %p20 = arith.cmpi slt, %x, %y : i16
      %r20 = arith.select %p20, %x, %y : i16
      affine.store %r20, %o[%i, %j, 20] : memref<5x5x28xi16>
      %p21 = arith.cmpi ule, %x, %y : i16
      %r21 = arith.select %p21, %x, %y : i16
      affine.store %r21, %o[%i, %j, 21] : memref<5x5x28xi16>
      %p22 = arith.cmpi eq, %x, %y : i16
      %r22 = arith.select %p22, %x, %y : i16
      affine.store %r22, %o[%i, %j, 22] : memref<5x5x28xi16>
    }
  }
  return
}

func.func private @ops_i32(%v: memref<5xi32>, %o: memref<5x5x28xi32>) {
  %sh = arith.constant 3 : i32
  affine.for %i = 0 to 5 {
    // Left out: the smallest number divided by minus one doesn't occur, and no divisor is zero.
    affine.for %j = 0 to 5 {
      %x = affine.load %v[%i] : memref<5xi32>
      %y = affine.load %v[%j] : memref<5xi32>
      %r0 = arith.addi %x, %y : i32
      affine.store %r0, %o[%i, %j, 0] : memref<5x5x28xi32>
      %r1 = arith.subi %x, %y : i32
      affine.store %r1, %o[%i, %j, 1] : memref<5x5x28xi32>
      %r2 = arith.muli %x, %y : i32
      affine.store %r2, %o[%i, %j, 2] : memref<5x5x28xi32>
      %r3 = arith.divsi %x, %y : i32
      affine.store %r3, %o[%i, %j, 3] : memref<5x5x28xi32>
      %r4 = arith.divui %x, %y : i32
      affine.store %r4, %o[%i, %j, 4] : memref<5x5x28xi32>
      %r5 = arith.remsi %x, %y : i32
      affine.store %r5, %o[%i, %j, 5] : memref<5x5x28xi32>
      %r6 = arith.remui %x, %y : i32
      affine.store %r6, %o[%i, %j, 6] : memref<5x5x28xi32>
      %r7 = arith.ceildivsi %x, %y : i32
      affine.store %r7, %o[%i, %j, 7] : memref<5x5x28xi32>
      %r8 = arith.floordivsi %x, %y : i32
      affine.store %r8, %o[%i, %j, 8] : memref<5x5x28xi32>
      %r9 = arith.ceildivui %x, %y : i32
      affine.store %r9, %o[%i, %j, 9] : memref<5x5x28xi32>
      %r10 = arith.andi %x, %y : i32
      affine.store %r10, %o[%i, %j, 10] : memref<5x5x28xi32>
      %r11 = arith.ori %x, %y : i32
      affine.store %r11, %o[%i, %j, 11] : memref<5x5x28xi32>
      %r12 = arith.xori %x, %y : i32
      affine.store %r12, %o[%i, %j, 12] : memref<5x5x28xi32>
      %r13 = arith.maxsi %x, %y : i32
      affine.store %r13, %o[%i, %j, 13] : memref<5x5x28xi32>
      %r14 = arith.minsi %x, %y : i32
      affine.store %r14, %o[%i, %j, 14] : memref<5x5x28xi32>
      %r15 = arith.maxui %x, %y : i32
      affine.store %r15, %o[%i, %j, 15] : memref<5x5x28xi32>
      %r16 = arith.minui %x, %y : i32
      affine.store %r16, %o[%i, %j, 16] : memref<5x5x28xi32>
      %r17 = arith.shli %x, %sh : i32
      affine.store %r17, %o[%i, %j, 17] : memref<5x5x28xi32>
      %r18 = arith.shrsi %x, %sh : i32
      affine.store %r18, %o[%i, %j, 18] : memref<5x5x28xi32>
      %r19 = arith.shrui %x, %sh : i32
      affine.store %r19, %o[%i, %j, 19] : memref<5x5x28xi32>
      %p20 = arith.cmpi slt, %x, %y : i32
      %r20 = arith.select %p20, %x, %y : i32
      affine.store %r20, %o[%i, %j, 20] : memref<5x5x28xi32>
      %p21 = arith.cmpi ule, %x, %y : i32
      %r21 = arith.select %p21, %x, %y : i32
      affine.store %r21, %o[%i, %j, 21] : memref<5x5x28xi32>
      %p22 = arith.cmpi eq, %x, %y : i32
      %r22 = arith.select %p22, %x, %y : i32
      affine.store %r22, %o[%i, %j, 22] : memref<5x5x28xi32>
    }
  }
  return
}

func.func private @ops_i64(%v: memref<5xi64>, %o: memref<5x5x28xi64>) {
  %sh = arith.constant 3 : i64
  affine.for %i = 0 to 5 {
    // Left out: the smallest number divided by minus one doesn't occur, and no divisor is zero.
    affine.for %j = 0 to 5 {
      %x = affine.load %v[%i] : memref<5xi64>
      %y = affine.load %v[%j] : memref<5xi64>
      %r0 = arith.addi %x, %y : i64
      affine.store %r0, %o[%i, %j, 0] : memref<5x5x28xi64>
      %r1 = arith.subi %x, %y : i64
      affine.store %r1, %o[%i, %j, 1] : memref<5x5x28xi64>
      %r2 = arith.muli %x, %y : i64
      affine.store %r2, %o[%i, %j, 2] : memref<5x5x28xi64>
      %r3 = arith.divsi %x, %y : i64
      affine.store %r3, %o[%i, %j, 3] : memref<5x5x28xi64>
      %r4 = arith.divui %x, %y : i64
      affine.store %r4, %o[%i, %j, 4] : memref<5x5x28xi64>
      %r5 = arith.remsi %x, %y : i64
      affine.store %r5, %o[%i, %j, 5] : memref<5x5x28xi64>
      %r6 = arith.remui %x, %y : i64
      affine.store %r6, %o[%i, %j, 6] : memref<5x5x28xi64>
      %r7 = arith.ceildivsi %x, %y : i64
      affine.store %r7, %o[%i, %j, 7] : memref<5x5x28xi64>
      %r8 = arith.floordivsi %x, %y : i64
      affine.store %r8, %o[%i, %j, 8] : memref<5x5x28xi64>
      %r9 = arith.ceildivui %x, %y : i64
      affine.store %r9, %o[%i, %j, 9] : memref<5x5x28xi64>
      %r10 = arith.andi %x, %y : i64
      affine.store %r10, %o[%i, %j, 10] : memref<5x5x28xi64>
      %r11 = arith.ori %x, %y : i64
      affine.store %r11, %o[%i, %j, 11] : memref<5x5x28xi64>
      %r12 = arith.xori %x, %y : i64
      affine.store %r12, %o[%i, %j, 12] : memref<5x5x28xi64>
      %r13 = arith.maxsi %x, %y : i64
      affine.store %r13, %o[%i, %j, 13] : memref<5x5x28xi64>
      %r14 = arith.minsi %x, %y : i64
      affine.store %r14, %o[%i, %j, 14] : memref<5x5x28xi64>
      %r15 = arith.maxui %x, %y : i64
      affine.store %r15, %o[%i, %j, 15] : memref<5x5x28xi64>
      %r16 = arith.minui %x, %y : i64
      affine.store %r16, %o[%i, %j, 16] : memref<5x5x28xi64>
      %r17 = arith.shli %x, %sh : i64
      affine.store %r17, %o[%i, %j, 17] : memref<5x5x28xi64>
      %r18 = arith.shrsi %x, %sh : i64
      affine.store %r18, %o[%i, %j, 18] : memref<5x5x28xi64>
      %r19 = arith.shrui %x, %sh : i64
      affine.store %r19, %o[%i, %j, 19] : memref<5x5x28xi64>
      %p20 = arith.cmpi slt, %x, %y : i64
      %r20 = arith.select %p20, %x, %y : i64
      affine.store %r20, %o[%i, %j, 20] : memref<5x5x28xi64>
      %p21 = arith.cmpi ule, %x, %y : i64
      %r21 = arith.select %p21, %x, %y : i64
      affine.store %r21, %o[%i, %j, 21] : memref<5x5x28xi64>
      %p22 = arith.cmpi eq, %x, %y : i64
      %r22 = arith.select %p22, %x, %y : i64
      affine.store %r22, %o[%i, %j, 22] : memref<5x5x28xi64>
    }
  }
  return
}

func.func @main() {
  %z_i8 = arith.constant 0 : i8
  %v_i8 = memref.get_global @v_i8 : memref<5xi8>
  %o_i8 = memref.alloc() : memref<5x5x28xi8>
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 5 {
      affine.for %k = 0 to 28 {
        affine.store %z_i8, %o_i8[%i, %j, %k] : memref<5x5x28xi8>
      }
    }
  }
  call @ops_i8(%v_i8, %o_i8) : (memref<5xi8>, memref<5x5x28xi8>) -> ()
  %w_i8 = memref.alloc() : memref<5x5x28xi32>
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 5 {
      affine.for %k = 0 to 28 {
        %n = affine.load %o_i8[%i, %j, %k] : memref<5x5x28xi8>
        %e = arith.extsi %n : i8 to i32
        affine.store %e, %w_i8[%i, %j, %k] : memref<5x5x28xi32>
      }
    }
  }
  %w_i8_u = memref.cast %w_i8 : memref<5x5x28xi32> to memref<*xi32>
  call @printMemrefI32(%w_i8_u) : (memref<*xi32>) -> ()
  %z_i16 = arith.constant 0 : i16
  %v_i16 = memref.get_global @v_i16 : memref<5xi16>
  %o_i16 = memref.alloc() : memref<5x5x28xi16>
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 5 {
      affine.for %k = 0 to 28 {
        affine.store %z_i16, %o_i16[%i, %j, %k] : memref<5x5x28xi16>
      }
    }
  }
  call @ops_i16(%v_i16, %o_i16) : (memref<5xi16>, memref<5x5x28xi16>) -> ()
  %w_i16 = memref.alloc() : memref<5x5x28xi32>
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 5 {
      affine.for %k = 0 to 28 {
        %n = affine.load %o_i16[%i, %j, %k] : memref<5x5x28xi16>
        %e = arith.extsi %n : i16 to i32
        affine.store %e, %w_i16[%i, %j, %k] : memref<5x5x28xi32>
      }
    }
  }
  %w_i16_u = memref.cast %w_i16 : memref<5x5x28xi32> to memref<*xi32>
  call @printMemrefI32(%w_i16_u) : (memref<*xi32>) -> ()
  %z_i32 = arith.constant 0 : i32
  %v_i32 = memref.get_global @v_i32 : memref<5xi32>
  %o_i32 = memref.alloc() : memref<5x5x28xi32>
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 5 {
      affine.for %k = 0 to 28 {
        affine.store %z_i32, %o_i32[%i, %j, %k] : memref<5x5x28xi32>
      }
    }
  }
  call @ops_i32(%v_i32, %o_i32) : (memref<5xi32>, memref<5x5x28xi32>) -> ()
  %o_i32_u = memref.cast %o_i32 : memref<5x5x28xi32> to memref<*xi32>
  call @printMemrefI32(%o_i32_u) : (memref<*xi32>) -> ()
  %z_i64 = arith.constant 0 : i64
  %v_i64 = memref.get_global @v_i64 : memref<5xi64>
  %o_i64 = memref.alloc() : memref<5x5x28xi64>
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 5 {
      affine.for %k = 0 to 28 {
        affine.store %z_i64, %o_i64[%i, %j, %k] : memref<5x5x28xi64>
      }
    }
  }
  call @ops_i64(%v_i64, %o_i64) : (memref<5xi64>, memref<5x5x28xi64>) -> ()
  %o_i64_u = memref.cast %o_i64 : memref<5x5x28xi64> to memref<*xi64>
  call @printMemrefI64(%o_i64_u) : (memref<*xi64>) -> ()
  return
}
