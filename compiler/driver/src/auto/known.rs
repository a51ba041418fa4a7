//! What is known of the sizes of a call.

use std::collections::BTreeMap;
use tilia_abi::Value;
use tilia_model::Estimates;
use tilia_program::{Function, OpKind, PureOp, ValueDef, ValueId};
use tilia_scop::{ParamSource, Scop};

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
    pub(crate) fn estimates(&self, scop: &Scop, function: &Function) -> Estimates {
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
