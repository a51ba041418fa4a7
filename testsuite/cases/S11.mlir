// S11 (crash)
// - Source: llvm/llvm-project #116056 - "affine-super-vectorize: non-terminal symbol / loop IV expected"
// - Symptom: Broadcasting as front ends write it: the larger of two extents is the bound, and a condition on an extent chooses between a stretched copy and the argument itself.
// - Right behaviour: The buffer after the condition is one of the two; the maximum is a parameter.

func.func @k(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %o: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = memref.dim %a, %c0 : memref<?x?xf32>
  %e = memref.dim %b, %c0 : memref<?x?xf32>
  %m = arith.maxui %d, %e : index
  %w = memref.dim %a, %c1 : memref<?x?xf32>
  %one = arith.cmpi eq, %d, %c1 : index
  %r = scf.if %one -> memref<?x?xf32> {
    %t = memref.alloc(%m, %w) : memref<?x?xf32>
    affine.for %i = 0 to %m {
      affine.for %j = 0 to %w {
        %v = affine.load %a[%c0, %j] : memref<?x?xf32>
        affine.store %v, %t[%i, %j] : memref<?x?xf32>
      }
    }
    scf.yield %t : memref<?x?xf32>
  } else {
    scf.yield %a : memref<?x?xf32>
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %w {
      %v = affine.load %r[%i, %j] : memref<?x?xf32>
      %u = affine.load %b[%i, %j] : memref<?x?xf32>
      %s = arith.addf %u, %v : f32
      affine.store %s, %o[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
