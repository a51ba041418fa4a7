// S09 (crash)
// - Source: llvm/llvm-project #61167 - "affine-data-copy-generate triggers segmentation fault"
// - Symptom: A flag of type i1 in a rank-0 buffer is compared with `slt` and replaced in a loop.
// - Right behaviour: i1 compares as the numbers 0 and -1: true is less than false. extsi of true is -1, extui is 1.
// - Expected values: arg2=[-1, 1, 5, 6]

func.func @k(%x: memref<480xi1>, %y: memref<480xi32>, %o: memref<4xi32>) {
  %false = arith.constant false
  %c3 = arith.constant 3 : i32
  %m = memref.alloc() {alignment = 128 : i64} : memref<i1>
  affine.store %false, %m[] : memref<i1>
  %n = memref.alloc() {alignment = 128 : i64} : memref<i1>
  memref.copy %m, %n : memref<i1> to memref<i1>
  affine.for %i = 0 to 480 {
    %a = affine.load %y[%i] : memref<480xi32>
    %b = arith.cmpi sgt, %a, %c3 : i32
    %q = affine.load %n[] : memref<i1>
    %c = arith.cmpi slt, %b, %q : i1
    %s = arith.select %c, %b, %q : i1
    affine.store %s, %n[] : memref<i1>
  }
  %r = affine.load %n[] : memref<i1>
  %e = arith.extsi %r : i1 to i32
  affine.store %e, %o[0] : memref<4xi32>
  %u = arith.extui %r : i1 to i32
  affine.store %u, %o[1] : memref<4xi32>
  return
}
