// affine.if with else, results, equalities, mod and floordiv, and nested conditions.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

#even = affine_set<(d0) : (d0 mod 2 == 0)>
#band = affine_set<(d0, d1)[s0] : (d0 - d1 >= 0, s0 - d0 + d1 >= 0)>
#third = affine_set<(d0, d1) : ((d0 + d1 * 2) mod 3 - 1 == 0, d0 floordiv 4 - d1 floordiv 5 >= 0)>

func.func private @fill(%o: memref<12x12xi32>, %n: index) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  affine.for %i = 0 to 12 {
    affine.for %j = 0 to 12 {
      %r = affine.if #even(%i) -> i32 {
        affine.yield %c1 : i32
      } else {
        affine.yield %c2 : i32
      }
      affine.store %r, %o[%i, %j] : memref<12x12xi32>
      affine.if #band(%i, %j)[%n] {
        affine.if #third(%i, %j) {
          affine.store %c3, %o[%i, %j] : memref<12x12xi32>
        } else {
          %v = affine.load %o[%i, %j] : memref<12x12xi32>
          %w = arith.shli %v, %c3 : i32
          affine.store %w, %o[%i, %j] : memref<12x12xi32>
        }
      }
    }
  }
  return
}

func.func @main() {
  %n = arith.constant 5 : index
  %o = memref.alloc() : memref<12x12xi32>
  call @fill(%o, %n) : (memref<12x12xi32>, index) -> ()
  %o_u = memref.cast %o : memref<12x12xi32> to memref<*xi32>
  call @printMemrefI32(%o_u) : (memref<*xi32>) -> ()
  return
}
