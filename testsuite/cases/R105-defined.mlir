// R105 with a body for the callee: narrow values, negative ones among them, go through a call and come back.

func.func private @ext(%v: i8, %n: i1) -> i32 {
  %w = arith.extsi %v : i8 to i32
  %k = arith.constant 1000 : i32
  %z = arith.constant 0 : i32
  %b = arith.select %n, %k, %z : i32
  %r = arith.addi %w, %b : i32
  return %r : i32
}
func.func @k(%a: memref<16xi8>, %o: memref<16xi32>) {
  %z = arith.constant 0 : i8
  %seven = arith.constant 7 : i8
  affine.for %i = 0 to 16 {
    %u = affine.load %a[%i] : memref<16xi8>
    %v = arith.subi %u, %seven : i8
    %n = arith.cmpi slt, %v, %z : i8
    %r = func.call @ext(%v, %n) : (i8, i1) -> i32
    affine.store %r, %o[%i] : memref<16xi32>
  }
  return
}
