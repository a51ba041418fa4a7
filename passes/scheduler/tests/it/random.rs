//! Random programs under random configurations: every schedule is legal, and what is said of its rows is true.
//!
//! `TILIA_SEEDS=0..5000` runs these seeds instead of the usual few.

use crate::program::scop;
use arbitrary::Unstructured;
use std::fmt::Write;
use tilia_gen::{LIVE_RANGES, bytes_from_seed, chance, pick, strategy_text};
use tilia_presburger::{Budget, Int, Map};
use tilia_scheduler::{End, Error, Options, Scheduled, StmtRows, schedule};
use tilia_scop::{Deps, Scop};

/// Value of the parameter when instances are enumerated.
const VALUE: i64 = 4;

/// A program of a few nests, up to four loops deep, over arrays of one and two dimensions.
fn program(u: &mut Unstructured<'_>) -> arbitrary::Result<String> {
    let mut text = String::new();
    for _ in 0..u.int_in_range(1..=2u8)? {
        block(u, &mut text, &mut Vec::new())?;
    }
    Ok(text)
}

const ITERS: [&str; 4] = ["i", "j", "k", "l"];

fn block(u: &mut Unstructured<'_>, text: &mut String, around: &mut Vec<&'static str>) -> arbitrary::Result<()> {
    let depth = around.len();
    let pad = "  ".repeat(depth);
    let lower = match around.last() {
        Some(outer) if chance(u, 25)? => format!("{outer}+1"),
        _ => pick(u, &[(3, "0"), (2, "1")])?.to_owned(),
    };
    let upper = pick(u, &[(4, "N"), (1, "N-1"), (1, "3")])?;
    writeln!(text, "{pad}for {} in {lower}..{upper}", ITERS[depth]).map_err(|_| arbitrary::Error::IncorrectFormat)?;
    around.push(ITERS[depth]);
    for _ in 0..u.int_in_range(1..=2u8)? {
        if around.len() < ITERS.len() && chance(u, [0, 60, 45, 20][around.len().min(3)])? {
            block(u, text, around)?;
        } else {
            statement(u, text, around)?;
        }
    }
    around.pop();
    Ok(())
}

fn statement(u: &mut Unstructured<'_>, text: &mut String, around: &[&str]) -> arbitrary::Result<()> {
    let mut pad = "  ".repeat(around.len());
    let failed = |_| arbitrary::Error::IncorrectFormat;
    if around.len() >= 2 && chance(u, 25)? {
        // A temporary between an array that is only read and one that is only written here.
        let at = format!("[{}][{}]", around[1], around[0]);
        return writeln!(text, "{pad}t[] = x{at}\n{pad}y{}{at} = t[]", text.len()).map_err(failed);
    }
    if chance(u, 15)? {
        let i = around[u.choose_index(around.len())?];
        writeln!(text, "{pad}if {i} mod 2 = {}", u.int_in_range(0..=1u8)?).map_err(failed)?;
        pad += "  ";
    }
    let target = access(u, around)?;
    let mut reads = Vec::new();
    for _ in 0..u.int_in_range(1..=2u8)? {
        reads.push(access(u, around)?);
    }
    let op = pick(u, &[(3, "="), (1, "+=")])?;
    writeln!(text, "{pad}{target} {op} {}", reads.join(" + ")).map_err(failed)
}

fn access(u: &mut Unstructured<'_>, around: &[&str]) -> arbitrary::Result<String> {
    let (name, rank) = pick(u, &[(3, ("a", 1)), (3, ("b", 2)), (1, ("s", 0)), (1, ("c", 2))])?;
    let mut subs = String::new();
    for _ in 0..rank {
        let mut sum: Vec<String> = vec![around[u.choose_index(around.len())?].to_owned()];
        if chance(u, 20)? {
            let sign = pick(u, &[(2, ""), (1, "2*"), (1, "-")])?;
            sum.push(format!("{sign}{}", around[u.choose_index(around.len())?]));
        }
        let shift = u.int_in_range(-1..=1i8)?;
        subs += &format!("[{}+{shift}]", sum.join("+")).replace("+-", "-");
    }
    Ok(if rank == 0 { format!("{name}[]") } else { format!("{name}{subs}") })
}

/// How much was tested.
#[derive(Debug, Default)]
struct Seen {
    schedules: usize,
    refused: usize,
    parallel: usize,
    pairs: usize,
    source: usize,
    skewed: usize,
    scalar: usize,
    /// Schedules that turn live ranges round.
    turned: usize,
}

/// The dates of an instance in the rows that are there.
fn dates(rows: &StmtRows, iters: &[Int], params: &[Int]) -> Vec<Int> {
    let dot = |a: &[Int], b: &[Int]| a.iter().zip(b).fold(Int::ZERO, |s, (x, y)| s + x * y);
    rows.rows
        .iter()
        .map(|p| dot(&p.row.iters, iters) + dot(&p.row.params, params) + &p.row.constant)
        .collect()
}

