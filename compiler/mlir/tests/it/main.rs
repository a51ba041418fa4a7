//! Tests of import and export; one binary, since each one links MLIR.

mod import_all;

use tilia_mlir::{ImportOptions, Imported, import};

/// Imports a text under the name `t.mlir`.
fn read(text: &str) -> Imported {
    import("t.mlir", text, &ImportOptions::default())
}

/// Imports a text that must be fine, and whose program must be valid.
fn read_fine(text: &str) -> Imported {
    let imported = read(text);
    let diagnostics: Vec<String> = imported.diagnostics.iter().map(ToString::to_string).collect();
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{text}");
    check(&imported);
    imported
}

/// The program of an import must be valid.
fn check(imported: &Imported) {
    let wrong: Vec<String> = tilia_program::verify(&imported.program).iter().map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{}", imported.program);
}
