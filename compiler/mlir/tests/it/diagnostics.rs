//! What is refused, where, and with which words.

use crate::{check, messages, read, read_fine};
use tilia_mlir::{ImportOptions, import, split_input};
use tilia_program::OpKind;

fn first(text: &str) -> (String, String) {
    let imported = read(text);
    check(&imported);
    let diagnostic = imported.diagnostics.first().expect("a diagnostic");
    (diagnostic.to_string(), diagnostic.help.clone().unwrap_or_default())
}

#[test]
fn parse_and_verifier_errors_are_located() {
    let (message, _) = first("func.func @f() {\n  %0 = arith.constant : i32\n}");
    assert!(message.starts_with("t.mlir:2:"), "{message}");
    let imported = read("func.func @f(%x: f32) {\n  %0 = \"arith.addf\"(%x) : (f32) -> f32\n  return\n}");
    assert_eq!(
        messages(&imported),
        ["t.mlir:2:8: error: 'arith.addf' op expected 2 operands, but found 1"]
    );
    assert!(imported.diagnostics[0].notes.is_empty());
    assert!(!read("func.func @f(%x: ) { return }").parsed());
}

#[test]
fn locations_are_unwrapped() {
    let imported = read_fine(
        r#"
        func.func @f(%x: f32) -> f32 {
          %0 = arith.addf %x, %x : f32 loc(callsite("g"("a.c":7:3) at "b.c":1:1))
          %1 = arith.addf %0, %0 : f32 loc(fused["c.c":4:5, "d.c":1:1])
          return %1 : f32 loc(unknown)
        }"#,
    );
    let f = &imported.program.functions[0];
    let entry = f.entry().unwrap();
    let places: Vec<String> = f[entry].ops.iter().map(|&op| f[op].loc.to_string()).collect();
    assert_eq!(places, ["a.c:7:3", "c.c:4:5", "unknown location"]);
    assert_eq!(f.loc.to_string(), "t.mlir:2:9");
}

#[test]
fn steps_and_divisors_must_be_positive() {
    let (message, help) = first("func.func @f() {\n  affine.for %i = 0 to 4 step 0 {\n  }\n  return\n}");
    assert_eq!(message, "t.mlir:2:3: error: the step of this loop is 0: step must be positive");
    assert!(help.contains("at least 1"));
    let (message, help) =
        first("func.func @f(%n: index) -> index {\n  %0 = affine.apply affine_map<(d0) -> (d0 floordiv -4)>(%n)\n  return %0 : index\n}");
    assert_eq!(message, "t.mlir:2:8: error: 'floordiv' by -4: the right-hand side must be positive");
    assert_eq!(help, "write 'x floordiv -4' as '(-x) floordiv 4'");
    let (message, _) = first("func.func @f(%n: index) {\n  affine.if affine_set<(d0) : (d0 mod 0 == 0)>(%n) {\n  }\n  return\n}");
    assert!(message.contains("'mod' by 0"), "{message}");
}

/// A function that can't be translated is reported and says so when it is executed; the others are as they should be.
#[test]
fn one_bad_function_does_not_block_the_others() {
    let imported = read(
        "func.func @bad() {\n  affine.for %i = 0 to 4 step 0 {\n  }\n  return\n}\nfunc.func @good(%n: index) -> index {\n  return %n : index\n}",
    );
    check(&imported);
    assert_eq!(imported.diagnostics.len(), 1);
    let bad = imported.program.function("bad").unwrap();
    let entry = bad.entry().unwrap();
    assert!(matches!(&bad[bad[entry].ops[0]].kind, OpKind::Unsupported { reason, .. } if reason.contains("step must be positive")));
    let good = imported.program.function("good").unwrap();
    assert!(matches!(good[good[good.entry().unwrap()].ops[0]].kind, OpKind::Return));
}

