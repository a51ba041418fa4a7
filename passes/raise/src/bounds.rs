//! Proofs that accesses stay inside their memrefs, and the conditions on parameters where there is no proof.

use crate::affine::Affine;
use crate::lin::{Atom, Cond, Dnf, Lin, Pw};
use crate::plan::Ctx;
use crate::sets::{Columns, Params, domain_tuple};
use crate::touch::Check;
use tilia_presburger::{Budget, Id, Int, Set};

/// What is known of one access.
#[derive(Debug, Clone)]
pub(crate) enum Verdict {
    /// Inside, whatever the parameters.
    Proven,
    /// Inside where of each list a form of the parameters is not negative.
    If(Vec<Vec<Lin>>),
    /// Inside for parameters of this set.
    IfSet(Set),
    /// Not known.
    Unknown,
}

/// The most attempts at combining bounds of iterators for one inequality.
const MAX_TRIES: usize = 64;

/// The most alternatives of one condition: each is a comparison at run time.
const MAX_ALTERNATIVES: usize = 4;

/// One question: is `form >= 0` for all iterations of a conjunction?
struct Goal<'a, 'b> {
    affine: &'a Affine<'b>,
    conds: &'a [Cond],
    /// Iterators, innermost first.
    iters: Vec<tilia_program::ValueId>,
    tries: usize,
    /// Forms of parameters, each of which implies the goal where it is not negative.
    found: Vec<Lin>,
}

impl Goal<'_, '_> {
    /// Remembers a sufficient condition.
    fn note(&mut self, form: &Lin) {
        // A condition that never holds helps nobody.
        let hopeless = self.affine.lin_extent(form).is_some_and(|(_, hi)| hi.is_neg());
        if hopeless || !mentions_only_params(form) {
            return;
        }
        if let Some(known) = self.found.iter_mut().find(|f| f.terms == form.terms) {
            // The greater constant is the weaker condition.
            if known.constant < form.constant {
                *known = form.clone();
            }
        } else if self.found.len() < MAX_ALTERNATIVES {
            self.found.push(form.clone());
        }
    }

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
            self.note(form);
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
            if !(k.is_pos() || cond.equality) {
                continue;
            }
            if self.descend(&form.sub(&cond.form.scale(&k))) {
                return true;
            }
        }
        false
    }
}

fn mentions_only_params(form: &Lin) -> bool {
    let mut only = true;
    form.for_each_atom(&mut |a| only &= !matches!(a, Atom::Iter(_)));
    only
}

/// The answer to one question.
enum Answer {
    /// Yes.
    Holds,
    /// Where one of these forms of parameters is not negative.
    Needs(Vec<Lin>),
    /// Not where these conditions hold.
    Fails(Vec<Cond>),
}

/// Asks whether the form is never negative in a block that executes as `ctx` says, under further conditions.
fn ask(affine: &Affine<'_>, params: &Params, ctx: &Ctx, conds: &[Cond], form: &Lin, budget: &Budget) -> Answer {
    let mut goal = Goal {
        affine,
        conds,
        iters: ctx.iters.iter().rev().copied().collect(),
        tries: MAX_TRIES,
        found: Vec::new(),
    };
    if goal.descend(form) {
        return Answer::Holds;
    }
    let mut negated = conds.to_vec();
    negated.push(Cond {
        form: form.neg().add_constant(-1),
        equality: false,
    });
    let violations = violations(params, ctx, &vec![negated.clone()]);
    if violations.is_some_and(|v| v.is_empty(budget).unwrap_or(false)) {
        return Answer::Holds;
    }
    if goal.found.is_empty() {
        Answer::Fails(negated)
    } else {
        Answer::Needs(goal.found)
    }
}

/// Judges one access: subscripts against extents, each vector access touching `lanes` elements from its subscript on.
pub(crate) fn judge(affine: &Affine<'_>, params: &Params, ctx: &Ctx, check: &Check, budget: &Budget) -> Verdict {
    let Check { subs, shape, lanes } = check;
    if subs.len() != shape.len() {
        return Verdict::Unknown;
    }
    let mut conditions: Vec<Vec<Lin>> = Vec::new();
    let mut bad: Vec<Vec<Cond>> = Vec::new();
    for ((sub, extent), &lanes) in subs.iter().zip(shape).zip(lanes) {
        let (Some(sub), Some(extent)) = (sub, extent) else {
            return Verdict::Unknown;
        };
        for (conds, s, n) in cases(ctx, sub, extent) {
            let room = n.sub(s).add(&Lin::constant(-Int::from(lanes)));
            for form in [s, &room] {
                match ask(affine, params, ctx, &conds, form, budget) {
                    Answer::Holds => {}
                    Answer::Needs(forms) if conditions.contains(&forms) => {}
                    Answer::Needs(forms) => conditions.push(forms),
                    Answer::Fails(conds) => bad.push(conds),
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
    let mut all = Vec::new();
    for conds in bad {
        all.push(good_params(params, ctx, &vec![conds], budget));
    }
    all.extend(conditions.iter().map(|forms| any_non_negative(params, forms)));
    let exact = all.into_iter().reduce(|a, b| a?.intersect(&b?).ok()).flatten();
    exact.filter(|set| !set.plain_is_empty()).map_or(Verdict::Unknown, Verdict::IfSet)
}

/// All combinations of cases of the context, a subscript and an extent.
fn cases<'a>(ctx: &'a Ctx, sub: &'a Pw, extent: &'a Pw) -> Vec<(Vec<Cond>, &'a Lin, &'a Lin)> {
    let mut out = Vec::new();
    for conjunction in &ctx.dnf {
        for (c1, s) in &sub.0 {
            for (c2, n) in &extent.0 {
                out.push((conjunction.iter().chain(c1).chain(c2).cloned().collect(), s, n));
            }
        }
    }
    out
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

/// The parameters for which one of the forms is not negative.
pub(crate) fn any_non_negative(params: &Params, forms: &[Lin]) -> Option<Set> {
    let space = params.space();
    let columns = Columns::set(params, space.out().clone(), &[]);
    let case = |form: &Lin| {
        vec![Cond {
            form: form.clone(),
            equality: false,
        }]
    };
    Some(columns.dnf(&forms.iter().map(case).collect()).ok()?.params())
}
