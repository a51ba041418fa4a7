//! One program through import, raising, the scop interpreter, AST generation and lowering.

use arbitrary::Unstructured;
use tilia_abi::Value;
use tilia_ast::Ast;
use tilia_codegen::{Backend, CodegenOptions, CraneliftBackend};
use tilia_gen::{Case, Input, LIVE_RANGES, affine_tree, bytes_from_seed, chance, strategy_text, strip_mined_tree};
use tilia_interp::{Interpreter, Options, Outcome, ScopOrder, ScopPlan, ScopStats};
use tilia_mlir::{Form, ImportOptions, Imported, export_as, import};
use tilia_presburger::Budget;
use tilia_program::Program;
use tilia_schedule::ScheduleTree;
use tilia_scop::Scop;
use tilia_transform::{Pairs, TileOptions};

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
    /// Random trees that are legal, and that aren't.
    pub(crate) legal: u64,
    pub(crate) illegal: u64,
    /// Scops that a random strategy scheduled.
    pub(crate) by_strategy: u64,
    /// Parallel and vector loops executed by machine code.
    /// Scops whose trees have more bands after tiling.
    pub(crate) tiled: u64,
    pub(crate) forks: u64,
    pub(crate) vector_loops: u64,
    /// Schedules taken through all levels, and those whose loops take so many more steps than the source that the rest was left out.
    pub(crate) schedules: u64,
    pub(crate) wasteful: u64,
}

impl Found {
    pub(crate) fn add(&mut self, other: &Self) {
        self.scops += other.scops;
        self.as_scops += other.as_scops;
        self.as_original += other.as_original;
        self.lowered += other.lowered;
        self.declined += other.declined;
        self.legal += other.legal;
        self.illegal += other.illegal;
        self.tiled += other.tiled;
        self.by_strategy += other.by_strategy;
        self.forks += other.forks;
        self.vector_loops += other.vector_loops;
        self.schedules += other.schedules;
        self.wasteful += other.wasteful;
    }
}

/// Contents of all memref arguments after a run.
pub(crate) type Memory = Vec<Vec<u64>>;

pub(crate) fn budget() -> Budget {
    Budget::new(200_000_000)
}

/// Little enough that some schedules fall back to the order of the source.
pub(crate) const SCHEDULE_BUDGET: u64 = 5_000_000;

pub(crate) fn memory(args: &[Value]) -> Memory {
    let elements = |v: &Value| match v {
        Value::MemRef(m) => m.elements(),
        _ => None,
    };
    args.iter().filter_map(elements).collect()
}

/// What the interpreter may do with a schedule's loops, by the steps of the source's: statements of far-apart dates that share loops make these run empty often, but not for minutes.
const STEPS: u64 = 500;

/// Steps for the smallest of programs.
const FEWEST_STEPS: u64 = 2_000_000;

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
pub(crate) fn compare<T>(
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
pub(crate) fn raise_all(program: &Program) -> Vec<(usize, Scop)> {
    let mut all = Vec::new();
    for (n, f) in program.functions.iter().enumerate() {
        let raised = tilia_raise::raise(f, program, &tilia_raise::Options::default(), &budget());
        all.extend(raised.scops.into_iter().map(|s| (n, s)));
    }
    all
}

/// Takes a case through all levels.
pub(crate) fn check(case: &Case, seed: u64) -> Result<Found, String> {
    let imported = import("case.mlir", &case.mlir, &ImportOptions::default());
    if let Some(d) = imported.diagnostics.first() {
        return Err(format!("import: {d}"));
    }
    let program = &imported.program;
    let truth = Interpreter::new(program).map_err(|e| format!("the imported program is invalid: {}", e[0]))?;
    let mut expected = Vec::new();
    let mut fuel = FEWEST_STEPS;
    for input in &case.inputs {
        let args = case.arguments(input);
        let ran = truth
            .run(case.entry, &args, &Options::default())
            .map_err(|e| format!("source order: {e}"))?;
        fuel = fuel.max(STEPS.saturating_mul(ran.steps));
        expected.push(memory(&args));
    }
    let scops = raise_all(program);
    let mut level = Level {
        case,
        imported: &imported,
        program,
        scops: &scops,
        expected: &expected,
        options: Options {
            fuel,
            ..Options::default()
        },
        found: Found {
            scops: scops.len() as u64,
            ..Found::default()
        },
    };
    level.compiled("the source", program)?;
    level.in_source_order()?;
    let bytes = bytes_from_seed(seed, 4096);
    let mut u = Unstructured::new(&bytes);
    let source: Vec<_> = scops.iter().map(|s| s.1.schedule.clone()).collect();
    level.scheduled("source order", &source, &mut u)?;
    let trees = level.strip_mined(&mut u)?;
    level.scheduled("strip-mined", &trees, &mut u)?;
    let trees = level.tiled(&mut u)?;
    level.scheduled("tiled", &trees, &mut u)?;
    let trees = level.by_strategy(&mut u)?;
    level.scheduled("a random strategy's", &trees, &mut u)?;
    for _ in 0..2 {
        if let Some(trees) = level.rescheduled(&mut u)? {
            level.scheduled("rescheduled", &trees, &mut u)?;
        }
    }
    Ok(level.found)
}

/// A case with its scops, and what must be in memory after each input.
struct Level<'a> {
    case: &'a Case,
    imported: &'a Imported,
    program: &'a Program,
    scops: &'a [(usize, Scop)],
    expected: &'a [Memory],
    /// How schedules are interpreted.
    options: Options,
    found: Found,
}

