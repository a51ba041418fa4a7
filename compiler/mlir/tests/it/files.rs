//! Every MLIR file of the test suite.

use crate::{check, messages};
use std::path::{Path, PathBuf};
use tilia_mlir::{ImportOptions, import, split_input};

pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testsuite").join(folder);
    let mut found: Vec<PathBuf> = std::fs::read_dir(&root)
        .unwrap_or_else(|e| panic!("{}: {e}", root.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "mlir"))
        .collect();
    found.sort();
    assert!(found.len() >= 20, "{} files in {folder}", found.len());
    found
}

/// All give valid programs; the only complaints are those that the files ask for.
#[test]
fn all_files_import() {
    let mut complaints = Vec::new();
    for path in files("cases").into_iter().chain(files("polybench")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        for chunk in split_input(&text) {
            let options = ImportOptions {
                first_line: chunk.first_line,
            };
            let imported = import_named(&name, chunk.text, &options);
            complaints.extend(messages(&imported));
        }
    }
    assert_eq!(
        complaints,
        [
            "R24:8:3: error: the step of this loop is 0: step must be positive",
            "R29:8:10: error: 'floordiv' by -4: the right-hand side must be positive",
        ]
    );
}

fn import_named(name: &str, text: &str, options: &ImportOptions) -> tilia_mlir::Imported {
    let imported = import(name, text, options);
    assert!(imported.parsed(), "{name}: {:?}", messages(&imported));
    check(&imported);
    imported
}
