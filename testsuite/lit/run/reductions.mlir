// Reductions of every operation and type, in memory and as loop-carried values, with any number of iterations: whole numbers, for which every order gives the same, in all modes; and
// floating-point values for which none rounds, under --fp=fast.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia run %s --fp=fast --backend=cranelift | sed 's/base@ = 0x[0-9a-f]*/base@ = ADDRESS/' > %t.fast
// RUN: diff %t.mlir %t.fast
// RUN: %tilia run %s --fp=fast --backend=llvm | sed 's/base@ = 0x[0-9a-f]*/base@ = ADDRESS/' > %t.llvm
// RUN: diff %t.mlir %t.llvm
// RUN: %tilia run %s --fp=fast --strategy=none --threads=2 --grain=0 | sed 's/base@ = 0x[0-9a-f]*/base@ = ADDRESS/' > %t.none
// RUN: diff %t.mlir %t.none
// RUN: %tilia opt %s --fp=fast -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

// Values whose sums and products are exact: whole numbers, and for products of floating-point numbers 1, -1, 2 and 1/2.
func.func private @fill_f64(%n: index, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %c11 = arith.constant 11 : index
  %c5 = arith.constant 5 : index
  affine.for %i = 0 to %n {
    %a = arith.muli %i, %c7 : index
    %b = arith.remsi %a, %c11 : index
    %c = arith.subi %b, %c5 : index
    %d = arith.index_cast %c : index to i64
    %r = arith.remsi %i, %c3 : index
    %s = arith.index_cast %r : index to i64
    %one = arith.constant 1 : i64
    %u = arith.subi %s, %one : i64
    %v = arith.sitofp %d : i64 to f64
    %w = arith.sitofp %u : i64 to f64
    %z = math.exp2 %w : f64
    affine.store %v, %x[%i] : memref<?xf64>
    affine.store %z, %y[%i] : memref<?xf64>
  }
  return
}

