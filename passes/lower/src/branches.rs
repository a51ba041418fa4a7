//! Conditions on data that become selections: what is straight-line can be a statement of the model, and work on vectors.
//!
//! Decided on the source program, in every mode: the values stay the same, bit for bit. A condition is converted where executing both branches is cheap and does no harm:
//! - they hold arithmetic that can't fail;
//! - they load only what the iteration touches anyway, by the same subscripts, in the block around the condition: no access is made up, and none happens that may leave its buffer;
//! - they store, once, where the iteration stores anyway, or both to the same place. A store under a condition becomes one of the old or the new value; memory that is otherwise only read stays unwritten,
//!   since it may be read-only, and may be written by others meanwhile.
//!
//! Conditions on iterators alone stay: they are domains of statements (`passes/raise`).

use rustc_hash::FxHashMap;
use tilia_program::{Access, BlockId, Function, IfCond, MathFn, OpId, OpKind, PureOp, Type, ValueId};

/// Operations of both branches together that are executed whether or not they are wanted.
const MOST_OPS: usize = 16;
/// Bodies of more operations stay as they are.
const MAX_BODY: usize = 2000;

/// Converts conditions in loops throughout the function; returns how many.
pub fn if_convert(function: &mut Function) -> usize {
    let Some(body) = function.body else { return 0 };
    let mut converted = 0;
    let mut renamed = FxHashMap::default();
    // Innermost first: a condition whose inner ones are gone may go, too.
    let mut loops = Vec::new();
    function.walk(body, |op| loops.push(op));
    for op in loops.into_iter().rev() {
        if !matches!(function[op].kind, OpKind::For(_) | OpKind::If(_)) {
            continue;
        }
        for region in function[op].regions.clone() {
            if let &[block] = &function[region].blocks[..] {
                converted += in_block(function, block, &mut renamed);
            }
        }
    }
    if !renamed.is_empty() {
        let mut all = Vec::new();
        function.walk(body, |op| all.push(op));
        for op in all {
            for v in &mut function[op].operands {
                *v = renamed.get(v).copied().unwrap_or(*v);
            }
        }
    }
    converted
}

fn in_block(f: &mut Function, block: BlockId, renamed: &mut FxHashMap<ValueId, ValueId>) -> usize {
    let mut converted = 0;
    for op in f[block].ops.clone() {
        if matches!(f[op].kind, OpKind::If(IfCond::Value))
            && f[block].ops.len() <= MAX_BODY
            && let Some(plan) = Plan::of(f, block, op)
        {
            plan.carry_out(f, block, op, renamed);
            converted += 1;
        }
    }
    converted
}

/// A memory access: memref, subscripts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    memref: ValueId,
    access: Access,
    index: Vec<ValueId>,
}

impl Place {
    fn of(f: &Function, op: OpId) -> Option<Place> {
        let data = &f[op];
        let (skip, access) = match &data.kind {
            OpKind::Load(access) => (0, access),
            OpKind::Store(access) => (1, access),
            _ => return None,
        };
        Some(Place {
            memref: *data.operands.get(skip)?,
            access: access.clone(),
            index: data.operands.get(skip + 1..)?.to_vec(),
        })
    }
}

/// A condition that can be converted.
struct Plan {
    /// Operations of the branches without their stores and ends, in order.
    speculated: Vec<OpId>,
    /// Store of each branch, if any.
    stores: [Option<OpId>; 2],
    /// What each branch yields.
    yields: [Vec<ValueId>; 2],
}

