// affine.vector_load and vector_store of several shapes, with elementwise arithmetic.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}

func.func private @work(%a: memref<4x16xf32>, %b: memref<4x16xf32>, %k: memref<12xi64>) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 16 step 4 {
      %v = affine.vector_load %a[%i, %j] : memref<4x16xf32>, vector<4xf32>
      %w = arith.mulf %v, %v : vector<4xf32>
      %x = arith.subf %w, %v : vector<4xf32>
      affine.vector_store %x, %b[%i, -%j + 12] : memref<4x16xf32>, vector<4xf32>
    }
  }
  // Overlapping loads and stores: each sees what the one before wrote.
  affine.for %i = 0 to 9 {
    %c = arith.constant dense<[1, -2, 3]> : vector<3xi64>
    %v = affine.vector_load %k[%i] : memref<12xi64>, vector<3xi64>
    %w = arith.addi %v, %c : vector<3xi64>
    affine.vector_store %w, %k[%i + 1] : memref<12xi64>, vector<3xi64>
  }
  return
}

func.func @main() {
  %i0 = arith.constant 0 : i64
  %a = memref.alloc() : memref<4x16xf32>
  %b = memref.alloc() : memref<4x16xf32>
  %k = memref.alloc() : memref<12xi64>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 16 {
      %s = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%i, %j)
      %v = arith.index_cast %s : index to i32
      %f = arith.sitofp %v : i32 to f32
      affine.store %f, %a[%i, %j] : memref<4x16xf32>
    }
  }
  affine.for %i = 0 to 12 {
    affine.store %i0, %k[%i] : memref<12xi64>
  }
  call @work(%a, %b, %k) : (memref<4x16xf32>, memref<4x16xf32>, memref<12xi64>) -> ()
  %b_u = memref.cast %b : memref<4x16xf32> to memref<*xf32>
  call @printMemrefF32(%b_u) : (memref<*xf32>) -> ()
  %k_u = memref.cast %k : memref<12xi64> to memref<*xi64>
  call @printMemrefI64(%k_u) : (memref<*xi64>) -> ()
  return
}