func.func private @reduce_f64(%n: index, %x: memref<?xf64>, %y: memref<?xf64>, %o: memref<2x7xf64>) {
  // addf
  %i0 = arith.constant 0.0 : f64
  affine.store %i0, %o[0, 0] : memref<2x7xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    %s = affine.load %o[0, 0] : memref<2x7xf64>
    %t = arith.addf %s, %v : f64
    affine.store %t, %o[0, 0] : memref<2x7xf64>
  }
  %r0 = affine.for %i = 0 to %n iter_args(%s = %i0) -> f64 {
    %v = affine.load %x[%i] : memref<?xf64>
    %w = affine.load %y[%i] : memref<?xf64>
    %p = arith.mulf %v, %w : f64
    %t = arith.addf %p, %s : f64
    affine.yield %t : f64
  }
  affine.store %r0, %o[1, 0] : memref<2x7xf64>
  // subf
  %i1 = arith.constant 0.0 : f64
  affine.store %i1, %o[0, 1] : memref<2x7xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    %s = affine.load %o[0, 1] : memref<2x7xf64>
    %t = arith.subf %s, %v : f64
    affine.store %t, %o[0, 1] : memref<2x7xf64>
  }
  %r1 = affine.for %i = 0 to %n iter_args(%s = %i1) -> f64 {
    %v = affine.load %x[%i] : memref<?xf64>
    %t = arith.subf %s, %v : f64
    affine.yield %t : f64
  }
  affine.store %r1, %o[1, 1] : memref<2x7xf64>
  // mulf
  %i2 = arith.constant 1.0 : f64
  affine.store %i2, %o[0, 2] : memref<2x7xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %y[%i] : memref<?xf64>
    %s = affine.load %o[0, 2] : memref<2x7xf64>
    %t = arith.mulf %s, %v : f64
    affine.store %t, %o[0, 2] : memref<2x7xf64>
  }
  %r2 = affine.for %i = 0 to %n iter_args(%s = %i2) -> f64 {
    %v = affine.load %y[%i] : memref<?xf64>
    %t = arith.mulf %s, %v : f64
    affine.yield %t : f64
  }
  affine.store %r2, %o[1, 2] : memref<2x7xf64>
  // maximumf
  %i3 = arith.constant -3.0 : f64
  affine.store %i3, %o[0, 3] : memref<2x7xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    %s = affine.load %o[0, 3] : memref<2x7xf64>
    %t = arith.maximumf %s, %v : f64
    affine.store %t, %o[0, 3] : memref<2x7xf64>
  }
  %r3 = affine.for %i = 0 to %n iter_args(%s = %i3) -> f64 {
    %v = affine.load %x[%i] : memref<?xf64>
    %w = affine.load %y[%i] : memref<?xf64>
    %p = arith.mulf %v, %w : f64
    %t = arith.maximumf %p, %s : f64
    affine.yield %t : f64
  }
  affine.store %r3, %o[1, 3] : memref<2x7xf64>
  // minimumf
  %i4 = arith.constant 3.0 : f64
  affine.store %i4, %o[0, 4] : memref<2x7xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    %s = affine.load %o[0, 4] : memref<2x7xf64>
    %t = arith.minimumf %s, %v : f64
    affine.store %t, %o[0, 4] : memref<2x7xf64>
  }
  %r4 = affine.for %i = 0 to %n iter_args(%s = %i4) -> f64 {
    %v = affine.load %x[%i] : memref<?xf64>
    %t = arith.minimumf %s, %v : f64
    affine.yield %t : f64
  }
  affine.store %r4, %o[1, 4] : memref<2x7xf64>
  // maxnumf
  %i5 = arith.constant -3.0 : f64
  affine.store %i5, %o[0, 5] : memref<2x7xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    %s = affine.load %o[0, 5] : memref<2x7xf64>
    %t = arith.maxnumf %s, %v : f64
    affine.store %t, %o[0, 5] : memref<2x7xf64>
  }
  %r5 = affine.for %i = 0 to %n iter_args(%s = %i5) -> f64 {
    %v = affine.load %x[%i] : memref<?xf64>
    %t = arith.maxnumf %s, %v : f64
    affine.yield %t : f64
  }
  affine.store %r5, %o[1, 5] : memref<2x7xf64>
  // minnumf
  %i6 = arith.constant 3.0 : f64
  affine.store %i6, %o[0, 6] : memref<2x7xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    %s = affine.load %o[0, 6] : memref<2x7xf64>
    %t = arith.minnumf %s, %v : f64
    affine.store %t, %o[0, 6] : memref<2x7xf64>
  }
  %r6 = affine.for %i = 0 to %n iter_args(%s = %i6) -> f64 {
    %v = affine.load %x[%i] : memref<?xf64>
    %t = arith.minnumf %s, %v : f64
    affine.yield %t : f64
  }
  affine.store %r6, %o[1, 6] : memref<2x7xf64>
  return
}

// Values whose sums and products are exact: whole numbers, and for products of floating-point numbers 1, -1, 2 and 1/2.
func.func private @fill_f32(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %c11 = arith.constant 11 : index
  %c5 = arith.constant 5 : index
  affine.for %i = 0 to %n {
    %a = arith.muli %i, %c7 : index
    %b = arith.remsi %a, %c11 : index
    %c = arith.subi %b, %c5 : index
    %d = arith.index_cast %c : index to i64
    %r = arith.remsi %i, %c3 : index
    %s = arith.index_cast %r : index to i64
    %one = arith.constant 1 : i64
    %u = arith.subi %s, %one : i64
    %v = arith.sitofp %d : i64 to f32
    %w = arith.sitofp %u : i64 to f32
    %z = math.exp2 %w : f32
    affine.store %v, %x[%i] : memref<?xf32>
    affine.store %z, %y[%i] : memref<?xf32>
  }
  return
}

