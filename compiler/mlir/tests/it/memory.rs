//! Buffers, views, layouts and accesses.

use crate::{expect, read_fine};
use tilia_program::{AffineExpr, AffineMap};

#[test]
fn buffers() {
    expect(
        r"
        func.func @f(%n: index, %v: f32) -> index {
          %c0 = arith.constant 0 : index
          %a = memref.alloc(%n) {alignment = 64} : memref<?x8xf32>
          %b = memref.alloca() : memref<f32>
          affine.store %v, %b[] : memref<f32>
          %s = memref.alloc() : memref<4x4xf32, strided<[8, 2], offset: 3>>
          memref.store %v, %s[%c0, %n] : memref<4x4xf32, strided<[8, 2], offset: 3>>
          %x = memref.dim %a, %c0 : memref<?x8xf32>
          %c = memref.cast %a : memref<?x8xf32> to memref<*xf32>
          %r = memref.rank %c : memref<*xf32>
          memref.dealloc %a : memref<?x8xf32>
          return %r : index
        }",
        "func @f(%0: index, %1: f32) -> (index) {
          %2 = constant 0 : index
          %3 = alloc(%0) align 64 : memref<?x8xf32>
          %4 = alloca() : memref<f32>
          store %1, %4[] checked : memref<f32>
          %5 = alloc() : memref<34xf32>
          %6 = reinterpret_cast %5[3] [4, 4] [8, 2] : memref<4x4xf32, strided<[8, 2], offset: 3>>
          store %1, %6[%2, %0] checked : memref<4x4xf32, strided<[8, 2], offset: 3>>
          %7 = dim %3, %2
          %8 = cast %3 : (memref<?x8xf32>) -> (memref<*xf32>)
          %9 = rank %8
          dealloc %3 : memref<?x8xf32>
          return %9 : index
        }",
    );
}

#[test]
fn views() {
    expect(
        r"
        func.func @f(%n: index, %d: memref<?x?xf32>, %a: memref<?x8xf32>) {
          %0 = memref.subview %d[%n, 0][1, 4][1, 2] : memref<?x?xf32> to memref<4xf32, strided<[2], offset: ?>>
          %1 = memref.reinterpret_cast %d to offset: [%n], sizes: [4, %n], strides: [%n, 1] : memref<?x?xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
          %2 = memref.transpose %a (i, j) -> (j, i) : memref<?x8xf32> to memref<8x?xf32, strided<[1, 8]>>
          %3 = memref.collapse_shape %a [[0, 1]] : memref<?x8xf32> into memref<?xf32>
          %4 = memref.expand_shape %3 [[0, 1]] output_shape [%n, 8] : memref<?xf32> into memref<?x8xf32>
          %5 = memref.memory_space_cast %a : memref<?x8xf32> to memref<?x8xf32, 3>
          %6 = memref.assume_alignment %a, 16 : memref<?x8xf32>
          memref.copy %6, %4 : memref<?x8xf32> to memref<?x8xf32>
          return
        }",
        "func @f(%0: index, %1: memref<?x?xf32>, %2: memref<?x8xf32>) {
          %3 = subview %1[%0, 0] [1, 4] [1, 2] : memref<4xf32, strided<[2], offset: ?>>
          %4 = reinterpret_cast %1[%0] [4, %0] [%0, 1] : memref<4x?xf32, strided<[?, 1], offset: ?>>
          %5 = transpose %2 [1, 0] : memref<8x?xf32, strided<[1, 8], offset: 0>>
          %6 = collapse_shape %2 [[0, 1]] : memref<?xf32>
          %7 = expand_shape %6 [[0, 1]] sizes(%0) : memref<?x8xf32>
          %8 = cast %2 : memref<?x8xf32>
          copy %2, %7 : memref<?x8xf32>
          return
        }",
    );
}

#[test]
fn strided_metadata() {
    expect(
        r"
        func.func @f(%a: memref<?x8xf32>) -> (index, index, index, index) {
          %b, %off, %sz:2, %st:2 = memref.extract_strided_metadata %a : memref<?x8xf32> -> memref<f32>, index, index, index, index, index
          return %off, %sz#0, %st#0, %st#1 : index, index, index, index
        }",
        "func @f(%0: memref<?x8xf32>) -> (index, index, index, index) {
          %1 = reinterpret_cast %0[0] [] [] : memref<f32>
          %2 = constant 0 : index
          %3 = constant 0 : index
          %4 = dim %0, %3
          %5 = constant 8 : index
          %6 = constant 1 : index
          %7 = muli %6, %5 : index
          return %2, %4, %7, %6 : index
        }",
    );
}

