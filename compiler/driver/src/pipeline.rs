//! The default pipeline, function by function, scop by scop.

use crate::context::Context;
use crate::expansion::with_copies;
use crate::loops::Loops;
use crate::options::{CompileOptions, Strategy, Tile};
use crate::pieces;
use crate::schedules::Schedules;
use crate::scheduling::{Scheduling, refused};
use crate::transform::Transforms;
use tilia_ast::Ast;
use tilia_diag::{Diagnostic, Loc, Remark};
use tilia_presburger::Budget;
use tilia_program::{Function, Program};
use tilia_schedule::ScheduleTree;
use tilia_scop::{Deps, Scop};

/// What the pipeline made of one scop.
#[derive(Debug, Clone)]
pub struct ScopUnit {
    /// Name of its function.
    pub function: String,
    /// The scop.
    pub scop: Scop,
    /// Its dependences; `None` when the original operations were kept before they were needed.
    pub deps: Option<Deps>,
    /// The tree from which its loops were generated.
    pub tree: ScheduleTree,
    /// Its loops; `None` when the original operations were kept.
    pub ast: Option<Ast>,
}

/// The program after the pipeline.
#[derive(Debug, Clone)]
pub struct Optimised {
    /// The program to compile.
    pub program: Program,
    /// All scops, in source order.
    pub scops: Vec<ScopUnit>,
    /// What was done and why not more.
    pub remarks: Vec<Remark>,
    /// Name of the strategy that made the schedules.
    pub strategy: String,
}

/// Runs all stages.
pub(crate) fn optimise(program: &Program, options: &CompileOptions) -> Result<Optimised, Vec<Diagnostic>> {
    optimise_with(program, options, true)
}

/// Runs all stages, with or without vector loops.
pub(crate) fn optimise_with(program: &Program, options: &CompileOptions, vector: bool) -> Result<Optimised, Vec<Diagnostic>> {
    let cx = Context::new(options);
    let done = optimise_in(program, &cx, vector);
    tracing::debug!(spent = cx.spent(), "units for looking for faster orders");
    done
}

/// Runs all stages of one compilation.
pub(crate) fn optimise_in(program: &Program, cx: &Context<'_>, vector: bool) -> Result<Optimised, Vec<Diagnostic>> {
    let options = cx.options;
    let mut straightened;
    let program = if options.raise {
        straightened = program.clone();
        straightened.functions.iter_mut().for_each(|f| {
            tilia_lower::if_convert(f);
        });
        &straightened
    } else {
        program
    };
    let mut done = Optimised {
        program: program.clone(),
        scops: Vec::new(),
        remarks: Vec::new(),
        strategy: if options.schedule_in.is_some() { "schedule-in" } else { "none" }.to_owned(),
    };
    if !options.raise {
        return Ok(done);
    }
    let scheduling = Scheduling::of(&options.strategy)?;
    if let (Some(s), None) = (&scheduling, &options.schedule_in) {
        s.name().clone_into(&mut done.strategy);
    }
    let mut schedules = match &options.schedule_in {
        None => None,
        Some((name, text)) => Some(Schedules::parse(name, text)?),
    };
    let transforms = Transforms::of(options, program, &cx.stage_budget())?;
    let mut errors = Vec::new();
    for n in 0..program.functions.len() {
        if program.functions[n].body.is_none() {
            continue;
        }
        if let Err(e) = function(
            program,
            n,
            (cx, vector),
            (scheduling.as_ref(), schedules.as_mut(), transforms.as_ref()),
            &mut done,
        ) {
            errors.extend(e);
        }
    }
    if let Some(unused) = schedules.as_ref().and_then(Schedules::unused) {
        errors.push(unused);
    }
    let unmatched = scheduling.as_ref().and_then(|s| s.unmatched(done.scops.iter().map(|u| &u.scop)));
    done.remarks.extend(unmatched);
    if errors.is_empty() { Ok(done) } else { Err(errors) }
}