impl<'a> Level<'a> {
    fn plans(&self, order: impl Fn(usize) -> ScopOrder<'a>, check_accesses: bool) -> Vec<ScopPlan<'a>> {
        let plan = |(k, (n, scop)): (usize, &'a (usize, Scop))| ScopPlan {
            function: &self.program.functions[*n].name,
            scop,
            order: order(k),
            check_accesses,
        };
        self.scops.iter().enumerate().map(plan).collect()
    }

    fn run_plans(&mut self, what: &str, plans: &[ScopPlan<'_>]) -> Result<(), String> {
        let interpreter = Interpreter::new(self.program).map_err(|e| e[0].to_string())?;
        for (input, memory) in self.case.inputs.iter().zip(self.expected) {
            let (_, stats): (Outcome, ScopStats) = compare(self.case, input, memory, what, |args| {
                interpreter.run_scops(self.case.entry, args, &Options::default(), plans)
            })?;
            self.found.as_scops += stats.executed;
            self.found.as_original += stats.original;
        }
        Ok(())
    }

    /// The scops in the order of their own trees, every access checked.
    fn in_source_order(&mut self) -> Result<(), String> {
        let scops = self.scops;
        let plans = self.plans(|k| ScopOrder::Tree(&scops[k].1.schedule), true);
        self.run_plans("scops in source order", &plans)
    }

    fn strip_mined(&self, u: &mut Unstructured<'_>) -> Result<Vec<ScheduleTree>, String> {
        let tree = |(_, scop): &(usize, Scop)| strip_mined_tree(u, scop).map_err(|e| format!("strip-mining {}: {e}", scop.name));
        self.scops.iter().map(tree).collect()
    }

    /// The source's order with its permutable bands tiled.
    fn tiled(&mut self, u: &mut Unstructured<'_>) -> Result<Vec<ScheduleTree>, String> {
        let mut sizes = Vec::new();
        for _ in 0..3 {
            sizes.push(u.int_in_range(2..=4i64).unwrap_or(2).into());
        }
        let options = TileOptions {
            separate_full: chance(u, 50).unwrap_or(false),
            ..TileOptions::new(sizes)
        };
        let mut trees = Vec::new();
        for (_, scop) in self.scops {
            let b = budget();
            let (deps, _) = tilia_deps::dependences(scop, &b).map_err(|e| format!("dependences of {}: {e}", scop.name))?;
            let tiled = tilia_transform::tile(&scop.schedule, &Pairs::of(&deps), &scop.loc, &options, &b);
            let (tree, _) = tiled.map_err(|e| format!("tiling {}: {e}", scop.name))?;
            self.found.tiled += u64::from(tree.paths().len() > scop.schedule.paths().len());
            trees.push(tree);
        }
        Ok(trees)
    }

    /// The trees of the scheduler under random configurations, which are never errors.
    fn by_strategy(&mut self, u: &mut Unstructured<'_>) -> Result<Vec<ScheduleTree>, String> {
        let mut trees = Vec::new();
        for (_, scop) in self.scops {
            let b = budget();
            let (deps, _) = tilia_deps::dependences(scop, &b).map_err(|e| format!("dependences of {}: {e}", scop.name))?;
            let depths: Vec<usize> = scop.stmts.iter().map(|s| s.iters.len()).collect();
            // What turns live ranges round is tested without the stages that compare orders of pairs.
            let text = strategy_text(u, &depths, false).replace(LIVE_RANGES, "\"live_range_reordering\": false");
            let failed = |e: String| format!("scheduling {}: {e}\n{text}", scop.name);
            let mut strategy = tilia_strategy::load("random", "random.json", &text).map_err(|e| failed(e[0].to_string()))?;
            let options = tilia_scheduler::Options::default();
            let done = tilia_scheduler::schedule((scop, &deps), strategy.as_mut(), &options, &Budget::new(SCHEDULE_BUDGET));
            let tree = done.map_err(|e| failed(e.to_string()))?.tree;
            self.found.by_strategy += 1;
            trees.push(tilia_deps::expose_parallel(&tree, &deps, scop, &b).map_err(|e| failed(e.to_string()))?);
        }
        Ok(trees)
    }

    /// Random trees where they are legal; `None` when none is.
    fn rescheduled(&mut self, u: &mut Unstructured<'_>) -> Result<Option<Vec<ScheduleTree>>, String> {
        let mut trees = Vec::new();
        let mut any = false;
        for (_, scop) in self.scops {
            let tree = affine_tree(u, scop).map_err(|e| format!("scheduling {}: {e}", scop.name))?;
            let legal = tilia_validate::validate(scop, &tree, &budget()).is_ok();
            any |= legal;
            self.found.legal += u64::from(legal);
            self.found.illegal += u64::from(!legal);
            trees.push(if legal { tree } else { scop.schedule.clone() });
        }
        Ok(any.then_some(trees))
    }

    /// Trees that must be legal, as ASTs, lowered and compiled. One whose loops take too many steps is counted.
    fn scheduled(&mut self, what: &str, trees: &[ScheduleTree], u: &mut Unstructured<'_>) -> Result<(), String> {
        self.found.schedules += 1;
        match self.executed(what, trees, u) {
            Err(e) if out_of_steps(&e) => {
                println!("{e}");
                self.found.wasteful += 1;
                Ok(())
            }
            done => done,
        }
    }

    fn executed(&mut self, what: &str, trees: &[ScheduleTree], u: &mut Unstructured<'_>) -> Result<(), String> {
        let mut asts = Vec::new();
        for ((_, scop), tree) in self.scops.iter().zip(trees) {
            asts.push(generate(scop, tree).map_err(|m| format!("{what}: {m}"))?);
        }
        let interpreter = Interpreter::new(self.program).map_err(|e| e[0].to_string())?;
        let plans: Vec<_> = self.plans(|k| ScopOrder::Tree(&self.scops[k].1.schedule), false);
        let plans: Vec<_> = plans
            .iter()
            .zip(&asts)
            .map(|(p, ast)| ScopPlan {
                order: ScopOrder::Ast(ast),
                ..*p
            })
            .collect();
        for (input, memory) in self.case.inputs.iter().zip(self.expected) {
            compare(self.case, input, memory, &format!("AST of {what}"), |args| {
                interpreter.run_scops(self.case.entry, args, &self.options, &plans)
            })?;
        }
        let plain = tilia_lower::Options {
            parallel: false,
            vector_bits: 0,
            promote: chance(u, 50).unwrap_or(false),
            registers: 1,
        };
        let full = tilia_lower::Options {
            parallel: true,
            vector_bits: *u.choose(&[0, 128, 128, 256, 512]).unwrap_or(&128),
            promote: chance(u, 70).unwrap_or(true),
            registers: 16,
        };
        for options in [plain, full] {
            let form = chance(u, 50).unwrap_or(false).then_some(Form::Scf);
            self.lowered(what, &asts, &options, form.unwrap_or_default())?;
        }
        Ok(())
    }

    /// The program with its scops lowered: in the interpreter with parallel loops in another order, and without conflicts; and compiled.
    fn lowered(&mut self, what: &str, asts: &[Ast], options: &tilia_lower::Options, form: Form) -> Result<(), String> {
        let mut changed = self.program.clone();
        // The last scop first, as the driver does: a later one may use results of an earlier one.
        for ((n, scop), ast) in self.scops.iter().zip(asts).rev() {
            match tilia_lower::lower(&mut changed.functions[*n], scop, ast, options, &budget()) {
                Ok(_) => self.found.lowered += 1,
                Err(_) => self.found.declined += 1,
            }
        }
        let what = format!("{what}, lowered with {options:?}");
        let interpreter = Interpreter::new(&changed).map_err(|e| format!("{what}: invalid: {}", e[0]))?;
        for (input, memory) in self.case.inputs.iter().zip(self.expected) {
            for (shuffle, detect_races) in [(None, true), (Some(1), false)] {
                let run = Options {
                    shuffle: shuffle.filter(|_| options.parallel),
                    detect_races,
                    ..self.options.clone()
                };
                compare(self.case, input, memory, &what, |args| interpreter.run(self.case.entry, args, &run))?;
            }
        }
        self.exported(&what, &changed, form)?;
        self.compiled(&what, &changed)
    }

    /// A changed program written as MLIR and read back.
    fn exported(&mut self, what: &str, changed: &Program, form: Form) -> Result<(), String> {
        let what = format!("{form:?} export of {what}");
        let text = export_as(self.imported, changed, form).map_err(|e| format!("{what}: {}", e[0]))?;
        let again = import("exported.mlir", &text, &ImportOptions::default());
        if let Some(d) = again.diagnostics.first() {
            return Err(format!("{what}, read back: {d}"));
        }
        let interpreter = Interpreter::new(&again.program).map_err(|e| format!("{what}, read back: {}", e[0]))?;
        for (input, memory) in self.case.inputs.iter().zip(self.expected) {
            compare(self.case, input, memory, &what, |args| {
                interpreter.run(self.case.entry, args, &self.options)
            })?;
        }
        Ok(())
    }

    /// A form of the program as machine code, every parallel loop on two threads.
    fn compiled(&mut self, what: &str, program: &Program) -> Result<(), String> {
        let options = CodegenOptions {
            threads: 2,
            grain: 0,
            ..CodegenOptions::default()
        };
        let what = format!("machine code of {what}");
        let code = CraneliftBackend::default()
            .compile(program, &options)
            .map_err(|e| format!("{what}: {}", e[0]))?;
        for (input, memory) in self.case.inputs.iter().zip(self.expected) {
            let outcome = compare(self.case, input, memory, &what, |args| code.call(self.case.entry, args))?;
            self.found.forks += outcome.executed.parallel;
            self.found.vector_loops += outcome.executed.vector;
        }
        Ok(())
    }
}

/// Whether an error says that the interpreter's steps are used up: a program's, or a scop's.
fn out_of_steps(error: &str) -> bool {
    error.contains(" steps is used up") || (error.contains(": more than ") && error.ends_with(" steps"))
}

/// The AST of a legal tree, its parallel loops and those that only accumulate marked.
fn generate(scop: &Scop, tree: &ScheduleTree) -> Result<Ast, String> {
    let b = budget();
    let refused = |v: &[tilia_validate::Violation]| format!("{} is refused: {}", scop.name, v[0].to_diagnostic(scop));
    tilia_validate::validate(scop, tree, &b).map_err(|v| refused(&v))?;
    let (deps, _) = tilia_deps::dependences(scop, &b).map_err(|e| format!("dependences of {}: {e}", scop.name))?;
    let marked = tilia_deps::mark_coincident(tree, &deps, scop, &b).map_err(|e| format!("parallel loops of {}: {e}", scop.name))?;
    let marked = tilia_deps::mark_reductions(&marked.0, &deps, scop, &b).map_err(|e| format!("reductions of {}: {e}", scop.name))?;
    tilia_validate::validate(scop, &marked, &b).map_err(|v| refused(&v))?;
    let options = tilia_astgen::Options::default();
    let generated = tilia_astgen::generate(&marked, &scop.context, &options, &b);
    generated.map(|g| g.0).map_err(|e| format!("AST of {}: {e}", scop.name))
}
