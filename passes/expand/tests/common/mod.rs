//! Programs executed in the orders of a scop, and lowered.

use tilia_abi::Value;
use tilia_interp::{Interpreter, Options, ScopOrder, ScopPlan};
use tilia_presburger::Budget;
use tilia_program::Program;
use tilia_schedule::ScheduleTree;
use tilia_scop::Scop;

fn contents(args: &[Value]) -> Vec<Vec<u64>> {
    let elements = |v: &Value| match v {
        Value::MemRef(m) => m.elements(),
        _ => None,
    };
    args.iter().filter_map(elements).collect()
}

/// What the arguments hold in the end.
pub(crate) fn run(program: &Program, args: Vec<Value>, options: &Options, plan: Option<(&Scop, ScopOrder<'_>)>) -> Vec<Vec<u64>> {
    let interpreter = Interpreter::new(program).unwrap();
    let plans: Vec<ScopPlan<'_>> = plan
        .iter()
        .map(|&(scop, order)| ScopPlan {
            function: "k",
            scop,
            order,
            check_accesses: true,
        })
        .collect();
    interpreter.run_scops("k", &args, options, &plans).unwrap();
    contents(&args)
}

/// The program with the scop's operations generated anew.
pub(crate) fn lowered(program: &Program, scop: &Scop, tree: &ScheduleTree, vector_bits: u32) -> Option<Program> {
    let b = Budget::default();
    let (deps, _) = tilia_deps::dependences(scop, &b).unwrap();
    let (tree, _) = tilia_deps::mark_coincident(tree, &deps, scop, &b).unwrap();
    let (ast, _) = tilia_astgen::generate(&tree, &scop.context, &tilia_astgen::Options::default(), &b).unwrap();
    let mut changed = program.clone();
    let options = tilia_lower::Options {
        parallel: true,
        vector_bits,
        promote: vector_bits > 0,
        registers: 16,
    };
    tilia_lower::lower(&mut changed.functions[0], scop, &ast, &options, &b).ok()?;
    Some(changed)
}