/// Runs the stages from dependences to loops on scops without operations.
pub(crate) fn optimise_scops(scops: &[Scop], options: &CompileOptions) -> Result<Optimised, Vec<Diagnostic>> {
    if options.transform.is_some() {
        let message = "transformation scripts are for MLIR input";
        return Err(vec![
            Diagnostic::error(Loc::unknown(), message).help("--schedule-in takes a schedule tree for any input"),
        ]);
    }
    let scheduling = Scheduling::of(&options.strategy)?;
    let mut schedules = match &options.schedule_in {
        None => None,
        Some((name, text)) => Some(Schedules::parse(name, text)?),
    };
    let cx = Context::new(options);
    let mut done = Optimised {
        program: Program::default(),
        scops: Vec::new(),
        remarks: Vec::new(),
        strategy: scheduling.as_ref().map_or("none", Scheduling::name).to_owned(),
    };
    let mut errors = Vec::new();
    for scop in scops {
        let mut unit = ScopUnit {
            function: String::new(),
            tree: scop.schedule.clone(),
            scop: scop.clone(),
            deps: None,
            ast: None,
        };
        let result = match schedules.as_mut().and_then(|s| s.take(scop)).transpose() {
            Ok(wish) => one_scop(&mut unit, (wish, scheduling.as_ref(), None), (&cx, false), None, &mut done.remarks),
            Err(e) => Err(vec![e]),
        };
        errors.extend(result.err().into_iter().flatten());
        done.scops.push(unit);
    }
    errors.extend(schedules.as_ref().and_then(Schedules::unused));
    done.remarks.extend(scheduling.as_ref().and_then(|s| s.unmatched(scops.iter())));
    if errors.is_empty() { Ok(done) } else { Err(errors) }
}