func.func private @reduce_f32(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %o: memref<2x7xf32>) {
  // addf
  %i0 = arith.constant 0.0 : f32
  affine.store %i0, %o[0, 0] : memref<2x7xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf32>
    %s = affine.load %o[0, 0] : memref<2x7xf32>
    %t = arith.addf %s, %v : f32
    affine.store %t, %o[0, 0] : memref<2x7xf32>
  }
  %r0 = affine.for %i = 0 to %n iter_args(%s = %i0) -> f32 {
    %v = affine.load %x[%i] : memref<?xf32>
    %w = affine.load %y[%i] : memref<?xf32>
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %p, %s : f32
    affine.yield %t : f32
  }
  affine.store %r0, %o[1, 0] : memref<2x7xf32>
  // subf
  %i1 = arith.constant 0.0 : f32
  affine.store %i1, %o[0, 1] : memref<2x7xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf32>
    %s = affine.load %o[0, 1] : memref<2x7xf32>
    %t = arith.subf %s, %v : f32
    affine.store %t, %o[0, 1] : memref<2x7xf32>
  }
  %r1 = affine.for %i = 0 to %n iter_args(%s = %i1) -> f32 {
    %v = affine.load %x[%i] : memref<?xf32>
    %t = arith.subf %s, %v : f32
    affine.yield %t : f32
  }
  affine.store %r1, %o[1, 1] : memref<2x7xf32>
  // mulf
  %i2 = arith.constant 1.0 : f32
  affine.store %i2, %o[0, 2] : memref<2x7xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %y[%i] : memref<?xf32>
    %s = affine.load %o[0, 2] : memref<2x7xf32>
    %t = arith.mulf %s, %v : f32
    affine.store %t, %o[0, 2] : memref<2x7xf32>
  }
  %r2 = affine.for %i = 0 to %n iter_args(%s = %i2) -> f32 {
    %v = affine.load %y[%i] : memref<?xf32>
    %t = arith.mulf %s, %v : f32
    affine.yield %t : f32
  }
  affine.store %r2, %o[1, 2] : memref<2x7xf32>
  // maximumf
  %i3 = arith.constant -3.0 : f32
  affine.store %i3, %o[0, 3] : memref<2x7xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf32>
    %s = affine.load %o[0, 3] : memref<2x7xf32>
    %t = arith.maximumf %s, %v : f32
    affine.store %t, %o[0, 3] : memref<2x7xf32>
  }
  %r3 = affine.for %i = 0 to %n iter_args(%s = %i3) -> f32 {
    %v = affine.load %x[%i] : memref<?xf32>
    %w = affine.load %y[%i] : memref<?xf32>
    %p = arith.mulf %v, %w : f32
    %t = arith.maximumf %p, %s : f32
    affine.yield %t : f32
  }
  affine.store %r3, %o[1, 3] : memref<2x7xf32>
  // minimumf
  %i4 = arith.constant 3.0 : f32
  affine.store %i4, %o[0, 4] : memref<2x7xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf32>
    %s = affine.load %o[0, 4] : memref<2x7xf32>
    %t = arith.minimumf %s, %v : f32
    affine.store %t, %o[0, 4] : memref<2x7xf32>
  }
  %r4 = affine.for %i = 0 to %n iter_args(%s = %i4) -> f32 {
    %v = affine.load %x[%i] : memref<?xf32>
    %t = arith.minimumf %s, %v : f32
    affine.yield %t : f32
  }
  affine.store %r4, %o[1, 4] : memref<2x7xf32>
  // maxnumf
  %i5 = arith.constant -3.0 : f32
  affine.store %i5, %o[0, 5] : memref<2x7xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf32>
    %s = affine.load %o[0, 5] : memref<2x7xf32>
    %t = arith.maxnumf %s, %v : f32
    affine.store %t, %o[0, 5] : memref<2x7xf32>
  }
  %r5 = affine.for %i = 0 to %n iter_args(%s = %i5) -> f32 {
    %v = affine.load %x[%i] : memref<?xf32>
    %t = arith.maxnumf %s, %v : f32
    affine.yield %t : f32
  }
  affine.store %r5, %o[1, 5] : memref<2x7xf32>
  // minnumf
  %i6 = arith.constant 3.0 : f32
  affine.store %i6, %o[0, 6] : memref<2x7xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf32>
    %s = affine.load %o[0, 6] : memref<2x7xf32>
    %t = arith.minnumf %s, %v : f32
    affine.store %t, %o[0, 6] : memref<2x7xf32>
  }
  %r6 = affine.for %i = 0 to %n iter_args(%s = %i6) -> f32 {
    %v = affine.load %x[%i] : memref<?xf32>
    %t = arith.minnumf %s, %v : f32
    affine.yield %t : f32
  }
  affine.store %r6, %o[1, 6] : memref<2x7xf32>
  return
}

