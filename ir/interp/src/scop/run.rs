//! The execution of a scop inside a run of its program.

use super::cells::Cells;
use super::check::{Arrays, Checker};
use super::params::{Params, narrow};
use super::{ScopOrder, ScopPlan, ScopStats};
use crate::program::{BufferId, Interpreter, Machine, Options, Outcome, Slot, View};
use std::rc::Rc;
use tilia_abi::{RuntimeError, Value};
use tilia_presburger::{Budget, Int};
use tilia_scop::{ArrayKind, ParamSource, Scop, Stmt, StmtId};

/// One instance to be executed.
struct Instance {
    stmt: StmtId,
    args: Vec<i64>,
}

/// Units of work on sets that one execution of a scop may use.
const SET_BUDGET: u64 = 1 << 40;

impl Interpreter<'_> {
    /// Executes a function, with the planned scops in the order that their plans state.
    ///
    /// # Errors
    /// As [`Interpreter::run`], and what contradicts a scop's description.
    pub fn run_scops(
        &self,
        entry: &str,
        args: &[Value],
        options: &Options,
        plans: &[ScopPlan<'_>],
    ) -> Result<(Outcome, ScopStats), RuntimeError> {
        let mut machine = Machine::with_plans(self.program(), options, plans);
        let outcome = machine.call(entry, args)?;
        Ok((outcome, machine.plans.stats))
    }
}

