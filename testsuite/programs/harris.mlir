// Corner detection after Harris and Stephens: gradients, their products, sums over 3x3 windows, a response. Intermediate images are the function's own.

func.func @init(%h: index, %w: index, %in: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %d = arith.constant 32.0 : f32
  affine.for %i = 0 to affine_map<()[s0] -> (s0 + 4)>()[%h] {
    affine.for %j = 0 to affine_map<()[s0] -> (s0 + 4)>()[%w] {
      %0 = affine.apply affine_map<(i, j) -> ((i * 13 + j * 7) mod 31)>(%i, %j)
      %1 = arith.index_cast %0 : index to i64
      %2 = arith.sitofp %1 : i64 to f32
      %3 = arith.divf %2, %d : f32
      affine.store %3, %in[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @kernel(%h: index, %w: index, %in: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %two = arith.constant 2.0 : f32
  %twelfth = arith.constant 0.0833333358 : f32
  %weight = arith.constant 0.04 : f32
  %c2 = arith.constant 2 : index
  %h2 = arith.addi %h, %c2 : index
  %w2 = arith.addi %w, %c2 : index
  %Ix = memref.alloc(%h2, %w2) : memref<?x?xf32>
  %Iy = memref.alloc(%h2, %w2) : memref<?x?xf32>
  affine.for %i = 0 to %h2 {
    affine.for %j = 0 to %w2 {
      %a = affine.load %in[%i, %j] : memref<?x?xf32>
      %b = affine.load %in[%i, %j + 1] : memref<?x?xf32>
      %c = affine.load %in[%i, %j + 2] : memref<?x?xf32>
      %d = affine.load %in[%i + 1, %j] : memref<?x?xf32>
      %f = affine.load %in[%i + 1, %j + 2] : memref<?x?xf32>
      %g = affine.load %in[%i + 2, %j] : memref<?x?xf32>
      %e = affine.load %in[%i + 2, %j + 1] : memref<?x?xf32>
      %k = affine.load %in[%i + 2, %j + 2] : memref<?x?xf32>
      %d2 = arith.mulf %d, %two : f32
      %f2 = arith.mulf %f, %two : f32
      %b2 = arith.mulf %b, %two : f32
      %e2 = arith.mulf %e, %two : f32
      %l0 = arith.addf %a, %d2 : f32
      %l1 = arith.addf %l0, %g : f32
      %r0 = arith.addf %c, %f2 : f32
      %r1 = arith.addf %r0, %k : f32
      %x0 = arith.subf %r1, %l1 : f32
      %x1 = arith.mulf %x0, %twelfth : f32
      affine.store %x1, %Ix[%i, %j] : memref<?x?xf32>
      %t0 = arith.addf %a, %b2 : f32
      %t1 = arith.addf %t0, %c : f32
      %u0 = arith.addf %g, %e2 : f32
      %u1 = arith.addf %u0, %k : f32
      %y0 = arith.subf %u1, %t1 : f32
      %y1 = arith.mulf %y0, %twelfth : f32
      affine.store %y1, %Iy[%i, %j] : memref<?x?xf32>
    }
  }
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %h {
    affine.for %j = 0 to %w {
      %s:3 = affine.for %y = 0 to 3 iter_args(%xx = %zero, %xy = %zero, %yy = %zero) -> (f32, f32, f32) {
        %r:3 = affine.for %x = 0 to 3 iter_args(%xx0 = %xx, %xy0 = %xy, %yy0 = %yy) -> (f32, f32, f32) {
          %gx = affine.load %Ix[%i + %y, %j + %x] : memref<?x?xf32>
          %gy = affine.load %Iy[%i + %y, %j + %x] : memref<?x?xf32>
          %p = arith.mulf %gx, %gx : f32
          %q = arith.mulf %gx, %gy : f32
          %v = arith.mulf %gy, %gy : f32
          %xx1 = arith.addf %xx0, %p : f32
          %xy1 = arith.addf %xy0, %q : f32
          %yy1 = arith.addf %yy0, %v : f32
          affine.yield %xx1, %xy1, %yy1 : f32, f32, f32
        }
        affine.yield %r#0, %r#1, %r#2 : f32, f32, f32
      }
      %p0 = arith.mulf %s#0, %s#2 : f32
      %p1 = arith.mulf %s#1, %s#1 : f32
      %det = arith.subf %p0, %p1 : f32
      %trace = arith.addf %s#0, %s#2 : f32
      %t2 = arith.mulf %trace, %trace : f32
      %t3 = arith.mulf %t2, %weight : f32
      %response = arith.subf %det, %t3 : f32
      affine.store %response, %out[%i, %j] : memref<?x?xf32>
    }
  }
  memref.dealloc %Ix : memref<?x?xf32>
  memref.dealloc %Iy : memref<?x?xf32>
  return
}
