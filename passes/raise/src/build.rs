//! A scop from a run of operations.

use crate::affine::Affine;
use crate::assume::{Guards, context, range_assumption};
use crate::cells::Cell;
use crate::find::Found;
use crate::index::{Index, Inside};
use crate::lin::{Atom, Lin};
use crate::order::{Item, arrange, tree};
use crate::plan::{Ctx, Declined, Planner};
use crate::roots::Roots;
use crate::sets::Params;
use crate::slice::{Draft, Purpose, Slicer};
use crate::stmts::{Arrays, StmtBuilder};
use crate::touch::{Apart, Touch, Toucher};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use tilia_diag::Remark;
use tilia_presburger::{Budget, Id};
use tilia_program::{BlockId, OpId, Program, ValueDef, ValueId};
use tilia_scop::{OpRange, Param, ParamSource, Scop};

/// A run of operations of one block that is to become a scop.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) block: BlockId,
    pub(crate) ops: Vec<OpId>,
}

/// Limits of one scop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) statements: usize,
    pub(crate) params: usize,
}

/// Everything known of a run before sets are made.
struct Facts {
    drafts: Vec<Draft>,
    cells: Vec<Cell>,
    items: Vec<Item>,
    contexts: FxHashMap<BlockId, Ctx>,
    /// Accesses of each draft, and whether it runs code that isn't seen.
    touches: Vec<(Vec<Touch>, bool)>,
    /// Operations that became opaque, and why.
    opaque: Vec<(OpId, String)>,
}

/// Builds the scop of a run, beside the scops found already, with remarks, or says what stands in the way.
pub(crate) fn build(
    index: &Index<'_>,
    program: &Program,
    found: &Found,
    run: &Run,
    limits: Limits,
    budget: &Budget,
) -> Result<(Scop, Vec<Remark>), Declined> {
    let inside = Inside::new(index, &run.ops);
    let mut affine = Affine::new(index, &inside, found);
    let mut roots = Roots::default();
    let facts = analyse(index, found, &mut affine, &mut roots, run, limits.statements)?;
    let params = parameters(index, &facts, affine.assumed(), limits.params, run)?;
    let failed = |e: tilia_presburger::Error| Declined::new(run.ops[0], format!("its sets can't be computed: {e}"));

    let arrays = Arrays::new(index, program, &mut roots, &facts.touches, &facts.cells);
    let builder = StmtBuilder {
        index,
        params: &params,
        arrays: &arrays,
        contexts: &facts.contexts,
        cells: &facts.cells,
    };
    let mut stmts = Vec::with_capacity(facts.drafts.len());
    for (n, (draft, touches)) in facts.drafts.iter().zip(&facts.touches).enumerate() {
        stmts.push(builder.stmt(n, draft, &touches.0, touches.1, &mut roots).map_err(failed)?);
    }
    let schedule = tree(&facts.items, &stmts).map_err(|e| Declined::new(run.ops[0], format!("its order can't be expressed: {e}")))?;
    let mut guards = Guards::new(index, &affine, &params, &arrays);
    for (draft, (touches, _)) in facts.drafts.iter().zip(&facts.touches) {
        guards.check(draft, touches, &facts.contexts, budget);
    }
    let (mut assumptions, checked_ops) = guards.finish();
    assumptions.extend(range_assumption(index, &affine, &params).map_err(failed)?);
    let remarks = remarks(index, &facts, &arrays, &checked_ops);
    let scop = Scop {
        name: Id::new("scop"),
        range: OpRange {
            block: run.block,
            ops: run.ops.clone(),
        },
        preamble: preamble(index, &inside, &params, &arrays),
        params: params
            .list
            .iter()
            .map(|(value, name)| Param {
                name: name.clone(),
                value: *value,
            })
            .collect(),
        context: context(&affine, &params).map_err(failed)?,
        assumptions,
        may_alias: arrays.overlaps(index, &mut roots, &stmts)?,
        unproven_layouts: arrays.unproven(index, &facts.touches),
        checked_ops,
        arrays: arrays.list,
        stmts,
        schedule,
        float_order: tilia_scop::FloatOrder::Kept,
        loops: loops(index, &facts.items),
        loc: index.function[run.ops[0]].loc.clone(),
    };
    Ok((scop, remarks))
}

/// What there is to say about parts that the model holds only roughly.
fn remarks(index: &Index<'_>, facts: &Facts, arrays: &Arrays, checked: &[OpId]) -> Vec<Remark> {
    let loc = |op: OpId| index.function[op].loc.clone();
    let mut out = Vec::new();
    for (op, reason) in &facts.opaque {
        let message = format!("kept as it stands, with all memory that it may touch: {reason}");
        out.push(Remark::declined("raise", loc(*op), message));
    }
    let plain = facts
        .drafts
        .iter()
        .zip(&facts.touches)
        .filter(|(d, _)| !matches!(d.purpose, Purpose::Opaque(_)));
    let rough: BTreeSet<(u32, OpId)> = plain
        .flat_map(|(_, (touches, _))| touches)
        .filter(|t| !t.region.is_exact())
        .map(|t| (index.order(t.op), t.op))
        .collect();
    for (_, op) in rough {
        let root = facts.touches.iter().flat_map(|(t, _)| t).find(|t| t.op == op).map(|t| t.root);
        let name = root.map_or("its buffer", |r| arrays.name(r));
        let ranked = |r: ValueId| index.function[r].ty.as_memref().is_some();
        let message = if root.is_some_and(|r| ranked(r) && Apart::of(index.function, r) == Apart::No) {
            format!("different subscripts of {name} aren't known to be different elements: which it touches may be any")
        } else {
            format!("which elements of {name} it touches is not an affine function of iterators and parameters: it may be any")
        };
        out.push(Remark::declined("raise", loc(op), message));
    }
    for &op in checked {
        out.push(Remark::analysis(
            "raise",
            loc(op),
            "not proved to stay inside its memref: checked when it executes",
        ));
    }
    out
}

