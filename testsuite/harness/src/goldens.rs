//! Schedules with known answers: `testsuite/polybench/goldens.toml` names a kernel, a strategy, and the rows that each statement must get. The answers are those of the PolyTOPS paper, of Pluto's
//! regression tests, and of programs solved by hand.
//!
//! A statement's rows are read off the tree that `tilia opt --emit=schedule` prints, from the root to the statement: the functions of the bands above it and its place in sequences. They are written as
//! `(i0, 2i0 + i1, 0) ss-`: after the rows a letter for each, `P` for a loop that is parallel, `s` for one that isn't, `-` for a place; `|` where a new band begins. Places in sets, whose order is free,
//! don't count.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use libtest_mimic::Trial;
use serde::Deserialize;

use crate::binary::Bench;
use crate::kernels;
use crate::schedules::text::{Below, Node, parse};

const LIMIT: Duration = Duration::from_secs(120);

#[derive(Deserialize)]
struct Goldens {
    golden: Vec<Golden>,
}

/// One known answer.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Golden {
    kernel: String,
    name: String,
    /// The text of a strategy file.
    strategy: String,
    /// By statement.
    rows: Vec<String>,
}

/// A trial for each known answer.
///
/// # Errors
/// When the file of answers is wrong.
pub fn trials(bench: &Arc<Bench>) -> Result<Vec<Trial>> {
    let path = bench.testsuite.join("polybench/goldens.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let goldens: Goldens = toml::from_str(&text).with_context(|| format!("{} isn't a list of known answers", path.display()))?;
    let all = kernels::names(bench)?;
    let mut trials = Vec::new();
    for golden in goldens.golden {
        let kernel = all.iter().find(|k| k.name == golden.kernel).cloned();
        let kernel = kernel.with_context(|| format!("{}: there is no kernel {}", path.display(), golden.kernel))?;
        let bench = Arc::clone(bench);
        let name = format!("golden::{}::{}", golden.kernel, golden.name);
        trials.push(Trial::test(name, move || Ok(check(&bench, &kernel.file, &golden)?)));
    }
    Ok(trials)
}

fn check(bench: &Bench, file: &str, golden: &Golden) -> Result<(), String> {
    let stem: String = golden.name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let strategy = bench
        .scratch(&format!("{}-{stem}.json", golden.kernel))
        .map_err(|error| error.to_string())?;
    std::fs::write(&strategy, &golden.strategy).map_err(|error| error.to_string())?;
    let args = [
        "opt".to_owned(),
        format!("polybench/{file}"),
        format!("--strategy={}", strategy.display()),
        "--tile=off".to_owned(),
        "--emit=schedule".to_owned(),
    ];
    let outcome = bench.run(&args, &bench.testsuite, LIMIT).map_err(|error| format!("{error:#}"))?;
    outcome.expect_exit(0)?;
    let documents = parse(&outcome.stdout).map_err(|error| format!("{error:#}"))?;
    let tree = documents.iter().find(|d| d.head == "# scop kernel_0");
    let tree = tree.ok_or_else(|| outcome.report("the kernel has no static control part"))?;
    let got: Vec<String> = (0..golden.rows.len()).map(|n| rows(&tree.root, &format!("S{n}"))).collect();
    if got == golden.rows {
        return std::fs::remove_file(&strategy).map_err(|error| error.to_string());
    }
    let mut text = String::new();
    tree.root.print(0, &mut text);
    Err(format!(
        "the rows are\n  {}\nthe answer is\n  {}\n{text}",
        got.join("\n  "),
        golden.rows.join("\n  ")
    ))
}

/// The rows of a statement, and their flags.
fn rows(root: &Node, stmt: &str) -> String {
    let (mut rows, mut flags) = (Vec::new(), String::new());
    let (mut node, mut after_band) = (Some(root), false);
    while let Some(at) = node {
        if let Some(functions) = at.value("schedule") {
            let coincident: Vec<bool> = at
                .value("coincident")
                .unwrap_or_default()
                .chars()
                .filter(char::is_ascii_digit)
                .map(|c| c == '1')
                .collect();
            if after_band {
                flags.push('|');
            }
            for (n, member) in members(functions).into_iter().enumerate() {
                rows.push(function(member, stmt).unwrap_or("?").to_owned());
                flags.push(if coincident.get(n) == Some(&true) { 'P' } else { 's' });
            }
            after_band = true;
        }
        node = match &at.below {
            Below::Leaf => None,
            Below::Child(child) => Some(child),
            Below::List(kind, items) => {
                let place = items
                    .iter()
                    .position(|item| item.value("filter").is_some_and(|f| mentions(f, stmt)));
                if let (Some(place), "sequence") = (place, kind.as_str()) {
                    rows.push(place.to_string());
                    flags.push('-');
                }
                place.map(|p| &items[p])
            }
        };
    }
    format!("({}) {flags}", rows.join(", "))
}

/// The members of a band's schedule: what stands in braces.
fn members(functions: &str) -> Vec<&str> {
    functions.split('{').skip(1).filter_map(|part| part.split('}').next()).collect()
}

/// The function of a statement in a member: `S0[i0, i1] -> [(i0 + i1)]; ..`.
fn function<'a>(member: &'a str, stmt: &str) -> Option<&'a str> {
    let piece = member.split(';').map(str::trim).find(|piece| mentions(piece, stmt))?;
    let (_, value) = piece.split_once("-> [(")?;
    Some(value.rsplit_once(")]")?.0)
}

fn mentions(text: &str, stmt: &str) -> bool {
    let start = format!("{stmt}[");
    text.match_indices(&start)
        .any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# scop kernel_0
domain: \"[n] -> { S0[i0, i1]; S10[i0] }\"
child:
  schedule: \"[n] -> [{ S0[i0, i1] -> [(i0)]; S10[i0] -> [(i0)] }, { S0[i0, i1] -> [(2i0 + i1)]; S10[i0] -> [(0)] }]\"
  permutable: 1
  coincident: [ 1, 0 ]
  child:
    sequence:
    - filter: \"[n] -> { S10[i0] }\"
    - filter: \"[n] -> { S0[i0, i1] }\"
      child:
        schedule: \"[n] -> [{ S0[i0, i1] -> [(i1)] }]\"
        permutable: 1
";

    #[test]
    fn rows_are_read_from_the_root_to_the_statement() {
        let documents = parse(TEXT).unwrap();
        assert_eq!(rows(&documents[0].root, "S0"), "(i0, 2i0 + i1, 1, i1) Ps-|s");
        assert_eq!(rows(&documents[0].root, "S10"), "(i0, 0, 0) Ps-");
    }
}
