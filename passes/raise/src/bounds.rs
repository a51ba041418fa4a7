//! Proofs that accesses stay inside their memrefs, and the conditions on parameters where there is no proof.

use crate::affine::Affine;
use crate::lin::{Atom, Cond, Dnf, Lin};
use crate::plan::Ctx;
use crate::sets::{Columns, Params, domain_tuple};
use crate::touch::Check;
use tilia_presburger::{Budget, Id, Int, Set};

/// What is known of one access.
#[derive(Debug, Clone)]
pub(crate) enum Verdict {
    /// Inside, whatever the parameters.
    Proven,
    /// Inside where these forms of the parameters are not negative.
    If(Vec<Lin>),
    /// Inside for parameters of this set.
    IfSet(Set),
    /// Not known.
    Unknown,
}

/// The most attempts at combining bounds of iterators for one inequality.
const MAX_TRIES: usize = 64;

/// One question: is `form >= 0` for all iterations of a conjunction?
struct Goal<'a, 'b> {
    affine: &'a Affine<'b>,
    conds: &'a [Cond],
    /// Iterators, innermost first.
    iters: Vec<tilia_program::ValueId>,
    tries: usize,
    /// The best condition found: a form of parameters whose sign implies the goal.
    found: Option<Lin>,
}

impl Goal<'_, '_> {
    /// Replaces iterators by their bounds, inner ones first, until only parameters are left. Returns whether the goal is certain.
    fn descend(&mut self, form: &Lin) -> bool {
        if self.affine.lin_extent(form).is_some_and(|(lo, _)| !lo.is_neg()) {
            return true;
        }
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        let Some((iter, c)) = self
            .iters
            .iter()
            .find_map(|&v| form.terms.get(&Atom::Iter(v)).map(|c| (v, c.clone())))
        else {
            // A condition that never holds helps nobody.
            let hopeless = self.affine.lin_extent(form).is_some_and(|(_, hi)| hi.is_neg());
            if mentions_only_params(form) && !hopeless && self.found.is_none() {
                self.found = Some(form.clone());
            }
            return false;
        };
        for cond in self.conds {
            let Some(a) = cond.form.terms.get(&Atom::Iter(iter)) else {
                continue;
            };
            // form - k * cond >= 0 with k > 0 (any k for an equality) and the iterator gone implies form >= 0.
            if !c.is_divisible_by(a) {
                continue;
            }
            let k = c.div_exact(a);
            if !(k.is_pos() || cond.equality) || has_later(&cond.form, iter, &self.iters) {
                continue;
            }
            if self.descend(&form.sub(&cond.form.scale(&k))) {
                return true;
            }
        }
        false
    }
}

/// Whether the form mentions an iterator that stands before `iter` in the list (that is, inside it).
fn has_later(form: &Lin, iter: tilia_program::ValueId, iters: &[tilia_program::ValueId]) -> bool {
    iters
        .iter()
        .take_while(|&&v| v != iter)
        .any(|&v| form.terms.contains_key(&Atom::Iter(v)))
}

fn mentions_only_params(form: &Lin) -> bool {
    let mut only = true;
    form.for_each_atom(&mut |a| only &= !matches!(a, Atom::Iter(_)));
    only
}

/// Judges one access: subscripts against extents, each vector access touching `lanes` elements from its subscript on.
pub(crate) fn judge(affine: &Affine<'_>, params: &Params, ctx: &Ctx, check: &Check, budget: &Budget) -> Verdict {
    let Check { subs, shape, lanes } = check;
    if subs.len() != shape.len() {
        return Verdict::Unknown;
    }
    let mut conditions: Vec<Lin> = Vec::new();
    let mut bad: Vec<Dnf> = Vec::new();
    for ((sub, extent), &lanes) in subs.iter().zip(shape).zip(lanes) {
        let (Some(sub), Some(extent)) = (sub, extent) else {
            return Verdict::Unknown;
        };
        for conjunction in &ctx.dnf {
            for (c1, s) in &sub.0 {
                for (c2, n) in &extent.0 {
                    let conds: Vec<Cond> = conjunction.iter().chain(c1).chain(c2).cloned().collect();
                    let room = n.sub(s).add(&Lin::constant(-Int::from(lanes)));
                    for form in [s.clone(), room] {
                        let iters = ctx.iters.iter().rev().copied().collect();
                        let mut goal = Goal {
                            affine,
                            conds: &conds,
                            iters,
                            tries: MAX_TRIES,
                            found: None,
                        };
                        if goal.descend(&form) {
                            continue;
                        }
                        let mut negated = conds.clone();
                        negated.push(Cond {
                            form: form.neg().add_constant(-1),
                            equality: false,
                        });
                        match (violations(params, ctx, &vec![negated.clone()]), goal.found) {
                            (Some(set), _) if set.is_empty(budget).unwrap_or(false) => {}
                            (_, Some(found)) => {
                                if !conditions.contains(&found) {
                                    conditions.push(found);
                                }
                            }
                            _ => bad.push(vec![negated]),
                        }
                    }
                }
            }
        }
    }
    if bad.is_empty() {
        return if conditions.is_empty() {
            Verdict::Proven
        } else {
            Verdict::If(conditions)
        };
    }
    let exact = bad
        .iter()
        .map(|dnf| good_params(params, ctx, dnf, budget))
        .reduce(|a, b| a?.intersect(&b?).ok())
        .flatten();
    match exact {
        Some(set) if !set.plain_is_empty() => {
            let all = conditions
                .iter()
                .try_fold(set, |set, c| non_negative(params, c).and_then(|s| set.intersect(&s).ok()));
            all.map_or(Verdict::Unknown, Verdict::IfSet)
        }
        _ => Verdict::Unknown,
    }
}

fn violations(params: &Params, ctx: &Ctx, dnf: &Dnf) -> Option<Set> {
    let tuple = domain_tuple(&Id::new("x"), ctx.iters.len());
    Columns::set(params, tuple, &ctx.iters).dnf(dnf).ok()
}

/// The parameters for which a bad case never happens, as few conditions as possible: where the block executes at all is taken for granted.
fn good_params(params: &Params, ctx: &Ctx, bad: &Dnf, budget: &Budget) -> Option<Set> {
    let bad = violations(params, ctx, bad)?.params();
    let live = violations(params, ctx, &ctx.dnf)?.params();
    let good = bad.gist(&live, budget).ok()?.complement(budget).ok()?.coalesce(budget).ok()?;
    // A guard of many cases would cost more than the check at the access.
    (good.n_basic() <= 4 && !good.is_empty(budget).ok()?).then_some(good)
}

/// The parameters for which a form is not negative.
pub(crate) fn non_negative(params: &Params, form: &Lin) -> Option<Set> {
    let space = params.space();
    let columns = Columns::set(params, space.out().clone(), &[]);
    let set = columns
        .dnf(&vec![vec![Cond {
            form: form.clone(),
            equality: false,
        }]])
        .ok()?;
    Some(set.params())
}
