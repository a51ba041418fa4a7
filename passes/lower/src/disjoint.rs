//! Whether two subscripts can name one element within the loops around them.

use crate::form::{Atom, Form};
use crate::tree::{Loop, Place};
use std::collections::BTreeMap;
use tilia_ast::{Expr, VarId};
use tilia_presburger::{Aff, Budget, Constraint, DimType, Id, Int, Set, Space, Tuple};
use tilia_program::ValueId;

/// Decides disjointness of places, by their forms first and by an integer set built from the loops' bounds where that doesn't settle it.
pub(crate) struct Disjoint<'a> {
    pub(crate) params: &'a dyn Fn(&Id) -> Option<ValueId>,
    pub(crate) budget: &'a Budget,
}

impl Disjoint<'_> {
    /// Whether `a` and `b`, places of one array, never name one element in one iteration of the loops that bind the iterators which both mention; `loops` are all loops around and
    /// inside. `false` when unsure.
    pub(crate) fn places(&self, a: &Place, b: &Place, loops: &[&Loop]) -> bool {
        if a.memref != b.memref || a.subs.len() != b.subs.len() {
            return false;
        }
        if a.is_apart(b) {
            return true;
        }
        let differences: Option<Vec<Form>> = a.subs.iter().zip(&b.subs).map(|(x, y)| x.clone().add_scaled(y, -1)).collect();
        let Some(mut zero) = differences else { return false };
        // Rows of neighbours meet where the distance of their first elements is less than the length of the one that comes first.
        let mut bounds = Vec::new();
        if (a.lanes, b.lanes) != (1, 1)
            && let Some(last) = zero.pop()
        {
            let reach = |lanes: u32| Form::constant(i64::from(lanes) - 1);
            let (up, down) = (last.clone().add_scaled(&reach(a.lanes), 1), reach(b.lanes).add_scaled(&last, -1));
            let (Some(up), Some(down)) = (up, down) else { return false };
            bounds.extend([up, down]);
        }
        self.empty(&zero, bounds, loops).unwrap_or(false)
    }

    /// Whether no point within the loops makes the forms of `zero` zero, and none of `bounds` negative.
    fn empty(&self, zero: &[Form], mut bounds: Vec<Form>, loops: &[&Loop]) -> Option<bool> {
        let mut columns = Columns::default();
        zero.iter().chain(&bounds).for_each(|f| columns.add(f));
        // Bounds of the mentioned iterators, and of the iterators that those mention; loops are listed outermost first.
        for (n, l) in loops.iter().enumerate().rev() {
            // Loops that were cut share an iterator: each is visited with the last of them, and only what bounds it in all of them holds.
            if !columns.vars.contains_key(&l.var) || loops[n + 1..].iter().any(|later| later.var == l.var) {
                continue;
            }
            let others: Vec<&Loop> = loops[..n].iter().copied().filter(|o| o.var == l.var).collect();
            let var = Form::atom(Atom::Var(l.var));
            let lowers = parts(&l.lower, true)
                .iter()
                .filter(|e| others.iter().all(|o| parts(&o.lower, true).contains(e)));
            for lower in lowers {
                if let Some(f) = Form::of_expr(lower, self.params).and_then(|b| var.clone().add_scaled(&b, -1)) {
                    columns.add(&f);
                    bounds.push(f);
                }
            }
            let uppers = parts(&l.upper, false)
                .iter()
                .filter(|e| others.iter().all(|o| parts(&o.upper, false).contains(e)));
            for upper in uppers {
                if let Some(f) = Form::of_expr(upper, self.params).and_then(|b| b.add_scaled(&var, -1)) {
                    columns.add(&f);
                    bounds.push(f);
                }
            }
        }
        let space = columns.space();
        let mut set = Set::universe(&space);
        for (f, is_equality) in zero.iter().map(|f| (f, true)).chain(bounds.iter().map(|f| (f, false))) {
            let Some(aff) = columns.aff(&space, f) else { continue };
            let constraint = if is_equality { Constraint::eq(aff) } else { Constraint::ineq(aff) };
            set = set.add_constraint(&constraint).ok()?;
        }
        set.is_empty(self.budget).ok()
    }
}

/// The arguments of a `Max` (lower bounds) or `Min` (upper bounds), or the expression itself.
pub(crate) fn parts(e: &Expr, lower: bool) -> &[Expr] {
    match e {
        Expr::Max(list) if lower => list,
        Expr::Min(list) if !lower => list,
        other => std::slice::from_ref(other),
    }
}

/// Dimensions of the set: one for each iterator and each value that the forms mention.
#[derive(Default)]
struct Columns {
    vars: BTreeMap<VarId, usize>,
    values: BTreeMap<ValueId, usize>,
}

impl Columns {
    fn add(&mut self, form: &Form) {
        for atom in form.terms.keys() {
            match atom {
                Atom::Var(v) => {
                    let n = self.vars.len() + self.values.len();
                    self.vars.entry(*v).or_insert(n);
                }
                Atom::Value(v) => {
                    let n = self.vars.len() + self.values.len();
                    self.values.entry(*v).or_insert(n);
                }
                Atom::FloorDiv(f, _) => self.add(f),
                Atom::Product(f, g) => {
                    self.add(f);
                    self.add(g);
                }
            }
        }
    }

    fn space(&self) -> Space {
        Space::set(Vec::new(), Tuple::anonymous(self.vars.len() + self.values.len()))
    }

    fn aff(&self, space: &Space, form: &Form) -> Option<Aff> {
        let mut sum = Aff::constant(space, Int::from(form.constant));
        for (atom, &c) in &form.terms {
            let term = match atom {
                Atom::Var(v) => Aff::var(space, DimType::Out, *self.vars.get(v)?),
                Atom::Value(v) => Aff::var(space, DimType::Out, *self.values.get(v)?),
                Atom::FloorDiv(f, d) => self.aff(space, f)?.floor_div(&Int::from(*d)).ok()?,
                Atom::Product(..) => return None,
            };
            sum = sum.add(&term.scale(&Int::from(c))).ok()?;
        }
        Some(sum)
    }
}
