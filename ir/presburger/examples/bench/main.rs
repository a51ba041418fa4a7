//! Times operations on sets and maps: `bench FILE`, one `op | operand | operand` a line; prints `ns line-number op` lines.
//!
//! `testsuite/scripts/sets_vs_isl.py` runs the same file through isl and prints the ratios.

mod ops;

use std::time::Instant;

use ops::{operations, run};
use tilia_presburger::Budget;

fn main() {
    let path = std::env::args().nth(1).unwrap_or_else(|| panic!("usage: bench FILE"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    for (n, _, op, args) in operations(&text) {
        let mut best = u128::MAX;
        let mut size = 0;
        let start = Instant::now();
        let mut reps = 0;
        while reps < 200 && (reps < 5 || start.elapsed().as_millis() < 20) {
            let t = Instant::now();
            size = run(op, &args, &Budget::default()).unwrap_or_else(|e| panic!("line {n}: {e}"));
            best = best.min(t.elapsed().as_nanos());
            reps += 1;
        }
        println!("{best} {n} {op} {size}");
    }
}
