//! Loops, conditions, branches and calls.

use crate::{expect, read_fine};
use tilia_program::OpKind;

#[test]
fn affine_for_with_max_min_bounds_and_iter_args() {
    expect(
        r"
        func.func @f(%a: memref<?xf32>, %n: index) -> f32 {
          %z = arith.constant 0.0 : f32
          %r:2 = affine.for %i = max affine_map<(d0)[s0] -> (d0, s0 - 1)>(%n)[%n] to min affine_map<(d0)[s0] -> (d0, s0)>(%n)[%n] step 3
              iter_args(%x = %z, %y = %z) -> (f32, f32) {
            %v = affine.load %a[%i + symbol(%n) mod 4] : memref<?xf32>
            %w = arith.addf %x, %v fastmath<reassoc, contract> : f32
            affine.yield %w, %x : f32, f32
          }
          return %r#0 : f32
        }",
        "func @f(%0: memref<?xf32>, %1: index) -> (f32) {
          %2 = constant 0.0 : f32
          %3, %4 = for %5 = max(%1, %1 - 1) to min(%1, %1) step 3 iter_args(%6: f32 = %2, %7: f32 = %2) {
            %8 = load %0[%5 + %1 mod 4] checked : memref<?xf32>
            %9 = addf fastmath<reassoc,contract> %6, %8 : f32
            yield %9, %6 : f32
          }
          return %3 : f32
        }",
    );
}

#[test]
fn affine_parallel_is_a_nest_with_reductions_in_order() {
    expect(
        r#"
        func.func @f(%a: memref<8x8xf32>, %n: index) -> (f32, i32) {
          %r:2 = affine.parallel (%i, %j) = (max(0, %n - 1), 0) to (4, min(symbol(%n), 8)) step (1, 2) reduce ("maximumf", "addi") -> (f32, i32) {
            %v = affine.load %a[%i, %j] : memref<8x8xf32>
            %c = arith.constant 1 : i32
            affine.yield %v, %c : f32, i32
          }
          return %r#0, %r#1 : f32, i32
        }"#,
        "func @f(%0: memref<8x8xf32>, %1: index) -> (f32, i32) {
          %2 = constant 0xFF800000 : f32
          %3 = constant 0 : i32
          %4, %5 = for %6 = max(0, %1 - 1) to 4 iter_args(%7: f32 = %2, %8: i32 = %3) independent {
            %9, %10 = for %11 = 0 to min(%1, 8) step 2 iter_args(%12: f32 = %7, %13: i32 = %8) independent {
              %14 = load %0[%6, %11] checked : memref<8x8xf32>
              %15 = constant 1 : i32
              %16 = maximumf %12, %14 : f32
              %17 = addi %13, %15 : i32
              yield %16, %17 : f32, i32
            }
            yield %9, %10 : f32, i32
          }
          return %4, %5 : f32, i32
        }",
    );
}

/// Where each kind of reduction starts is what MLIR's own lowering takes.
#[test]
fn affine_parallel_reductions_start_at_neutral_values() {
    let start = |kind: &str, ty: &str| {
        let text = format!(
            r#"func.func @f(%a: memref<8x{ty}>) -> {ty} {{
              %r = affine.parallel (%i) = (0) to (8) reduce ("{kind}") -> ({ty}) {{
                %v = affine.load %a[%i] : memref<8x{ty}>
                affine.yield %v : {ty}
              }}
              return %r : {ty}
            }}"#
        );
        let program = read_fine(&text).program.to_string();
        let line = program.lines().find(|l| l.contains("constant")).unwrap_or_default();
        line.split("constant ").nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(start("addf", "f64"), "0.0 : f64");
    assert_eq!(start("mulf", "f32"), "1.0 : f32");
    assert_eq!(start("minimumf", "f64"), "0x7FF0000000000000 : f64");
    assert_eq!(start("maximumf", "bf16"), "0xFF80 : bf16");
    assert_eq!(start("muli", "i32"), "1 : i32");
    assert_eq!(start("andi", "i8"), "-1 : i8");
    assert_eq!(start("ori", "i8"), "0 : i8");
    assert_eq!(start("maxs", "si16"), "-32768 : i16");
    assert_eq!(start("mins", "si16"), "32767 : i16");
    assert_eq!(start("minu", "ui16"), "-1 : i16");
}

