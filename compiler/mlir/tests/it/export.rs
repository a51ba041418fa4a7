//! Programs written back to MLIR: what isn't changed stays as it came, what is changed means the same, and MLIR accepts all of it.

use crate::execute::run;
use crate::files::files;
use crate::{check, messages, read, read_fine};
use tilia_diag::Loc;
use tilia_mlir::{Form, ImportOptions, Imported, export, export_as, import, split_input};
use tilia_program::{BlockId, Function, IfCond, LoopExec, OpId, OpKind, Program, PureOp, Type, ValueMap};

fn write(imported: &Imported, program: &Program) -> String {
    write_as(imported, program, Form::Affine)
}

fn write_as(imported: &Imported, program: &Program, form: Form) -> String {
    export_as(imported, program, form).unwrap_or_else(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{errors:#?}\n{program}")
    })
}

/// Replaces the operations of a function's entry block that `pick` chooses by copies, as lowering replaces a scop's.
fn renew(f: &mut Function, pick: impl Fn(&Function, OpId) -> bool) {
    let Some(entry) = f.entry() else { return };
    let mut map = ValueMap::default();
    let old = std::mem::take(&mut f[entry].ops);
    let mut ops = Vec::new();
    for op in old {
        if pick(f, op) {
            ops.push(copy(f, op, entry, &mut map));
        } else {
            replace(f, op, &map);
            ops.push(op);
        }
    }
    f[entry].ops = ops;
    replace_elsewhere(f, entry, &map);
}

fn replace_elsewhere(f: &mut Function, entry: BlockId, map: &ValueMap) {
    let blocks = f[f.body.expect("a body")].blocks.clone();
    for block in blocks.into_iter().filter(|&b| b != entry) {
        for op in f[block].ops.clone() {
            replace(f, op, map);
        }
    }
}

/// A copy of `op` that stands in no block yet.
fn copy(f: &mut Function, op: OpId, block: BlockId, map: &mut ValueMap) -> OpId {
    let ops = std::mem::take(&mut f[block].ops);
    let new = f.clone_op(op, block, map);
    f[block].ops = ops;
    new
}

fn replace(f: &mut Function, op: OpId, map: &ValueMap) {
    let mut all = vec![op];
    for region in f[op].regions.clone() {
        f.walk(region, |inner| all.push(inner));
    }
    for op in all {
        for v in &mut f[op].operands {
            *v = map.get(v).copied().unwrap_or(*v);
        }
    }
}

/// Puts a copy of each loop of the entry block into one branch of a condition, and the loop itself into the other, as lowering does with a run-time check.
fn guard(f: &mut Function, condition: bool) {
    let Some(entry) = f.entry() else { return };
    let mut outer = ValueMap::default();
    for op in std::mem::take(&mut f[entry].ops) {
        if !matches!(f[op].kind, OpKind::For(_)) {
            replace(f, op, &outer);
            f[entry].ops.push(op);
            continue;
        }
        replace(f, op, &outer);
        let flag = f.append(entry, OpKind::int(-i64::from(condition)), vec![], &[Type::BOOL], Loc::unknown());
        let flag = f.result(flag);
        let results = f[op].results.clone();
        let types: Vec<Type> = results.iter().map(|&v| f[v].ty.clone()).collect();
        let new = f.append(entry, OpKind::If(IfCond::Value), vec![flag], &types, Loc::unknown());
        let (then, otherwise) = (f.new_region(), f.new_region());
        let (new_block, old_block) = (f.new_block(then, &[]), f.new_block(otherwise, &[]));
        f[new].regions = vec![then, otherwise];
        let mut map = ValueMap::default();
        let copied = copy(f, op, new_block, &mut map);
        f[new_block].ops.push(copied);
        f[old_block].ops.push(op);
        let copies = f[copied].results.clone();
        f.append(new_block, OpKind::Yield, copies, &[], Loc::unknown());
        f.append(old_block, OpKind::Yield, results.clone(), &[], Loc::unknown());
        outer.extend(results.into_iter().zip(f[new].results.clone()));
    }
    replace_elsewhere(f, entry, &outer);
}

