//! The field's known traps (`testsuite/cases`): each input must give the values, or the diagnostic, that `expected.toml` states.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use libtest_mimic::Trial;
use serde::Deserialize;

use crate::arrays::{Array, Arrays, read_npz};
use crate::binary::{Bench, Outcome};

const LIMIT: Duration = Duration::from_secs(120);

/// Options under which every case must give the same: the default, the original order, forks of every parallel loop, each strategy, tiles of odd sizes, and the other back end.
const CONFIGURATIONS: [(&str, &[&str]); 10] = [
    ("default", &["--threads=2"]),
    ("original_order", &["--strategy=none", "--threads=1"]),
    ("all_parallel", &["--threads=4", "--grain=0"]),
    ("original_tiled", &["--strategy=none", "--tile=7,5,3", "--threads=2", "--grain=0"]),
    ("pluto_tiled", &["--strategy=pluto", "--tile=7,5,3", "--threads=2", "--grain=0"]),
    ("pluto_plus", &["--strategy=pluto+", "--threads=2", "--grain=0"]),
    ("feautrier", &["--strategy=feautrier", "--threads=2", "--grain=0"]),
    ("isl", &["--strategy=isl", "--threads=2", "--grain=0"]),
    ("tensor", &["--strategy=tensor", "--threads=2", "--grain=0"]),
    ("llvm", &["--backend=llvm", "--threads=2", "--grain=0"]),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    case: Vec<Case>,
    command: Vec<CommandLine>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Case {
    file: String,
    #[serde(default)]
    command: Command,
    #[serde(default)]
    args: BTreeMap<String, String>,
    #[serde(default)]
    values: BTreeMap<String, Values>,
    #[serde(default)]
    exit: i32,
    #[serde(default)]
    stderr: Vec<String>,
    #[serde(default)]
    stdout: Vec<String>,
    #[serde(default)]
    or_refused: bool,
    /// Told to readers of the table; nothing to check yet.
    #[serde(default, rename = "later")]
    _later: Option<String>,
}

#[derive(Deserialize, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Command {
    #[default]
    Run,
    Opt,
}

