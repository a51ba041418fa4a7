//! Tests of import and export; one binary, since each one links MLIR.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod control_flow;
mod diagnostics;
mod execute;
mod export;
mod files;
mod hostile;
mod memory;
mod numbers;

use tilia_mlir::{ImportOptions, Imported, import};

/// Imports a text under the name `t.mlir`.
fn read(text: &str) -> Imported {
    import("t.mlir", text, &ImportOptions::default())
}

/// Imports a text that must be fine, and whose program must be valid.
fn read_fine(text: &str) -> Imported {
    let imported = read(text);
    let diagnostics = messages(&imported);
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{text}");
    check(&imported);
    imported
}

/// Diagnostics, each on one line.
fn messages(imported: &Imported) -> Vec<String> {
    imported.diagnostics.iter().map(ToString::to_string).collect()
}

/// The program of an import must be valid.
fn check(imported: &Imported) {
    let wrong: Vec<String> = tilia_program::verify(&imported.program).iter().map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{}", imported.program);
}

/// The imported program must print as `expected`, indentation and blank lines aside.
#[track_caller]
fn expect(text: &str, expected: &str) {
    let lines = |s: &str| -> Vec<String> { s.lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect() };
    let program = read_fine(text).program.to_string();
    assert_eq!(lines(&program), lines(expected), "\n{program}");
}