/// Exports `program`, imports the result, and compares what the functions do.
fn same_after(imported: &Imported, program: &Program, what: &str) -> usize {
    let mut compared = 0;
    for form in [Form::Affine, Form::Scf] {
        let text = write_as(imported, program, form);
        let again = read(&text);
        assert!(again.diagnostics.is_empty(), "{what}: {:?}\n{text}", messages(&again));
        check(&again);
        for f in imported.program.functions.iter().filter(|f| f.body.is_some()) {
            let before = run(&imported.program, &f.name, 40, 10_000);
            if before.is_err() {
                continue;
            }
            assert_eq!(before, run(&again.program, &f.name, 40, 300_000), "{what}: {}\n{text}", f.name);
            compared += 1;
        }
    }
    compared
}

fn each_file(folder: &str, mut work: impl FnMut(&str, &Imported)) {
    for path in files(folder) {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        for chunk in split_input(&text) {
            let options = ImportOptions {
                first_line: chunk.first_line,
            };
            let imported = import(&name, chunk.text, &options);
            if imported.diagnostics.is_empty() {
                work(&name, &imported);
            }
        }
    }
}

fn is_loop(f: &Function, op: OpId) -> bool {
    matches!(f[op].kind, OpKind::For(_))
}

fn not_terminator(f: &Function, op: OpId) -> bool {
    !f[op].kind.is_terminator() && !matches!(f[op].kind, OpKind::GetGlobal(_) | OpKind::Unsupported { .. })
}

#[test]
fn loops_made_anew_mean_the_same() {
    let mut compared = 0;
    for folder in ["cases", "polybench"] {
        each_file(folder, |name, imported| {
            let mut program = imported.program.clone();
            program.functions.iter_mut().for_each(|f| renew(f, is_loop));
            compared += same_after(imported, &program, name);
        });
    }
    assert!(compared > 160, "{compared}");
}

#[test]
fn everything_made_anew_means_the_same() {
    let mut compared = 0;
    for folder in ["cases", "polybench"] {
        each_file(folder, |name, imported| {
            let mut program = imported.program.clone();
            program.functions.iter_mut().for_each(|f| renew(f, not_terminator));
            compared += same_after(imported, &program, name);
        });
    }
    assert!(compared > 160, "{compared}");
}

#[test]
fn guarded_loops_mean_the_same() {
    for condition in [true, false] {
        each_file("cases", |name, imported| {
            let mut program = imported.program.clone();
            program.functions.iter_mut().for_each(|f| guard(f, condition));
            same_after(imported, &program, name);
        });
    }
}

const KEPT: &str = r#"module attributes {llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  memref.global "private" constant @weights : memref<3xf32> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
  func.func private @external(memref<8xf32>) attributes {llvm.emit_c_interface}
  func.func @attributed(%arg0: memref<8xf32> {llvm.noalias}, %arg1: i32 {mine.attr = "x"}) -> i32 attributes {mine.flag} {
    %0 = arith.addi %arg1, %arg1 {mine.op} : i32
    affine.for %arg2 = 0 to 8 {
      %1 = affine.load %arg0[%arg2] : memref<8xf32>
      affine.store %1, %arg0[%arg2] : memref<8xf32>
    } {mine.loop}
    call @external(%arg0) : (memref<8xf32>) -> ()
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<8xf32, 3>
    return %0 : i32
  }
  func.func @unknown(%arg0: memref<8xf32>) {
    %0 = "other.operation"(%arg0) {size = 3 : i32} : (memref<8xf32>) -> i64
    return
  }
}
"#;

#[test]
fn an_unchanged_module_is_written_as_it_came() {
    let imported = read_fine(KEPT);
    assert_eq!(write(&imported, &imported.program), KEPT);
}

