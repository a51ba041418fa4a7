//! PolyBench's kernels at the small sizes, under every strategy, with 1 and 2 threads (the original order with 4, too), against the reference results: bit for bit.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use libtest_mimic::Trial;
use serde::Deserialize;

use crate::arrays::read_npz;
use crate::binary::Bench;
use crate::executed::{self, Counts, Executed, THREADS};
use crate::table::Table;

/// Sizes for which there are reference results.
const SIZES: [&str; 2] = ["MINI", "SMALL"];

/// Built-in strategies, each with the columns of [`THREADS`] that it is run with.
pub(crate) const STRATEGIES: [(&str, &[usize]); 7] = [
    ("none", &[0, 1, 2]),
    ("pluto", &[0, 1]),
    ("pluto+", &[0, 1]),
    ("feautrier", &[0, 1]),
    ("isl", &[0, 1]),
    ("tensor", &[0, 1]),
    ("auto", &[0, 1]),
];

/// Strategies that are run with the LLVM back end, too, at the first size.
const WITH_LLVM: [&str; 2] = ["none", "auto"];

/// exp and pow may differ in the last place between libraries; this is what may follow from that in the results of the two
/// kernels that use them, relative to the largest number, for f64 and f32.
const TOLERANCE_WITH_EXP: [f64; 2] = [1e-14, 1e-6];

#[derive(Deserialize)]
struct Suite {
    kernel: Vec<Kernel>,
}

/// A kernel of the suite file, as far as the harness looks at it.
#[derive(Debug, Clone, Deserialize)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The file, beside the suite file.
    pub file: String,
    /// The measured function.
    pub entry: String,
}

/// The kernels of PolyBench.
pub fn names(bench: &Bench) -> Result<Vec<Kernel>> {
    of_suite(bench, "polybench/suite.toml")
}

/// The kernels of a suite file.
pub(crate) fn of_suite(bench: &Bench, suite: &str) -> Result<Vec<Kernel>> {
    let path = bench.testsuite.join(suite);
    let text = std::fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let suite: Suite = toml::from_str(&text).with_context(|| format!("{} isn't a suite", path.display()))?;
    Ok(suite.kernel)
}

/// One line of `tilia bench --json`, as far as it is looked at.
#[derive(Deserialize)]
struct Line {
    fp: String,
    strategy: String,
    backend: String,
    threads: usize,
    executed: Executed,
}

/// A trial for each kernel, strategy, size and thread count.
pub fn trials(bench: &Arc<Bench>, table: &Arc<Table<Counts>>) -> Result<Vec<Trial>> {
    let mut trials = Vec::new();
    for kernel in names(bench)? {
        for (strategy, columns) in STRATEGIES {
            for size in SIZES {
                for &column in columns {
                    let (bench, table, kernel) = (Arc::clone(bench), Arc::clone(table), kernel.clone());
                    let name = format!("kernel::{}::{strategy}::{size}::threads_{}", kernel.name, THREADS[column]);
                    trials.push(Trial::test(name, move || {
                        Ok(check(&bench, &table, &kernel, (strategy, size, column))?)
                    }));
                }
            }
        }
        for strategy in WITH_LLVM {
            let (bench, kernel) = (Arc::clone(bench), kernel.clone());
            let name = format!("kernel::{}::{strategy}::{}::llvm", kernel.name, SIZES[0]);
            trials.push(Trial::test(name, move || Ok(check_llvm(&bench, &kernel, strategy)?)));
        }
    }
    Ok(trials)
}

fn check_llvm(bench: &Bench, kernel: &Kernel, strategy: &str) -> Result<(), String> {
    let dump = bench
        .scratch(&format!("{}-{strategy}-llvm", kernel.name))
        .map_err(|error| error.to_string())?;
    let line = run(bench, &kernel.name, strategy, SIZES[0], 2, &["--backend=llvm"], &dump)?;
    if line.backend != "llvm" {
        return Err(format!("ran with the back end {}", line.backend));
    }
    compare(bench, kernel, SIZES[0], &dump)?;
    std::fs::remove_dir_all(&dump).map_err(|error| error.to_string())
}

fn check(bench: &Bench, table: &Table<Counts>, kernel: &Kernel, (strategy, size, column): (&str, &str, usize)) -> Result<(), String> {
    let threads = THREADS[column];
    let dump = bench
        .scratch(&format!("{}-{strategy}-{size}-{threads}", kernel.name))
        .map_err(|error| error.to_string())?;
    let line = run(bench, &kernel.name, strategy, size, threads, &["--backend=cranelift"], &dump)?;
    if line.fp != "strict" || line.threads != threads || line.strategy != strategy {
        return Err(format!(
            "ran {} with --fp={} on {} threads, asked for {strategy}, strict on {threads}",
            line.strategy, line.fp, line.threads
        ));
    }
    compare(bench, kernel, size, &dump)?;
    executed::check(table, &kernel.name, strategy, size, column, line.executed)?;
    std::fs::remove_dir_all(&dump).map_err(|error| error.to_string())
}

fn run(bench: &Bench, kernel: &str, strategy: &str, size: &str, threads: usize, options: &[&str], dump: &Path) -> Result<Line, String> {
    let threads = threads.to_string();
    let dump = dump.display().to_string();
    let mut args = vec![
        "bench",
        "polybench/suite.toml",
        "--kernel",
        kernel,
        "--size",
        size,
        "--threads",
        &threads,
    ];
    args.extend(["--strategy", strategy, "--machine", "machine.toml", "--verify"]);
    args.extend(["--grain=0", "--fp=strict", "--repeat", "1", "--dump", &dump, "--json"]);
    args.extend(options);
    let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    let outcome = bench
        .run(&args, &bench.testsuite, Duration::from_secs(300))
        .map_err(|error| error.to_string())?;
    outcome.expect_exit(0)?;
    let lines: Vec<&str> = outcome.stdout.lines().filter(|line| !line.trim().is_empty()).collect();
    let [line] = lines.as_slice() else {
        return Err(outcome.report(&format!("one JSON line was expected, there are {}", lines.len())));
    };
    serde_json::from_str(line).map_err(|error| outcome.report(&format!("{error} in: {line}")))
}

/// Compares a dump with the reference results.
pub(crate) fn compare(bench: &Bench, kernel: &Kernel, size: &str, dump: &Path) -> Result<(), String> {
    let source = std::fs::read_to_string(bench.testsuite.join("polybench").join(&kernel.file)).map_err(|error| error.to_string())?;
    let with_exp = source.contains("math.exp");
    let file = format!("{}.{size}.npz", kernel.name);
    let reference = read_npz(&bench.testsuite.join("oracle/polybench").join(&file)).map_err(|error| format!("{error:#}"))?;
    let result = read_npz(&dump.join(&file)).map_err(|error| format!("{error:#}"))?;
    for (name, want) in &reference {
        let got = result
            .get(name)
            .ok_or_else(|| format!("{name} is missing in the dump, which has {:?}", result.keys()))?;
        let tolerance = if with_exp {
            TOLERANCE_WITH_EXP[usize::from(want.dtype == "f4")]
        } else {
            0.0
        };
        got.compare(want, tolerance).map_err(|difference| format!("{name}: {difference}"))?;
    }
    Ok(())
}
