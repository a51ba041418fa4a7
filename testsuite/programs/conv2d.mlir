// A layer of a convolutional network: images n, output channels f, rows y, columns x, input channels c, a 3x3 window.

func.func private @fill4(%a: memref<?x?x?x?xf64>, %d: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %n0 = memref.dim %a, %c0 : memref<?x?x?x?xf64>
  %n1 = memref.dim %a, %c1 : memref<?x?x?x?xf64>
  %n2 = memref.dim %a, %c2 : memref<?x?x?x?xf64>
  %n3 = memref.dim %a, %c3 : memref<?x?x?x?xf64>
  affine.for %i = 0 to %n0 {
    affine.for %j = 0 to %n1 {
      affine.for %k = 0 to %n2 {
        affine.for %l = 0 to %n3 {
          %0 = affine.apply affine_map<(i, j, k, l) -> ((i * 3 + j * 5 + k * 2 + l) mod 7 + 1)>(%i, %j, %k, %l)
          %1 = arith.index_cast %0 : index to i64
          %2 = arith.sitofp %1 : i64 to f64
          %3 = arith.divf %2, %d : f64
          affine.store %3, %a[%i, %j, %k, %l] : memref<?x?x?x?xf64>
        }
      }
    }
  }
  return
}

func.func @init(%n: index, %f: index, %c: index, %h: index, %w: index,
                %in: memref<?x?x?x?xf64>, %weights: memref<?x?x?x?xf64>, %out: memref<?x?x?x?xf64>) {
  %d = arith.constant 8.0 : f64
  call @fill4(%in, %d) : (memref<?x?x?x?xf64>, f64) -> ()
  call @fill4(%weights, %d) : (memref<?x?x?x?xf64>, f64) -> ()
  return
}

func.func @kernel(%n: index, %f: index, %c: index, %h: index, %w: index,
                  %in: memref<?x?x?x?xf64>, %weights: memref<?x?x?x?xf64>, %out: memref<?x?x?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %b = 0 to %n {
    affine.for %o = 0 to %f {
      affine.for %y = 0 to %h {
        affine.for %x = 0 to %w {
          affine.store %zero, %out[%b, %o, %y, %x] : memref<?x?x?x?xf64>
          affine.for %i = 0 to %c {
            affine.for %ky = 0 to 3 {
              affine.for %kx = 0 to 3 {
                %0 = affine.load %out[%b, %o, %y, %x] : memref<?x?x?x?xf64>
                %1 = affine.load %in[%b, %i, %y + %ky, %x + %kx] : memref<?x?x?x?xf64>
                %2 = affine.load %weights[%o, %i, %ky, %kx] : memref<?x?x?x?xf64>
                %3 = arith.mulf %1, %2 : f64
                %4 = arith.addf %0, %3 : f64
                affine.store %4, %out[%b, %o, %y, %x] : memref<?x?x?x?xf64>
              }
            }
          }
        }
      }
    }
  }
  return
}
