//! Generates code for schedule trees and tells what came out: `measure [--repeat N] [--text] FILE..`
//!
//! Each file holds one tree in its text form. Lines in front of it may say `# context: SET` and `# at: n=7,m=5`, values of parameters for which the code is executed.
//! Prints one line a file, fields separated by tabs: the file; then `NAME=VALUE` for `ms` (best time), `lines`, `ifs`, `loops` of the text and, with values of
//! parameters, `instances`, `conditions`, `comparisons`, `iterations` executed and a `checksum` of the instances; or `error=MESSAGE`. `--text` prints the code as well.
//! `testsuite/scripts/ast_vs_isl.py` reads this.

use std::time::Instant;
use tilia_ast::{Ast, Trace};
use tilia_astgen::{Options, generate};
use tilia_presburger::{Budget, Id, Int, Set};
use tilia_schedule::ScheduleTree;

/// Nodes executed for one tree.
const FUEL: u64 = 20_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (mut repeat, mut text, mut files) = (1u32, false, Vec::new());
    while let Some(a) = args.next() {
        match &a[..] {
            "--repeat" => repeat = args.next().ok_or("--repeat needs a number")?.parse()?,
            "--text" => text = true,
            _ => files.push(a),
        }
    }
    for file in files {
        match measure(&file, repeat.max(1)) {
            Ok((line, code)) => {
                println!("{file}\t{line}");
                if text {
                    println!("{code}");
                }
            }
            Err(e) => println!("{file}\terror={}", e.to_string().replace(['\n', '\t'], " ")),
        }
    }
    Ok(())
}

fn measure(file: &str, repeat: u32) -> Result<(String, String), Box<dyn std::error::Error>> {
    let source = std::fs::read_to_string(file)?;
    let said = |key: &str| source.lines().find_map(|l| l.strip_prefix(key));
    let context: Set = said("# context: ").unwrap_or("{ : }").parse()?;
    let tree: ScheduleTree = source.parse()?;
    let mut best = f64::INFINITY;
    let mut made = None;
    for _ in 0..repeat {
        let start = Instant::now();
        let result = generate(&tree, &context, &Options::default(), &Budget::default())?;
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
        made = Some(result);
    }
    let (ast, _) = made.ok_or("nothing was made")?;
    let code = ast.to_string();
    let count = |s: &str| code.matches(s).count();
    let mut line = format!(
        "ms={best:.3}\tlines={}\tifs={}\tloops={}",
        code.lines().count(),
        count("if ("),
        count("for (")
    );
    if let Some(at) = said("# at: ") {
        line += &executed(&ast, at)?;
    }
    Ok((line, code))
}

fn executed(ast: &Ast, at: &str) -> Result<String, Box<dyn std::error::Error>> {
    let mut params: Vec<(Id, Int)> = Vec::new();
    for item in at.split(',').filter(|i| !i.is_empty()) {
        let (name, value) = item.split_once('=').ok_or("a parameter needs a value")?;
        params.push((Id::new(name.trim()), value.trim().parse()?));
    }
    let t = ast.execute(params, FUEL)?;
    Ok(format!(
        "\tinstances={}\tconditions={}\tcomparisons={}\titerations={}\tchecksum={}",
        t.instances.len(),
        t.conditions,
        t.comparisons,
        t.iterations,
        checksum(&t)
    ))
}

/// A sum over the instances, so that their order doesn't matter; the script computes the same.
fn checksum(trace: &Trace) -> u64 {
    let step = |h: u64, v: u64| {
        h.wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(v)
            .wrapping_add(1_442_695_040_888_963_407)
    };
    let hash = |i: &tilia_ast::Instance| {
        let name = i.stmt.as_str().bytes().fold(0, |h, b| step(h, u64::from(b)));
        let value = |v: &Int| v.to_i64().unwrap_or(i64::MIN).cast_unsigned();
        i.args.iter().fold(name, |h, v| step(h, value(v)))
    };
    trace.instances.iter().map(hash).fold(0, u64::wrapping_add)
}
