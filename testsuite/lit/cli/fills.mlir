// The fills of --arg: ramp (the default), zeros, rand with a seed, and files of numpy.
// RUN: %tilia run %s --arg 0=2x6:ramp --arg 1=2x3:zeros --arg 2=2x2:rand(7) --arg 3=5 --arg 4=-2.5 --dump %t.a.npz
// RUN: %python -c "import numpy as n; d = n.load('%t.a.npz'); print(d['arg0'].tolist(), d['arg0'].dtype); print(d['arg1'].tolist(), d['arg1'].dtype); print(d['arg2'].shape, d['arg2'].dtype, len(set(d['arg2'].ravel())), d['arg5'].tolist(), d['arg5'].dtype); n.save('%t.npy', d['arg2'])" | FileCheck %s
// CHECK: {{\[\[}}1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [7.0, 8.0, 9.0, 10.0, 11.0, 1.0]] float64
// CHECK: {{\[\[}}0, 0, 0], [0, 0, 0]] int32
// CHECK: (2, 2) float32 4 [-2.5, 5.0] float64
// The same seed gives the same numbers; a file gives its own.
// RUN: %tilia run %s --arg 0=1x1 --arg 1=2x3:zeros --arg 2=2x2:rand(7) --arg 3=5 --arg 4=-2.5 --dump %t.b.npz
// RUN: %tilia run %s --arg 0=1x1 --arg 1=2x3:zeros --arg 2=%t.npy --arg 3=5 --arg 4=-2.5 --dump %t.c.npz
// RUN: %python %testsuite/oracle/compare.py %t.b.npz %t.c.npz --exact

func.func @k(%a: memref<?x?xf64>, %b: memref<?x?xi32>, %c: memref<?x?xf32>, %n: index, %x: f64, %o: memref<2xf64>) {
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f64
  affine.store %x, %o[0] : memref<2xf64>
  affine.store %f, %o[1] : memref<2xf64>
  return
}
