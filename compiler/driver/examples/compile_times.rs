//! Times what comes before machine code, without running anything: `compile_times SUITE.toml SIZE THREADS RUNS [KERNEL..]`
//!
//! For each kernel of the suite at that size: milliseconds of reading, and of raising to lowering, of the fastest of some runs, as `tilia bench --fp contract` with Cranelift sees it. With `LIST=1` in the environment the remarks and the program of
//! the last run are printed as well, to compare decisions before and after a change.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use tilia_driver::{Argument, BackendChoice, CompileOptions, FpMode, Kernel, KnownArgs, Machine, Strategy, Suite, Tile, Unit, evaluate};

#[expect(clippy::cast_possible_truncation, reason = "extents are small whole numbers")]
fn known(kernel: &Kernel, params: &BTreeMap<String, i64>) -> Result<KnownArgs, String> {
    let mut known = KnownArgs {
        function: kernel.entry.clone(),
        ..KnownArgs::default()
    };
    for (k, argument) in kernel.args.iter().enumerate() {
        match argument {
            Argument::Param { param } => {
                let value = params.get(param).ok_or_else(|| format!("there is no parameter {param}"))?;
                known.numbers.insert(k, *value);
            }
            Argument::Array { shape, .. } => {
                let extents = shape
                    .iter()
                    .map(|e| evaluate(e, params).map(|v| v as i64))
                    .collect::<Result<_, _>>()?;
                known.shapes.insert(k, extents);
            }
        }
    }
    Ok(known)
}

fn measure(suite: &Suite, kernel: &Kernel, size: &str, threads: usize, runs: usize) -> Result<(f64, f64), String> {
    let params = kernel
        .sizes
        .get(size)
        .ok_or_else(|| format!("{} has no size {size}", kernel.name))?;
    let path = suite.folder.join(&kernel.file);
    let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
    let options = CompileOptions {
        strategy: Strategy::Auto,
        tile: Tile::Auto,
        fp: FpMode::Contract,
        backend: BackendChoice::Cranelift,
        threads,
        machine: Machine::detect(),
        known: known(kernel, params)?,
        ..CompileOptions::default()
    };
    let (mut parse, mut made) = (f64::INFINITY, f64::INFINITY);
    let mut last = None;
    for _ in 0..runs {
        let start = Instant::now();
        let unit = Unit::read(&path.display().to_string(), &text, 1, &options).restricted(&kernel.entry);
        parse = parse.min(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        let done = unit
            .optimise(&options)
            .map_err(|d| d.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; "))?;
        made = made.min(start.elapsed().as_secs_f64() * 1e3);
        last = Some(done);
    }
    if let Some(done) = last.filter(|_| std::env::var_os("LIST").is_some()) {
        for r in &done.remarks {
            println!("{} {} {:?} {} {}", kernel.name, r.stage, r.kind, r.loc, r.message);
        }
        println!("{}", done.program);
    }
    Ok((parse, made))
}

fn run() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let mut next = |what: &str| args.next().ok_or_else(|| format!("{what} is missing"));
    let (file, size) = (next("the suite")?, next("the size")?);
    let number = |t: String| t.parse::<usize>().map_err(|e| e.to_string());
    let (threads, runs) = (number(next("the number of threads")?)?, number(next("the number of runs")?)?);
    let wanted: Vec<String> = args.collect();
    let suite = Suite::read(std::path::Path::new(&file))?;
    let mut all = Vec::new();
    for kernel in suite.kernels.iter().filter(|k| wanted.is_empty() || wanted.contains(&k.name)) {
        let (parse, made) = measure(&suite, kernel, &size, threads, runs)?;
        println!("{:16} reading {parse:7.1} raising to lowering {made:8.1}", kernel.name);
        all.push(made);
    }
    all.sort_by(f64::total_cmp);
    if let (Some(median), Some(last)) = (all.get(all.len() / 2), all.last()) {
        println!("median {median:.1}, longest {last:.1}, sum {:.1}", all.iter().sum::<f64>());
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
