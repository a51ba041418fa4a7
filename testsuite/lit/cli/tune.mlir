// Tuning stores the fastest of what it measured; later compiles use it, say so, and compute the same. A second call goes on where the first ended.
// RUN: rm -rf %t && mkdir %t
// RUN: %tilia tune %s --machine %testsuite/machine.toml --threads 2 --most 4 --time 3600 --tuning %t/store > %t/out 2> %t/progress
// RUN: FileCheck --check-prefix=FOUND --input-file=%t/out %s
// RUN: FileCheck --check-prefix=PROGRESS --input-file=%t/progress %s
// FOUND-DAG: tune.mlir: llvm: {{[0-9.]+}} ms; the model's choice takes {{[0-9.]+}} ms, {{[0-9.]+}} times as long: llvm, {{[12]}} threads
// FOUND-DAG: tune.mlir: cranelift: {{[0-9.]+}} ms
// PROGRESS: {{\[1/[0-9]+\] [0-9.]+ ms \(best [0-9.]+\): llvm, 2 threads: the model's choice}}
// PROGRESS: {{\[2/[0-9]+\] [0-9.]+ ms \(best [0-9.]+\): cranelift, 2 threads: the model's choice}}
// PROGRESS: {{\[3/[0-9]+\] .*: matmul_0 in the order }}
// PROGRESS: stored in {{.*}}store/{{[0-9a-f]+}}.toml
// RUN: %tilia tune %s --machine %testsuite/machine.toml --threads 2 --most 4 --time 3600 --tuning %t/store 2>&1 >/dev/null | FileCheck --check-prefix=AGAIN %s
// AGAIN: {{\[1/.*: the model's choice}}
// AGAIN-NOT: 2 threads: matmul_0

// Used, for run and opt, until it is switched off or something else is asked for.
// RUN: %tilia run %s --machine %testsuite/machine.toml --threads 2 --tuning %t/store --check --remarks=tune 2>&1 | FileCheck --check-prefix=USED %s
// RUN: env TILIA_TUNING=%t/store %tilia opt %s --machine %testsuite/machine.toml --threads 2 -o /dev/null --remarks=tune 2>&1 | FileCheck --check-prefix=USED-OPT %s
// USED: tuned on this machine for these sizes: the back end {{cranelift|llvm}} on {{[12]}} thread
// USED: check: identical
// USED-OPT: tuned on this machine
// RUN: %tilia run %s --machine %testsuite/machine.toml --threads 2 --tuning off --remarks=tune 2>&1 | FileCheck --check-prefix=UNUSED %s
// RUN: %tilia run %s --machine %testsuite/machine.toml --threads 2 --tuning %t/store --strategy none --remarks=tune 2>&1 | FileCheck --check-prefix=UNUSED %s
// RUN: %tilia run %s --machine %testsuite/machine.toml --threads 1 --tuning %t/store --remarks=tune 2>&1 | FileCheck --check-prefix=UNUSED %s
// UNUSED-NOT: tuned

// A damaged file is told and ignored.
// RUN: bash -ec 'for f in %t/store/*.toml; do head -c 300 $f > %t/half; cp %t/half $f; done'
// RUN: %tilia run %s --machine %testsuite/machine.toml --threads 2 --tuning %t/store --check --remarks=tune 2>&1 | FileCheck --check-prefix=DAMAGED %s
// DAMAGED: a file of tuning results is ignored: {{.*}}.toml: {{.+}}
// DAMAGED: check: identical

// What leaves nothing to tune is refused.
// RUN: not %tilia tune %s --strategy pluto --tuning %t/store 2>&1 | FileCheck --check-prefix=REFUSED %s
// REFUSED: tune looks for orders and tiles itself

func.func @matmul(%A: memref<64x64xf64>, %B: memref<64x64xf64>, %C: memref<64x64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 64 {
        %a = affine.load %A[%i, %k] : memref<64x64xf64>
        %b = affine.load %B[%k, %j] : memref<64x64xf64>
        %c = affine.load %C[%i, %j] : memref<64x64xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<64x64xf64>
      }
    }
  }
  return
}
