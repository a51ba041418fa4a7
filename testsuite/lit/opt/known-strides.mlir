// Which layouts of what is written are checked at run time, and which need no check.
// RUN: %tilia opt %s --emit=scop | FileCheck %s
// RUN: %tilia run %s --entry known --arg 0=64x64 --arg 1=64 --threads 2 --grain 0 --json | FileCheck %s --check-prefix=RAN
// RUN: %tilia run %s --entry read --arg 0=64x64 --arg 1=64x64 --threads 2 --grain 0 --json | FileCheck %s --check-prefix=READ
// RAN: "parallel":{{[1-9]}}
// READ: "parallel":{{[1-9]}}
// RAN-SAME: "vector":{{[1-9]}}

// Rows of 64 elements in an array of unknown extents: rows may be longer.
// CHECK-LABEL: scop known_0
// CHECK: layout known at run time only: arg0
// CHECK: must read {{.*}} -> arg0[i0, i1]
func.func @known(%a: memref<?x?xf64, strided<[64, 1], offset: ?>>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf64, strided<[64, 1], offset: ?>>
      %y = arith.addf %x, %x : f64
      affine.store %y, %a[%i, %j] : memref<?x?xf64, strided<[64, 1], offset: ?>>
    }
  }
  return
}

// One extent is known, and the other dimension is the longer one: nothing is to be checked.
// CHECK-LABEL: scop short_0
// CHECK-NOT: layout
// CHECK-LABEL: scop overlapping_0
func.func @short(%a: memref<?x64xf64, strided<[64, 1], offset: ?>>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 64 {
      %x = affine.load %a[%i, %j] : memref<?x64xf64, strided<[64, 1], offset: ?>>
      %y = arith.addf %x, %x : f64
      affine.store %y, %a[%i, %j] : memref<?x64xf64, strided<[64, 1], offset: ?>>
    }
  }
  return
}

// Both extents are known, and rows overlap: no check could help.
// CHECK-NOT: layout
// CHECK-NOT: must write {{.*}} -> arg0
// CHECK-LABEL: scop read_0
func.func @overlapping(%a: memref<9x64xf64, strided<[32, 1], offset: ?>>) {
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 64 {
      %x = affine.load %a[%i, %j] : memref<9x64xf64, strided<[32, 1], offset: ?>>
      %y = arith.addf %x, %x : f64
      affine.store %y, %a[%i, %j] : memref<9x64xf64, strided<[32, 1], offset: ?>>
    }
  }
  return
}

// What is only read may be found under several subscripts.
// CHECK-NOT: layout
// CHECK: must read {{.*}} -> arg0[i0, i1]
func.func @read(%a: memref<?x?xf64, strided<[?, ?], offset: ?>>, %o: memref<64x64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %x = affine.load %a[%i, %j] : memref<?x?xf64, strided<[?, ?], offset: ?>>
      %y = affine.load %o[%i, %j] : memref<64x64xf64>
      %z = arith.addf %x, %y : f64
      affine.store %z, %o[%i, %j] : memref<64x64xf64>
    }
  }
  return
}