// Values whose sums and products are exact: whole numbers, and for products of floating-point numbers 1, -1, 2 and 1/2.
func.func private @fill_i64(%n: index, %x: memref<?xi64>, %y: memref<?xi64>) {
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %c11 = arith.constant 11 : index
  %c5 = arith.constant 5 : index
  affine.for %i = 0 to %n {
    %a = arith.muli %i, %c7 : index
    %b = arith.remsi %a, %c11 : index
    %c = arith.subi %b, %c5 : index
    %d = arith.index_cast %c : index to i64
    %r = arith.remsi %i, %c3 : index
    %s = arith.index_cast %r : index to i64
    %one = arith.constant 1 : i64
    %u = arith.subi %s, %one : i64
    %v = arith.addi %d, %one : i64
    %z = arith.addi %d, %u : i64
    affine.store %v, %x[%i] : memref<?xi64>
    affine.store %z, %y[%i] : memref<?xi64>
  }
  return
}

func.func private @reduce_i64(%n: index, %x: memref<?xi64>, %y: memref<?xi64>, %o: memref<2x10xi64>) {
  // addi
  %i0 = arith.constant 5 : i64
  affine.store %i0, %o[0, 0] : memref<2x10xi64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi64>
    %s = affine.load %o[0, 0] : memref<2x10xi64>
    %t = arith.addi %s, %v : i64
    affine.store %t, %o[0, 0] : memref<2x10xi64>
  }
  %r0 = affine.for %i = 0 to %n iter_args(%s = %i0) -> i64 {
    %v = affine.load %x[%i] : memref<?xi64>
    %w = affine.load %y[%i] : memref<?xi64>
    %p = arith.muli %v, %w : i64
    %t = arith.addi %p, %s : i64
    affine.yield %t : i64
  }
  affine.store %r0, %o[1, 0] : memref<2x10xi64>
  // subi
  %i1 = arith.constant 5 : i64
  affine.store %i1, %o[0, 1] : memref<2x10xi64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi64>
    %s = affine.load %o[0, 1] : memref<2x10xi64>
    %t = arith.subi %s, %v : i64
    affine.store %t, %o[0, 1] : memref<2x10xi64>
  }
  %r1 = affine.for %i = 0 to %n iter_args(%s = %i1) -> i64 {
    %v = affine.load %x[%i] : memref<?xi64>
    %t = arith.subi %s, %v : i64
    affine.yield %t : i64
  }
  affine.store %r1, %o[1, 1] : memref<2x10xi64>
  // muli
  %i2 = arith.constant 3 : i64
  affine.store %i2, %o[0, 2] : memref<2x10xi64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi64>
    %s = affine.load %o[0, 2] : memref<2x10xi64>
    %t = arith.muli %s, %v : i64
    affine.store %t, %o[0, 2] : memref<2x10xi64>
  }
  %r2 = affine.for %i = 0 to %n iter_args(%s = %i2) -> i64 {
    %v = affine.load %x[%i] : memref<?xi64>
    %t = arith.muli %s, %v : i64
    affine.yield %t : i64
  }
  affine.store %r2, %o[1, 2] : memref<2x10xi64>
  // maxsi
  %i3 = arith.constant -100 : i64
  affine.store %i3, %o[0, 3] : memref<2x10xi64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi64>
    %s = affine.load %o[0, 3] : memref<2x10xi64>
    %t = arith.maxsi %s, %v : i64
    affine.store %t, %o[0, 3] : memref<2x10xi64>
  }
  %r3 = affine.for %i = 0 to %n iter_args(%s = %i3) -> i64 {
    %v = affine.load %x[%i] : memref<?xi64>
    %w = affine.load %y[%i] : memref<?xi64>
    %p = arith.muli %v, %w : i64
    %t = arith.maxsi %p, %s : i64
    affine.yield %t : i64
  }
  affine.store %r3, %o[1, 3] : memref<2x10xi64>
  // minsi
  %i4 = arith.constant 100 : i64
  affine.store %i4, %o[0, 4] : memref<2x10xi64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi64>
    %s = affine.load %o[0, 4] : memref<2x10xi64>
    %t = arith.minsi %s, %v : i64
    affine.store %t, %o[0, 4] : memref<2x10xi64>
  }
  %r4 = affine.for %i = 0 to %n iter_args(%s = %i4) -> i64 {
    %v = affine.load %x[%i] : memref<?xi64>
    %t = arith.minsi %s, %v : i64
    affine.yield %t : i64
  }
  affine.store %r4, %o[1, 4] : memref<2x10xi64>
  // maxui
  %i5 = arith.constant 1 : i64
  affine.store %i5, %o[0, 5] : memref<2x10xi64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi64>
    %s = affine.load %o[0, 5] : memref<2x10xi64>
    %t = arith.maxui %s, %v : i64
    affine.store %t, %o[0, 5] : memref<2x10xi64>
  }
  %r5 = affine.for %i = 0 to %n iter_args(%s = %i5) -> i64 {
    %v = affine.load %x[%i] : memref<?xi64>
    %t = arith.maxui %s, %v : i64
    affine.yield %t : i64
  }
  affine.store %r5, %o[1, 5] : memref<2x10xi64>
  // minui
  %i6 = arith.constant -2 : i64
  affine.store %i6, %o[0, 6] : memref<2x10xi64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi64>
    %s = affine.load %o[0, 6] : memref<2x10xi64>
    %t = arith.minui %s, %v : i64
    affine.store %t, %o[0, 6] : memref<2x10xi64>
  }
  %r6 = affine.for %i = 0 to %n iter_args(%s = %i6) -> i64 {
    %v = affine.load %x[%i] : memref<?xi64>
    %t = arith.minui %s, %v : i64
    affine.yield %t : i64
  }
  affine.store %r6, %o[1, 6] : memref<2x10xi64>
  // andi
  %i7 = arith.constant -1 : i64
  affine.store %i7, %o[0, 7] : memref<2x10xi64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi64>
    %s = affine.load %o[0, 7] : memref<2x10xi64>
    %t = arith.andi %s, %v : i64
    affine.store %t, %o[0, 7] : memref<2x10xi64>
  }
  %r7 = affine.for %i = 0 to %n iter_args(%s = %i7) -> i64 {
    %v = affine.load %x[%i] : memref<?xi64>
    %t = arith.andi %s, %v : i64
    affine.yield %t : i64
  }
  affine.store %r7, %o[1, 7] : memref<2x10xi64>
  // ori
  %i8 = arith.constant 0 : i64
  affine.store %i8, %o[0, 8] : memref<2x10xi64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi64>
    %s = affine.load %o[0, 8] : memref<2x10xi64>
    %t = arith.ori %s, %v : i64
    affine.store %t, %o[0, 8] : memref<2x10xi64>
  }
  %r8 = affine.for %i = 0 to %n iter_args(%s = %i8) -> i64 {
    %v = affine.load %x[%i] : memref<?xi64>
    %t = arith.ori %s, %v : i64
    affine.yield %t : i64
  }
  affine.store %r8, %o[1, 8] : memref<2x10xi64>
  // xori
  %i9 = arith.constant 9 : i64
  affine.store %i9, %o[0, 9] : memref<2x10xi64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi64>
    %s = affine.load %o[0, 9] : memref<2x10xi64>
    %t = arith.xori %s, %v : i64
    affine.store %t, %o[0, 9] : memref<2x10xi64>
  }
  %r9 = affine.for %i = 0 to %n iter_args(%s = %i9) -> i64 {
    %v = affine.load %x[%i] : memref<?xi64>
    %t = arith.xori %s, %v : i64
    affine.yield %t : i64
  }
  affine.store %r9, %o[1, 9] : memref<2x10xi64>
  return
}

