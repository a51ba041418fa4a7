//! Built-in files, the examples, and the documentation.

use std::path::Path;
use tilia_strategy::{BUILT_IN, CostFunction, RowKind, built_in, load};

use crate::views::Program;

pub(crate) fn examples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .map(|p| {
            (
                p.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(&p).unwrap(),
            )
        })
        .collect();
    all.sort();
    assert!(all.len() >= 10, "{all:?}");
    all
}

#[test]
fn every_file_reads_and_answers() {
    let files = examples()
        .into_iter()
        .chain(BUILT_IN.iter().map(|b| (b.file.to_owned(), b.text.to_owned())));
    for (name, text) in files {
        let mut strategy = load(&name, &name, &text).unwrap_or_else(|e| panic!("{name}: {}", e[0]));
        let program = Program::new(&[4, 4, 4, 4]);
        program.view(|v| strategy.begin(v)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let answer = program.view(|v| strategy.configure(v)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!answer.cost.is_empty(), "{name}");
        let later = Program::new(&[4, 4, 4, 4])
            .row(RowKind::Loop, true)
            .row(RowKind::Scalar, false)
            .row(RowKind::Loop, false);
        later.view(|v| strategy.configure(v)).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn built_in_names() {
    let names: Vec<&str> = BUILT_IN.iter().map(|b| b.name).collect();
    assert_eq!(names, ["none", "pluto", "pluto+", "feautrier", "isl", "tensor", "auto"]);
    let error = built_in("plutto").unwrap_err();
    assert_eq!(error.help.as_deref(), Some("did you mean 'pluto'?"));
    let none = built_in("none").unwrap().load().unwrap().begin_original();
    assert!(none);
}

trait Begin {
    fn begin_original(self) -> bool;
}

impl Begin for Box<dyn tilia_strategy::Strategy> {
    fn begin_original(mut self) -> bool {
        Program::new(&[1]).view(|v| self.begin(v)).unwrap().original_order
    }
}

/// Fenced blocks of a language in the page on strategies.
fn blocks(language: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/strategies.md");
    let text = std::fs::read_to_string(page).unwrap();
    let mut all = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(block), Some(_)) => {
                all.push(std::mem::take(block));
                open = None;
            }
            (Some(block), None) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, Some(l)) if l == language => open = Some(String::new()),
            (None, _) => {}
        }
    }
    all
}

#[test]
fn the_documentation_s_examples_are_true() {
    let (json, rhai) = (blocks("json"), blocks("rhai"));
    assert!(json.len() >= 5 && rhai.len() >= 3, "{} and {}", json.len(), rhai.len());
    for (n, text) in json.iter().enumerate() {
        // Pieces of files stand in the page as the members of scheduling_strategy.
        let whole = if text.contains("scheduling_strategy") {
            text.clone()
        } else {
            format!("{{\"scheduling_strategy\": {{{text}}}}}")
        };
        let mut strategy = load("page", "page.json", &whole).unwrap_or_else(|e| panic!("json block {n}: {}\n{text}", e[0]));
        let program = Program::new(&[3, 3, 3, 3]);
        program
            .view(|v| strategy.begin(v))
            .unwrap_or_else(|e| panic!("json block {n}: {e}\n{text}"));
        program
            .view(|v| strategy.configure(v))
            .unwrap_or_else(|e| panic!("json block {n}: {e}\n{text}"));
    }
    for (n, text) in rhai.iter().enumerate() {
        let mut strategy = load("page", "page.rhai", text).unwrap_or_else(|e| panic!("rhai block {n}: {}\n{text}", e[0]));
        let program = Program::new(&[3, 3, 3, 3]).row(RowKind::Loop, false);
        program
            .view(|v| strategy.begin(v))
            .unwrap_or_else(|e| panic!("rhai block {n}: {e}\n{text}"));
        program
            .view(|v| strategy.configure(v))
            .unwrap_or_else(|e| panic!("rhai block {n}: {e}\n{text}"));
        let cost = [CostFunction::Proximity];
        let candidate = crate::views::candidate(false, &cost, &[]);
        program
            .view(|v| strategy.accept(v, &candidate))
            .unwrap_or_else(|e| panic!("rhai block {n}: {e}\n{text}"));
    }
}
