//! Random programs under random configurations of the scheduler: each schedule is legal by the independent check and leaves the same bits in memory as the order of the source; wishes
//! that can't be met are refused with one of the stated errors; and the two judges of legality, `validate` and `transform`, agree on random trees.

use arbitrary::Unstructured;
use std::collections::BTreeMap;
use tilia_expand::{Wish, expand};
use tilia_gen::{Case, LIVE_RANGES, affine_tree, bytes_from_seed, chance, strategy_text};
use tilia_interp::{Interpreter, Options, ScopOrder, ScopPlan};
use tilia_mlir::{ImportOptions, import};
use tilia_presburger::Budget;
use tilia_program::Function;
use tilia_schedule::ScheduleTree;
use tilia_scheduler::Error;
use tilia_scop::{Deps, Scop};
use tilia_transform::{Pairs, first_violation};

use crate::levels::{SCHEDULE_BUDGET, budget, compare, memory, raise_all};

/// Configurations for each program.
const CONFIGURATIONS: usize = 8;

/// Chosen apart from configurations, so that these stay what they are for a seed.
const PIECES_SEED: u64 = 0x7069_6563_6573;

/// Random trees for each scop.
const TREES: usize = 2;

/// How much was tested.
#[derive(Debug, Default)]
pub(crate) struct Configured {
    /// Schedules found, and configurations refused.
    pub(crate) schedules: u64,
    pub(crate) refused: u64,
    /// Executions of scops under these schedules, and of their original operations instead.
    pub(crate) executed: u64,
    pub(crate) original: u64,
    /// Schedules that turn live ranges round, scops with copies of temporaries, and scops in pieces.
    pub(crate) turned: u64,
    pub(crate) expanded: u64,
    pub(crate) pieces: u64,
    /// Scops in pieces with copies of what they share.
    pub(crate) copied_pieces: u64,
    /// Schedules of scops in pieces that turn live ranges round.
    pub(crate) turned_pieces: u64,
    /// Random trees that both judges call legal, and illegal.
    pub(crate) legal: u64,
    pub(crate) illegal: u64,
}

/// Schedules a program's scops in several ways and runs each.
pub(crate) fn check(case: &Case, seed: u64, found: &mut Configured) -> Result<(), String> {
    let imported = import("case.mlir", &case.mlir, &ImportOptions::default());
    if let Some(d) = imported.diagnostics.first() {
        return Err(format!("import: {d}"));
    }
    let program = &imported.program;
    let interpreter = Interpreter::new(program).map_err(|e| format!("the imported program is invalid: {}", e[0]))?;
    let mut expected = Vec::new();
    for input in &case.inputs {
        let args = case.arguments(input);
        let run = interpreter.run(case.entry, &args, &Options::default());
        run.map_err(|e| format!("source order: {e}"))?;
        expected.push(memory(&args));
    }
    let scops = raise_all(program);
    let mut deps = Vec::new();
    for (_, scop) in &scops {
        let found = tilia_deps::dependences(scop, &budget());
        deps.push(found.map_err(|e| format!("dependences of {}: {e}", scop.name))?.0);
    }
    let bytes = bytes_from_seed(!seed, 1 << 14);
    let mut u = Unstructured::new(&bytes);
    for ((_, scop), deps) in scops.iter().zip(&deps) {
        for _ in 0..TREES {
            judged(scop, deps, &mut u, found)?;
        }
    }
    let bytes = bytes_from_seed(seed ^ PIECES_SEED, 1 << 8);
    let mut cuts = Unstructured::new(&bytes);
    for _ in 0..CONFIGURATIONS {
        // Expansion adds operations that only expanded scops name.
        let mut changed = program.clone();
        let mut units = Vec::new();
        let mut texts = String::new();
        for ((n, scop), deps) in scops.iter().zip(&deps) {
            let pieces = if chance(&mut cuts, 20).unwrap_or(false) {
                in_pieces(&program.functions[*n], scop, deps, &mut cuts, found)?
            } else {
                None
            };
            let cut = pieces.is_some();
            found.pieces += u64::from(cut);
            let (scop, deps) = pieces.as_ref().map_or((scop, deps), |(scop, deps)| (scop, deps));
            let depths: Vec<usize> = scop.stmts.iter().map(|s| s.iters.len()).collect();
            let wishes = chance(&mut u, 40).unwrap_or(false);
            let text = strategy_text(&mut u, &depths, wishes);
            let copies = if text.contains(r#""expand""#) {
                with_copies(&mut changed.functions[*n], scop, deps)?
            } else {
                None
            };
            found.expanded += u64::from(copies.is_some());
            let (scop, deps) = copies.unwrap_or_else(|| (scop.clone(), deps.clone()));
            let turned = found.turned;
            let tree = scheduled((&scop, &deps), (&text, wishes), found)?;
            found.turned_pieces += (found.turned - turned) * u64::from(cut);
            units.push((*n, scop, tree));
            texts.push_str(&text);
        }
        let interpreter = Interpreter::new(&changed).map_err(|e| format!("invalid with copies: {}", e[0]))?;
        let plans: Vec<ScopPlan<'_>> = units
            .iter()
            .map(|(n, scop, tree)| ScopPlan {
                function: &program.functions[*n].name,
                scop,
                order: ScopOrder::Tree(tree),
                check_accesses: false,
            })
            .collect();
        for (input, memory) in case.inputs.iter().zip(&expected) {
            let ran = compare(case, input, memory, "a random configuration's schedule", |args| {
                interpreter.run_scops(case.entry, args, &Options::default(), &plans)
            });
            let shown = || units.iter().map(|(_, scop, tree)| format!("{scop}\n{tree}")).collect::<String>();
            let (_, stats) = ran.map_err(|e| format!("{e}\n{texts}\n{}", shown()))?;
            found.executed += stats.executed;
            found.original += stats.original;
        }
    }
    Ok(())
}