impl Plan {
    fn of(f: &Function, block: BlockId, op: OpId) -> Option<Plan> {
        let data = &f[op];
        if data.results.iter().any(|&r| !matches!(f[r].ty, Type::Scalar(_))) {
            return None;
        }
        let mut plan = Plan {
            speculated: Vec::new(),
            stores: [None, None],
            yields: [Vec::new(), Vec::new()],
        };
        let touched: Vec<Place> = f[block].ops.iter().filter_map(|&o| Place::of(f, o)).collect();
        let stores = f[block].ops.iter().filter(|&&o| matches!(f[o].kind, OpKind::Store(_)));
        let stored: Vec<Place> = stores.filter_map(|&o| Place::of(f, o)).collect();
        for (n, &region) in data.regions.iter().enumerate().take(2) {
            match &f[region].blocks[..] {
                [] => {}
                [inner] => plan.branch(f, *inner, n, &touched)?,
                _ => return None,
            }
        }
        let place = |n: usize| plan.stores[n].and_then(|s| Place::of(f, s));
        let (yes, no) = (place(0), place(1));
        match (&yes, &no) {
            (Some(a), Some(b)) if a == b => {}
            (Some(_), Some(_)) => return None,
            // Memory that is only read may not be written, even with what it holds: it may be read-only, or be written by others meanwhile.
            (Some(p), None) | (None, Some(p)) if !stored.contains(p) => return None,
            _ => {}
        }
        (plan.speculated.len() <= MOST_OPS && plan.yields.iter().all(|y| y.len() == data.results.len())).then_some(plan)
    }

    fn branch(&mut self, f: &Function, block: BlockId, n: usize, touched: &[Place]) -> Option<()> {
        for &op in &f[block].ops {
            let data = &f[op];
            match &data.kind {
                OpKind::Yield => self.yields[n].clone_from(&data.operands),
                OpKind::Constant(_) => self.speculated.push(op),
                OpKind::Pure(pure, _) if harmless(*pure) && data.regions.is_empty() => self.speculated.push(op),
                // After the store it might be what was stored.
                OpKind::Load(_) if self.stores[n].is_none() && touched.contains(&Place::of(f, op)?) => self.speculated.push(op),
                OpKind::Store(_) if self.stores[n].is_none() && matches!(f[data.operands[0]].ty, Type::Scalar(_)) => {
                    self.stores[n] = Some(op)
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn carry_out(self, f: &mut Function, block: BlockId, op: OpId, renamed: &mut FxHashMap<ValueId, ValueId>) {
        let cond = f[op].operands[0];
        let loc = f[op].loc.clone();
        let mut new = self.speculated.clone();
        let select = |f: &mut Function, new: &mut Vec<OpId>, yes: ValueId, no: ValueId| {
            let ty = f[yes].ty.clone();
            let select = f.new_op(OpKind::pure(PureOp::Select), vec![cond, yes, no], &[ty], loc.clone());
            new.push(select);
            f.result(select)
        };
        let stored = self.stores.map(|s| s.map(|s| f[s].operands[0]));
        if let Some(store) = self.stores[0].or(self.stores[1])
            && let Some(place) = Place::of(f, store)
        {
            let mut old = || {
                let ty = f[f[store].operands[0]].ty.clone();
                let operands = std::iter::once(place.memref).chain(place.index.iter().copied()).collect();
                let load = f.new_op(OpKind::Load(place.access.clone()), operands, &[ty], f[store].loc.clone());
                new.push(load);
                f.result(load)
            };
            let (yes, no) = match stored {
                [Some(yes), Some(no)] => (yes, no),
                [Some(yes), None] => (yes, old()),
                [None, Some(no)] => (old(), no),
                [None, None] => return,
            };
            let value = select(f, &mut new, yes, no);
            f[store].operands[0] = value;
            f[store].origin = None;
            new.push(store);
        }
        let results = std::mem::take(&mut f[op].results);
        for (n, result) in results.into_iter().enumerate() {
            let value = select(f, &mut new, self.yields[0][n], self.yields[1][n]);
            renamed.insert(result, value);
        }
        let ops = &mut f[block].ops;
        if let Some(at) = ops.iter().position(|&o| o == op) {
            ops.splice(at..=at, new);
        }
    }
}

/// Whether an operation can be executed without need: it can't fail, and takes no longer than a jump that was guessed wrong.
fn harmless(op: PureOp) -> bool {
    use PureOp::{CeilDivSI, CeilDivUI, DivSI, DivUI, FloorDivSI, RemF, RemSI, RemUI};
    match op {
        DivSI | DivUI | CeilDivSI | CeilDivUI | FloorDivSI | RemSI | RemUI | RemF => false,
        PureOp::Math(f) => matches!(
            f,
            MathFn::Sqrt | MathFn::AbsF | MathFn::Fma | MathFn::Floor | MathFn::Ceil | MathFn::Trunc
        ),
        _ => true,
    }
}