#[test]
fn atomic_updates_are_loads_and_stores() {
    expect(
        r"
        func.func @f(%a: memref<4xf32>, %v: f32, %n: index) -> f32 {
          %o = memref.atomic_rmw addf %v, %a[%n] : (f32, memref<4xf32>) -> f32
          %p = memref.atomic_rmw assign %v, %a[%n] : (f32, memref<4xf32>) -> f32
          %q = memref.generic_atomic_rmw %a[%n] : memref<4xf32> {
          ^bb0(%c : f32):
            %w = arith.mulf %c, %v : f32
            memref.atomic_yield %w : f32
          }
          return %o : f32
        }",
        "func @f(%0: memref<4xf32>, %1: f32, %2: index) -> (f32) {
          %3 = load %0[%2] checked : memref<4xf32>
          %4 = addf %3, %1 : f32
          store %4, %0[%2] checked : memref<4xf32>
          %5 = load %0[%2] checked : memref<4xf32>
          store %1, %0[%2] checked : memref<4xf32>
          %6 = load %0[%2] checked : memref<4xf32>
          %7 = mulf %6, %1 : f32
          store %7, %0[%2] checked : memref<4xf32>
          return %3 : f32
        }",
    );
}

#[test]
fn index_arithmetic() {
    expect(
        r"
        func.func @f(%n: index, %x: index) -> (index, index, index) {
          %q:3 = affine.delinearize_index %n into (4, %x, 8) : index, index, index
          %p:2 = affine.delinearize_index %n into (8) : index, index
          %l = affine.linearize_index [%q#0, %q#1, %q#2] by (%x, 8) : index
          %m = affine.min affine_map<(d0)[s0] -> (d0, s0 * d0, 4)>(%n)[%x]
          %a = affine.apply affine_map<()[s0] -> (s0 ceildiv 7)>()[%n]
          return %l, %m, %a : index, index, index
        }",
        "func @f(%0: index, %1: index) -> (index, index, index) {
          %2 = apply %0 floordiv (%1 * 8)
          %3 = apply %0 mod (%1 * 8) floordiv 8
          %4 = apply %0 mod 8
          %5 = apply %0 floordiv 8
          %6 = apply %0 mod 8
          %7 = apply (%2 * %1 + %3) * 8 + %4
          %8 = min(%0, %0 * %1, 4)
          %9 = apply %0 ceildiv 7
          return %7, %8, %9 : index
        }",
    );
}

/// Permuted and tiled layouts become plain buffers with the map in every access; strided maps stay strides.
#[test]
fn layout_maps() {
    let text = r"
        #perm = affine_map<(d0, d1) -> (d1, d0)>
        #tile = affine_map<(d0, d1) -> (d0 floordiv 4, d1 floordiv 8, d0 mod 4, d1 mod 8)>
        #line = affine_map<(d0, d1) -> (d0 * 100 + d1 + 5)>
        func.func @f(%p: memref<?x10xf32, #perm>, %t: memref<10x20xf32, #tile>, %l: memref<10x20xf32, #line>, %n: index) -> memref<?x10xf32, #perm> {
          %c0 = arith.constant 0 : index
          affine.for %i = 0 to 10 {
            %v = affine.load %p[%i + 1, 3] : memref<?x10xf32, #perm>
            memref.store %v, %t[%i, %n] : memref<10x20xf32, #tile>
            affine.store %v, %l[%i, %i] : memref<10x20xf32, #line>
          }
          %d = memref.dim %p, %c0 : memref<?x10xf32, #perm>
          %a = memref.alloc(%d) : memref<?x10xf32, #perm>
          memref.copy %p, %a : memref<?x10xf32, #perm> to memref<?x10xf32, #perm>
          memref.copy %t, %l : memref<10x20xf32, #tile> to memref<10x20xf32, #line>
          return %a : memref<?x10xf32, #perm>
        }";
    expect(
        text,
        "func @f(%0: memref<10x?xf32>, %1: memref<3x3x4x8xf32>, %2: memref<10x20xf32, strided<[100, 1], offset: 5>>, %3: index) -> (memref<10x?xf32>) {
          %4 = constant 0 : index
          for %5 = 0 to 10 {
            %6 = load %0[3, %5 + 1] checked : memref<10x?xf32>
            store %6, %1[%5 floordiv 4, %3 floordiv 8, %5 mod 4, %3 mod 8] checked : memref<3x3x4x8xf32>
            store %6, %2[%5, %5] checked : memref<10x20xf32, strided<[100, 1], offset: 5>>
          }
          %7 = constant 1 : index
          %8 = dim %0, %7
          %9 = alloc(%8) : memref<10x?xf32>
          copy %0, %9 : memref<10x?xf32>
          for %10 = 0 to 10 {
            for %11 = 0 to 20 {
              %12 = load %1[%10 floordiv 4, %11 floordiv 8, %10 mod 4, %11 mod 8] checked : memref<3x3x4x8xf32>
              store %12, %2[%10, %11] checked : memref<10x20xf32, strided<[100, 1], offset: 5>>
            }
          }
          return %9 : memref<10x?xf32>
        }",
    );
    let imported = read_fine(text);
    let layouts = &imported.layouts["f"];
    let first = layouts.params[0].as_ref().unwrap();
    assert_eq!(first.shape, [None, Some(10)]);
    let swapped = AffineMap {
        dims: 2,
        syms: 0,
        results: vec![AffineExpr::Dim(1), AffineExpr::Dim(0)],
    };
    assert_eq!(first.map, swapped);
    assert!(layouts.params[1].is_some() && layouts.params[2].is_none() && layouts.params[3].is_none());
    assert_eq!(layouts.results[0].as_ref(), Some(first));
}