#[derive(Deserialize, Clone)]
#[serde(untagged)]
enum Values {
    Integers(Vec<i64>),
    Floats(Vec<f64>),
    Digest {
        count: usize,
        sum: f64,
        weighted: f64,
        hash: String,
    },
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct CommandLine {
    line: String,
    #[serde(default)]
    exit: i32,
    #[serde(default)]
    stderr: Vec<String>,
    #[serde(default)]
    changed_or_explained: bool,
}

/// A trial for each entry and configuration.
pub fn trials(bench: &Arc<Bench>) -> Result<Vec<Trial>> {
    let path = bench.testsuite.join("cases/expected.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let expected: Expected = toml::from_str(&text).with_context(|| format!("{} isn't a table of expectations", path.display()))?;
    let mut trials = Vec::new();
    for case in expected.case {
        let args: String = case.args.values().map(|value| format!("_{value}")).collect();
        let stem = format!("case::{}{args}", case.file.trim_end_matches(".mlir"));
        if case.command == Command::Opt {
            let bench = Arc::clone(bench);
            trials.push(Trial::test(format!("{stem}::opt"), move || Ok(check_opt(&bench, &case)?)));
            continue;
        }
        for (name, options) in CONFIGURATIONS {
            let (bench, case) = (Arc::clone(bench), case.clone());
            let name = format!("{stem}::{name}");
            trials.push(Trial::test(name.clone(), move || Ok(check_run(&bench, &case, options, &name)?)));
        }
    }
    for command in expected.command {
        let bench = Arc::clone(bench);
        trials.push(Trial::test(
            format!("case::command::{}", command.line.replace(' ', "_")),
            move || Ok(check_line(&bench, &command)?),
        ));
    }
    Ok(trials)
}

fn tilia(bench: &Bench, args: Vec<String>) -> Result<Outcome, String> {
    bench
        .run(&args, &bench.testsuite.join("cases"), LIMIT)
        .map_err(|error| format!("{error:#}"))
}

fn check_run(bench: &Bench, case: &Case, options: &[&str], name: &str) -> Result<(), String> {
    let dump = bench.scratch(&format!("{name}.npz")).map_err(|error| error.to_string())?;
    let mut args = vec!["run".to_owned(), case.file.clone(), "--entry".to_owned(), "k".to_owned()];
    args.extend(["--dump".to_owned(), dump.display().to_string()]);
    args.extend(options.iter().map(|&option| option.to_owned()));
    for (number, value) in &case.args {
        args.extend(["--arg".to_owned(), format!("{number}={value}")]);
    }
    let outcome = tilia(bench, args)?;
    outcome.expect_stderr(&case.stderr)?;
    if case.or_refused && outcome.expect_exit(1).is_ok() {
        return if outcome.stderr.trim().is_empty() {
            Err(outcome.report("refused without a word"))
        } else {
            Ok(())
        };
    }
    outcome.expect_exit(case.exit)?;
    if case.exit != 0 {
        return Ok(());
    }
    check_values(case, &dump).map_err(|difference| outcome.report(&difference))?;
    std::fs::remove_file(&dump).map_err(|error| error.to_string())
}

fn check_values(case: &Case, dump: &Path) -> Result<(), String> {
    let arrays: Arrays = read_npz(dump).map_err(|error| format!("{error:#}"))?;
    for (name, want) in &case.values {
        let got = arrays
            .get(name)
            .ok_or_else(|| format!("{name} isn't in the dump, which has {:?}", arrays.keys()))?;
        check_array(got, want).map_err(|difference| format!("{name}: {difference}"))?;
    }
    for (name, array) in arrays.iter().filter(|(name, _)| !case.values.contains_key(*name)) {
        let number = name
            .strip_prefix("arg")
            .and_then(|number| number.parse::<usize>().ok())
            .ok_or_else(|| format!("{name} is unexpected"))?;
        if !array.is_ramp(number + 1) {
            return Err(format!(
                "{name} should be as it was before the run, but holds {:?}",
                first_values(array)
            ));
        }
    }
    Ok(())
}

fn check_array(got: &Array, want: &Values) -> Result<(), String> {
    let equal = match want {
        Values::Integers(values) if got.dtype.starts_with('f') => {
            same_bits(&got.to_f64(), &values.iter().map(|&x| x as f64).collect::<Vec<_>>())
        }
        Values::Integers(values) => got.to_i64().as_ref() == Some(values),
        Values::Floats(values) => got.dtype.starts_with('f') && same_bits(&got.to_f64(), values),
        Values::Digest {
            count,
            sum,
            weighted,
            hash,
        } => return check_digest(got, *count, *sum, *weighted, hash),
    };
    if equal {
        Ok(())
    } else {
        Err(format!("holds {:?}", first_values(got)))
    }
}

fn check_digest(got: &Array, count: usize, sum: f64, weighted: f64, hash: &str) -> Result<(), String> {
    let values = got.to_f64();
    let found = format!("{:016x}", got.hash());
    if values.len() == count && found == hash {
        return Ok(());
    }
    let total: f64 = values.iter().sum();
    let total_weighted: f64 = values.iter().enumerate().map(|(k, x)| (k + 1) as f64 * x).sum();
    Err(format!(
        "{} elements, sum {total:?}, weighted {total_weighted:?}, hash {found}; should be {count}, {sum:?}, {weighted:?}, {hash}; begins with {:?}",
        values.len(),
        first_values(got)
    ))
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(x, y)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()))
}

fn first_values(array: &Array) -> Vec<f64> {
    let mut values = array.to_f64();
    values.truncate(40);
    values
}

fn check_opt(bench: &Bench, case: &Case) -> Result<(), String> {
    let outcome = tilia(bench, vec!["opt".to_owned(), case.file.clone()])?;
    outcome.expect_exit(case.exit)?;
    outcome.expect_stderr(&case.stderr)?;
    match case.stdout.iter().find(|part| !outcome.stdout.contains(part.as_str())) {
        None => Ok(()),
        Some(part) => Err(outcome.report(&format!("the output should contain {part:?}"))),
    }
}

fn check_line(bench: &Bench, command: &CommandLine) -> Result<(), String> {
    let args: Vec<String> = command.line.split_whitespace().map(str::to_owned).collect();
    let file = args.get(1).cloned().unwrap_or_default();
    let outcome = tilia(bench, args)?;
    outcome.expect_exit(command.exit)?;
    outcome.expect_stderr(&command.stderr)?;
    if command.changed_or_explained && outcome.stderr.trim().is_empty() {
        let unchanged = tilia(bench, vec!["opt".to_owned(), file, "--strategy=none".to_owned()])?;
        if unchanged.stdout == outcome.stdout {
            return Err(outcome.report("nothing was changed, and nothing says why"));
        }
    }
    Ok(())
}
