//! PolyBench's kernels under transformations asked for by hand: tiles of fixed, odd and huge sizes for all of them (`--tile`), and the scripts of `testsuite/polybench/transforms.toml` (`--transform`):
//! two levels of tiles, register tiles, wavefronts, diamonds, split and hexagonal tiles. Results are compared with the reference bit for bit, and what ran is counted.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use libtest_mimic::Trial;
use serde::Deserialize;

use crate::binary::Bench;
use crate::executed::{Executed, THREADS, Table};
use crate::kernels::{self, Kernel};

/// Tile sizes for every kernel.
const TILES: [&str; 3] = ["32", "7,5,3", "1000"];

/// Sizes of problems, each with the columns of [`THREADS`] that it is run with.
type Sizes = (&'static str, &'static [usize]);
const OF_TILES: [Sizes; 1] = [("MINI", &[1])];
const OF_SCRIPTS: [Sizes; 2] = [("MINI", &[0, 1, 2]), ("SMALL", &[1])];

/// Time tilings take their time to compile without optimisation.
const LIMIT: Duration = Duration::from_secs(600);

/// What to ask for.
#[derive(Clone)]
enum Wish {
    Tile(&'static str),
    Script(String),
}

/// The scripts by kernel and name.
type Scripts = BTreeMap<String, BTreeMap<String, String>>;

#[derive(Deserialize)]
struct Line {
    executed: Executed,
}

/// The head of the table of counts.
pub const HEAD: &str = "\
# Parallel regions, vector loops and full tiles that each kernel executes with --grain=0 under a transformation, by size;
# the columns are 1, 2 and 4 threads (SMALL, and tiles: 2 only). Checked by the harness.
# After a change that is meant to alter them: TILIA_BLESS=1 cargo test -p tilia-harness --test suite -- transform
";

/// A trial for each kernel, transformation, size and thread count.
pub fn trials(bench: &Arc<Bench>, table: &Arc<Table>) -> Result<Vec<Trial>> {
    let path = bench.testsuite.join("polybench/transforms.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let scripts: Scripts = toml::from_str(&text).with_context(|| format!("{} isn't a table of scripts", path.display()))?;
    let all = kernels::names(bench)?;
    for name in scripts.keys() {
        anyhow::ensure!(all.iter().any(|k| k.name == *name), "{}: there is no kernel {name}", path.display());
    }
    let mut trials = Vec::new();
    for kernel in all {
        let mut wishes: Vec<(String, Wish)> = TILES.iter().map(|&t| (format!("tile {t}"), Wish::Tile(t))).collect();
        for (name, script) in scripts.get(&kernel.name).into_iter().flatten() {
            wishes.push((name.clone(), Wish::Script(script.clone())));
        }
        for (what, wish) in wishes {
            let sizes = if matches!(wish, Wish::Tile(_)) {
                &OF_TILES[..]
            } else {
                &OF_SCRIPTS[..]
            };
            for &(size, columns) in sizes {
                for &column in columns {
                    let (bench, table, kernel, what, wish) =
                        (Arc::clone(bench), Arc::clone(table), kernel.clone(), what.clone(), wish.clone());
                    let name = format!("transform::{}::{what}::{size}::threads_{}", kernel.name, THREADS[column]);
                    trials.push(Trial::test(name, move || {
                        let case = Case {
                            kernel: &kernel,
                            what: &what,
                            wish: &wish,
                            size,
                            column,
                        };
                        Ok(check(&bench, &table, &case)?)
                    }));
                }
            }
        }
    }
    Ok(trials)
}

struct Case<'a> {
    kernel: &'a Kernel,
    what: &'a str,
    wish: &'a Wish,
    size: &'static str,
    column: usize,
}

fn check(bench: &Bench, table: &Table, case: &Case<'_>) -> Result<(), String> {
    let (kernel, size, column) = (case.kernel, case.size, case.column);
    let what: String = case.what.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let dump = bench
        .scratch(&format!("{}-{what}-{size}-{}", kernel.name, THREADS[column]))
        .map_err(|error| error.to_string())?;
    let executed = run(bench, case, &dump)?;
    kernels::compare(bench, kernel, size, &dump)?;
    table.check(&kernel.name, case.what, size, column, executed)?;
    std::fs::remove_dir_all(&dump).map_err(|error| error.to_string())
}

fn run(bench: &Bench, case: &Case<'_>, dump: &Path) -> Result<Executed, String> {
    let mut args: Vec<String> = [
        "bench",
        "polybench/suite.toml",
        "--strategy=none",
        "--grain=0",
        "--repeat=1",
        "--verify",
        "--json",
    ]
    .map(str::to_owned)
    .to_vec();
    args.extend([
        "--kernel".to_owned(),
        case.kernel.name.clone(),
        "--size".to_owned(),
        case.size.to_owned(),
    ]);
    args.extend(["--threads".to_owned(), THREADS[case.column].to_string()]);
    args.extend(["--dump".to_owned(), dump.display().to_string()]);
    match case.wish {
        Wish::Tile(sizes) => args.extend(["--tile".to_owned(), (*sizes).to_owned()]),
        Wish::Script(script) => args.extend(["-p".to_owned(), script.clone()]),
    }
    let outcome = bench.run(&args, &bench.testsuite, LIMIT).map_err(|error| format!("{error:#}"))?;
    outcome.expect_exit(0)?;
    let line = outcome.stdout.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
    let line: Line = serde_json::from_str(line).map_err(|error| outcome.report(&format!("{error} in: {line}")))?;
    Ok(line.executed)
}
