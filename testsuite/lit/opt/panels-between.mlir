// Each step makes something of one column, then every later column loses its part along it. Statements stand between the loops, so no nest is a product of matrices; steps are taken in strips all the same: first the columns of the
// strip, then for each strip of other columns all steps, the end of each (the change) in one pass with the start of the next (the sums).
// RUN: %tilia opt %s --machine=%S/Inputs/widest.toml --strategy=auto --backend=llvm --threads=2 --fp=contract --emit=ast --remarks 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: %tilia run %s --machine=%S/Inputs/widest.toml --strategy=auto --backend=llvm --threads=2 --grain=0 --fp=contract --arg 0=301 --arg 1=333 --arg 2=301x333:rand(3) --arg 3=333x333:zeros --check --remarks 2>&1 | FileCheck %s --check-prefix=RAN
// RUN: %tilia run %s --machine=%S/Inputs/widest.toml --strategy=auto --backend=cranelift --threads=2 --grain=0 --arg 0=701 --arg 1=533 --arg 2=701x533:rand(3) --arg 3=533x533:zeros --check --remarks 2>&1 | FileCheck %s --check-prefix=NARROW

// REMARKS-DAG: [auto] applied: panels: strips of 64 iterations of a loop around statements and loops; iterations of loop i1 outside the range of a strip are parallel, and each runs for the whole strip
// REMARKS-DAG: [auto] applied: strips of {{[0-9]+}} iterations of a parallel loop, inside which each statement runs for the whole strip
// REMARKS-DAG: [auto] applied: the end of each step of a loop runs beside the start of the next one, in one pass over what both touch
// REMARKS-DAG: [auto] applied: a register tile of {{[0-9]+}} with vectors
// RAN-DAG: [auto] applied: panels: strips of 64
// RAN-DAG: [auto] applied: the end of each step of a loop
// RAN-DAG: identical
// NARROW-DAG: [auto] applied: panels: strips of 64
// NARROW-DAG: identical

// CHECK: for ([[K:i0]]_t = 0; [[K]]_t < p1; [[K]]_t += 64)
// CHECK: for (i1_t = [[K]]_t + 64; i1_t < p1; i1_t += [[W:[0-9]+]]){{.*}} // parallel
// The first step of a strip has the sums only.
// CHECK: S2([[K]]_t,
// CHECK: for ([[K]] = [[K]]_t + 1; [[K]] <= [[K]]_t + 63; [[K]] += 1)
// CHECK: vector, full tile
// CHECK-NEXT: S3([[K]] - 1, i1, [[I:.*]]);
// CHECK-NEXT: S2([[K]], i1, [[I]]);
// The last one has the change only.
// CHECK: S3([[K]]_t + 63,

func.func @orthogonal(%m: index, %n: index, %V: memref<?x?xf64>, %D: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  %scale = arith.constant 0.001 : f64
  affine.for %k = 0 to %n {
    %0 = affine.load %V[0, %k] : memref<?x?xf64>
    %1 = arith.mulf %0, %scale : f64
    affine.store %1, %D[%k, %k] : memref<?x?xf64>
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
      affine.store %zero, %D[%k, %j] : memref<?x?xf64>
      affine.for %i = 0 to %m {
        %2 = affine.load %D[%k, %j] : memref<?x?xf64>
        %3 = affine.load %V[%i, %k] : memref<?x?xf64>
        %4 = affine.load %V[%i, %j] : memref<?x?xf64>
        %5 = arith.mulf %3, %4 : f64
        %6 = arith.addf %2, %5 : f64
        affine.store %6, %D[%k, %j] : memref<?x?xf64>
      }
      affine.for %i = 0 to %m {
        %7 = affine.load %V[%i, %j] : memref<?x?xf64>
        %8 = affine.load %V[%i, %k] : memref<?x?xf64>
        %9 = affine.load %D[%k, %j] : memref<?x?xf64>
        %10 = arith.mulf %8, %9 : f64
        %11 = arith.mulf %10, %scale : f64
        %12 = arith.subf %7, %11 : f64
        affine.store %12, %V[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