// Values whose sums and products are exact: whole numbers, and for products of floating-point numbers 1, -1, 2 and 1/2.
func.func private @fill_i32(%n: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c7 = arith.constant 7 : index
  %c3 = arith.constant 3 : index
  %c11 = arith.constant 11 : index
  %c5 = arith.constant 5 : index
  affine.for %i = 0 to %n {
    %a = arith.muli %i, %c7 : index
    %b = arith.remsi %a, %c11 : index
    %c = arith.subi %b, %c5 : index
    %d = arith.index_cast %c : index to i64
    %r = arith.remsi %i, %c3 : index
    %s = arith.index_cast %r : index to i64
    %one = arith.constant 1 : i64
    %u = arith.subi %s, %one : i64
    %v = arith.trunci %d : i64 to i32
    %z = arith.trunci %u : i64 to i32
    affine.store %v, %x[%i] : memref<?xi32>
    affine.store %z, %y[%i] : memref<?xi32>
  }
  return
}

func.func private @reduce_i32(%n: index, %x: memref<?xi32>, %y: memref<?xi32>, %o: memref<2x10xi32>) {
  // addi
  %i0 = arith.constant 5 : i32
  affine.store %i0, %o[0, 0] : memref<2x10xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %s = affine.load %o[0, 0] : memref<2x10xi32>
    %t = arith.addi %s, %v : i32
    affine.store %t, %o[0, 0] : memref<2x10xi32>
  }
  %r0 = affine.for %i = 0 to %n iter_args(%s = %i0) -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    %w = affine.load %y[%i] : memref<?xi32>
    %p = arith.muli %v, %w : i32
    %t = arith.addi %p, %s : i32
    affine.yield %t : i32
  }
  affine.store %r0, %o[1, 0] : memref<2x10xi32>
  // subi
  %i1 = arith.constant 5 : i32
  affine.store %i1, %o[0, 1] : memref<2x10xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %s = affine.load %o[0, 1] : memref<2x10xi32>
    %t = arith.subi %s, %v : i32
    affine.store %t, %o[0, 1] : memref<2x10xi32>
  }
  %r1 = affine.for %i = 0 to %n iter_args(%s = %i1) -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    %t = arith.subi %s, %v : i32
    affine.yield %t : i32
  }
  affine.store %r1, %o[1, 1] : memref<2x10xi32>
  // muli
  %i2 = arith.constant 3 : i32
  affine.store %i2, %o[0, 2] : memref<2x10xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %s = affine.load %o[0, 2] : memref<2x10xi32>
    %t = arith.muli %s, %v : i32
    affine.store %t, %o[0, 2] : memref<2x10xi32>
  }
  %r2 = affine.for %i = 0 to %n iter_args(%s = %i2) -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    %t = arith.muli %s, %v : i32
    affine.yield %t : i32
  }
  affine.store %r2, %o[1, 2] : memref<2x10xi32>
  // maxsi
  %i3 = arith.constant -100 : i32
  affine.store %i3, %o[0, 3] : memref<2x10xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %s = affine.load %o[0, 3] : memref<2x10xi32>
    %t = arith.maxsi %s, %v : i32
    affine.store %t, %o[0, 3] : memref<2x10xi32>
  }
  %r3 = affine.for %i = 0 to %n iter_args(%s = %i3) -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    %w = affine.load %y[%i] : memref<?xi32>
    %p = arith.muli %v, %w : i32
    %t = arith.maxsi %p, %s : i32
    affine.yield %t : i32
  }
  affine.store %r3, %o[1, 3] : memref<2x10xi32>
  // minsi
  %i4 = arith.constant 100 : i32
  affine.store %i4, %o[0, 4] : memref<2x10xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %s = affine.load %o[0, 4] : memref<2x10xi32>
    %t = arith.minsi %s, %v : i32
    affine.store %t, %o[0, 4] : memref<2x10xi32>
  }
  %r4 = affine.for %i = 0 to %n iter_args(%s = %i4) -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    %t = arith.minsi %s, %v : i32
    affine.yield %t : i32
  }
  affine.store %r4, %o[1, 4] : memref<2x10xi32>
  // maxui
  %i5 = arith.constant 1 : i32
  affine.store %i5, %o[0, 5] : memref<2x10xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %s = affine.load %o[0, 5] : memref<2x10xi32>
    %t = arith.maxui %s, %v : i32
    affine.store %t, %o[0, 5] : memref<2x10xi32>
  }
  %r5 = affine.for %i = 0 to %n iter_args(%s = %i5) -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    %t = arith.maxui %s, %v : i32
    affine.yield %t : i32
  }
  affine.store %r5, %o[1, 5] : memref<2x10xi32>
  // minui
  %i6 = arith.constant -2 : i32
  affine.store %i6, %o[0, 6] : memref<2x10xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %s = affine.load %o[0, 6] : memref<2x10xi32>
    %t = arith.minui %s, %v : i32
    affine.store %t, %o[0, 6] : memref<2x10xi32>
  }
  %r6 = affine.for %i = 0 to %n iter_args(%s = %i6) -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    %t = arith.minui %s, %v : i32
    affine.yield %t : i32
  }
  affine.store %r6, %o[1, 6] : memref<2x10xi32>
  // andi
  %i7 = arith.constant -1 : i32
  affine.store %i7, %o[0, 7] : memref<2x10xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %s = affine.load %o[0, 7] : memref<2x10xi32>
    %t = arith.andi %s, %v : i32
    affine.store %t, %o[0, 7] : memref<2x10xi32>
  }
  %r7 = affine.for %i = 0 to %n iter_args(%s = %i7) -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    %t = arith.andi %s, %v : i32
    affine.yield %t : i32
  }
  affine.store %r7, %o[1, 7] : memref<2x10xi32>
  // ori
  %i8 = arith.constant 0 : i32
  affine.store %i8, %o[0, 8] : memref<2x10xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %s = affine.load %o[0, 8] : memref<2x10xi32>
    %t = arith.ori %s, %v : i32
    affine.store %t, %o[0, 8] : memref<2x10xi32>
  }
  %r8 = affine.for %i = 0 to %n iter_args(%s = %i8) -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    %t = arith.ori %s, %v : i32
    affine.yield %t : i32
  }
  affine.store %r8, %o[1, 8] : memref<2x10xi32>
  // xori
  %i9 = arith.constant 9 : i32
  affine.store %i9, %o[0, 9] : memref<2x10xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %s = affine.load %o[0, 9] : memref<2x10xi32>
    %t = arith.xori %s, %v : i32
    affine.store %t, %o[0, 9] : memref<2x10xi32>
  }
  %r9 = affine.for %i = 0 to %n iter_args(%s = %i9) -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    %t = arith.xori %s, %v : i32
    affine.yield %t : i32
  }
  affine.store %r9, %o[1, 9] : memref<2x10xi32>
  return
}