#[test]
fn what_is_around_a_changed_loop_stays_as_it_came() {
    let imported = read_fine(KEPT);
    let mut program = imported.program.clone();
    program.functions.iter_mut().for_each(|f| renew(f, is_loop));
    let text = write_as(&imported, &program, Form::Scf);
    let strip = |text: &str, from: &str, to: &str| -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        let start = lines.iter().position(|l| l.contains(from)).unwrap();
        let end = lines.iter().position(|l| l.contains(to)).unwrap();
        lines[..start].iter().chain(&lines[end..]).map(|l| (*l).to_owned()).collect()
    };
    assert_eq!(
        strip(&text, "arith.constant", "call @external"),
        strip(KEPT, "affine.for", "call @external"),
        "{text}"
    );
    assert!(text.contains("scf.for") && !text.contains("affine.for"), "{text}");
}

#[test]
fn operations_that_cannot_be_made_anew_stay_in_changed_functions() {
    let imported = read_fine(
        r#"
        func.func @f(%a: memref<8xf32>, %n: index) -> f32 {
          %0 = "other.operation"(%a) : (memref<8xf32>) -> f32
          %z = memref.assume_alignment %a, 16 : memref<8xf32>
          affine.for %i = 0 to 8 {
            affine.prefetch %z[%i], read, locality<3>, data : memref<8xf32>
            %v = affine.load %z[%i] : memref<8xf32>
            affine.store %v, %a[%i] : memref<8xf32>
          }
          %r = "other.consumer"(%0, %n) ({ ^bb0(%x: f32): "other.end"(%x) : (f32) -> () }) : (f32, index) -> f32
          return %r : f32
        }"#,
    );
    let mut program = imported.program.clone();
    renew(&mut program.functions[0], not_terminator);
    let text = write(&imported, &program);
    assert!(text.contains("\"other.operation\"") && text.contains("\"other.end\""), "{text}");
    assert!(!text.contains("prefetch"), "{text}");
    read_fine(&text);
}

/// Results of a replaced loop reach the operations after it, in other blocks too.
#[test]
fn replaced_results_reach_their_users() {
    let imported = read_fine(
        r"
        func.func @f(%a: memref<40xf32>, %b: i1) -> f32 {
          %z = arith.constant 0.0 : f32
          %s = affine.for %i = 0 to 40 iter_args(%x = %z) -> f32 {
            %v = affine.load %a[%i] : memref<40xf32>
            %w = arith.addf %x, %v : f32
            affine.yield %w : f32
          }
          %t = scf.if %b -> f32 {
            %u = arith.mulf %s, %s : f32
            scf.yield %u : f32
          } else {
            scf.yield %s : f32
          }
          cf.cond_br %b, ^one(%s : f32), ^two
        ^one(%p: f32):
          %q = arith.addf %p, %t : f32
          return %q : f32
        ^two:
          return %s : f32
        }",
    );
    let mut program = imported.program.clone();
    renew(&mut program.functions[0], is_loop);
    assert_eq!(same_after(&imported, &program, "loop"), 2);
    let mut program = imported.program.clone();
    guard(&mut program.functions[0], true);
    assert_eq!(same_after(&imported, &program, "guarded"), 2);
}

