// scf.for, scf.while, scf.if, scf.parallel and plain control flow, beside and around affine loops.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func private @collatz(%x: i64) -> (i64, i64) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : i64
  %r:3 = scf.while (%v = %x, %n = %zero, %m = %x) : (i64, i64, i64) -> (i64, i64, i64) {
    %go = arith.cmpi ne, %v, %one : i64
    scf.condition(%go) %v, %n, %m : i64, i64, i64
  } do {
  ^bb0(%v: i64, %n: i64, %m: i64):
    %rem = arith.remsi %v, %two : i64
    %even = arith.cmpi eq, %rem, %zero : i64
    %next = scf.if %even -> i64 {
      %h = arith.divsi %v, %two : i64
      scf.yield %h : i64
    } else {
      %t = arith.muli %v, %three : i64
      %u = arith.addi %t, %one : i64
      scf.yield %u : i64
    }
    %n1 = arith.addi %n, %one : i64
    %m1 = arith.maxsi %m, %next : i64
    scf.yield %next, %n1, %m1 : i64, i64, i64
  }
  return %r#1, %r#2 : i64, i64
}

func.func private @sign(%x: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %minus = arith.constant -1 : i64
  %neg = arith.cmpi slt, %x, %zero : i64
  cf.cond_br %neg, ^negative, ^rest
^negative:
  cf.br ^end(%minus : i64)
^rest:
  %pos = arith.cmpi sgt, %x, %zero : i64
  cf.cond_br %pos, ^end(%one : i64), ^end(%zero : i64)
^end(%r: i64):
  return %r : i64
}

func.func private @fact(%n: i64) -> i64 {
  %one = arith.constant 1 : i64
  %small = arith.cmpi sle, %n, %one : i64
  %r = scf.if %small -> i64 {
    scf.yield %one : i64
  } else {
    %m = arith.subi %n, %one : i64
    %f = func.call @fact(%m) : (i64) -> i64
    %p = arith.muli %n, %f : i64
    scf.yield %p : i64
  }
  return %r : i64
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  %three = arith.constant 3 : i64
  %o = memref.alloc() : memref<12x4xi64>
  // An affine nest inside an scf loop whose values come from calls.
  scf.for %i = %c0 to %c12 step %c1 {
    %v = arith.index_cast %i : index to i64
    %x = arith.addi %v, %three : i64
    %n, %m = func.call @collatz(%x) : (i64) -> (i64, i64)
    %f = func.call @fact(%v) : (i64) -> i64
    memref.store %n, %o[%i, %c0] : memref<12x4xi64>
    memref.store %m, %o[%i, %c1] : memref<12x4xi64>
    memref.store %f, %o[%i, %c2] : memref<12x4xi64>
    %d = arith.subi %three, %v : i64
    %s = func.call @sign(%d) : (i64) -> i64
    affine.for %j = 3 to 4 {
      memref.store %s, %o[%i, %j] : memref<12x4xi64>
    }
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c12, %c2) step (%c2, %c1) {
    %v = memref.load %o[%i, %j] : memref<12x4xi64>
    %w = arith.addi %v, %v : i64
    memref.store %w, %o[%i, %j] : memref<12x4xi64>
    scf.reduce
  }
  %o_u = memref.cast %o : memref<12x4xi64> to memref<*xi64>
  call @printMemrefI64(%o_u) : (memref<*xi64>) -> ()
  memref.dealloc %o : memref<12x4xi64>
  return
}
