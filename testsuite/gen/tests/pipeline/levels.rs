//! One program through import, raising, the scop interpreter, AST generation and lowering.

use tilia_abi::Value;
use tilia_ast::Ast;
use tilia_gen::{Case, Input};
use tilia_interp::{Interpreter, Options, Outcome, ScopOrder, ScopPlan, ScopStats};
use tilia_mlir::{ImportOptions, import};
use tilia_presburger::Budget;
use tilia_program::Program;
use tilia_scop::Scop;

/// How much was tested.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Found {
    /// Scops found.
    pub(crate) scops: u64,
    /// Executions of scops as such, and of their original operations instead.
    pub(crate) as_scops: u64,
    pub(crate) as_original: u64,
    /// Scops lowered, and declined.
    pub(crate) lowered: u64,
    pub(crate) declined: u64,
}

impl Found {
    pub(crate) fn add(&mut self, other: &Self) {
        self.scops += other.scops;
        self.as_scops += other.as_scops;
        self.as_original += other.as_original;
        self.lowered += other.lowered;
        self.declined += other.declined;
    }
}

/// Contents of all memref arguments after a run.
type Memory = Vec<Vec<u64>>;

fn budget() -> Budget {
    Budget::new(200_000_000)
}

fn memory(args: &[Value]) -> Memory {
    let elements = |v: &Value| match v {
        Value::MemRef(m) => m.elements(),
        _ => None,
    };
    args.iter().filter_map(elements).collect()
}

/// The first difference, NaNs equal as NaNs.
fn difference(args: &[Value], a: &Memory, b: &Memory) -> Option<String> {
    let elems = args.iter().filter_map(|v| match v {
        Value::MemRef(m) => Some(m.elem),
        _ => None,
    });
    for (n, (elem, (x, y))) in elems.zip(a.iter().zip(b)).enumerate() {
        for (k, (&x, &y)) in x.iter().zip(y).enumerate() {
            let nan = |bits| tilia_abi::FloatFormat::of(elem).is_some_and(|f| f.to_f64(bits).is_nan());
            if x != y && !(nan(x) && nan(y)) {
                return Some(format!("array {n}, element {k}: {x:#x} instead of {y:#x}"));
            }
        }
    }
    None
}

/// Runs `execute` on fresh arguments and compares what it leaves in memory with `expected`.
fn compare<T>(
    case: &Case,
    input: &Input,
    expected: &Memory,
    what: &str,
    execute: impl FnOnce(&[Value]) -> Result<T, tilia_abi::RuntimeError>,
) -> Result<T, String> {
    let args = case.arguments(input);
    let result = execute(&args).map_err(|e| format!("{what}: {e}"))?;
    match difference(&args, &memory(&args), expected) {
        Some(d) => Err(format!("{what} with parameters {:?}: {d}", input.params)),
        None => Ok(result),
    }
}

/// The scops of every function, with the function's number.
fn raise_all(program: &Program) -> Vec<(usize, Scop)> {
    let mut all = Vec::new();
    for (n, f) in program.functions.iter().enumerate() {
        let raised = tilia_raise::raise(f, program, &tilia_raise::Options::default(), &budget());
        all.extend(raised.scops.into_iter().map(|s| (n, s)));
    }
    all
}

/// Takes a case through all levels.
pub(crate) fn check(case: &Case) -> Result<Found, String> {
    let imported = import("case.mlir", &case.mlir, &ImportOptions::default());
    if let Some(d) = imported.diagnostics.first() {
        return Err(format!("import: {d}"));
    }
    let program = &imported.program;
    let truth = Interpreter::new(program).map_err(|e| format!("the imported program is invalid: {}", e[0]))?;
    let options = Options::default();
    let mut expected = Vec::new();
    for input in &case.inputs {
        let args = case.arguments(input);
        truth.run(case.entry, &args, &options).map_err(|e| format!("source order: {e}"))?;
        expected.push(memory(&args));
    }
    let scops = raise_all(program);
    let mut found = Found {
        scops: scops.len() as u64,
        ..Found::default()
    };
    scops_in_order(case, program, &scops, &expected, &mut found)?;
    let asts = generate_all(&scops)?;
    asts_in_order(case, program, &scops, &asts, &expected)?;
    lowered(case, program, &scops, &asts, &expected, &mut found)?;
    Ok(found)
}

