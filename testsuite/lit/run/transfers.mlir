// Vector transfers: in bounds, past the end with padding, along a column, and of one element repeated; shuffles and reductions of lanes.
// RUN: %tilia_run %s > %t.tilia
// RUN: %mlir_run %s > %t.mlir
// RUN: diff %t.mlir %t.tilia
// RUN: %tilia opt %s -o %t.opt.mlir
// RUN: %mlir_run %t.opt.mlir > %t.opt
// RUN: diff %t.mlir %t.opt

func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}

// Ten elements in vectors of four: the last one is half outside, for the load and for the store.
func.func private @tail(%a: memref<10xf32>, %b: memref<?xf32>) {
  %pad = arith.constant 0.5 : f32
  affine.for %i = 0 to 10 step 4 {
    %v = vector.transfer_read %a[%i], %pad : memref<10xf32>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.transfer_write %w, %b[%i] : vector<4xf32>, memref<?xf32>
  }
  return
}

// A column that leaves a matrix below, a row that leaves it to the right, and an element repeated.
func.func private @columns(%m: memref<5x6xf32>, %o: memref<3x4xf32>) {
  %pad = arith.constant -1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %v = vector.transfer_read %m[%c3, %c2], %pad {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<5x6xf32>, vector<4xf32>
  vector.transfer_write %v, %o[%c0, %c0] {in_bounds = [true]} : vector<4xf32>, memref<3x4xf32>
  %t = vector.transfer_read %m[%c2, %c3], %pad : memref<5x6xf32>, vector<4xf32>
  vector.transfer_write %t, %o[%c1, %c0] : vector<4xf32>, memref<3x4xf32>
  %r = vector.transfer_read %m[%c1, %c1], %pad {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>} : memref<5x6xf32>, vector<4xf32>
  vector.transfer_write %r, %o[%c2, %c1] : vector<4xf32>, memref<3x4xf32>
  vector.transfer_write %t, %m[%c3, %c1] {permutation_map = affine_map<(d0, d1) -> (d0)>} : vector<4xf32>, memref<5x6xf32>
  return
}

func.func private @lanes(%k: memref<12xi32>, %o: memref<8xi32>, %a: memref<10xf32>, %f: memref<4xf32>) {
  %c100 = arith.constant 100 : i32
  %half = arith.constant 0.5 : f32
  %v = affine.vector_load %k[0] : memref<12xi32>, vector<4xi32>
  %w = affine.vector_load %k[6] : memref<12xi32>, vector<4xi32>
  %s = vector.shuffle %v, %w [6, 0, 1, 4] : vector<4xi32>, vector<4xi32>
  affine.vector_store %s, %o[0] : memref<8xi32>, vector<4xi32>
  %0 = vector.reduction <add>, %v, %c100 : vector<4xi32> into i32
  %1 = vector.reduction <mul>, %w : vector<4xi32> into i32
  %2 = vector.reduction <maxsi>, %w : vector<4xi32> into i32
  %3 = vector.reduction <xor>, %v : vector<4xi32> into i32
  affine.store %0, %o[4] : memref<8xi32>
  affine.store %1, %o[5] : memref<8xi32>
  affine.store %2, %o[6] : memref<8xi32>
  affine.store %3, %o[7] : memref<8xi32>
  %x = affine.vector_load %a[1] : memref<10xf32>, vector<5xf32>
  %4 = vector.reduction <add>, %x, %half : vector<5xf32> into f32
  %5 = vector.reduction <mul>, %x : vector<5xf32> into f32
  %6 = vector.reduction <minimumf>, %x : vector<5xf32> into f32
  %7 = vector.reduction <maxnumf>, %x, %half : vector<5xf32> into f32
  affine.store %4, %f[0] : memref<4xf32>
  affine.store %5, %f[1] : memref<4xf32>
  affine.store %6, %f[2] : memref<4xf32>
  affine.store %7, %f[3] : memref<4xf32>
  return
}

func.func @main() {
  %c10 = arith.constant 10 : index
  %a = memref.alloc() : memref<10xf32>
  %b = memref.alloc(%c10) : memref<?xf32>
  %m = memref.alloc() : memref<5x6xf32>
  %o = memref.alloc() : memref<3x4xf32>
  %k = memref.alloc() : memref<12xi32>
  %l = memref.alloc() : memref<8xi32>
  %f = memref.alloc() : memref<4xf32>
  affine.for %i = 0 to 10 {
    %s = arith.index_cast %i : index to i32
    %x = arith.sitofp %s : i32 to f32
    affine.store %x, %a[%i] : memref<10xf32>
    affine.store %x, %b[%i] : memref<?xf32>
  }
  affine.for %i = 0 to 5 { affine.for %j = 0 to 6 {
    %p = affine.apply affine_map<(d0, d1) -> (d0 * 10 + d1)>(%i, %j)
    %s = arith.index_cast %p : index to i32
    %x = arith.sitofp %s : i32 to f32
    affine.store %x, %m[%i, %j] : memref<5x6xf32>
  } }
  affine.for %i = 0 to 12 {
    %p = affine.apply affine_map<(d0) -> (d0 * 3 - 7)>(%i)
    %s = arith.index_cast %p : index to i32
    affine.store %s, %k[%i] : memref<12xi32>
  }
  call @tail(%a, %b) : (memref<10xf32>, memref<?xf32>) -> ()
  call @columns(%m, %o) : (memref<5x6xf32>, memref<3x4xf32>) -> ()
  call @lanes(%k, %l, %a, %f) : (memref<12xi32>, memref<8xi32>, memref<10xf32>, memref<4xf32>) -> ()
  %u0 = memref.cast %b : memref<?xf32> to memref<*xf32>
  call @printMemrefF32(%u0) : (memref<*xf32>) -> ()
  %u1 = memref.cast %o : memref<3x4xf32> to memref<*xf32>
  call @printMemrefF32(%u1) : (memref<*xf32>) -> ()
  %u2 = memref.cast %m : memref<5x6xf32> to memref<*xf32>
  call @printMemrefF32(%u2) : (memref<*xf32>) -> ()
  %u3 = memref.cast %l : memref<8xi32> to memref<*xi32>
  call @printMemrefI32(%u3) : (memref<*xi32>) -> ()
  %u4 = memref.cast %f : memref<4xf32> to memref<*xf32>
  call @printMemrefF32(%u4) : (memref<*xf32>) -> ()
  return
}
