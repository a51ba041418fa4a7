//! The strategy `auto`: what is known of sizes, and the shaping of scheduled trees for the machine.

use crate::options::CompileOptions;
use std::collections::BTreeMap;
use tilia_abi::Value;
use tilia_auto::{Request, Shaped, shape};
use tilia_diag::Remark;
use tilia_model::Estimates;
use tilia_presburger::Budget;
use tilia_program::{Function, OpKind, PureOp, ValueDef, ValueId};
use tilia_schedule::ScheduleTree;
use tilia_scop::{Deps, ParamSource, Scop};
use tilia_transform::Pairs;

/// What is known of the arguments that a function will be called with. It may change which code is made, never a result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownArgs {
    /// The function.
    pub function: String,
    /// Numbers, by argument.
    pub numbers: BTreeMap<usize, i64>,
    /// Extents, by argument.
    pub shapes: BTreeMap<usize, Vec<i64>>,
}

impl KnownArgs {
    /// What the values of a call say.
    pub(crate) fn of(function: &str, args: &[Value]) -> KnownArgs {
        let mut known = KnownArgs {
            function: function.to_owned(),
            ..KnownArgs::default()
        };
        for (k, value) in args.iter().enumerate() {
            match value {
                Value::Int(v) => drop(known.numbers.insert(k, *v)),
                Value::MemRef(m) => drop(known.shapes.insert(k, m.sizes.clone())),
                _ => {}
            }
        }
        known
    }

    /// Operations of one call of `function`, roughly.
    pub(crate) fn work(&self, function: &Function) -> f64 {
        let argument = |v: ValueId| match function[v].def {
            ValueDef::Arg(block, k) if Some(block) == function.entry() => Some(k as usize),
            _ => None,
        };
        let value = |v: ValueId| match function[v].def {
            ValueDef::Arg(..) => argument(v).and_then(|k| self.numbers.get(&k).copied()),
            ValueDef::Result(op, _) => match (&function[op].kind, &function[op].operands[..]) {
                (OpKind::Dim, &[memref, n]) => {
                    let n = usize::try_from(function.as_int_constant(n)?).ok()?;
                    self.shapes.get(&argument(memref)?)?.get(n).copied()
                }
                (OpKind::Pure(PureOp::IndexCast, _), &[v]) => argument(v).and_then(|k| self.numbers.get(&k).copied()),
                _ => None,
            },
        };
        tilia_codegen::analysis::function_work(function, &value)
    }

    /// The parameters of a scop that are arguments, or extents of arguments.
    fn estimates(&self, scop: &Scop, function: &Function) -> Estimates {
        let mut estimates = Estimates::default();
        if function.name != self.function {
            return estimates;
        }
        let argument = |v: ValueId| match function[v].def {
            ValueDef::Arg(block, k) if Some(block) == function.entry() => Some(k as usize),
            _ => None,
        };
        for p in &scop.params {
            let value = match p.value {
                ParamSource::Value(v) => argument(v).and_then(|k| self.numbers.get(&k).copied()),
                ParamSource::Dim(v, d) => argument(v).and_then(|k| self.shapes.get(&k)?.get(d as usize).copied()),
            };
            if let Some(value) = value {
                estimates.values.insert(p.name.clone(), value);
            }
        }
        estimates
    }
}

/// Tiles and orders the loops of the scheduled tree, and those of the source's order, and takes the one that is estimated to be faster. When the work gets too much the scheduled
/// tree stays as it is, with a remark.
pub(crate) fn shaped(
    (scop, deps): (&Scop, &Deps),
    function: &Function,
    tree: &ScheduleTree,
    options: &CompileOptions,
    b: &Budget,
) -> (ScheduleTree, Vec<Remark>) {
    let machine = options.visible_machine();
    let estimates = options.known.estimates(scop, function);
    let request = Request {
        machine: &machine,
        threads: options.threads,
        estimates: &estimates,
        flagged: true,
    };
    let pairs = Pairs::of(deps);
    let scheduled = marked((scop, deps), tree, &pairs, &request, b);
    let source = Request { flagged: false, ..request };
    let source = shape(scop, &scop.schedule, &pairs, &source, b);
    match (scheduled, source) {
        (Ok(new), Ok(old)) => {
            let faster = if old.cycles < new.cycles {
                ("source", &old)
            } else {
                ("scheduler", &new)
            };
            let mut remarks = faster.1.remarks.clone();
            let message = format!(
                "the order of the {} is taken: an estimated {:.3} million cycles for the scheduler's, {:.3} for the source's",
                faster.0,
                new.cycles / 1e6,
                old.cycles / 1e6
            );
            remarks.push(Remark::analysis("auto", scop.loc.clone(), message));
            (faster.1.tree.clone(), remarks)
        }
        (Ok(only), Err(why)) => {
            let mut remarks = only.remarks;
            let message = format!("the order of the source isn't compared with the scheduler's: {why}");
            remarks.push(Remark::declined("auto", scop.loc.clone(), message));
            (only.tree, remarks)
        }
        (Err(why), _) => {
            let why = format!("loops keep the scheduler's shape: {why}");
            (tree.clone(), vec![Remark::declined("auto", scop.loc.clone(), why)])
        }
    }
}

fn marked((scop, deps): (&Scop, &Deps), tree: &ScheduleTree, pairs: &Pairs, request: &Request<'_>, b: &Budget) -> Result<Shaped, String> {
    let (marked, _) = tilia_deps::mark_coincident(tree, deps, scop, b).map_err(|e| e.to_string())?;
    shape(scop, &marked, pairs, request, b).map_err(|e| e.to_string())
}
