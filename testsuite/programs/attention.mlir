// One attention head: scores S = Q K^T / sqrt(d), rows through softmax, O = S V. Intermediate arrays are the function's own.

func.func private @fill(%a: memref<?x?xf64>, %shift: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = arith.constant 10.0 : f64
  %n0 = memref.dim %a, %c0 : memref<?x?xf64>
  %n1 = memref.dim %a, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %n0 {
    affine.for %j = 0 to %n1 {
      %0 = affine.apply affine_map<(i, j)[s] -> ((i * 7 + j * 3 + s) mod 11 - 5)>(%i, %j)[%shift]
      %1 = arith.index_cast %0 : index to i64
      %2 = arith.sitofp %1 : i64 to f64
      %3 = arith.divf %2, %d : f64
      affine.store %3, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @init(%n: index, %d: index, %Q: memref<?x?xf64>, %K: memref<?x?xf64>, %V: memref<?x?xf64>, %O: memref<?x?xf64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  call @fill(%Q, %c1) : (memref<?x?xf64>, index) -> ()
  call @fill(%K, %c2) : (memref<?x?xf64>, index) -> ()
  call @fill(%V, %c5) : (memref<?x?xf64>, index) -> ()
  return
}

func.func @kernel(%n: index, %d: index, %Q: memref<?x?xf64>, %K: memref<?x?xf64>, %V: memref<?x?xf64>, %O: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  %least = arith.constant 0xFFF0000000000000 : f64
  %0 = arith.index_cast %d : index to i64
  %1 = arith.sitofp %0 : i64 to f64
  %root = math.sqrt %1 : f64
  %S = memref.alloc(%n, %n) : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %sum = affine.for %k = 0 to %d iter_args(%acc = %zero) -> (f64) {
        %q = affine.load %Q[%i, %k] : memref<?x?xf64>
        %r = affine.load %K[%j, %k] : memref<?x?xf64>
        %p = arith.mulf %q, %r : f64
        %s = arith.addf %acc, %p : f64
        affine.yield %s : f64
      }
      %scaled = arith.divf %sum, %root : f64
      affine.store %scaled, %S[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %most = affine.for %j = 0 to %n iter_args(%acc = %least) -> (f64) {
      %s = affine.load %S[%i, %j] : memref<?x?xf64>
      %m = arith.maximumf %acc, %s : f64
      affine.yield %m : f64
    }
    affine.for %j = 0 to %n {
      %s = affine.load %S[%i, %j] : memref<?x?xf64>
      %t = arith.subf %s, %most : f64
      %e = math.exp %t : f64
      affine.store %e, %S[%i, %j] : memref<?x?xf64>
    }
    %total = affine.for %j = 0 to %n iter_args(%acc = %zero) -> (f64) {
      %e = affine.load %S[%i, %j] : memref<?x?xf64>
      %t = arith.addf %acc, %e : f64
      affine.yield %t : f64
    }
    affine.for %j = 0 to %n {
      %e = affine.load %S[%i, %j] : memref<?x?xf64>
      %p = arith.divf %e, %total : f64
      affine.store %p, %S[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %k = 0 to %d {
      affine.store %zero, %O[%i, %k] : memref<?x?xf64>
    }
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %d {
        %o = affine.load %O[%i, %k] : memref<?x?xf64>
        %p = affine.load %S[%i, %j] : memref<?x?xf64>
        %v = affine.load %V[%j, %k] : memref<?x?xf64>
        %x = arith.mulf %p, %v : f64
        %y = arith.addf %o, %x : f64
        affine.store %y, %O[%i, %k] : memref<?x?xf64>
      }
    }
  }
  memref.dealloc %S : memref<?x?xf64>
  return
}
