//! What a program does for given parameters: which elements it touches, and how much of everything happens.

use crate::model::{Access, Expr, Guard, Item, Loop, Model};
use rustc_hash::FxHashMap;

/// What a case holds, and what happens in it over all inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Statements in the text.
    pub statements: u64,
    /// Loops in the text.
    pub loops: u64,
    /// Deepest nest.
    pub depth: u64,
    /// Guards in the text.
    pub guards: u64,
    /// Loops that carry a value.
    pub carried: u64,
    /// Vector statements.
    pub vectors: u64,
    /// `affine.parallel` loops.
    pub parallel: u64,
    /// Statements that no static control part holds.
    pub opaque: u64,
    /// Executed statement instances.
    pub instances: u64,
    /// Executions of loops.
    pub loop_runs: u64,
    /// Those without an iteration.
    pub empty_loop_runs: u64,
    /// Guards that held.
    pub guards_true: u64,
    /// Guards that didn't.
    pub guards_false: u64,
    /// Pairs of an access and the latest one to its element by another instance, at least one of them writing.
    pub dependences: u64,
}

/// Least and greatest subscripts of one array, by dimension.
pub(crate) type Range = Vec<(i64, i64)>;

/// What one input touches.
#[derive(Debug, Clone)]
pub(crate) struct Touched {
    /// By array; `None` for those it doesn't touch.
    pub(crate) ranges: Vec<Option<Range>>,
}

/// More instances than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany;

/// Counts what the text holds.
pub(crate) fn count(model: &Model, stats: &mut Stats) {
    count_items(&model.body, 0, stats);
}

fn count_items(items: &[Item], depth: u64, stats: &mut Stats) {
    for item in items {
        let mut inner = depth;
        match item {
            Item::Loop(l) => {
                stats.loops += 1;
                stats.carried += u64::from(l.carried.is_some());
                stats.parallel += u64::from(l.parallel);
                inner += 1;
                stats.depth = stats.depth.max(inner);
            }
            Item::Guard(_) => stats.guards += 1,
            Item::Store { .. } => stats.statements += 1,
            Item::Let { .. } => {}
            Item::Vector { .. } => {
                stats.statements += 1;
                stats.vectors += 1;
            }
            Item::Indirect { .. } | Item::Touch { .. } => {
                stats.statements += 1;
                stats.opaque += 1;
            }
            Item::DataIf { .. } => stats.opaque += 1,
        }
        stats.opaque += item.exprs().iter().filter(|e| e.calls()).count() as u64;
        for list in item.children() {
            count_items(list, inner, stats);
        }
    }
}

/// Executes the loops for input number `input`, without computing anything.
pub(crate) fn evaluate(model: &Model, input: usize, limit: u64, stats: &mut Stats) -> Result<Touched, TooMany> {
    let mut env = vec![0; model.vars];
    for (slot, values) in env.iter_mut().zip(&model.params) {
        *slot = values[input];
    }
    let mut run = Run {
        model,
        env,
        ranges: vec![None; model.arrays.len()],
        last: FxHashMap::default(),
        stats,
        left: limit,
        instance: 0,
    };
    run.items(&model.body)?;
    Ok(Touched { ranges: run.ranges })
}

struct Run<'m> {
    model: &'m Model,
    env: Vec<i64>,
    ranges: Vec<Option<Range>>,
    /// The latest instance that touched an element, and whether it wrote.
    last: FxHashMap<(usize, Vec<i64>), (u64, bool)>,
    stats: &'m mut Stats,
    left: u64,
    instance: u64,
}