/// The scop with copies of its temporaries, and its dependences.
fn with_copies(function: &mut Function, scop: &Scop, deps: &Deps) -> Result<Option<(Scop, Deps)>, String> {
    let wish = Wish {
        names: &["*".to_owned()],
        asked: true,
        values: &BTreeMap::new(),
    };
    let done = expand(function, scop, deps, &wish, &budget()).map_err(|e| format!("copies for {}: {e}", scop.name))?;
    let Some(scop) = done.scop else { return Ok(None) };
    let (deps, _) = tilia_deps::dependences(&scop, &budget()).map_err(|e| format!("dependences of {} with copies: {e}", scop.name))?;
    Ok(Some((scop, deps)))
}

/// The scop with its statements cut into pieces, sometimes with copies of what they share, and its dependences.
fn in_pieces(
    function: &Function,
    scop: &Scop,
    deps: &Deps,
    u: &mut Unstructured<'_>,
    counts: &mut Configured,
) -> Result<Option<(Scop, Deps)>, String> {
    let failed = |what: &str, e: &dyn std::fmt::Display| format!("{what} of {}: {e}", scop.name);
    let (found, _) = tilia_split::split(scop, deps, &budget()).map_err(|e| failed("pieces", &e))?;
    let Some(found) = found else { return Ok(None) };
    let (deps, _) = tilia_deps::dependences(&found.scop, &budget()).map_err(|e| failed("dependences of the pieces", &e))?;
    if !chance(u, 50).unwrap_or(false) {
        return Ok(Some((found.scop, deps)));
    }
    let copied = match tilia_split::copies(&found.scop, &deps, function, &budget()) {
        Ok(copied) => copied,
        // Where a place in the tree can't have copies, the scop is as it was.
        Err(e) if e.to_string().contains("a copy in a place") || e.to_string().contains("before its first reader") => None,
        Err(e) => return Err(failed("copies for the pieces", &e)),
    };
    let Some((scop, _)) = copied else {
        return Ok(Some((found.scop, deps)));
    };
    counts.copied_pieces += 1;
    let (deps, _) = tilia_deps::dependences(&scop, &budget()).map_err(|e| failed("dependences of the pieces with copies", &e))?;
    Ok(Some((scop, deps)))
}

/// The tree of a random configuration, or the source's where it is refused.
fn scheduled((scop, deps): (&Scop, &Deps), (text, wishes): (&str, bool), found: &mut Configured) -> Result<ScheduleTree, String> {
    let failed = |e: String| format!("scheduling {}: {e}\n{text}", scop.name);
    // The depths of a scop with copies are the same, but a statement that writes last values back may follow.
    let mut strategy = tilia_strategy::load("random", "random.json", text).map_err(|e| failed(e[0].to_string()))?;
    let options = tilia_scheduler::Options::default();
    match tilia_scheduler::schedule((scop, deps), strategy.as_mut(), &options, &Budget::new(SCHEDULE_BUDGET)) {
        Ok(done) => {
            let refused = |v: Vec<tilia_validate::Violation>| failed(format!("illegal: {}\n{}", v[0].to_diagnostic(scop), done.tree));
            if text.contains(LIVE_RANGES) {
                let turned = tilia_validate::validate_values(scop, &done.tree, &budget()).map_err(refused)?;
                found.turned += u64::from(turned);
            } else {
                tilia_validate::validate(scop, &done.tree, &budget()).map_err(refused)?;
            }
            found.schedules += 1;
            Ok(done.tree)
        }
        Err(Error::IllegalFusion { .. } | Error::Infeasible { .. } | Error::NoProgress { .. }) if wishes => {
            found.refused += 1;
            Ok(scop.schedule.clone())
        }
        Err(e) => Err(failed(e.to_string())),
    }
}

/// A random tree, judged twice.
fn judged(scop: &Scop, deps: &Deps, u: &mut Unstructured<'_>, found: &mut Configured) -> Result<(), String> {
    let tree = affine_tree(u, scop).map_err(|e| format!("a tree of {}: {e}", scop.name))?;
    let legal = tilia_validate::validate(scop, &tree, &budget()).is_ok();
    let violation = first_violation(&tree, &Pairs::of(deps), &budget()).map_err(|e| format!("a tree of {}: {e}", scop.name))?;
    found.legal += u64::from(legal);
    found.illegal += u64::from(!legal);
    if legal == violation.is_none() {
        return Ok(());
    }
    Err(format!(
        "{}: validate calls the tree {}, transform {:?}\n{tree}",
        scop.name,
        if legal { "legal" } else { "illegal" },
        violation.map(|(at, v)| format!("{} at {at}", v.text))
    ))
}