/// Groups: one operation of the source that is several in the program.
#[test]
fn operations_that_are_several_in_the_program() {
    let imported = read_fine(
        r#"
        func.func @f(%a: memref<8x8xf32>, %n: i32, %k: index, %f: memref<8xf32>) -> (f32, i32, f32) {
          %r = affine.parallel (%i, %j) = (0, 0) to (4, 8) step (1, 2) reduce ("addf") -> f32 {
            %v = affine.load %a[%i, %j] : memref<8x8xf32>
            affine.yield %v : f32
          }
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c8 = arith.constant 8 : index
          %z = arith.constant 2.0 : f32
          %q = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%z) -> f32 {
            %v = memref.load %a[%i, %i] : memref<8x8xf32>
            scf.reduce(%v : f32) {
            ^bb0(%x: f32, %y: f32):
              %s = arith.mulf %x, %y : f32
              scf.reduce.return %s : f32
            }
          }
          %i0 = arith.constant 0 : i32
          %i1 = arith.constant 1 : i32
          %m = scf.for %i = %i0 to %n step %i1 iter_args(%x = %i0) -> i32 : i32 {
            %j = arith.index_cast %i : i32 to index
            memref.store %z, %f[%j] : memref<8xf32>
            %y = arith.addi %x, %i : i32
            scf.yield %y : i32
          }
          %o = memref.generic_atomic_rmw %f[%k] : memref<8xf32> {
          ^bb0(%c : f32):
            %w = arith.mulf %c, %z : f32
            memref.atomic_yield %w : f32
          }
          %u = scf.index_switch %k -> f32
          case 2 { scf.yield %z : f32 }
          case 5 { scf.yield %o : f32 }
          default { scf.yield %q : f32 }
          return %r, %m, %u : f32, i32, f32
        }"#,
    );
    let numbers = |f: &Function, op: OpId| matches!(&f[op].kind, OpKind::Pure(PureOp::AddF, _));
    for (what, pick) in [
        ("all", not_terminator as fn(&Function, OpId) -> bool),
        ("loops", is_loop),
        ("numbers", numbers),
    ] {
        let mut program = imported.program.clone();
        renew(&mut program.functions[0], pick);
        assert_eq!(same_after(&imported, &program, what), 2, "{what}");
    }
    // A loop within a nest alone: the nest can't stay.
    let mut program = imported.program.clone();
    let f = &mut program.functions[0];
    let nest = f[f.entry().unwrap()].ops.iter().copied().find(|&op| is_loop(f, op)).unwrap();
    let block = f[f[nest].regions[0]].blocks[0];
    let mut map = ValueMap::default();
    let inner = f[block].ops[0];
    let new = copy(f, inner, block, &mut map);
    f[block].ops[0] = new;
    let last = f[block].ops[1];
    replace(f, last, &map);
    assert_eq!(same_after(&imported, &program, "inner"), 2);
}

#[test]
fn parallel_loops_and_overlap_checks() {
    let imported = read_fine(
        r"
        func.func @f(%a: memref<?x?xf32>, %b: memref<8xi8>, %s: memref<4x4xf32, strided<[?, ?], offset: ?>>) {
          affine.for %i = 0 to 8 {
            affine.store %x, %a[%i, 0] : memref<?x?xf32>
          }
          return
        }"
        .replace("affine.for", "%x = arith.constant 1.0 : f32\naffine.for")
        .as_str(),
    );
    let mut program = imported.program.clone();
    let f = &mut program.functions[0];
    renew(f, is_loop);
    let entry = f.entry().unwrap();
    for op in f[entry].ops.clone() {
        if let OpKind::For(for_op) = &mut f[op].kind {
            for_op.exec = LoopExec::Parallel;
        }
    }
    let params = f[entry].args.clone();
    let last = f[entry].ops.pop().unwrap();
    for (a, b) in [(0, 1), (1, 2), (2, 0), (0, 1)] {
        let check = f.append(entry, OpKind::Overlap, vec![params[a], params[b]], &[Type::BOOL], Loc::unknown());
        let value = f.result(check);
        f.append(
            entry,
            OpKind::Assert("they \"overlap\"".to_owned()),
            vec![value],
            &[],
            Loc::unknown(),
        );
    }
    f[entry].ops.push(last);
    for (form, parallel) in [(Form::Affine, "affine.parallel"), (Form::Scf, "scf.parallel")] {
        let text = write_as(&imported, &program, form);
        assert!(text.contains(parallel), "{text}");
        // A function a pair of types, called for each check, and known for what it is when it is read again.
        assert_eq!(text.matches("attributes {tilia.overlap}").count(), 3, "{text}");
        let again = read_fine(&text);
        let f = again.program.function("f").unwrap();
        let count = f[f.entry().unwrap()]
            .ops
            .iter()
            .filter(|&&op| f[op].kind == OpKind::Overlap)
            .count();
        assert_eq!(count, 4, "{}", again.program);
        // Written once more, the functions are used again.
        let mut program = again.program.clone();
        renew(&mut program.functions[0], not_terminator);
        assert_eq!(write_as(&again, &program, form).matches("attributes {tilia.overlap}").count(), 3);
    }
}

