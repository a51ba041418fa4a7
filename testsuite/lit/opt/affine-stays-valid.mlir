// The output is MLIR that mlir-opt takes, and going through tilia twice changes no result.
// RUN: %tilia opt %testsuite/polybench/gemm.mlir -o %t.once.mlir
// RUN: mlir-opt %t.once.mlir -o /dev/null
// RUN: %tilia opt %t.once.mlir -o %t.twice.mlir
// RUN: mlir-opt %t.twice.mlir -o /dev/null
// RUN: %tilia run %testsuite/polybench/gemm.mlir --entry kernel --arg 0=9 --arg 1=10 --arg 2=11 --arg 5=9x10 --arg 6=9x11 --arg 7=11x10 --dump %t.a.npz
// RUN: %tilia run %t.twice.mlir --entry kernel --arg 0=9 --arg 1=10 --arg 2=11 --arg 5=9x10 --arg 6=9x11 --arg 7=11x10 --dump %t.b.npz
// RUN: %python %testsuite/oracle/compare.py %t.a.npz %t.b.npz --exact
