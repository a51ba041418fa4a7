//! Any legal schedule works: the trees of PolyBench's kernels are edited and loaded again. Legal ones give the reference
//! results bit for bit, illegal ones are refused with the dependence and two iterations.
//!
//! Which edits are legal is recorded in `testsuite/polybench/schedules.toml`, so that a check that becomes too strict or too
//! lax is noticed.

mod edit;
mod table;
pub(crate) mod text;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, Result};
use libtest_mimic::Trial;

use crate::binary::{Bench, End, Outcome};
use crate::kernels;
use crate::table::Table;
use edit::Edit;
pub use table::{HEAD, Verdicts};
use text::{Document, Node};

const LIMIT: Duration = Duration::from_secs(300);

/// At most so many places of one edit in one kernel are tried, spread over all there are.
const PLACES: usize = 6;

/// A trial for each kernel and edit.
pub fn trials(bench: &Arc<Bench>, table: &Arc<Table<Verdicts>>) -> Result<Vec<Trial>> {
    let mut trials = Vec::new();
    for kernel in kernels::names(bench)? {
        // The tree of a kernel is asked for once, by whichever of its trials comes first.
        let trees: Arc<OnceLock<Result<Vec<Document>, String>>> = Arc::default();
        for edit in Edit::ALL {
            let (bench, table, kernel, trees) = (Arc::clone(bench), Arc::clone(table), kernel.clone(), Arc::clone(&trees));
            let name = format!("schedule::{}::{}", kernel.name, format!("{edit:?}").to_lowercase());
            trials.push(Trial::test(name, move || {
                let documents = trees.get_or_init(|| original(&bench, &kernel)).clone()?;
                Ok(check(&bench, &table, &kernel, edit, &documents)?)
            }));
        }
    }
    Ok(trials)
}

/// The trees of a kernel's measured function.
fn original(bench: &Bench, kernel: &kernels::Kernel) -> Result<Vec<Document>, String> {
    let tree = bench.scratch(&format!("{}.yaml", kernel.name)).map_err(|error| error.to_string())?;
    let file = format!("polybench/{}", kernel.file);
    let args = [
        "opt",
        &file,
        "--strategy=none",
        "--schedule-out",
        &tree.display().to_string(),
        "-o",
        "/dev/null",
    ]
    .map(str::to_owned);
    let outcome = bench.run(&args, &bench.testsuite, LIMIT).map_err(|error| format!("{error:#}"))?;
    outcome.expect_exit(0)?;
    let read = || text::parse(&std::fs::read_to_string(&tree)?).with_context(|| format!("in {}", tree.display()));
    let mut documents = read().map_err(|error| format!("{error:#}"))?;
    documents.retain(|document| document.head.contains(&kernel.entry));
    if documents.is_empty() {
        return Err(outcome.report("the kernel has no static control part"));
    }
    Ok(documents)
}

/// Tries an edit at several places of the kernel.
fn check(bench: &Bench, table: &Table<Verdicts>, kernel: &kernels::Kernel, edit: Edit, documents: &[Document]) -> Result<(), String> {
    let mut edited: Vec<Vec<(String, Node)>> = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        for tree in edit.apply(&document.root) {
            let file = documents
                .iter()
                .enumerate()
                .map(|(other, d)| (d.head.clone(), if other == number { tree.clone() } else { d.root.clone() }));
            edited.push(file.collect());
        }
    }
    let step = edited.len().div_ceil(PLACES).max(1);
    let mut verdicts = String::new();
    for (place, trees) in edited.iter().enumerate().step_by(step) {
        let text: String = trees.iter().map(|(head, tree)| document(head, tree)).collect();
        let legal = try_one(bench, kernel, edit, place, &text)?;
        verdicts.push(if legal { 'y' } else { 'n' });
    }
    table::check(table, &kernel.name, edit, &verdicts)
}

fn document(head: &str, tree: &Node) -> String {
    let mut text = format!("{head}\n");
    tree.print(0, &mut text);
    text
}

/// Runs a kernel under a tree; whether the tree is accepted.
fn try_one(bench: &Bench, kernel: &kernels::Kernel, edit: Edit, place: usize, text: &str) -> Result<bool, String> {
    let stem = format!("{}-{edit:?}-{place}", kernel.name);
    let (tree, dump) = (bench.scratch(&format!("{stem}.yaml")), bench.scratch(&stem));
    let (tree, dump) = (tree.map_err(|error| error.to_string())?, dump.map_err(|error| error.to_string())?);
    std::fs::write(&tree, text).map_err(|error| error.to_string())?;
    let mut args = [
        "bench",
        "polybench/suite.toml",
        "--kernel",
        &kernel.name,
        "--size",
        "MINI",
        "--threads=2",
        "--grain=0",
        "--repeat=1",
    ]
    .map(str::to_owned)
    .to_vec();
    args.extend([
        "--schedule-in".to_owned(),
        tree.display().to_string(),
        "--dump".to_owned(),
        dump.display().to_string(),
        "--json".to_owned(),
    ]);
    let outcome = bench.run(&args, &bench.testsuite, LIMIT).map_err(|error| format!("{error:#}"))?;
    match outcome.end {
        End::Exit(0) => {
            kernels::compare(bench, kernel, "MINI", &dump)
                .map_err(|difference| outcome.report(&format!("{}: {difference}", tree.display())))?;
            std::fs::remove_dir_all(&dump).map_err(|error| error.to_string())?;
        }
        End::Exit(1) if !edit.is_always_legal() => check_refusal(&outcome, &tree.display().to_string())?,
        _ => return Err(outcome.report(&format!("{} should be accepted", tree.display()))),
    }
    std::fs::remove_file(&tree).map_err(|error| error.to_string())?;
    Ok(outcome.end == End::Exit(0))
}

/// A refusal names the dependence by two iterations: `S1[0, 0, 0] at .. must come before S1[0, 1, 0] at ..`.
fn check_refusal(outcome: &Outcome, tree: &str) -> Result<(), String> {
    let is_instance = |text: &str| {
        text.split_once('[')
            .is_some_and(|(_, point)| point.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()))
    };
    let names_both = |line: &str| {
        line.split_once(" must come before ")
            .is_some_and(|(first, second)| is_instance(first) && is_instance(second))
    };
    if outcome.stderr.lines().any(names_both) {
        return Ok(());
    }
    Err(outcome.report(&format!("the refusal of {tree} should name two iterations that change places")))
}
