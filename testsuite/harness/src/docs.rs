//! The examples of the documentation: every `console` block of README.md and docs/ is run as it stands.
//!
//! In such a block a line that begins with `$ ` is a command, run by the shell in the root of the sources with `tilia` on the
//! path; the lines up to the next command are its output, byte for byte. A line `...` stands for any lines.
//!
//! The table of docs/schedules.md is compared row by row with what the strategies make of the kernels.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use libtest_mimic::Trial;

use crate::binary::{Bench, run_limited};
use crate::kernels;

const LIMIT: Duration = Duration::from_secs(120);

struct Example {
    command: String,
    output: Vec<String>,
}

/// A trial for each command.
pub fn trials(bench: &Arc<Bench>) -> Result<Vec<Trial>> {
    let root = bench.testsuite.parent().context("testsuite/ sits in the root")?.to_path_buf();
    let mut trials = Vec::new();
    for file in documents(&root)? {
        let text = std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
        let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
        for (number, example) in examples(&text).into_iter().enumerate() {
            let (bench, root) = (Arc::clone(bench), root.clone());
            trials.push(Trial::test(format!("docs::{name}::{number}"), move || {
                Ok(check(&bench, &root, &example)?)
            }));
        }
    }
    trials.extend(schedule_rows(bench, &root)?);
    Ok(trials)
}

/// A trial for each row of the table of schedules.
fn schedule_rows(bench: &Arc<Bench>, root: &Path) -> Result<Vec<Trial>> {
    let file = root.join("docs/schedules.md");
    let text = Arc::new(std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?);
    let row = |kernel: kernels::Kernel| {
        let (bench, root, text) = (Arc::clone(bench), root.to_path_buf(), Arc::clone(&text));
        let name = format!("docs::schedules::{}", kernel.name);
        Trial::test(name, move || Ok(check_schedules(&bench, &root, &text, &kernel.name)?))
    };
    Ok(kernels::names(bench)?.into_iter().map(row).collect())
}

/// Compares a kernel's row with what the strategies make of it today.
fn check_schedules(bench: &Bench, root: &Path, text: &str, kernel: &str) -> Result<(), String> {
    let command = format!(
        "TILIA='{}' python3 testsuite/scripts/schedule-table {kernel}",
        bench.tilia.display()
    );
    let outcome = run_limited(Path::new("sh"), &["-c".to_owned(), command], root, LIMIT).map_err(|error| format!("{error:#}"))?;
    outcome.expect_exit(0)?;
    let row = outcome.stdout.trim_end();
    if text.lines().any(|line| line == row) {
        return Ok(());
    }
    let there = text
        .lines()
        .find(|line| line.starts_with(&format!("| {kernel} |")))
        .unwrap_or("nothing");
    Err(format!(
        "the row is\n{row}\ndocs/schedules.md says\n{there}\ntestsuite/scripts/schedule-table --write rewrites the table"
    ))
}

fn documents(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![root.join("README.md")];
    for entry in std::fs::read_dir(root.join("docs"))? {
        files.push(entry?.path());
    }
    files.retain(|path| path.extension().is_some_and(|suffix| suffix == "md"));
    files.sort();
    Ok(files)
}

fn examples(text: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = !inside && line.trim_start_matches('`') == "console";
        } else if inside {
            match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(command), _) => found.push(Example {
                    command: command.to_owned(),
                    output: Vec::new(),
                }),
                (None, Some(example)) => example.output.push(line.to_owned()),
                (None, None) => {}
            }
        }
    }
    found
}

fn check(bench: &Bench, root: &Path, example: &Example) -> Result<(), String> {
    let folder = bench.tilia.parent().unwrap_or(root).display();
    let args = ["-c".to_owned(), format!("PATH={folder}:$PATH; {}", example.command)];
    let outcome = run_limited(Path::new("sh"), &args, root, LIMIT).map_err(|error| format!("{error:#}"))?;
    outcome.expect_exit(0)?;
    let output: Vec<&str> = outcome.stdout.lines().map(str::trim_end).collect();
    let wanted: Vec<&str> = example.output.iter().map(|line| line.trim_end()).collect();
    if wanted.is_empty() || matches(&wanted, &output) {
        return Ok(());
    }
    Err(format!(
        "`{}` prints\n{}\nthe document says\n{}",
        example.command,
        output.join("\n"),
        wanted.join("\n")
    ))
}

/// Whether the lines are those wanted, where `...` stands for any number of lines.
fn matches(wanted: &[&str], output: &[&str]) -> bool {
    match wanted.split_first() {
        None => output.is_empty(),
        Some((&"...", rest)) => (0..=output.len()).any(|skipped| matches(rest, &output[skipped..])),
        Some((line, rest)) => output.first() == Some(line) && matches(rest, &output[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_stand_for_any_lines() {
        assert!(matches(&["a", "...", "d"], &["a", "b", "c", "d"]));
        assert!(matches(&["a", "..."], &["a"]));
        assert!(!matches(&["a", "..."], &["b", "a"]));
        assert!(!matches(&["a"], &["a", "b"]));
    }

    #[test]
    fn only_console_blocks_are_examples() {
        let text = "```console\n$ tilia --version\ntilia 1\n$ tilia x\n```\n```sh\n$ rm -r everything\n```\n```console\n$ y\n```\n";
        let found: Vec<(String, usize)> = examples(text).into_iter().map(|e| (e.command, e.output.len())).collect();
        assert_eq!(
            found,
            [("tilia --version".to_owned(), 1), ("tilia x".to_owned(), 0), ("y".to_owned(), 0)]
        );
    }
}