/// Vectors in memory whose innermost stride isn't one: element by element where affine operations can't stand.
#[test]
fn vectors_that_are_not_contiguous() {
    let imported = read_fine(
        r"
        func.func @f(%a: memref<9x16xf32>, %n: index) -> vector<2x2xf32> {
          %t = memref.transpose %a (i, j) -> (j, i) : memref<9x16xf32> to memref<16x9xf32, strided<[1, 16]>>
          %v = affine.vector_load %t[%n, %n + 1] : memref<16x9xf32, strided<[1, 16]>>, vector<2x2xf32>
          %w = arith.addf %v, %v : vector<2x2xf32>
          affine.vector_store %w, %t[%n + 2, 0] : memref<16x9xf32, strided<[1, 16]>>, vector<2x2xf32>
          return %w : vector<2x2xf32>
        }",
    );
    let mut program = imported.program.clone();
    renew(&mut program.functions[0], not_terminator);
    assert_eq!(same_after(&imported, &program, "vectors"), 2);
    assert!(write_as(&imported, &program, Form::Scf).contains("vector.from_elements"));
}

/// Memory spaces, which the program doesn't have, unranked memrefs, and memrefs that flow through control.
#[test]
fn memrefs_of_all_kinds() {
    let imported = read_fine(
        r"
        func.func @f(%u: memref<*xf32>, %a: memref<4x8xf32, 3>, %n: index, %b: i1, %z: memref<0x4xf32>) -> (index, f32) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          memref.copy %u, %u : memref<*xf32> to memref<*xf32>
          %d = memref.dim %u, %c0 : memref<*xf32>
          %s = memref.subview %a[1, %n][2, 1][1, 1] : memref<4x8xf32, 3> to memref<2xf32, strided<[8], offset: ?>, 3>
          %t = memref.memory_space_cast %a : memref<4x8xf32, 3> to memref<4x8xf32>
          %v = memref.memory_space_cast %u : memref<*xf32> to memref<*xf32, 3>
          %m = scf.if %b -> memref<4x8xf32> {
            scf.yield %t : memref<4x8xf32>
          } else {
            %x = memref.alloc() : memref<4x8xf32>
            scf.yield %x : memref<4x8xf32>
          }
          %w = scf.for %i = %c0 to %n step %c1 iter_args(%q = %m) -> memref<4x8xf32> {
            scf.yield %q : memref<4x8xf32>
          }
          %y = arith.select %b, %t, %w : memref<4x8xf32>
          affine.for %i = 0 to 0 {
            %l = affine.load %z[%i, %i] : memref<0x4xf32>
            affine.store %l, %y[%i, %i] : memref<4x8xf32>
          }
          %f = memref.load %s[%c1] : memref<2xf32, strided<[8], offset: ?>, 3>
          return %d, %f : index, f32
        }",
    );
    let mut program = imported.program.clone();
    renew(&mut program.functions[0], not_terminator);
    same_after(&imported, &program, "memrefs");
    let text = write(&imported, &program);
    assert!(
        text.contains("memref.subview") && text.contains("strided<[8], offset: ?>, 3>"),
        "{text}"
    );
}

/// A function with a memref whose layout map was folded into accesses stays as it came, even when it was changed.
#[test]
fn functions_with_folded_layouts_stay_as_they_came() {
    let text = r"
        #tile = affine_map<(d0, d1) -> (d0 floordiv 4, d1, d0 mod 4)>
        func.func @f() -> f32 {
          %x = arith.constant 1.0 : f32
          %a = memref.alloc() : memref<8x8xf32, #tile>
          affine.for %i = 0 to 8 {
            affine.store %x, %a[%i, 0] : memref<8x8xf32, #tile>
          }
          return %x : f32
        }";
    let imported = read_fine(text);
    let mut program = imported.program.clone();
    renew(&mut program.functions[0], is_loop);
    assert_eq!(write(&imported, &program), write(&imported, &imported.program));
}

#[test]
fn without_a_module_there_is_nothing_to_write() {
    let imported = read("func.func");
    assert!(export(&imported, &imported.program).is_err());
}
