// One bad chunk doesn't block the others: it is reported, the rest is compiled.
// RUN: not %tilia opt --split-input-file %s > %t.out 2> %t.err
// RUN: FileCheck %s < %t.out
// RUN: FileCheck %s --check-prefix=ERR < %t.err

// CHECK: func.func @first
func.func @first(%a: memref<8xf64>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf64>
    affine.store %v, %a[%i] : memref<8xf64>
  }
  return
}

// -----

func.func @second(%a: memref<8xf64>) {
  // ERR: error: use of undeclared SSA value name
  // ERR-NEXT: split-input-file.mlir:[[@LINE+1]]:
  %v = affine.load %a[%i] : memref<8xf64>
  return
}

// -----

// CHECK: func.func @third
func.func @third(%a: memref<4xf64>) {
  return
}
