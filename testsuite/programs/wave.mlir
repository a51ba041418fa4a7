// The wave equation in two dimensions, second order in time and fourth in space; three time levels, one array each in turn.

func.func @init(%steps: index, %n: index, %U: memref<3x?x?xf64>) {
  %d = arith.constant 100.0 : f64
  affine.for %l = 0 to 3 {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.apply affine_map<(l, i, j) -> ((i * 3 + j * 5 + l) mod 23)>(%l, %i, %j)
        %1 = arith.index_cast %0 : index to i64
        %2 = arith.sitofp %1 : i64 to f64
        %3 = arith.divf %2, %d : f64
        affine.store %3, %U[%l, %i, %j] : memref<3x?x?xf64>
      }
    }
  }
  return
}

func.func @kernel(%steps: index, %n: index, %U: memref<3x?x?xf64>) {
  %two = arith.constant 2.0 : f64
  %c0 = arith.constant -5.0 : f64
  %c1 = arith.constant 1.3333333333333333 : f64
  %c2 = arith.constant -0.083333333333333329 : f64
  %dt = arith.constant 0.1 : f64
  affine.for %t = 0 to %steps {
    affine.for %i = 2 to affine_map<()[s0] -> (s0 - 2)>()[%n] {
      affine.for %j = 2 to affine_map<()[s0] -> (s0 - 2)>()[%n] {
        %now = affine.load %U[(%t + 1) mod 3, %i, %j] : memref<3x?x?xf64>
        %old = affine.load %U[%t mod 3, %i, %j] : memref<3x?x?xf64>
        %n1 = affine.load %U[(%t + 1) mod 3, %i - 1, %j] : memref<3x?x?xf64>
        %s1 = affine.load %U[(%t + 1) mod 3, %i + 1, %j] : memref<3x?x?xf64>
        %w1 = affine.load %U[(%t + 1) mod 3, %i, %j - 1] : memref<3x?x?xf64>
        %e1 = affine.load %U[(%t + 1) mod 3, %i, %j + 1] : memref<3x?x?xf64>
        %n2 = affine.load %U[(%t + 1) mod 3, %i - 2, %j] : memref<3x?x?xf64>
        %s2 = affine.load %U[(%t + 1) mod 3, %i + 2, %j] : memref<3x?x?xf64>
        %w2 = affine.load %U[(%t + 1) mod 3, %i, %j - 2] : memref<3x?x?xf64>
        %e2 = affine.load %U[(%t + 1) mod 3, %i, %j + 2] : memref<3x?x?xf64>
        %a0 = arith.addf %n1, %s1 : f64
        %a1 = arith.addf %a0, %w1 : f64
        %a2 = arith.addf %a1, %e1 : f64
        %b0 = arith.addf %n2, %s2 : f64
        %b1 = arith.addf %b0, %w2 : f64
        %b2 = arith.addf %b1, %e2 : f64
        %p = arith.mulf %now, %c0 : f64
        %q = arith.mulf %a2, %c1 : f64
        %r = arith.mulf %b2, %c2 : f64
        %l0 = arith.addf %p, %q : f64
        %lap = arith.addf %l0, %r : f64
        %twice = arith.mulf %now, %two : f64
        %diff = arith.subf %twice, %old : f64
        %step = arith.mulf %lap, %dt : f64
        %new = arith.addf %diff, %step : f64
        affine.store %new, %U[(%t + 2) mod 3, %i, %j] : memref<3x?x?xf64>
      }
    }
  }
  return
}
