//! Generates code for schedule trees and tells what came out: `measure [--repeat N] [--text] FILE..`
//!
//! Each file holds one tree in its text form. Lines in front of it may say `# context: SET` and `# at: n=7,m=5`, values of parameters for which the code is executed.
//! Prints one line a file, fields separated by tabs: the file; then `NAME=VALUE` for `ms` (processor time, the mean of N times and more where that is short), `size` (loops, `if`s, `else`s and
//! statements), `inner_divisions` (in conditions of innermost loops) and, with values of parameters, `instances`, `conditions`, `comparisons`, `iterations`, loops
//! entered in `vain`, all executed, and a `checksum` of the instances; or `error=MESSAGE`. `--text` prints the code as well.
//! `testsuite/scripts/ast_vs_isl.py` reads this.

use std::sync::OnceLock;
use std::time::Instant;
use tilia_ast::{Ast, Expr, Node, Trace};
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

/// Milliseconds that this process has run, as the system counts them; where it doesn't, those that have passed.
fn processor_time() -> f64 {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let passed = BEGUN.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3;
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|t| t.parse::<f64>().ok());
    nanos.map_or(passed, |n| n / 1e6)
}

fn measure(file: &str, repeat: u32) -> Result<(String, String), Box<dyn std::error::Error>> {
    let source = std::fs::read_to_string(file)?;
    let said = |key: &str| source.lines().find_map(|l| l.strip_prefix(key));
    let context: Set = said("# context: ").unwrap_or("{ : }").parse()?;
    let tree: ScheduleTree = source.parse()?;
    let mut made = None;
    let mut times = 0;
    let start = processor_time();
    // The system counts in steps of some milliseconds.
    while times < repeat || (times < 50 * repeat && repeat > 1 && processor_time() - start < 40.0) {
        made = Some(generate(&tree, &context, &Options::default(), &Budget::default())?);
        times += 1;
    }
    let mean = (processor_time() - start) / f64::from(times);
    let (ast, _) = made.ok_or("nothing was made")?;
    let code = ast.to_string();
    let mut line = format!(
        "ms={mean:.3}\tsize={}\tinner_divisions={}",
        size(&ast.root),
        inner_divisions(&ast.root)
    );
    if let Some(at) = said("# at: ") {
        line += &executed(&ast, at)?;
    }
    Ok((line, code))
}

/// Loops, `if`s, `else`s and statements.
fn size(n: &Node) -> usize {
    match n {
        Node::Block(list) => list.iter().map(size).sum(),
        Node::For(f) => 1 + size(&f.body),
        Node::If { then, otherwise, .. } => 1 + size(then) + otherwise.as_ref().map_or(0, |n| 1 + size(n)),
        Node::User { .. } => 1,
        Node::Mark { body, .. } => size(body),
    }
}

fn has_loop(n: &Node) -> bool {
    match n {
        Node::Block(list) => list.iter().any(has_loop),
        Node::For(_) => true,
        Node::If { then, otherwise, .. } => has_loop(then) || otherwise.as_ref().is_some_and(|n| has_loop(n)),
        Node::User { .. } => false,
        Node::Mark { body, .. } => has_loop(body),
    }
}

/// Divisions in conditions inside innermost loops.
fn inner_divisions(n: &Node) -> usize {
    match n {
        Node::Block(list) => list.iter().map(inner_divisions).sum(),
        Node::For(f) if has_loop(&f.body) => inner_divisions(&f.body),
        Node::For(f) => divided_conditions(&f.body),
        Node::If { then, otherwise, .. } => inner_divisions(then) + otherwise.as_ref().map_or(0, |n| inner_divisions(n)),
        Node::User { .. } => 0,
        Node::Mark { body, .. } => inner_divisions(body),
    }
}

fn divided_conditions(n: &Node) -> usize {
    match n {
        Node::Block(list) => list.iter().map(divided_conditions).sum(),
        Node::If { cond, then, otherwise } => {
            divisions(cond) + divided_conditions(then) + otherwise.as_ref().map_or(0, |n| divided_conditions(n))
        }
        Node::Mark { body, .. } => divided_conditions(body),
        Node::For(_) | Node::User { .. } => 0,
    }
}

fn divisions(e: &Expr) -> usize {
    match e {
        Expr::Int(_) | Expr::Var(_) | Expr::Param(_) | Expr::Bool(_) => 0,
        Expr::FloorDiv { num, .. } | Expr::Mod { num, .. } => 1 + divisions(num),
        Expr::Mul(_, e) | Expr::Not(e) => divisions(e),
        Expr::Add(list) | Expr::Min(list) | Expr::Max(list) | Expr::And(list) | Expr::Or(list) => list.iter().map(divisions).sum(),
        Expr::Select(a, b, c) => divisions(a) + divisions(b) + divisions(c),
        Expr::Cmp(_, a, b) => divisions(a) + divisions(b),
    }
}

fn executed(ast: &Ast, at: &str) -> Result<String, Box<dyn std::error::Error>> {
    let mut params: Vec<(Id, Int)> = Vec::new();
    for item in at.split(',').filter(|i| !i.is_empty()) {
        let (name, value) = item.split_once('=').ok_or("a parameter needs a value")?;
        params.push((Id::new(name.trim()), value.trim().parse()?));
    }
    let t = ast.execute(params, FUEL)?;
    Ok(format!(
        "\tinstances={}\tconditions={}\tcomparisons={}\titerations={}\tvain={}\tchecksum={}",
        t.instances.len(),
        t.conditions,
        t.comparisons,
        t.iterations,
        t.vain,
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
