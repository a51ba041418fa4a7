// Locations that don't change in a loop live in registers across it, but no more than twice as many as the machine has: what is written to comes first.
// RUN: %tilia opt --strategy=none --backend=cranelift --threads=1 --remarks=lower %s -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=CODE %s < %t.mlir

// Sixteen registers: 32 locations, and 9 of the 41 stay.
// CHECK: 9 locations that don't change across this loop stay in memory: the machine's registers are taken

func.func @kernel(%a: memref<40xf64>, %s: memref<f64>, %n: index) {
  affine.for %i = 0 to %n {
    %s0 = affine.load %s[] : memref<f64>
    %v0 = affine.load %a[0] : memref<40xf64>
    %s1 = arith.addf %s0, %v0 : f64
    %v1 = affine.load %a[1] : memref<40xf64>
    %s2 = arith.addf %s1, %v1 : f64
    %v2 = affine.load %a[2] : memref<40xf64>
    %s3 = arith.addf %s2, %v2 : f64
    %v3 = affine.load %a[3] : memref<40xf64>
    %s4 = arith.addf %s3, %v3 : f64
    %v4 = affine.load %a[4] : memref<40xf64>
    %s5 = arith.addf %s4, %v4 : f64
    %v5 = affine.load %a[5] : memref<40xf64>
    %s6 = arith.addf %s5, %v5 : f64
    %v6 = affine.load %a[6] : memref<40xf64>
    %s7 = arith.addf %s6, %v6 : f64
    %v7 = affine.load %a[7] : memref<40xf64>
    %s8 = arith.addf %s7, %v7 : f64
    %v8 = affine.load %a[8] : memref<40xf64>
    %s9 = arith.addf %s8, %v8 : f64
    %v9 = affine.load %a[9] : memref<40xf64>
    %s10 = arith.addf %s9, %v9 : f64
    %v10 = affine.load %a[10] : memref<40xf64>
    %s11 = arith.addf %s10, %v10 : f64
    %v11 = affine.load %a[11] : memref<40xf64>
    %s12 = arith.addf %s11, %v11 : f64
    %v12 = affine.load %a[12] : memref<40xf64>
    %s13 = arith.addf %s12, %v12 : f64
    %v13 = affine.load %a[13] : memref<40xf64>
    %s14 = arith.addf %s13, %v13 : f64
    %v14 = affine.load %a[14] : memref<40xf64>
    %s15 = arith.addf %s14, %v14 : f64
    %v15 = affine.load %a[15] : memref<40xf64>
    %s16 = arith.addf %s15, %v15 : f64
    %v16 = affine.load %a[16] : memref<40xf64>
    %s17 = arith.addf %s16, %v16 : f64
    %v17 = affine.load %a[17] : memref<40xf64>
    %s18 = arith.addf %s17, %v17 : f64
    %v18 = affine.load %a[18] : memref<40xf64>
    %s19 = arith.addf %s18, %v18 : f64
    %v19 = affine.load %a[19] : memref<40xf64>
    %s20 = arith.addf %s19, %v19 : f64
    %v20 = affine.load %a[20] : memref<40xf64>
    %s21 = arith.addf %s20, %v20 : f64
    %v21 = affine.load %a[21] : memref<40xf64>
    %s22 = arith.addf %s21, %v21 : f64
    %v22 = affine.load %a[22] : memref<40xf64>
    %s23 = arith.addf %s22, %v22 : f64
    %v23 = affine.load %a[23] : memref<40xf64>
    %s24 = arith.addf %s23, %v23 : f64
    %v24 = affine.load %a[24] : memref<40xf64>
    %s25 = arith.addf %s24, %v24 : f64
    %v25 = affine.load %a[25] : memref<40xf64>
    %s26 = arith.addf %s25, %v25 : f64
    %v26 = affine.load %a[26] : memref<40xf64>
    %s27 = arith.addf %s26, %v26 : f64
    %v27 = affine.load %a[27] : memref<40xf64>
    %s28 = arith.addf %s27, %v27 : f64
    %v28 = affine.load %a[28] : memref<40xf64>
    %s29 = arith.addf %s28, %v28 : f64
    %v29 = affine.load %a[29] : memref<40xf64>
    %s30 = arith.addf %s29, %v29 : f64
    %v30 = affine.load %a[30] : memref<40xf64>
    %s31 = arith.addf %s30, %v30 : f64
    %v31 = affine.load %a[31] : memref<40xf64>
    %s32 = arith.addf %s31, %v31 : f64
    %v32 = affine.load %a[32] : memref<40xf64>
    %s33 = arith.addf %s32, %v32 : f64
    %v33 = affine.load %a[33] : memref<40xf64>
    %s34 = arith.addf %s33, %v33 : f64
    %v34 = affine.load %a[34] : memref<40xf64>
    %s35 = arith.addf %s34, %v34 : f64
    %v35 = affine.load %a[35] : memref<40xf64>
    %s36 = arith.addf %s35, %v35 : f64
    %v36 = affine.load %a[36] : memref<40xf64>
    %s37 = arith.addf %s36, %v36 : f64
    %v37 = affine.load %a[37] : memref<40xf64>
    %s38 = arith.addf %s37, %v37 : f64
    %v38 = affine.load %a[38] : memref<40xf64>
    %s39 = arith.addf %s38, %v38 : f64
    %v39 = affine.load %a[39] : memref<40xf64>
    %s40 = arith.addf %s39, %v39 : f64
    affine.store %s40, %s[] : memref<f64>
  }
  return
}

// The sum is carried, and loaded no more; nine elements are loaded in each iteration.
// CODE: [[SUM:%[0-9]+]] = affine.load %{{.*}}[] : memref<f64>
// CODE: affine.for {{.*}} iter_args(%{{.*}} = [[SUM]]) -> (f64)
// CODE-COUNT-9: affine.load
// CODE-NOT: affine.load
// CODE: affine.yield