// A dot product with the minimum beside it, in one loop; a comparison and a select for a minimum; a triangular loop, one whose bounds are apart by a variable distance, and one of step 3.
func.func private @together(%n: index, %x: memref<?xf64>, %y: memref<?xf64>, %k: memref<?xi64>, %o: memref<4xf64>, %p: memref<4xi64>) {
  %zero = arith.constant 0.0 : f64
  %big = arith.constant 1000 : i64
  %none = arith.constant 0 : i64
  %r:2 = affine.for %i = 0 to %n iter_args(%s = %zero, %m = %zero) -> (f64, f64) {
    %v = affine.load %x[%i] : memref<?xf64>
    %w = affine.load %y[%i] : memref<?xf64>
    %a = arith.mulf %v, %w : f64
    %b = arith.addf %s, %a : f64
    %c = arith.minimumf %m, %v : f64
    affine.yield %b, %c : f64, f64
  }
  affine.store %r#0, %o[0] : memref<4xf64>
  affine.store %r#1, %o[1] : memref<4xf64>
  %q = affine.for %i = 0 to %n iter_args(%m = %big) -> i64 {
    %v = affine.load %k[%i] : memref<?xi64>
    %less = arith.cmpi slt, %v, %m : i64
    %t = arith.select %less, %v, %m : i64
    affine.yield %t : i64
  }
  affine.store %q, %p[0] : memref<4xi64>
  affine.store %none, %p[1] : memref<4xi64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %v = affine.load %k[%j] : memref<?xi64>
      %s = affine.load %p[1] : memref<4xi64>
      %t = arith.addi %s, %v : i64
      affine.store %t, %p[1] : memref<4xi64>
    }
  }
  affine.store %zero, %o[2] : memref<4xf64>
  affine.for %i = 1 to %n step 3 {
    %v = affine.load %x[%i] : memref<?xf64>
    %s = affine.load %o[2] : memref<4xf64>
    %t = arith.addf %v, %s : f64
    affine.store %t, %o[2] : memref<4xf64>
  }
  // The accumulator is one of the elements that are summed: it changes on the way.
  affine.for %i = 0 to %n {
    %v = affine.load %k[%i] : memref<?xi64>
    %s = affine.load %k[0] : memref<?xi64>
    %t = arith.addi %s, %v : i64
    affine.store %t, %k[0] : memref<?xi64>
  }
  %l = affine.load %k[0] : memref<?xi64>
  affine.store %l, %p[2] : memref<4xi64>
  affine.store %none, %p[3] : memref<4xi64>
  affine.store %zero, %o[3] : memref<4xf64>
  return
}