/// The same where it is MLIR that refuses a function: in its syntax, in its types, or because of a dialect that isn't there.
#[test]
fn functions_that_mlir_refuses_do_not_block_the_others() {
    let imported = read(
        r#"
        #map = affine_map<(d0) -> (d0)>
        module attributes {m.a = "func.func {"} {
          func.func @good(%n: index) -> index attributes {a = {b = "{"}} { // {
            return %n : index
          }
          func.func @syntax(%n: index) -> index {
            toy.print %n : index
            return %n : index
          }
          func.func private @declared(memref<4xf32, affine_map<(d0) -> (d0)>>) -> (f32 {x.y})
          func.func @types(%n: index, %x: f32) {
            %0 = "arith.addi"(%n, %x) : (index, f32) -> index
            return
          }
          func.func @user(%n: index) -> index {
            %0 = call @syntax(%n) : (index) -> index
            return %0 : index
          }
        }"#,
    );
    check(&imported);
    let errors = messages(&imported);
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(
        errors[0].starts_with("t.mlir:8:13: error") && errors[1].starts_with("t.mlir:13:18: error"),
        "{errors:?}"
    );
    let names: Vec<&str> = imported.program.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["good", "syntax", "declared", "types", "user"]);
    for name in ["syntax", "types"] {
        let bad = imported.program.function(name).unwrap();
        assert!(
            matches!(bad[bad[bad.entry().unwrap()].ops[0]].kind, OpKind::Unsupported { .. }),
            "{name}"
        );
    }
    let good = imported.program.function("user").unwrap();
    assert!(matches!(good[good[good.entry().unwrap()].ops[0]].kind, OpKind::Call(_)));
    assert!(tilia_mlir::export(&imported, &imported.program).is_err());
}

/// Operations that can't be executed stay where they are, with a reason and a way out; nothing is reported unless execution needs them.
#[test]
fn unsupported_operations_are_kept() {
    let reason = |line: &str| {
        let text = format!(
            "func.func private @g(f32) -> f32\nfunc.func @f(%x: f32, %m: memref<8xf32>, %n: index, %v: vector<4xf32>) -> f32 {{\n  {line}\n  return %x : f32\n}}"
        );
        let imported = read_fine(&text);
        let f = imported.program.function("f").unwrap().clone();
        let mut found = None;
        f.walk(f.body.unwrap(), |op| {
            if let OpKind::Unsupported { reason, .. } = &f[op].kind {
                found.get_or_insert((reason.clone(), f[op].loc.line_column().unwrap().0));
            }
        });
        let (reason, line) = found.expect("an unsupported operation");
        assert_eq!(line, 3);
        reason
    };
    assert!(reason(r#"%0 = "toy.print"(%x) ({ ^bb0: "toy.end"() : () -> () }) : (f32) -> f64"#).contains("'toy'"));
    assert!(reason("%0 = tensor.empty() : tensor<4xf32>").contains("bufferize"));
    assert!(reason("%0 = arith.constant 5 : i128").contains("128 bits"));
    assert!(reason("%0 = complex.create %x, %x : complex<f32>").contains("complex"));
    assert!(reason("%0 = vector.multi_reduction <add>, %v, %x [0] : vector<4xf32> to f32").contains("loop over its elements"));
    assert!(reason("%0 = builtin.unrealized_conversion_cast %x : f32 to i32").contains("between index and i64"));
    assert!(reason("%0 = arith.truncf %x upward : f32 to f16").contains("rounding mode"));
    assert!(reason("%0 = func.constant @g : (f32) -> f32").contains("by its name"));
    assert!(reason("linalg.fill ins(%x : f32) outs(%m : memref<8xf32>)").contains("convert-linalg-to-affine-loops"));
    assert!(reason("%0 = arith.constant 1.0 : f80").contains("f80"));
}

#[test]
fn globals_that_cannot_be_used_are_reported() {
    let (message, _) = first("memref.global @g : memref<2xcomplex<f32>> = uninitialized");
    assert!(message.starts_with("t.mlir:1:1: error: global 'g' can't be used:"), "{message}");
}

#[test]
fn pieces_of_a_file_keep_their_lines() {
    let text = "func.func @f() { return }\n// -----\n\nfunc.func @f() {\n  \"x\n}\n// -----\nfunc.func @g() { return }\n";
    let found: Vec<(usize, Vec<String>)> = split_input(text)
        .iter()
        .map(|chunk| {
            let options = ImportOptions {
                first_line: chunk.first_line,
            };
            let imported = import("t.mlir", chunk.text, &options);
            (imported.program.functions.len(), messages(&imported))
        })
        .collect();
    assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), [1, 1, 1]);
    assert!(found[1].1[0].starts_with("t.mlir:5:5: error"), "{:?}", found[1].1);
}
