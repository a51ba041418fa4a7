// A loop is cut where its condition changes; what stays in a register around it must be apart from the stores of every part.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}

func.func private @work(%A: memref<40xf64>, %B: memref<40xf64>, %C: memref<40xf64>) {
  %h = arith.constant 1.5 : f64
  affine.for %t = 0 to 40 {
    %a = affine.load %A[2] : memref<40xf64>
    affine.store %a, %B[%t] : memref<40xf64>
    affine.for %i = 0 to 40 {
      affine.if affine_set<(d0) : (8 - d0 >= 0)>(%i) {
        affine.store %h, %C[%i] : memref<40xf64>
      }
      %x = affine.load %A[%i] : memref<40xf64>
      %y = arith.addf %x, %h : f64
      affine.store %y, %A[%i] : memref<40xf64>
    }
  }
  return
}

func.func @main() {
  %one = arith.constant 1.0 : f64
  %A = memref.alloc() : memref<40xf64>
  %B = memref.alloc() : memref<40xf64>
  %C = memref.alloc() : memref<40xf64>
  affine.for %i = 0 to 40 {
    affine.store %one, %A[%i] : memref<40xf64>
    affine.store %one, %B[%i] : memref<40xf64>
    affine.store %one, %C[%i] : memref<40xf64>
  }
  call @work(%A, %B, %C) : (memref<40xf64>, memref<40xf64>, memref<40xf64>) -> ()
  %0 = memref.cast %A : memref<40xf64> to memref<*xf64>
  call @printMemrefF64(%0) : (memref<*xf64>) -> ()
  %1 = memref.cast %B : memref<40xf64> to memref<*xf64>
  call @printMemrefF64(%1) : (memref<*xf64>) -> ()
  %2 = memref.cast %C : memref<40xf64> to memref<*xf64>
  call @printMemrefF64(%2) : (memref<*xf64>) -> ()
  return
}