#[test]
fn scf_parallel_combines_with_its_reduction_regions() {
    expect(
        r"
        func.func @f(%a: memref<8x8xf32>, %n: index) -> f32 {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %z = arith.constant 2.0 : f32
          %r = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %n) init (%z) -> f32 {
            %v = memref.load %a[%i, %j] : memref<8x8xf32>
            scf.reduce(%v : f32) {
            ^bb0(%x: f32, %y: f32):
              %s = arith.subf %x, %y : f32
              scf.reduce.return %s : f32
            }
          }
          return %r : f32
        }",
        "func @f(%0: memref<8x8xf32>, %1: index) -> (f32) {
          %2 = constant 0 : index
          %3 = constant 1 : index
          %4 = constant 2.0 : f32
          %5 = for %6 = 0 to %1 iter_args(%7: f32 = %4) independent {
            %8 = for %9 = 0 to %1 step %1 iter_args(%10: f32 = %7) independent {
              %11 = load %0[%6, %9] checked : memref<8x8xf32>
              %12 = subf %10, %11 : f32
              yield %12 : f32
            }
            yield %8 : f32
          }
          return %5 : f32
        }",
    );
}

#[test]
fn scf_forall_is_a_nest() {
    expect(
        r"
        func.func @f(%a: memref<8x8xf32>, %n: index) {
          scf.forall (%i, %j) = (0, 1) to (%n, 8) step (1, 2) {
            %v = memref.load %a[%i, %j] : memref<8x8xf32>
            memref.store %v, %a[%j, %i] : memref<8x8xf32>
          }
          return
        }",
        "func @f(%0: memref<8x8xf32>, %1: index) {
          %2 = constant 0 : index
          %3 = constant 1 : index
          %4 = constant 8 : index
          %5 = constant 1 : index
          %6 = constant 2 : index
          for %7 = 0 to %1 independent {
            for %8 = 1 to 8 step 2 independent {
              %9 = load %0[%7, %8] checked : memref<8x8xf32>
              store %9, %0[%8, %7] checked : memref<8x8xf32>
            }
          }
          return
        }",
    );
}

/// Iterations that update the same element atomically, or may do so in a function that they call, aren't independent once the update is a load and a store.
#[test]
fn atomic_updates_make_parallel_loops_dependent() {
    let independent = |body: &str| {
        let text = format!(
            r"func.func private @g()
            func.func @f(%a: memref<8xf32>, %v: f32) {{
              affine.parallel (%i) = (0) to (8) {{
                {body}
              }}
              return
            }}"
        );
        let imported = read_fine(&text);
        let f = imported.program.function("f").unwrap().clone();
        let mut found = None;
        f.walk(f.body.unwrap(), |op| {
            if let OpKind::For(for_op) = &f[op].kind {
                found = Some(for_op.independent);
            }
        });
        found.unwrap()
    };
    assert!(independent("memref.store %v, %a[%i] : memref<8xf32>"));
    assert!(!independent("memref.atomic_rmw addf %v, %a[%i] : (f32, memref<8xf32>) -> f32"));
    assert!(!independent("func.call @g() : () -> ()"));
}

/// An iterator of a narrow type runs over index, and stays an affine subscript when it is cast back.
#[test]
fn narrow_iterators() {
    expect(
        r"
        func.func @f(%a: memref<8xi32>, %n: i32) -> i32 {
          %c0 = arith.constant 0 : i32
          %c1 = arith.constant 1 : i32
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> i32 : i32 {
            %j = arith.index_cast %i : i32 to index
            memref.store %i, %a[%j] : memref<8xi32>
            scf.yield %i : i32
          }
          return %r : i32
        }",
        "func @f(%0: memref<8xi32>, %1: i32) -> (i32) {
          %2 = constant 0 : i32
          %3 = constant 1 : i32
          %4 = constant 0 : index
          %5 = indexcast %1 : (i32) -> (index)
          %6 = constant 1 : index
          %7 = for %8 = 0 to %5 iter_args(%9: i32 = %2) {
            %10 = indexcast %8 : (index) -> (i32)
            store %10, %0[%8] checked : memref<8xi32>
            yield %10 : i32
          }
          return %7 : i32
        }",
    );
}

#[test]
fn unsigned_narrow_loops_extend_with_zeros() {
    let program = read_fine(
        r"
        func.func @f(%a: memref<8xi8>) {
          %c0 = arith.constant 0 : i8
          %c1 = arith.constant 1 : i8
          %n = arith.constant 200 : i8
          scf.for unsigned %i = %c0 to %n step %c1 : i8 {
            %j = arith.index_castui %i : i8 to index
            memref.store %i, %a[%j] : memref<8xi8>
          }
          return
        }",
    )
    .program
    .to_string();
    assert!(program.contains("= 0 to 200 {"), "{program}");
}