impl Run<'_> {
    fn spend(&mut self) -> Result<(), TooMany> {
        self.left = self.left.checked_sub(1).ok_or(TooMany)?;
        Ok(())
    }

    fn items(&mut self, items: &[Item]) -> Result<(), TooMany> {
        items.iter().try_for_each(|item| self.item(item))
    }

    fn item(&mut self, item: &Item) -> Result<(), TooMany> {
        match item {
            Item::Loop(l) => self.run_loop(l),
            Item::Guard(g) => self.guard(g),
            Item::DataIf { a, b, then } => {
                self.begin()?;
                self.reads(a);
                self.reads(b);
                self.items(then)
            }
            Item::Store { target, value } => {
                self.begin()?;
                self.reads(value);
                self.touch(target, true);
                Ok(())
            }
            Item::Let { expr, .. } => {
                self.begin()?;
                self.reads(expr);
                Ok(())
            }
            Item::Vector { target, a, b, .. } => {
                self.begin()?;
                self.touch(a, false);
                self.touch(b, false);
                self.touch(target, true);
                Ok(())
            }
            Item::Indirect {
                index,
                modulus,
                target,
                value,
            } => {
                self.begin()?;
                self.touch(index, false);
                self.reads(value);
                for k in 0..*modulus {
                    self.element(*target, vec![k], true);
                }
                Ok(())
            }
            Item::Touch { array } => {
                self.begin()?;
                // The function touches the first element, whatever its subscripts were before shifting: nothing to grow, but there must be one.
                let rank = self.model.arrays[*array].rank();
                self.ranges[*array].get_or_insert_with(|| vec![(0, 0); rank]);
                Ok(())
            }
        }
    }

    fn begin(&mut self) -> Result<(), TooMany> {
        self.instance += 1;
        self.stats.instances += 1;
        self.spend()
    }

    fn value(&self, e: &tilia_program::AffineExpr) -> i64 {
        e.eval(&self.env, &[]).unwrap_or(0)
    }

    fn run_loop(&mut self, l: &Loop) -> Result<(), TooMany> {
        let lower = l.lower.iter().map(|e| self.value(e)).max().unwrap_or(0);
        let upper = l.upper.iter().map(|e| self.value(e)).min().unwrap_or(0);
        if let Some(c) = &l.carried {
            self.instance += 1;
            self.reads(&c.init);
        }
        self.stats.loop_runs += 1;
        self.stats.empty_loop_runs += u64::from(lower >= upper);
        let mut v = lower;
        while v < upper {
            self.spend()?;
            self.env[l.var] = v;
            self.items(&l.body)?;
            self.env[l.var] = v;
            if let Some(c) = &l.carried {
                self.instance += 1;
                self.reads(&c.next);
            }
            v += l.step;
        }
        Ok(())
    }

    fn guard(&mut self, g: &Guard) -> Result<(), TooMany> {
        let holds = g.constraints.iter().all(|(e, is_eq)| {
            let v = self.value(e);
            if *is_eq { v == 0 } else { v >= 0 }
        });
        if holds {
            self.stats.guards_true += 1;
            self.items(&g.then)
        } else {
            self.stats.guards_false += 1;
            self.items(&g.otherwise)
        }
    }

    fn reads(&mut self, e: &Expr) {
        let mut loads = Vec::new();
        e.loads(&mut loads);
        for access in loads {
            self.touch(access, false);
        }
    }

    fn touch(&mut self, access: &Access, write: bool) {
        let mut subscripts: Vec<i64> = access.subscripts.iter().map(|e| self.value(e)).collect();
        for _ in 0..access.lanes {
            self.element(access.array, subscripts.clone(), write);
            if let Some(last) = subscripts.last_mut() {
                *last += 1;
            }
        }
    }

    fn element(&mut self, array: usize, subscripts: Vec<i64>, write: bool) {
        match &mut self.ranges[array] {
            Some(range) => {
                for (r, &s) in range.iter_mut().zip(&subscripts) {
                    *r = (r.0.min(s), r.1.max(s));
                }
            }
            none => *none = Some(subscripts.iter().map(|&s| (s, s)).collect()),
        }
        let before = self.last.insert((array, subscripts), (self.instance, write));
        if before.is_some_and(|(instance, wrote)| instance != self.instance && (wrote || write)) {
            self.stats.dependences += 1;
        }
    }
}
