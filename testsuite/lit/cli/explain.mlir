// explain says of each loop why it isn't parallel, tiled or fused, with two iterations that forbid it; the loop over tiles is told from the loop inside.
// RUN: %tilia explain %s --strategy none | FileCheck %s
// CHECK: explain.mlir:[[@LINE+10]]:3: remark: [parallel] declined: the loop is not parallel: anti dependence on arg0 from S0[
// CHECK: explain.mlir:[[@LINE+16]]:5: remark: [fuse] declined: the loop isn't fused with the one before it at {{.*}}explain.mlir:{{[0-9]+}}:5: anti dependence on arg0 from S0[0, 98] at {{.*}} to S1[0, 97] at {{.*}} would run backwards
// RUN: %tilia explain %s --strategy pluto --tile 32,16 | FileCheck %s --check-prefix=TILED
// TILED: [parallel] {{.*}}: the loop over tiles is
// TILED: [tile] applied
// Nothing is said twice.
// RUN: bash -c 'test -z "$(%tilia explain %s --strategy pluto --tile 32,16 | sort | uniq -d)"'

func.func @jacobi(%a: memref<100xf64>, %b: memref<100xf64>) {
  %c = arith.constant 0.33 : f64
  affine.for %t = 0 to 10 {
    affine.for %i = 1 to 99 {
      %0 = affine.load %a[%i - 1] : memref<100xf64>
      %1 = affine.load %a[%i + 1] : memref<100xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %b[%i] : memref<100xf64>
    }
    affine.for %j = 1 to 99 {
      %0 = affine.load %b[%j] : memref<100xf64>
      affine.store %0, %a[%j] : memref<100xf64>
    }
  }
  return
}

// Loops that nothing keeps apart.
// RUN: %tilia explain %s --strategy none | FileCheck %s --check-prefix=FREE
// FREE: [tile] analysis: nothing forbids tiling the loop with the one at
// FREE: [fuse] analysis: nothing forbids fusing the loop with the one before it at
func.func @free(%a: memref<64x64xf64>, %b: memref<64x64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %0 = affine.load %a[%i, %j] : memref<64x64xf64>
      affine.store %0, %b[%i, %j] : memref<64x64xf64>
    }
  }
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %0 = affine.load %b[%i, %j] : memref<64x64xf64>
      affine.store %0, %a[%i, %j] : memref<64x64xf64>
    }
  }
  return
}
