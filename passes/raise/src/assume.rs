//! What is known of parameters, and what has to be checked before the scop's model may be used.

use crate::affine::{Affine, PARAM_BITS};
use crate::bounds::{Verdict, any_non_negative, judge};
use crate::index::Index;
use crate::lin::{Atom, Cond, Lin};
use crate::plan::Ctx;
use crate::sets::{Columns, Params};
use crate::slice::{Draft, Purpose};
use crate::stmts::Arrays;
use crate::touch::{Check, Touch};
use rustc_hash::{FxHashMap, FxHashSet};
use tilia_diag::Loc;
use tilia_presburger::{Budget, Int, Set};
use tilia_program::{BlockId, OpId, OpKind, ValueDef};
use tilia_scop::{Assumption, AssumptionKind, ParamSource};

/// What is certain about the parameters from their types.
pub(crate) fn context(affine: &Affine<'_>, params: &Params) -> tilia_presburger::Result<Set> {
    let wide = Int::from(2).pow(PARAM_BITS);
    let mut conds = Vec::new();
    for (p, _) in &params.list {
        let (lo, hi) = affine.param_extent(*p);
        let form = Lin::atom(Atom::Param(*p));
        if lo > -wide.clone() {
            conds.push(Cond::ge(&form, &Lin::constant(lo)));
        }
        if hi < wide {
            conds.push(Cond::ge(&Lin::constant(hi), &form));
        }
    }
    param_set(params, conds)
}

fn param_set(params: &Params, conds: Vec<Cond>) -> tilia_presburger::Result<Set> {
    let space = params.space();
    let columns = Columns::set(params, space.out().clone(), &[]);
    Ok(columns.dnf(&vec![conds])?.params())
}

/// Wide parameters are taken to be small enough that arithmetic on them doesn't wrap.
pub(crate) fn range_assumption(index: &Index<'_>, affine: &Affine<'_>, params: &Params) -> tilia_presburger::Result<Option<Assumption>> {
    let wide = Int::from(2).pow(PARAM_BITS);
    let mut conds = Vec::new();
    let mut loc = None;
    for (p, _) in &params.list {
        let (lo, hi) = affine.param_extent(*p);
        let form = Lin::atom(Atom::Param(*p));
        if lo == -wide.clone() {
            conds.push(Cond::ge(&form, &Lin::constant(lo)));
        }
        if hi == wide {
            conds.push(Cond::ge(&Lin::constant(hi), &form));
            let (ParamSource::Value(v) | ParamSource::Dim(v, _)) = p;
            loc.get_or_insert_with(|| match index.function[*v].def {
                ValueDef::Result(op, _) => index.function[op].loc.clone(),
                ValueDef::Arg(..) => index.function.loc.clone(),
            });
        }
    }
    let Some(loc) = loc else { return Ok(None) };
    let what = format!("sizes and bounds are of magnitude 2^{PARAM_BITS} at most");
    Ok(Some(Assumption {
        condition: param_set(params, conds)?,
        kind: AssumptionKind::Range,
        loc,
        what,
    }))
}

/// Conditions that keep accesses inside their memrefs, and operations that stay checked.
pub(crate) struct Guards<'a, 'b> {
    index: &'a Index<'a>,
    affine: &'b Affine<'a>,
    params: &'b Params,
    arrays: &'b Arrays,
    /// Lists of forms of parameters, of each of which one must not be negative. Of single forms with the same coefficients only the strongest is kept.
    forms: Vec<(Vec<Lin>, Set, Loc, String)>,
    sets: Vec<(Set, Loc, String)>,
    checked: Vec<OpId>,
    seen: FxHashSet<OpId>,
}

impl<'a, 'b> Guards<'a, 'b> {
    pub(crate) fn new(index: &'a Index<'a>, affine: &'b Affine<'a>, params: &'b Params, arrays: &'b Arrays) -> Self {
        Self {
            index,
            affine,
            params,
            arrays,
            forms: Vec::new(),
            sets: Vec::new(),
            checked: Vec::new(),
            seen: FxHashSet::default(),
        }
    }

    /// Judges the accesses of a statement.
    pub(crate) fn check(&mut self, draft: &Draft, touches: &[Touch], contexts: &FxHashMap<BlockId, Ctx>, budget: &Budget) {
        let group: &[OpId] = if let Purpose::Opaque(group) = &draft.purpose { group } else { &[] };
        for t in touches {
            if let Some(check) = &t.check
                && !self.holds(t.op, group)
                && self.seen.insert(t.op)
            {
                let ctx = self.index.block(t.op).and_then(|b| contexts.get(&b));
                self.access(t, check, ctx, budget);
            }
        }
        // When what is inside an opaque group executes isn't known.
        for op in group.iter().flat_map(|&op| self.index.deep(op)) {
            let checked = matches!(&self.index.function[op].kind, OpKind::Load(a) | OpKind::Store(a) if a.checked);
            if checked && self.seen.insert(op) {
                self.checked.push(op);
            }
        }
    }

    fn holds(&self, op: OpId, group: &[OpId]) -> bool {
        let home = group.first().and_then(|&g| self.index.block(g));
        home.and_then(|b| self.index.ancestor_in(op, b)).is_some_and(|a| group.contains(&a))
    }

    fn access(&mut self, t: &Touch, check: &Check, ctx: Option<&Ctx>, budget: &Budget) {
        let verdict = ctx.map_or(Verdict::Unknown, |ctx| judge(self.affine, self.params, ctx, check, budget));
        let kind = if t.write { "store" } else { "load" };
        let what = format!("this {kind} stays inside {}", self.arrays.name(t.root));
        let loc = self.index.function[t.op].loc.clone();
        match verdict {
            Verdict::Proven => {}
            Verdict::If(lists) => {
                let sets: Option<Vec<Set>> = lists.iter().map(|forms| any_non_negative(self.params, forms)).collect();
                match sets {
                    Some(sets) => lists.into_iter().zip(sets).for_each(|(f, s)| self.require(f, s, &loc, &what)),
                    None => self.checked.push(t.op),
                }
            }
            Verdict::IfSet(set) => {
                if self.sets.iter().all(|(s, ..)| *s != set) {
                    self.sets.push((set, loc, what));
                }
            }
            Verdict::Unknown => self.checked.push(t.op),
        }
    }

    /// Adds a condition, unless another one implies it.
    fn require(&mut self, forms: Vec<Lin>, set: Set, loc: &Loc, what: &str) {
        // A single form implies what is the same up to a greater constant, and lists with such a form.
        let implies = |a: &[Lin], b: &[Lin]| match a {
            [a] => b.iter().any(|b| a.terms == b.terms && a.constant <= b.constant),
            _ => a == b,
        };
        if self.forms.iter().any(|(known, ..)| implies(known, &forms)) {
            return;
        }
        self.forms.retain(|(known, ..)| !implies(&forms, known));
        self.forms.push((forms, set, loc.clone(), what.to_owned()));
    }

    /// The assumptions, and the operations that stay checked, in order.
    pub(crate) fn finish(self) -> (Vec<Assumption>, Vec<OpId>) {
        let forms = self.forms.into_iter().map(|(_, set, loc, what)| (set, loc, what));
        let kind = AssumptionKind::InBounds;
        let assumptions = forms.chain(self.sets).map(|(condition, loc, what)| Assumption {
            condition,
            kind,
            loc,
            what,
        });
        let mut checked = self.checked;
        checked.sort_by_key(|&op| self.index.order(op));
        (assumptions.collect(), checked)
    }
}
