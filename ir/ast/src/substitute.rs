//! Copies of code with an iterator replaced by an expression, as unrolling needs them.

use crate::{Expr, For, Node, VarId};

impl Expr {
    /// The expression with the iterator replaced; sums are kept flat.
    #[must_use]
    pub fn substitute(&self, var: VarId, value: &Expr) -> Expr {
        let one = |e: &Expr| e.substitute(var, value);
        let all = |list: &[Expr]| list.iter().map(one).collect::<Vec<_>>();
        match self {
            Expr::Var(v) if *v == var => value.clone(),
            Expr::Int(_) | Expr::Var(_) | Expr::Param(_) | Expr::Bool(_) => self.clone(),
            Expr::Add(terms) => Expr::sum(all(terms)),
            Expr::Mul(f, e) => one(e).times(f),
            Expr::FloorDiv { num, den, non_negative } => one(num).floor_div(den, *non_negative),
            Expr::Mod { num, den, non_negative } => one(num).modulo(den, *non_negative),
            Expr::Min(list) => Expr::min_of(all(list)),
            Expr::Max(list) => Expr::max_of(all(list)),
            Expr::Select(c, a, b) => Expr::select(one(c), one(a), one(b)),
            Expr::Cmp(op, a, b) => Expr::cmp(*op, one(a), one(b)),
            Expr::And(list) => Expr::all(all(list)),
            Expr::Or(list) => Expr::any(all(list)),
            Expr::Not(e) => one(e).not(),
        }
    }

    /// Does the expression mention the iterator?
    #[must_use]
    pub fn mentions(&self, var: VarId) -> bool {
        match self {
            Expr::Var(v) => *v == var,
            Expr::Int(_) | Expr::Param(_) | Expr::Bool(_) => false,
            Expr::Add(list) | Expr::Min(list) | Expr::Max(list) | Expr::And(list) | Expr::Or(list) => list.iter().any(|e| e.mentions(var)),
            Expr::Mul(_, e) | Expr::FloorDiv { num: e, .. } | Expr::Mod { num: e, .. } | Expr::Not(e) => e.mentions(var),
            Expr::Select(c, a, b) => c.mentions(var) || a.mentions(var) || b.mentions(var),
            Expr::Cmp(_, a, b) => a.mentions(var) || b.mentions(var),
        }
    }

    /// Is there a quotient or a remainder?
    #[must_use]
    pub fn has_division(&self) -> bool {
        match self {
            Expr::Int(_) | Expr::Var(_) | Expr::Param(_) | Expr::Bool(_) => false,
            Expr::FloorDiv { .. } | Expr::Mod { .. } => true,
            Expr::Add(list) | Expr::Min(list) | Expr::Max(list) | Expr::And(list) | Expr::Or(list) => list.iter().any(Expr::has_division),
            Expr::Mul(_, e) | Expr::Not(e) => e.has_division(),
            Expr::Select(a, b, c) => [a, b, c].iter().any(|e| e.has_division()),
            Expr::Cmp(_, a, b) => a.has_division() || b.has_division(),
        }
    }

    /// Is the expression a sum of multiples as far as it mentions the iterator?
    #[must_use]
    pub fn is_linear_in(&self, var: VarId) -> bool {
        match self {
            Expr::Add(list) => list.iter().all(|e| e.is_linear_in(var)),
            Expr::Mul(_, e) => e.is_linear_in(var),
            Expr::Var(_) => true,
            e => !e.mentions(var),
        }
    }
}

impl Node {
    /// A copy of the code with the iterator replaced; `fresh` names new iterators for the loops in it, so that each stays bound once.
    #[must_use]
    pub fn instance(&self, var: VarId, value: &Expr, fresh: &mut dyn FnMut(VarId) -> VarId) -> Node {
        match self {
            Node::Block(list) => Node::Block(list.iter().map(|n| n.instance(var, value, fresh)).collect()),
            Node::For(f) => {
                let own = fresh(f.var);
                let body = f.body.instance(var, value, fresh);
                Node::For(For {
                    var: own,
                    lower: f.lower.substitute(var, value),
                    upper: f.upper.substitute(var, value),
                    step: f.step.clone(),
                    body: Box::new(body.instance(f.var, &Expr::Var(own), &mut |v| v)),
                    marks: f.marks,
                    depth: f.depth,
                })
            }
            Node::If { cond, then, otherwise } => Node::If {
                cond: cond.substitute(var, value),
                then: Box::new(then.instance(var, value, fresh)),
                otherwise: otherwise.as_ref().map(|n| Box::new(n.instance(var, value, fresh))),
            },
            Node::User { stmt, args } => Node::User {
                stmt: stmt.clone(),
                args: args.iter().map(|a| a.substitute(var, value)).collect(),
            },
            Node::Mark { name, body } => Node::Mark {
                name: name.clone(),
                body: Box::new(body.instance(var, value, fresh)),
            },
        }
    }

    /// Do only arguments of statements mention the iterator, and only in sums of multiples? Then a copy for one value is as good as code made for it.
    #[must_use]
    pub fn is_linear_in(&self, var: VarId) -> bool {
        match self {
            Node::Block(list) => list.iter().all(|n| n.is_linear_in(var)),
            Node::For(f) => !f.lower.mentions(var) && !f.upper.mentions(var) && f.body.is_linear_in(var),
            Node::If { cond, then, otherwise } => {
                !cond.mentions(var) && then.is_linear_in(var) && otherwise.as_ref().is_none_or(|n| n.is_linear_in(var))
            }
            Node::User { args, .. } => args.iter().all(|a| a.is_linear_in(var)),
            Node::Mark { body, .. } => body.is_linear_in(var),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ast, ForMarks};
    use tilia_presburger::Int;

    fn body() -> Node {
        // for (b = 0; b <= 3; b += 1) S(a - c, 2 a + b)
        let (a, b, c) = (Expr::Var(VarId(0)), Expr::Var(VarId(1)), Expr::Var(VarId(2)));
        Node::For(For {
            var: VarId(1),
            lower: Expr::int(0),
            upper: Expr::int(3),
            step: Int::ONE,
            body: Box::new(Node::User {
                stmt: "S".into(),
                args: vec![
                    Expr::sum([a.clone(), c.times(&Int::NEG_ONE)]),
                    Expr::sum([a.times(&Int::from(2)), b]),
                ],
            }),
            marks: ForMarks::default(),
            depth: 1,
        })
    }

    #[test]
    fn copies_bind_their_own_iterators_and_cancel_terms() {
        let n = body();
        assert!(n.is_linear_in(VarId(0)));
        let value = Expr::Var(VarId(2)).plus(1);
        let copy = n.instance(VarId(0), &value, &mut |_| VarId(3));
        let ast = Ast {
            root: copy,
            vars: ["a", "b", "c", "d"].map(Into::into).to_vec(),
        };
        assert_eq!(ast.to_string(), "for (d = 0; d <= 3; d += 1)\n  S(1, 2 * c + d + 2);\n");
    }

    #[test]
    fn divisions_and_bounds_want_code_of_their_own() {
        let v = VarId(0);
        let half = Expr::Var(v).floor_div(&Int::from(2), false);
        assert!(!half.is_linear_in(v));
        assert!(half.is_linear_in(VarId(1)));
        let Node::For(mut f) = body() else { unreachable!("a loop") };
        f.upper = Expr::Var(v);
        assert!(!Node::For(f).is_linear_in(v));
    }
}
