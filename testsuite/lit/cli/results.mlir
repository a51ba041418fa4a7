// Results of the entry function: dumped as ret0, ret1, ..
// RUN: %tilia run %s --arg 0=20 --arg 1=1.5 --dump %t.npz
// RUN: %python -c "import numpy as n; d = n.load('%t.npz'); print(*[(k, d[k].tolist(), str(d[k].dtype)) for k in sorted(d.files)], sep='\n')" | FileCheck %s
// CHECK: ('ret0', 40, 'int64')
// CHECK-NEXT: ('ret1', [2.25, 1.5], 'float32')
// CHECK-NEXT: ('ret2', True, 'bool')

func.func @k(%n: index, %x: f32) -> (index, memref<2xf32>, i1) {
  %m = arith.addi %n, %n : index
  %a = memref.alloc() : memref<2xf32>
  %y = arith.mulf %x, %x : f32
  affine.store %y, %a[0] : memref<2xf32>
  affine.store %x, %a[1] : memref<2xf32>
  %b = arith.cmpf ogt, %y, %x : f32
  return %m, %a, %b : index, memref<2xf32>, i1
}