/// `memref<?x?xf32, strided<[?, 1]>>` isn't the identity layout though its strides look as unknown as those of a dynamic shape.
#[test]
fn dynamic_strides_are_no_identity() {
    expect(
        "func.func private @f(memref<?x?xf32>, memref<?x?xf32, strided<[?, 1]>>, memref<2x4xf32, strided<[4, 1]>>)",
        "func private @f(memref<?x?xf32>, memref<?x?xf32, strided<[?, 1], offset: 0>>, memref<2x4xf32>)",
    );
}

#[test]
fn globals() {
    expect(
        r#"
        memref.global "private" constant @g : memref<2x2xf32> = dense<[[1.0, 0x7FC00001], [-0.0, 3.5]]>
        memref.global @b : memref<4xi1> = dense<[true, false, true, true]>
        memref.global "private" @u : memref<4xi32> = uninitialized
        memref.global "private" @x : memref<4xi48> = dense<[1, -2, 3, 4]>
        memref.global "private" @h : memref<3xf16> = dense<[1.0, 2.0, 65504.0]>
        memref.global "private" @i : memref<2xindex> = dense<[7, -8]>
        memref.global "private" @s : memref<1000x1000xf64> = dense<2.0>
        func.func @f() -> memref<1000x1000xf64> {
          %0 = memref.get_global @s : memref<1000x1000xf64>
          return %0 : memref<1000x1000xf64>
        }"#,
        "global constant @g : memref<2x2xf32> = [1.0, 0x7FC00001, -0.0, 3.5]
        global @b : memref<4xi1> = [true, false, true, true]
        global @u : memref<4xi32> uninitialized
        global @x : memref<4xi48> = [1, -2, 3, 4]
        global @h : memref<3xf16> = [0x3C00, 0x4000, 0x7BFF]
        global @i : memref<2xindex> = [7, -8]
        global @s : memref<1000x1000xf64> = [splat(2.0)]
        func @f() -> (memref<1000x1000xf64>) {
          %0 = get_global @s : memref<1000x1000xf64>
          return %0 : memref<1000x1000xf64>
        }",
    );
}

#[test]
fn vector_accesses() {
    expect(
        r"
        func.func @f(%m: memref<100xf32>, %k: memref<4x100xf32>, %n: index, %z: f32) {
          %a = affine.vector_load %k[0, %n * 4] : memref<4x100xf32>, vector<2x4xf32>
          %b = vector.load %k[%n, %n] : memref<4x100xf32>, vector<4xf32>
          affine.vector_store %b, %m[%n + 1] : memref<100xf32>, vector<4xf32>
          vector.store %b, %m[%n] : memref<100xf32>, vector<4xf32>
          %c = vector.transfer_read %m[%n], %z {in_bounds = [true]} : memref<100xf32>, vector<4xf32>
          vector.transfer_write %c, %m[%n] {in_bounds = [true]} : vector<4xf32>, memref<100xf32>
          return
        }",
        "func @f(%0: memref<100xf32>, %1: memref<4x100xf32>, %2: index, %3: f32) {
          %4 = load %1[0, %2 * 4] checked : memref<4x100xf32>, vector<2x4xf32>
          %5 = load %1[%2, %2] checked : memref<4x100xf32>, vector<4xf32>
          store %5, %0[%2 + 1] checked : memref<100xf32>, vector<4xf32>
          store %5, %0[%2] checked : memref<100xf32>, vector<4xf32>
          %6 = load %0[%2] checked : memref<100xf32>, vector<4xf32>
          store %6, %0[%2] checked : memref<100xf32>, vector<4xf32>
          return
        }",
    );
}

#[test]
fn strides_that_are_known_at_run_time() {
    expect(
        r"
        func.func @f(%a: memref<?x8xf32, strided<[?, 1], offset: ?>>) -> (index, index) {
          %b, %off, %sz:2, %st:2 = memref.extract_strided_metadata %a : memref<?x8xf32, strided<[?, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
          return %st#0, %st#1 : index, index
        }",
        "func @f(%0: memref<?x8xf32, strided<[?, 1], offset: ?>>) -> (index, index) {
          %1 = reinterpret_cast %0[0] [] [] : memref<f32>
          %2 = constant 0 : index
          %3 = constant 0 : index
          %4 = dim %0, %3
          %5 = constant 8 : index
          %6 = stride %0, 0
          %7 = constant 1 : index
          return %6, %7 : index
        }",
    );
}