/// Pairs of instances for one value of the parameter.
fn pairs(relation: &Map, budget: &Budget) -> Vec<(Vec<Int>, Vec<Int>)> {
    let mut fixed = relation.clone();
    let params = relation.space().params().len();
    for q in 0..params {
        fixed = fixed.fix(tilia_presburger::DimType::Param, q, Int::from(VALUE)).unwrap();
    }
    let n = relation.dim(tilia_presburger::DimType::In);
    let all = fixed.points(budget, 4000).unwrap_or_default();
    all.into_iter().map(|p| (p.coords[..n].to_vec(), p.coords[n..].to_vec())).collect()
}

/// Dates of dependent instances ascend, and rows that are called parallel don't move them.
fn check_rows(done: &Scheduled, deps: &Deps, seen: &mut Seen) -> Result<(), String> {
    let params = [Int::from(VALUE)];
    for dep in &deps.memory {
        let (s, t) = (&done.stmts[dep.source.0 as usize], &done.stmts[dep.target.0 as usize]);
        for (a, b) in pairs(&dep.relation, &Budget::default()) {
            seen.pairs += 1;
            let (x, y) = (dates(s, &a, &params), dates(t, &b, &params));
            let at = x.iter().zip(&y).position(|(x, y)| x != y);
            let Some(d) = at else {
                if s.end != End::Source {
                    return Err(format!("{a:?} and {b:?} are at one date, {x:?} and {y:?}, kind {}", dep.kind));
                }
                continue;
            };
            if x[d] > y[d] {
                return Err(format!("{a:?} must run before {b:?}: {x:?}, {y:?}"));
            }
            if s.rows[d].is_loop() && s.rows[d].info.parallel {
                return Err(format!("row {d} is called parallel, but moves {a:?} -> {b:?}"));
            }
        }
    }
    Ok(())
}

fn count(done: &Scheduled, seen: &mut Seen) {
    seen.schedules += 1;
    for rows in &done.stmts {
        seen.source += usize::from(rows.end == End::Source);
        for p in &rows.rows {
            seen.parallel += usize::from(p.is_loop() && p.info.parallel);
            seen.scalar += usize::from(!p.is_loop());
            seen.skewed += usize::from(p.row.iters.iter().filter(|c| !c.is_zero()).count() > 1);
        }
    }
}

/// What the seed's program and configuration come to.
fn check(seed: u64, seen: &mut Seen) -> Result<(), String> {
    let bytes = bytes_from_seed(seed, 2048);
    let mut u = Unstructured::new(&bytes);
    let text = program(&mut u).map_err(|e| e.to_string())?;
    let scop: Scop = scop(&["N"], &text);
    let (deps, _) = tilia_deps::dependences(&scop, &Budget::default()).map_err(|e| e.to_string())?;
    let depths: Vec<usize> = scop.stmts.iter().map(|s| s.iters.len()).collect();
    let wishes = chance(&mut u, 40).unwrap_or(false);
    let config = strategy_text(&mut u, &depths, wishes);
    let mut strategy = tilia_strategy::load("random", "random.json", &config).map_err(|e| format!("{e:?}\n{config}"))?;
    // Sometimes little enough to run out, early or late.
    let units = pick(&mut u, &[(8, 40_000_000), (1, 20_000), (1, 300_000)]).unwrap_or(40_000_000);
    let failed = |e: String| format!("{e}\n{text}\n{config}");
    let done = match schedule((&scop, &deps), strategy.as_mut(), &Options::default(), &Budget::new(units)) {
        Ok(done) => done,
        Err(Error::IllegalFusion { .. } | Error::Infeasible { .. } | Error::NoProgress { .. }) if wishes => {
            seen.refused += 1;
            return Ok(());
        }
        Err(e) => return Err(failed(e.to_string())),
    };
    let refused = |v| failed(format!("{v:?}\n{}", done.tree));
    if config.contains(LIVE_RANGES) {
        // Values are executed by the tests of generated programs.
        seen.turned += usize::from(tilia_validate::validate_values(&scop, &done.tree, &Budget::default()).map_err(refused)?);
    } else {
        tilia_validate::validate(&scop, &done.tree, &Budget::default()).map_err(refused)?;
        check_rows(&done, &deps, seen).map_err(|e| failed(format!("{e}\n{}", done.tree)))?;
    }
    count(&done, seen);
    Ok(())
}

fn seeds() -> std::ops::Range<u64> {
    let text = std::env::var("TILIA_SEEDS").unwrap_or_default();
    let mut ends = text.split("..").map(str::parse);
    match (ends.next(), ends.next()) {
        (Some(Ok(first)), Some(Ok(end))) => first..end,
        _ => 0..40,
    }
}

#[test]
fn random_schedules_are_legal() {
    let mut seen = Seen::default();
    let failures: Vec<String> = seeds()
        .filter_map(|seed| check(seed, &mut seen).err().map(|e| format!("seed {seed}: {e}")))
        .collect();
    let shown = failures.iter().take(3).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(failures.is_empty(), "{} failures\n{shown}", failures.len());
    println!("{seen:?}");
    let enough = seen.schedules > 30 && seen.turned > 0 && seen.parallel > 30 && seen.source > 0 && seen.skewed > 5 && seen.scalar > 30;
    assert!(enough && seen.pairs > 10_000, "{seen:?}");
}