func.func private @all(%n: index) {
  %m = arith.addi %n, %n : index
  %x_f64 = memref.alloc(%m) : memref<?xf64>
  %y_f64 = memref.alloc(%m) : memref<?xf64>
  %o_f64 = memref.alloc() : memref<2x7xf64>
  call @fill_f64(%n, %x_f64, %y_f64) : (index, memref<?xf64>, memref<?xf64>) -> ()
  call @reduce_f64(%n, %x_f64, %y_f64, %o_f64) : (index, memref<?xf64>, memref<?xf64>, memref<2x7xf64>) -> ()
  %u_f64 = memref.cast %o_f64 : memref<2x7xf64> to memref<*xf64>
  call @printMemrefF64(%u_f64) : (memref<*xf64>) -> ()
  %x_f32 = memref.alloc(%m) : memref<?xf32>
  %y_f32 = memref.alloc(%m) : memref<?xf32>
  %o_f32 = memref.alloc() : memref<2x7xf32>
  call @fill_f32(%n, %x_f32, %y_f32) : (index, memref<?xf32>, memref<?xf32>) -> ()
  call @reduce_f32(%n, %x_f32, %y_f32, %o_f32) : (index, memref<?xf32>, memref<?xf32>, memref<2x7xf32>) -> ()
  %u_f32 = memref.cast %o_f32 : memref<2x7xf32> to memref<*xf32>
  call @printMemrefF32(%u_f32) : (memref<*xf32>) -> ()
  %x_i64 = memref.alloc(%m) : memref<?xi64>
  %y_i64 = memref.alloc(%m) : memref<?xi64>
  %o_i64 = memref.alloc() : memref<2x10xi64>
  call @fill_i64(%n, %x_i64, %y_i64) : (index, memref<?xi64>, memref<?xi64>) -> ()
  call @reduce_i64(%n, %x_i64, %y_i64, %o_i64) : (index, memref<?xi64>, memref<?xi64>, memref<2x10xi64>) -> ()
  %u_i64 = memref.cast %o_i64 : memref<2x10xi64> to memref<*xi64>
  call @printMemrefI64(%u_i64) : (memref<*xi64>) -> ()
  %x_i32 = memref.alloc(%m) : memref<?xi32>
  %y_i32 = memref.alloc(%m) : memref<?xi32>
  %o_i32 = memref.alloc() : memref<2x10xi32>
  call @fill_i32(%n, %x_i32, %y_i32) : (index, memref<?xi32>, memref<?xi32>) -> ()
  call @reduce_i32(%n, %x_i32, %y_i32, %o_i32) : (index, memref<?xi32>, memref<?xi32>, memref<2x10xi32>) -> ()
  %u_i32 = memref.cast %o_i32 : memref<2x10xi32> to memref<*xi32>
  call @printMemrefI32(%u_i32) : (memref<*xi32>) -> ()
  return
}

