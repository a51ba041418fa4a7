//! Times dependences and scheduling of MLIR files: `schedule_times [--isl DIR] STRATEGY FILE.mlir..`
//!
//! The figures are those of the fastest of at least five runs, or the mean of their processor time where the system tells it (Linux) and it is less. Scops of up to 2,000 statements are taken, so that growth can be seen beyond what raising allows by default. With `--isl DIR` the
//! domain and the dependences of each scop are written in isl's notation, for `testsuite/scripts/scheduler_vs_isl.py`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use tilia_presburger::Budget;
use tilia_scheduler::Options;
use tilia_scop::{Deps, Scop};
use tilia_strategy::BuiltIn;

/// Milliseconds that this thread has run, where the system says that; else since `start`.
fn clock(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = told.and_then(|t| t.split_whitespace().next()?.parse::<f64>().ok());
    ns.map_or_else(|| start.elapsed().as_secs_f64() * 1e3, |ns| ns / 1e6)
}

/// Milliseconds of the fastest of some runs, or the mean of their processor time if that is less (it is told in steps too large for one run); and what the last one gave.
fn fastest<T>(mut run: impl FnMut() -> T) -> (f64, T) {
    let mut best = f64::INFINITY;
    let mut runs = 0_u32;
    let start = Instant::now();
    let before = clock(start);
    loop {
        let one = Instant::now();
        let out = run();
        best = best.min(one.elapsed().as_secs_f64() * 1e3);
        runs += 1;
        let total = start.elapsed().as_secs_f64() * 1e3;
        if total > 3000.0 || (runs >= 5 && total > 200.0) {
            return (best.min((clock(start) - before).max(0.001) / f64::from(runs)), out);
        }
    }
}

/// Domains, dependences and context in isl's notation, one a line.
fn isl_text(scop: &Scop, deps: &Deps) -> String {
    let mut out = String::new();
    for s in &scop.stmts {
        let _ = writeln!(out, "domain {}", s.domain);
    }
    for d in &deps.memory {
        let _ = writeln!(out, "validity {}", d.relation);
    }
    let _ = writeln!(out, "context {}", scop.context);
    out
}

/// What was measured of one file.
#[derive(Default)]
struct Figures {
    stmts: usize,
    deps: usize,
    pieces: usize,
    deps_ms: f64,
    schedule_ms: f64,
    units: u64,
}

impl Figures {
    fn total(&self) -> f64 {
        self.deps_ms + self.schedule_ms
    }

    fn add(&mut self, scop: &Scop, strategy: &BuiltIn, isl: Option<&str>) -> Result<(), String> {
        let (ms, found) = fastest(|| tilia_deps::dependences(scop, &Budget::default()));
        let (deps, _) = found.map_err(|e| e.to_string())?;
        self.deps_ms += ms;
        self.stmts += scop.stmts.len();
        self.deps += deps.memory.len();
        self.pieces += deps.memory.iter().map(|d| d.relation.basic_maps().len()).sum::<usize>();
        if let Some(file) = isl {
            std::fs::write(file, isl_text(scop, &deps)).map_err(|e| e.to_string())?;
        }
        let (ms, made) = fastest(|| {
            let b = Budget::default();
            let mut strategy = strategy.load().map_err(|_| "the strategy has errors".to_owned())?;
            tilia_scheduler::schedule((scop, &deps), strategy.as_mut(), &Options::default(), &b).map_err(|e| e.to_string())?;
            Ok::<u64, String>(b.used())
        });
        self.schedule_ms += ms;
        self.units += made?;
        Ok(())
    }
}

fn measure(file: &str, strategy: &BuiltIn, isl: Option<&str>) -> Result<Figures, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let kernel = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let program = tilia_mlir::import(file, &text, &tilia_mlir::ImportOptions::default()).program;
    let limits = tilia_raise::Options {
        max_statements: 2000,
        max_params: 64,
    };
    let mut figures = Figures::default();
    for f in program.functions.iter().filter(|f| f.body.is_some()) {
        for scop in tilia_raise::raise(f, &program, &limits, &Budget::default()).scops {
            let isl = isl.map(|dir| format!("{dir}/{kernel}.{}.isl", scop.name));
            figures.add(&scop, strategy, isl.as_deref())?;
        }
    }
    Ok(figures)
}

fn run() -> Result<(), String> {
    let mut args = std::env::args().skip(1).peekable();
    let isl = args.next_if_eq("--isl").and_then(|_| args.next());
    let name = args.next().ok_or("usage: schedule_times [--isl DIR] STRATEGY FILE.mlir..")?;
    let strategy = tilia_strategy::built_in(&name).map_err(|_| format!("no strategy is called {name}"))?;
    println!(
        "{:<20} {:>5} {:>5} {:>6} {:>9} {:>9} {:>9} {:>10}",
        "file", "stmts", "deps", "pieces", "deps ms", "sched ms", "total", "units"
    );
    let mut totals = Vec::new();
    for file in args {
        let f = measure(&file, strategy, isl.as_deref()).map_err(|e| format!("{file}: {e}"))?;
        totals.push(f.total());
        println!(
            "{:<20} {:>5} {:>5} {:>6} {:>9.2} {:>9.2} {:>9.2} {:>10}",
            Path::new(&file).file_stem().unwrap_or_default().to_string_lossy(),
            f.stmts,
            f.deps,
            f.pieces,
            f.deps_ms,
            f.schedule_ms,
            f.total(),
            f.units
        );
    }
    totals.sort_by(f64::total_cmp);
    if let (Some(largest), Some(median)) = (totals.last(), totals.get(totals.len() / 2)) {
        println!("median {median:.2} ms, largest {largest:.2} ms");
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