fn analyse<'a>(
    index: &'a Index<'a>,
    found: &Found,
    affine: &mut Affine<'a>,
    roots: &mut Roots,
    run: &Run,
    limit: usize,
) -> Result<Facts, Declined> {
    let inside = affine.inside;
    let mut planner = Planner {
        index,
        affine: &mut *affine,
        contexts: FxHashMap::default(),
        opaque: Vec::new(),
    };
    let nodes = planner.run(run.block, &run.ops)?;
    let (contexts, opaque) = (planner.contexts, planner.opaque);
    let live_out = live_out(index, found, inside, run);
    let mut slicer = Slicer::new(index, inside, &contexts, roots);
    slicer.run(&nodes, &live_out, limit)?;
    let (drafts, cells) = (slicer.drafts, slicer.cells);
    let (items, order) = arrange(&nodes, &drafts);
    let mut toucher = Toucher { index, affine, roots };
    let mut touches = Vec::with_capacity(order.len());
    let mut sorted = Vec::with_capacity(order.len());
    for &n in &order {
        let draft = drafts[n].clone();
        touches.push(match &draft.purpose {
            Purpose::Opaque(group) => {
                // What feeds the group is read as in any other statement.
                let mut own = Vec::new();
                for op in draft.ops.iter().filter(|op| !group.contains(op)) {
                    own.extend(toucher.touches(*op)?);
                }
                let (mut all, unknown) = toucher.group(group);
                all.extend(own);
                (all, unknown)
            }
            _ => {
                let mut all = Vec::new();
                for &op in &draft.ops {
                    all.extend(toucher.touches(op)?);
                }
                (all, false)
            }
        });
        sorted.push(draft);
    }
    Ok(Facts {
        drafts: sorted,
        cells: cells.list,
        items,
        contexts,
        touches,
        opaque,
    })
}

/// The loops of a run, by iterator, with their places.
fn loops(index: &Index<'_>, items: &[Item]) -> Vec<(ValueId, tilia_diag::Loc)> {
    let mut out = Vec::new();
    for item in items {
        if let Item::Loop(iter, body) = item {
            let op = index.def_block(*iter).and_then(|b| index.parent_of_block(b));
            out.extend(op.map(|op| (*iter, index.function[op].loc.clone())));
            out.extend(loops(index, body));
        }
    }
    out
}

/// Values of the run's operations that code outside uses, parameters of other scops included.
fn live_out(index: &Index<'_>, found: &Found, inside: &Inside, run: &Run) -> Vec<ValueId> {
    let results = run.ops.iter().flat_map(|&op| index.function[op].results.iter().copied());
    results
        .filter(|&v| found.needs(v) || index.users(v).iter().any(|&u| !inside.has_op(u)))
        .collect()
}

/// The parameters that domains and accesses mention or take for granted something of, named after where they come from.
fn parameters(index: &Index<'_>, facts: &Facts, assumed: &BTreeSet<ParamSource>, limit: usize, run: &Run) -> Result<Params, Declined> {
    let mut found = assumed.clone();
    let mut note = |form: &Lin| {
        form.for_each_atom(&mut |a| {
            if let Atom::Param(p) = a {
                found.insert(*p);
            }
        });
    };
    for (draft, (touches, _)) in facts.drafts.iter().zip(&facts.touches) {
        if let Some(ctx) = facts.contexts.get(&draft.block) {
            ctx.dnf.iter().flatten().for_each(|c| note(&c.form));
        }
        for t in touches {
            t.region.for_each_form(&mut note);
            for pw in t.check.iter().flat_map(|c| c.shape.iter().chain(&c.subs)).flatten() {
                crate::touch::for_each_form(pw, &mut note);
            }
        }
    }
    if found.len() > limit {
        return Err(Declined::too_large(run.ops[0], format!("there are more than {limit} parameters")));
    }
    Ok(Params::new(found.into_iter().map(|p| (p, name(index, p))).collect()))
}

fn name(index: &Index<'_>, p: ParamSource) -> Id {
    let value = |v: ValueId| match index.function[v].def {
        ValueDef::Arg(block, n) if Some(block) == index.function.entry() => format!("p{n}"),
        _ => format!("v{}", v.0),
    };
    Id::new(match p {
        ParamSource::Value(v) => value(v),
        ParamSource::Dim(v, d) => format!("{}_d{d}", value(v)),
    })
}

/// Operations inside the run that make parameters and root buffers.
fn preamble(index: &Index<'_>, inside: &Inside, params: &Params, arrays: &Arrays) -> Vec<OpId> {
    let sources = params.list.iter().map(|(p, _)| match p {
        ParamSource::Value(v) | ParamSource::Dim(v, _) => *v,
    });
    let mut work: Vec<ValueId> = sources.chain(arrays.roots()).collect();
    let mut ops = FxHashSet::default();
    while let Some(v) = work.pop() {
        if let ValueDef::Result(op, _) = index.function[v].def
            && inside.has_op(op)
            && ops.insert(op)
        {
            work.extend(&index.function[op].operands);
        }
    }
    let mut ops: Vec<OpId> = ops.into_iter().collect();
    ops.sort_by_key(|&op| index.order(op));
    ops
}
