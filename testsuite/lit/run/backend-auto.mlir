// The back end is chosen by the work that is expected of a call and by the size of the program that would have to be compiled.
// RUN: %tilia run %s --entry=small --arg 0=100 --arg 1=1000 --remarks=analysis --json 2>&1 | FileCheck --check-prefix=SHORT %s
// RUN: %tilia run %s --entry=small --arg 0=100000 --arg 1=1000 --remarks=analysis --json 2>&1 | FileCheck --check-prefix=LONG %s
// RUN: %tilia run %s --entry=small --arg 0=100000 --arg 1=1000 --backend=cranelift --json | FileCheck --check-prefix=ASKED %s

// SHORT: the back end is cranelift: about {{.*}} operations are expected, and llvm's compile time pays from [[#]]e8 on for a program of [[#]]
// SHORT: "backend":"cranelift"
// LONG: the back end is llvm: about
// LONG: "backend":"llvm"
// ASKED: "backend":"cranelift"

func.func @small(%n: index, %a: memref<?xf64>) {
  %half = arith.constant 0.5 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 1000 {
      %v = affine.load %a[%j] : memref<?xf64>
      %w = arith.mulf %v, %half : f64
      affine.store %w, %a[%j] : memref<?xf64>
    }
  }
  return
}