fn plans<'a>(
    program: &'a Program,
    scops: &'a [(usize, Scop)],
    order: impl Fn(usize) -> ScopOrder<'a>,
    check_accesses: bool,
) -> Vec<ScopPlan<'a>> {
    let plan = |(k, (n, scop)): (usize, &'a (usize, Scop))| ScopPlan {
        function: &program.functions[*n].name,
        scop,
        order: order(k),
        check_accesses,
    };
    scops.iter().enumerate().map(plan).collect()
}

/// The scops in the order of their own trees, every access checked.
fn scops_in_order(case: &Case, program: &Program, scops: &[(usize, Scop)], expected: &[Memory], found: &mut Found) -> Result<(), String> {
    let interpreter = Interpreter::new(program).map_err(|e| e[0].to_string())?;
    let plans = plans(program, scops, |k| ScopOrder::Tree(&scops[k].1.schedule), true);
    for (input, memory) in case.inputs.iter().zip(expected) {
        let (_, stats): (Outcome, ScopStats) = compare(case, input, memory, "scops", |args| {
            interpreter.run_scops(case.entry, args, &Options::default(), &plans)
        })?;
        found.as_scops += stats.executed;
        found.as_original += stats.original;
    }
    Ok(())
}

fn generate_all(scops: &[(usize, Scop)]) -> Result<Vec<Ast>, String> {
    let generate = |(_, scop): &(usize, Scop)| {
        let b = budget();
        tilia_validate::validate(scop, &scop.schedule, &b)
            .map_err(|v| format!("the source order of {} is refused: {:?}", scop.name, v[0]))?;
        let (deps, _) = tilia_deps::dependences(scop, &b).map_err(|e| format!("dependences of {}: {e}", scop.name))?;
        let (tree, _) =
            tilia_deps::mark_coincident(&scop.schedule, &deps, scop, &b).map_err(|e| format!("parallel loops of {}: {e}", scop.name))?;
        tilia_validate::validate(scop, &tree, &b).map_err(|v| format!("parallel loops of {} are refused: {:?}", scop.name, v[0]))?;
        let options = tilia_astgen::Options::default();
        let generated = tilia_astgen::generate(&tree, &scop.context, &options, &b);
        generated.map(|g| g.0).map_err(|e| format!("AST of {}: {e}", scop.name))
    };
    scops.iter().map(generate).collect()
}

/// The scops in the order of their ASTs.
fn asts_in_order(case: &Case, program: &Program, scops: &[(usize, Scop)], asts: &[Ast], expected: &[Memory]) -> Result<(), String> {
    let interpreter = Interpreter::new(program).map_err(|e| e[0].to_string())?;
    let plans = plans(program, scops, |k| ScopOrder::Ast(&asts[k]), false);
    for (input, memory) in case.inputs.iter().zip(expected) {
        compare(case, input, memory, "ASTs", |args| {
            interpreter.run_scops(case.entry, args, &Options::default(), &plans)
        })?;
    }
    Ok(())
}

/// The program with its scops lowered, in several ways: parallel loops in another order, too, and without conflicts.
fn lowered(
    case: &Case,
    program: &Program,
    scops: &[(usize, Scop)],
    asts: &[Ast],
    expected: &[Memory],
    found: &mut Found,
) -> Result<(), String> {
    for flags in [(false, false, false), (true, false, true), (true, true, true)] {
        let (parallel, vector, promote) = flags;
        let options = tilia_lower::Options { parallel, vector, promote };
        let mut changed = program.clone();
        for ((n, scop), ast) in scops.iter().zip(asts) {
            match tilia_lower::lower(&mut changed.functions[*n], scop, ast, &options, &budget()) {
                Ok(_) => found.lowered += 1,
                Err(_) => found.declined += 1,
            }
        }
        let what = format!("lowered with parallel {parallel}, vector {vector}, promote {promote}");
        let interpreter = Interpreter::new(&changed).map_err(|e| format!("{what}: invalid: {}", e[0]))?;
        for (input, memory) in case.inputs.iter().zip(expected) {
            for (shuffle, detect_races) in [(None, true), (Some(1), false)] {
                let run = Options {
                    shuffle: shuffle.filter(|_| parallel),
                    detect_races,
                    ..Options::default()
                };
                compare(case, input, memory, &what, |args| interpreter.run(case.entry, args, &run))?;
            }
        }
    }
    Ok(())
}