#[test]
fn conditions() {
    expect(
        r"
        func.func @f(%a: memref<8xi32>, %n: index, %b: i1) -> i32 {
          %c0 = arith.constant 0 : i32
          %c1 = arith.constant 1 : i32
          %r = affine.if affine_set<(d0)[s0] : (d0 mod 2 == 0, s0 - d0 floordiv 3 >= 0)>(%n)[%n] -> i32 {
            affine.yield %c0 : i32
          } else {
            affine.yield %c1 : i32
          }
          scf.if %b {
            affine.store %c0, %a[0] : memref<8xi32>
          }
          %s = scf.index_switch %n -> i32
          case 2 { scf.yield %c0 : i32 }
          case 5 { scf.yield %c1 : i32 }
          default { scf.yield %r : i32 }
          return %s : i32
        }",
        "func @f(%0: memref<8xi32>, %1: index, %2: i1) -> (i32) {
          %3 = constant 0 : i32
          %4 = constant 1 : i32
          %5 = if (%1 mod 2 == 0 and %1 floordiv 3 * -1 + %1 >= 0) -> (i32) {
            yield %3 : i32
          } else {
            yield %4 : i32
          }
          if %2 {
            store %3, %0[0] checked : memref<8xi32>
          }
          %6 = constant 2 : index
          %7 = cmpi eq %1, %6 : (index, index) -> (i1)
          %8 = if %7 -> (i32) {
            yield %3 : i32
          } else {
            %9 = constant 5 : index
            %10 = cmpi eq %1, %9 : (index, index) -> (i1)
            %11 = if %10 -> (i32) {
              yield %4 : i32
            } else {
              yield %5 : i32
            }
            yield %11 : i32
          }
          return %8 : i32
        }",
    );
}

#[test]
fn while_and_execute_region() {
    expect(
        r"
        func.func @f(%x: f32, %b: i1) -> f32 {
          %r = scf.while (%w = %x) : (f32) -> f32 {
            scf.condition(%b) %w : f32
          } do {
          ^bb0(%v: f32):
            scf.yield %v : f32
          }
          %s = scf.execute_region -> f32 {
            cf.br ^end
          ^end:
            scf.yield %r : f32
          }
          return %s : f32
        }",
        "func @f(%0: f32, %1: i1) -> (f32) {
          %2 = while (%3: f32 = %0) -> (f32) {
            condition %1, %3 : i1, f32
          } do {
          ^bb2(%4: f32):
            yield %4 : f32
          }
          %5 = execute_region -> (f32) {
            br ^bb4
          ^bb4:
            yield %2 : f32
          }
          return %5 : f32
        }",
    );
}

/// Blocks may be listed before those that dominate them; blocks that are never reached hold nothing.
#[test]
fn branches() {
    expect(
        r#"
        func.func @f(%n: index, %b: i1) -> index {
          cf.cond_br %b, ^two(%n : index), ^three
        ^one:
          return %y : index
        ^two(%x: index):
          %y = arith.addi %x, %x : index
          cf.br ^one
        ^three:
          %f = arith.constant 3 : i32
          cf.switch %f : i32, [
            default: ^two(%n : index),
            -1: ^five(%n, %n: index, index),
            7: ^four
          ]
        ^four:
          cf.assert %b, "so \"much\""
          ub.unreachable
        ^five(%p: index, %q: index):
          return %q : index
        ^dead:
          %d = arith.addi %n, %n : index
          return %d : index
        }"#,
        r#"func @f(%0: index, %1: i1) -> (index) {
          cond_br %1, ^bb2(%0), ^bb3
        ^bb1:
          return %3 : index
        ^bb2(%2: index):
          %3 = addi %2, %2 : index
          br ^bb1
        ^bb3:
          %4 = constant 3 : i32
          switch %4 [default: ^bb2(%0), -1: ^bb5(%0, %0), 7: ^bb4]
        ^bb4:
          assert %1, "so \"much\""
          unreachable
        ^bb5(%5: index, %6: index):
          return %6 : index
        ^bb6:
          unreachable
        }"#,
    );
}

#[test]
fn calls_and_modules() {
    expect(
        r#"
        func.func private @ext(f32) -> (f32, index) attributes {llvm.emit_c_interface}
        module @inner attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 64 : i32>>, llvm.target_triple = "x86_64"} {
          func.func @ext(%a: memref<4xf32> {llvm.noalias, scop.x = 3}) { return }
          func.func @g(%a: memref<4xf32>) { func.call @ext(%a) : (memref<4xf32>) -> () return }
        }
        module { func.func private @g() { return } }
        func.func @rec(%x: f32) -> f32 {
          %r:2 = call @ext(%x) : (f32) -> (f32, index)
          %s = call @rec(%r#0) : (f32) -> f32
          return %s : f32
        }"#,
        "func private @ext(f32) -> (f32, index)
        func @rec(%0: f32) -> (f32) {
          %1, %2 = call @ext(%0) : (f32) -> (f32, index)
          %3 = call @rec(%1) : (f32) -> (f32)
          return %3 : f32
        }
        func @inner::ext(%0: memref<4xf32>) {
          return
        }
        func @g(%0: memref<4xf32>) {
          call @inner::ext(%0) : (memref<4xf32>) -> ()
          return
        }
        func private @module2::g() {
          return
        }",
    );
}
