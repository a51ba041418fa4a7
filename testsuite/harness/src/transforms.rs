//! PolyBench's kernels under transformations asked for by hand: tiles of fixed, odd and huge sizes for all of them (`--tile`), and the scripts of `testsuite/polybench/transforms.toml` (`--transform`):
//! two levels of tiles, register tiles, wavefronts, diamonds, split and hexagonal tiles. Results are compared with the reference bit for bit, and what ran is counted. Every kernel
//! has each of these shapes, or the reason why it is declined there.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use libtest_mimic::Trial;
use serde::Deserialize;

use crate::binary::{Bench, Outcome};
use crate::executed::{self, Counts, Executed, THREADS};
use crate::kernels::{self, Kernel};
use crate::table::Table;

/// Tile sizes for every kernel: round, odd, and above all trip counts.
const TILES: [&str; 3] = ["32", "7,5,3", "1000"];

/// Strategies whose bands are tiled, with what their rows are called.
const TILED: [(&str, &str); 2] = [("none", "tile"), ("pluto", "pluto tile")];

/// What every kernel is asked for.
const SHAPES: [&str; 6] = ["two levels", "register tile", "wavefront", "diamond", "split", "hexagonal"];

/// Columns of [`THREADS`] at the smallest size; larger ones are run with two threads only.
const COLUMNS: [usize; 3] = [0, 1, 2];

/// Time tilings take their time to compile without optimisation.
const LIMIT: Duration = Duration::from_secs(600);

/// An entry of the scripts' file: a script alone is applied to the order of the source, and at two sizes.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Script(String),
    Shape(Shape),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    /// Whose schedule the script starts from.
    #[serde(default = "source_order")]
    strategy: String,
    script: String,
    /// Why the script is declined; the text is a part of the error.
    declined: Option<String>,
}

fn source_order() -> String {
    "none".to_owned()
}

/// The scripts by kernel and name.
type Scripts = BTreeMap<String, BTreeMap<String, Entry>>;

#[derive(Deserialize)]
struct Line {
    executed: Executed,
}

/// The head of the table of counts.
pub const HEAD: &str = "\
# Parallel regions, vector loops and full tiles that each kernel executes with --grain=0 under a transformation, by size;
# the columns are 1, 2 and 4 threads (SMALL: 2 only). Checked by the harness.
# After a change that is meant to alter them: TILIA_BLESS=1 cargo test -p tilia-harness --test suite -- transform
";

/// What to ask for.
#[derive(Clone)]
struct Wish {
    /// The name of its row.
    what: String,
    /// The options of `bench` that say it.
    options: Vec<String>,
    /// Sizes of problems, each with the columns of [`THREADS`] that it is run with.
    sizes: Vec<(&'static str, &'static [usize])>,
    declined: Option<String>,
}

/// A trial for each kernel, transformation, size and thread count.
///
/// # Errors
/// When the scripts' file is wrong, or lacks a shape for a kernel.
pub fn trials(bench: &Arc<Bench>, table: &Arc<Table<Counts>>) -> Result<Vec<Trial>> {
    let path = bench.testsuite.join("polybench/transforms.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let scripts: Scripts = toml::from_str(&text).with_context(|| format!("{} isn't a table of scripts", path.display()))?;
    let all = kernels::names(bench)?;
    for name in scripts.keys() {
        anyhow::ensure!(all.iter().any(|k| k.name == *name), "{}: there is no kernel {name}", path.display());
    }
    let mut trials = Vec::new();
    for kernel in all {
        let of_kernel = scripts.get(&kernel.name);
        for shape in SHAPES {
            let there = of_kernel.is_some_and(|s| s.contains_key(shape));
            anyhow::ensure!(there, "{}: {} has no script \"{shape}\"", path.display(), kernel.name);
        }
        let mut wishes = tiles();
        wishes.extend(of_kernel.into_iter().flatten().map(|(name, entry)| scripted(name, entry)));
        for wish in wishes {
            for &(size, columns) in &wish.sizes {
                for &column in columns {
                    let (bench, table, kernel, wish) = (Arc::clone(bench), Arc::clone(table), kernel.clone(), wish.clone());
                    let name = format!("transform::{}::{}::{size}::threads_{}", kernel.name, wish.what, THREADS[column]);
                    trials.push(Trial::test(name, move || {
                        let case = Case {
                            kernel: &kernel,
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

fn tiles() -> Vec<Wish> {
    let mut wishes = Vec::new();
    for (strategy, name) in TILED {
        for sizes in TILES {
            wishes.push(Wish {
                what: format!("{name} {sizes}"),
                options: vec![format!("--strategy={strategy}"), format!("--tile={sizes}")],
                sizes: vec![("MINI", &COLUMNS)],
                declined: None,
            });
        }
    }
    wishes
}

fn scripted(name: &str, entry: &Entry) -> Wish {
    let (strategy, script, declined) = match entry {
        Entry::Script(script) => ("none", script, None),
        Entry::Shape(s) => (s.strategy.as_str(), &s.script, s.declined.clone()),
    };
    let mut sizes: Vec<(&'static str, &'static [usize])> = vec![("MINI", if declined.is_some() { &COLUMNS[..1] } else { &COLUMNS })];
    if matches!(entry, Entry::Script(_)) {
        sizes.push(("SMALL", &COLUMNS[1..2]));
    }
    Wish {
        what: name.to_owned(),
        options: vec![format!("--strategy={strategy}"), "-p".to_owned(), script.clone()],
        sizes,
        declined,
    }
}

struct Case<'a> {
    kernel: &'a Kernel,
    wish: &'a Wish,
    size: &'static str,
    column: usize,
}

fn check(bench: &Bench, table: &Table<Counts>, case: &Case<'_>) -> Result<(), String> {
    let (kernel, size, column) = (case.kernel, case.size, case.column);
    let what: String = case.wish.what.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let dump = bench
        .scratch(&format!("{}-{what}-{size}-{}", kernel.name, THREADS[column]))
        .map_err(|error| error.to_string())?;
    let outcome = run(bench, case, &dump)?;
    if let Some(reason) = &case.wish.declined {
        outcome.expect_exit(1)?;
        return outcome.expect_stderr(std::slice::from_ref(reason));
    }
    outcome.expect_exit(0)?;
    let line = outcome.stdout.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
    let line: Line = serde_json::from_str(line).map_err(|error| outcome.report(&format!("{error} in: {line}")))?;
    kernels::compare(bench, kernel, size, &dump)?;
    executed::check(table, &kernel.name, &case.wish.what, size, column, line.executed)?;
    std::fs::remove_dir_all(&dump).map_err(|error| error.to_string())
}

fn run(bench: &Bench, case: &Case<'_>, dump: &Path) -> Result<Outcome, String> {
    let mut args: Vec<String> = ["bench", "polybench/suite.toml", "--grain=0", "--repeat=1", "--verify", "--json"]
        .map(str::to_owned)
        .to_vec();
    args.extend(["--kernel".to_owned(), case.kernel.name.clone()]);
    args.extend(["--size".to_owned(), case.size.to_owned()]);
    args.extend(["--threads".to_owned(), THREADS[case.column].to_string()]);
    args.extend(["--dump".to_owned(), dump.display().to_string()]);
    args.extend(case.wish.options.iter().cloned());
    bench.run(&args, &bench.testsuite, LIMIT).map_err(|error| format!("{error:#}"))
}