fn function(
    program: &Program,
    n: usize,
    (cx, vector): (&Context<'_>, bool),
    (scheduling, mut schedules, transforms): (Option<&Scheduling>, Option<&mut Schedules>, Option<&Transforms>),
    done: &mut Optimised,
) -> Result<(), Vec<Diagnostic>> {
    let source: &Function = &program.functions[n];
    let span = tracing::info_span!("raise", function = source.name).entered();
    let raised = tilia_raise::raise(source, program, &tilia_raise::Options::default(), &cx.stage_budget());
    drop(span);
    done.remarks.extend(raised.remarks);
    // The last scop first: a later scop may use results of an earlier one, which lowering the earlier then renames in the code made for the later.
    let mut units: Vec<(ScopUnit, Vec<Remark>)> = Vec::new();
    let mut failed: Vec<Vec<Diagnostic>> = Vec::new();
    for mut scop in raised.scops.into_iter().rev() {
        scop.float_order = cx.options.fp.float_order();
        let mut unit = ScopUnit {
            function: source.name.clone(),
            tree: scop.schedule.clone(),
            scop,
            deps: None,
            ast: None,
        };
        let wish = schedules.as_mut().and_then(|s| s.take(&unit.scop)).transpose();
        let mut said = Vec::new();
        let target = done.program.functions.get_mut(n);
        let result = match wish {
            Ok(wish) => one_scop(&mut unit, (wish, scheduling, transforms), (cx, vector), target, &mut said),
            Err(e) => Err(vec![e]),
        };
        failed.extend(result.err());
        units.push((unit, said));
    }
    for (unit, said) in units.into_iter().rev() {
        done.scops.push(unit);
        done.remarks.extend(said);
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(failed.into_iter().rev().flatten().collect())
}

/// One scop through all stages. Giving up keeps the original operations, with a remark; only a requested schedule that can't be used is an error.
fn one_scop(
    unit: &mut ScopUnit,
    (wish, scheduling, transforms): (Option<ScheduleTree>, Option<&Scheduling>, Option<&Transforms>),
    (cx, vector): (&Context<'_>, bool),
    mut target: Option<&mut Function>,
    remarks: &mut Vec<Remark>,
) -> Result<(), Vec<Diagnostic>> {
    let options = cx.options;
    let _span = tracing::info_span!("scop", name = unit.scop.name.as_str()).entered();
    let by_hand = transforms.is_some_and(|t| t.is_about(&unit.scop));
    let requested = wish.is_some() || by_hand;
    cx.begin_scop();
    let scop = &unit.scop;
    match tilia_deps::dependences(scop, &cx.stage_budget()) {
        Ok((deps, said)) => {
            remarks.extend(said);
            unit.deps = Some(deps);
        }
        Err(e) => {
            remarks.push(kept(scop, requested, "deps", &e.to_string())?);
            return Ok(());
        }
    }
    // What was asked for by hand speaks of the scop as it is.
    let planned = match target.as_deref_mut().filter(|_| !requested) {
        Some(function) => with_copies(unit, scheduling, function, cx, remarks)?,
        None => None,
    };
    if let Some(scheduling) = scheduling.filter(|_| !requested && planned.is_none()) {
        pieces::where_asked_for(unit, scheduling, target.as_deref(), cx, remarks)?;
    }
    // What replaced the scop has an order of its own, which stands unless a better one is accepted.
    unit.tree = unit.scop.schedule.clone();
    let (scop, Some(deps)) = (&unit.scop, &unit.deps) else {
        return Ok(());
    };
    let (mut turned, mut by_value) = (None, false);
    let mut loops = None;
    if let Some(tree) = wish {
        // Live ranges change places where a strategy asks for it by name; else a tree is judged by all pairs, as the page of its text says.
        if scheduling.map_or(Ok(false), |s| s.reorders_live_ranges(scop, deps, cx))? {
            turned = accepted(scop, &tree, cx, remarks)?;
            by_value = turned.is_some();
        } else {
            check_legal(scop, &tree)?;
            turned = otherwise_accumulated((scop, deps), &tree, cx, remarks)?;
        }
        unit.tree = tree;
    } else if let Some(planned) = planned {
        // Nearly all plans are accepted: the loops of one are made while it is judged, and made again from another tree should it be refused.
        let first = planned.first().unwrap_or(&scop.schedule).clone();
        let ((tree, said), ahead) = cx.both(|_| planned.validated(scop), |cx| Loops::of(first.clone(), (scop, deps), cx));
        loops = (tree == first).then_some(ahead);
        unit.tree = tree;
        remarks.extend(said);
    } else if let Some(scheduling) = scheduling.filter(|_| options.strategy != Strategy::Auto || !by_hand) {
        match scheduling.run(scop, deps, cx) {
            Ok(made) => {
                remarks.extend(made.remarks);
                match accepted(scop, &made.tree, cx, remarks) {
                    Ok(None) => {
                        turned = otherwise_accumulated((scop, deps), &made.tree, cx, remarks)?;
                        unit.tree = made.tree;
                    }
                    Ok(other) => (unit.tree, turned, by_value) = (made.tree, other, true),
                    Err(why) => remarks.push(refused(scop, "source", &why)),
                }
            }
            // Nobody asked for a schedule: the source's will do.
            Err(why) if options.strategy == Strategy::Auto => remarks.push(refused(scop, "source", &why)),
            Err(why) => return Err(why),
        }
    }
    let source = scop;
    let check_legal = |tree: &ScheduleTree| {
        if by_value {
            same_values(source, tree)
        } else {
            check_legal(source, tree)
        }
    };
    let (scop, deps) = turned.as_ref().map_or((scop, deps), |(s, d)| (s, d));
    // A script starts from the original order unless a strategy was asked for by name.
    if let Some(t) = transforms
        && let Some((tree, said)) = t.apply(scop, &unit.tree, deps, &cx.stage_budget()).map_err(|d| vec![d])?
    {
        check_legal(&tree)?;
        unit.tree = tree;
        remarks.extend(said);
        loops = None;
    }
    if let Tile::Sizes(sizes) = &options.tile {
        let wanted = tilia_transform::TileOptions::new(sizes.iter().map(|&s| s.into()).collect());
        match tilia_transform::tile(
            &unit.tree,
            &tilia_transform::Pairs::of(deps),
            &scop.loc,
            &wanted,
            &cx.stage_budget(),
        ) {
            Ok((tree, said)) => match check_legal(&tree) {
                Ok(()) => {
                    unit.tree = tree;
                    remarks.extend(said);
                    loops = None;
                }
                Err(why) => {
                    let why = why.first().map_or("no proof", |d| d.message.as_str());
                    let message = format!("loops stay as they are: the tiled schedule isn't proven legal: {why}");
                    remarks.push(Remark::declined("tile", scop.loc.clone(), message));
                }
            },
            Err(e) => remarks.push(Remark::declined("tile", scop.loc.clone(), format!("loops stay as they are: {e}"))),
        }
    }
    let mut loops = loops.unwrap_or_else(|| Loops::of(unit.tree.clone(), (scop, deps), cx));
    // Nobody asked for this order: the source's may have simpler loops.
    if let Err(why) = &loops.ast
        && options.strategy == Strategy::Auto
        && !requested
        && unit.tree != scop.schedule
    {
        let message = format!("the order of the source is kept: no loops are made in the one that was found: {why}");
        remarks.push(Remark::declined("astgen", scop.loc.clone(), message));
        loops = Loops::of(scop.schedule.clone(), (scop, deps), cx);
    }
    unit.tree = loops.tree;
    remarks.extend(loops.remarks);
    if options.verify {
        check_legal(&unit.tree)?;
    }
    let ast = match loops.ast {
        Ok(ast) => ast,
        Err(why) => {
            remarks.push(kept(scop, requested, "astgen", &why)?);
            return Ok(());
        }
    };
    let Some(target) = target else {
        unit.ast = Some(ast);
        return Ok(());
    };
    let lower = tilia_lower::Options {
        parallel: options.threads > 1,
        vector_bits: if vector { options.vector_bits() } else { 0 },
        promote: true,
        registers: options.visible_machine().vector_registers,
    };
    match tilia_lower::lower(target, scop, &ast, &lower, &cx.stage_budget()) {
        Ok(said) => {
            remarks.extend(said);
            unit.ast = Some(ast);
        }
        Err(e) => remarks.push(kept(scop, requested, "lower", &e.to_string())?),
    }
    Ok(())
}

/// Checks a tree that is the first after the source. Where it turns live ranges round as wholes, so that the values that pass are the same but not the order of all pairs, the scop in the tree's own
/// order, with its dependences, is what later stages work with.
fn accepted(
    scop: &Scop,
    tree: &ScheduleTree,
    cx: &Context<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<Option<(Scop, Deps)>, Vec<Diagnostic>> {
    if !tilia_validate::validate_values(scop, tree, &Context::own_budget()).map_err(|v| told(scop, &v))? {
        return Ok(None);
    }
    let own = in_order_of(scop, tree, &cx.stage_budget(), remarks)?;
    let message = "values of temporaries pass as in the source, in another order: live ranges are reordered";
    remarks.push(Remark::applied("schedule", scop.loc.clone(), message.to_owned()));
    Ok(Some(own))
}

/// As [`accepted`], where a legal tree accumulates in another order than the source.
fn otherwise_accumulated(
    (scop, deps): (&Scop, &Deps),
    tree: &ScheduleTree,
    cx: &Context<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<Option<(Scop, Deps)>, Vec<Diagnostic>> {
    let relaxable = deps.memory.iter().filter(|d| scop.is_relaxable(d)).map(|d| d.relation.clone());
    let pairs = tilia_transform::Pairs::from_maps(relaxable.collect());
    match tilia_transform::first_violation(tree, &pairs, &cx.stage_budget()) {
        Ok(None) => return Ok(None),
        Ok(Some(_)) => {}
        // The order of the source is what later stages keep, as they do without accumulations.
        Err(why) => {
            let message = format!(
                "parallel loops are judged by the order of the source's accumulations: it isn't known whether the tree has another: {why}"
            );
            remarks.push(Remark::declined("schedule", scop.loc.clone(), message));
            return Ok(None);
        }
    }
    let own = in_order_of(scop, tree, &cx.stage_budget(), remarks)?;
    let message = "accumulations run in another order, which gives the same";
    remarks.push(Remark::applied("schedule", scop.loc.clone(), message.to_owned()));
    Ok(Some(own))
}

/// The scop in the order of a tree, with its dependences.
pub(crate) fn in_order_of(
    scop: &Scop,
    tree: &ScheduleTree,
    b: &Budget,
    remarks: &mut Vec<Remark>,
) -> Result<(Scop, Deps), Vec<Diagnostic>> {
    let own = Scop {
        schedule: tree.clone(),
        ..scop.clone()
    };
    let (deps, said) = tilia_deps::dependences(&own, b).map_err(|e| vec![Diagnostic::error(scop.loc.clone(), e.to_string())])?;
    remarks.extend(said);
    Ok((own, deps))
}

/// That the original operations are kept: an error if a schedule was requested.
fn kept(scop: &Scop, requested: bool, stage: &'static str, why: &str) -> Result<Remark, Vec<Diagnostic>> {
    let loc = scop.loc.clone();
    if requested {
        return Err(vec![Diagnostic::error(loc, format!("the requested schedule can't be used: {why}"))]);
    }
    Ok(Remark::declined(stage, loc, format!("the original operations are kept: {why}")))
}

/// Violations that are told; the rest is counted.
const VIOLATIONS_TOLD: usize = 5;

/// The independent check of a tree.
pub(crate) fn check_legal(scop: &Scop, tree: &ScheduleTree) -> Result<(), Vec<Diagnostic>> {
    tilia_validate::validate(scop, tree, &Context::own_budget()).map_err(|violations| told(scop, &violations))
}

/// The independent check of a tree that may turn live ranges round.
fn same_values(scop: &Scop, tree: &ScheduleTree) -> Result<(), Vec<Diagnostic>> {
    let checked = tilia_validate::validate_values(scop, tree, &Context::own_budget());
    checked.map(|_| ()).map_err(|violations| told(scop, &violations))
}

fn told(scop: &Scop, violations: &[tilia_validate::Violation]) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = violations.iter().take(VIOLATIONS_TOLD).map(|v| v.to_diagnostic(scop)).collect();
    if let (Some(last), Some(more)) = (told.last_mut(), violations.len().checked_sub(VIOLATIONS_TOLD).filter(|&n| n > 0)) {
        last.help = Some(format!("the schedule of {} violates {more} more", scop.name));
    }
    told
}
