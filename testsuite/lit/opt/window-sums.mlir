// Sums over a small window are written out, and the loop around them works on vectors: what they accumulate in lives in registers.
// RUN: %tilia run %s --strategy none --threads 1 --arg 0=70 --arg 1=72x72:ramp --arg 2=70x70:zeros --check --json --remarks=vectorise > %t.json 2> %t.said
// RUN: FileCheck --check-prefix=SAID --input-file=%t.said %s
// RUN: FileCheck --check-prefix=RAN --input-file=%t.json %s
// SAID: remark: [vectorise] applied: {{[0-9]+}} iterations at a time
// SAID: check: identical
// RAN: "vector":{{[1-9]}}

func.func @window(%n: index, %in: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %sums:2 = affine.for %y = 0 to 3 iter_args(%a = %zero, %b = %zero) -> (f32, f32) {
        %row:2 = affine.for %x = 0 to 3 iter_args(%a0 = %a, %b0 = %b) -> (f32, f32) {
          %v = affine.load %in[%i + %y, %j + %x] : memref<?x?xf32>
          %w = arith.mulf %v, %v : f32
          %a1 = arith.addf %a0, %v : f32
          %b1 = arith.addf %b0, %w : f32
          affine.yield %a1, %b1 : f32, f32
        }
        affine.yield %row#0, %row#1 : f32, f32
      }
      %r = arith.mulf %sums#0, %sums#1 : f32
      affine.store %r, %out[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