impl<'a> Machine<'a, '_> {
    /// Executes planned scop number `n` where its last operation stands.
    pub(crate) fn run_scop(&mut self, n: usize) -> Result<(), RuntimeError> {
        let plan = self.plans.list[n];
        let scop = plan.scop;
        let fail = |message: String| RuntimeError::new(scop.loc.clone(), format!("scop {}: {message}", scop.name));
        // Operations of the scop are executed as parts of statements now, not where they stand.
        self.frame_mut().in_scop = true;
        self.run_ops(&scop.preamble)?;
        let params = self.scop_params(scop).map_err(fail)?;
        let budget = Budget::new(SET_BUDGET);
        let views = self.root_views(scop).map_err(fail)?;
        if !params.satisfy(&scop.context, &budget).map_err(fail)? {
            return Err(fail(format!(
                "the parameters {:?} contradict the context {}",
                params.0, scop.context
            )));
        }
        if self.assumptions_hold(scop, &params, &views, &budget).map_err(fail)? {
            self.plans.stats.executed += 1;
            self.run_instances(&plan, &params, views, &budget)?;
        } else {
            self.plans.stats.original += 1;
            self.run_ops(&scop.range.ops)?;
        }
        self.frame_mut().in_scop = false;
        Ok(())
    }

    fn scop_params(&self, scop: &Scop) -> Result<Params, String> {
        let mut all = Vec::new();
        for p in &scop.params {
            let value = match p.value {
                ParamSource::Value(v) => self.int(v)?,
                ParamSource::Dim(v, d) => {
                    let sizes = &self.slot(v).view()?.sizes;
                    *sizes
                        .get(d as usize)
                        .ok_or_else(|| format!("parameter {} is a dimension that isn't there", p.name))?
                }
            };
            all.push((p.name.clone(), Int::from(value)));
        }
        Ok(Params(all))
    }

    fn root_views(&self, scop: &Scop) -> Result<Vec<Option<Rc<View>>>, String> {
        let view = |kind: &ArrayKind| match kind {
            ArrayKind::Root(v) => self.slot(*v).view().cloned().map(Some),
            ArrayKind::Cell(_) | ArrayKind::Copy(_) | ArrayKind::World => Ok(None),
        };
        scop.arrays.iter().map(|a| view(&a.kind)).collect()
    }

    fn assumptions_hold(&self, scop: &Scop, params: &Params, views: &[Option<Rc<View>>], budget: &Budget) -> Result<bool, String> {
        for assumption in &scop.assumptions {
            if !params.satisfy(&assumption.condition, budget)? {
                return Ok(false);
            }
        }
        let view = |n: u32| views.get(n as usize).and_then(Option::as_ref);
        let apart = |a: u32, b: u32| match (view(a), view(b)) {
            (Some(a), Some(b)) => !a.overlaps(b),
            _ => true,
        };
        let told_apart = |a: &tilia_scop::ArrayId| view(a.0).is_none_or(|v| v.tells_apart());
        Ok(scop.may_alias.iter().all(|(a, b)| apart(a.0, b.0)) && scop.unproven_layouts.iter().all(told_apart))
    }

    fn run_instances(
        &mut self,
        plan: &ScopPlan<'a>,
        params: &Params,
        views: Vec<Option<Rc<View>>>,
        budget: &Budget,
    ) -> Result<(), RuntimeError> {
        let scop = plan.scop;
        let fail = |message: String| RuntimeError::new(scop.loc.clone(), format!("scop {}: {message}", scop.name));
        let instances = self.instances(plan, params, budget).map_err(fail)?;
        let arrays = Arrays {
            views,
            first_new: BufferId(self.memory.next_id()),
        };
        let mut checker = plan.check_accesses.then(|| Checker::new(scop, params, arrays, budget));
        let mut cells = Cells::default();
        // This scop may be part of an instance of another one, by a call.
        let mut outer = self.touched.take();
        for instance in instances {
            self.plans.stats.instances += 1;
            self.touched = (checker.is_some() || outer.is_some()).then(Vec::new);
            self.run_instance(scop, &instance, params, &mut cells, budget)?;
            let touched = self.touched.take().unwrap_or_default();
            if let Some(checker) = &mut checker {
                let stmt = &scop[instance.stmt];
                checker
                    .instance(instance.stmt.0 as usize, stmt, &instance.args, &touched)
                    .map_err(fail)?;
            }
            if let Some(outer) = &mut outer {
                outer.extend(touched);
            }
        }
        self.touched = outer;
        for (n, array) in scop.arrays.iter().enumerate() {
            let Some(value) = array.live_out else { continue };
            let id = tilia_scop::ArrayId(u32::try_from(n).unwrap_or(u32::MAX));
            let slot = cells.read(id, Vec::new());
            self.set(
                value,
                slot.ok_or_else(|| fail(format!("{} is used after the scop, but was never written", array.name)))?,
            );
        }
        Ok(())
    }

    /// The instances in order.
    fn instances(&mut self, plan: &ScopPlan<'_>, params: &Params, budget: &Budget) -> Result<Vec<Instance>, String> {
        let left = self.fuel_left();
        let limit = usize::try_from(left).unwrap_or(usize::MAX);
        let named: Vec<(tilia_presburger::Id, Vec<Int>)> = match plan.order {
            ScopOrder::Tree(tree) => {
                let all = tree.executions(&params.0, limit, budget).map_err(|e| e.to_string())?;
                all.into_iter().map(|e| (e.stmt, e.args)).collect()
            }
            ScopOrder::Ast(ast) => {
                let trace = ast.execute(params.0.clone(), left).map_err(|e| e.to_string())?;
                trace.instances.into_iter().map(|i| (i.stmt, i.args)).collect()
            }
        };
        let mut instances = Vec::with_capacity(named.len());
        for (name, args) in named {
            let (stmt, data) = plan
                .scop
                .stmt_by_name(&name)
                .ok_or_else(|| format!("there is no statement {name}"))?;
            let args = narrow(&args)?;
            if args.len() != data.iters.len() {
                return Err(format!(
                    "an instance of {name} with {} values instead of {}",
                    args.len(),
                    data.iters.len()
                ));
            }
            instances.push(Instance { stmt, args });
        }
        Ok(instances)
    }

    fn run_instance(
        &mut self,
        scop: &'a Scop,
        instance: &Instance,
        params: &Params,
        cells: &mut Cells,
        budget: &Budget,
    ) -> Result<(), RuntimeError> {
        let stmt: &'a Stmt = &scop.stmts[instance.stmt.0 as usize];
        let args = &instance.args;
        let fail = |message: String| RuntimeError::new(stmt.loc.clone(), format!("{}{args:?} of scop {}: {message}", stmt.name, scop.name));
        self.spend(1).map_err(fail)?;
        for (&iterator, &value) in stmt.iters.iter().zip(args) {
            self.set(iterator, Slot::int(value));
        }
        let number = instance.stmt.0 as usize;
        let mut read = Vec::new();
        for &(value, n) in &stmt.cell_reads {
            let access = &stmt.accesses[n];
            let at = cells.subscripts((number, n), access, args, params, budget).map_err(fail)?;
            let slot = cells.read(access.array, at.clone());
            let slot = slot.ok_or_else(|| fail(format!("reads {}{at:?} before it is written", scop[access.array].name)))?;
            read.push((value, slot));
        }
        for (value, slot) in read {
            self.set(value, slot);
        }
        self.run_ops(&stmt.ops)?;
        for &(value, n) in &stmt.cell_writes {
            let access = &stmt.accesses[n];
            let at = cells.subscripts((number, n), access, args, params, budget).map_err(fail)?;
            let slot = self.slot(value).clone();
            cells.write(access.array, at, slot);
        }
        Ok(())
    }
}
