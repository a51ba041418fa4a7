//! Generates code for schedule trees and tells what came out: `measure [--repeat N] [--text] [--at VALUE,VALUE..].. FILE..`
//!
//! Each file holds one tree in its text form; a first line `# context: SET` gives a context. Prints one line a file, fields separated by tabs: file, best time in
//! milliseconds, lines of code, `if`s, loops, calls; `--text` prints the code as well. `testsuite/scripts/ast_vs_isl.py` reads this.

use std::time::Instant;
use tilia_astgen::{Options, generate};
use tilia_presburger::{Budget, Set};
use tilia_schedule::ScheduleTree;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (mut repeat, mut text, mut files) = (1, false, Vec::new());
    while let Some(a) = args.next() {
        match &a[..] {
            "--repeat" => repeat = args.next().ok_or("--repeat needs a number")?.parse()?,
            "--text" => text = true,
            _ => files.push(a),
        }
    }
    for file in files {
        let source = std::fs::read_to_string(&file)?;
        let context = source.lines().find_map(|l| l.strip_prefix("# context: ")).unwrap_or("{ : }");
        let context: Set = context.parse().map_err(|e| format!("{file}: {e}"))?;
        let tree: ScheduleTree = source.parse().map_err(|e| format!("{file}: {e}"))?;
        let mut best = f64::INFINITY;
        let mut out = None;
        for _ in 0..repeat {
            let start = Instant::now();
            let b = Budget::default();
            let result = generate(&tree, &context, &Options::default(), &b);
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
            out = Some((result, b.used()));
        }
        let Some((result, used)) = out else { continue };
        match result {
            Ok((ast, remarks)) => {
                let code = ast.to_string();
                let count = |s: &str| code.matches(s).count();
                let lines = code.lines().count();
                println!("{file}\t{best:.3}\t{lines}\t{}\t{}\tused {used}", count("if ("), count("for ("));
                for r in remarks {
                    println!("# {}", r.message);
                }
                if text {
                    println!("{code}");
                }
            }
            Err(e) => println!("{file}\t{best:.3}\terror: {e}"),
        }
    }
    Ok(())
}