func.func @main() {
  %n0 = arith.constant 0 : index
  call @all(%n0) : (index) -> ()
  %n1 = arith.constant 1 : index
  call @all(%n1) : (index) -> ()
  %n5 = arith.constant 5 : index
  call @all(%n5) : (index) -> ()
  %n37 = arith.constant 37 : index
  call @all(%n37) : (index) -> ()
  %n64 = arith.constant 64 : index
  call @all(%n64) : (index) -> ()
  %q = memref.alloc() : memref<4xf64>
  %p = memref.alloc() : memref<4xi64>
  %x = memref.alloc(%n37) : memref<?xf64>
  %y = memref.alloc(%n37) : memref<?xf64>
  %k = memref.alloc(%n37) : memref<?xi64>
  %l = memref.alloc(%n37) : memref<?xi64>
  call @fill_f64(%n37, %x, %y) : (index, memref<?xf64>, memref<?xf64>) -> ()
  call @fill_i64(%n37, %k, %l) : (index, memref<?xi64>, memref<?xi64>) -> ()
  call @together(%n37, %x, %y, %k, %q, %p) : (index, memref<?xf64>, memref<?xf64>, memref<?xi64>, memref<4xf64>, memref<4xi64>) -> ()
  %uq = memref.cast %q : memref<4xf64> to memref<*xf64>
  %up = memref.cast %p : memref<4xi64> to memref<*xi64>
  call @printMemrefF64(%uq) : (memref<*xf64>) -> ()
  call @printMemrefI64(%up) : (memref<*xi64>) -> ()
  return
}
