//! What a caller may add to the code while it is made: other forms of statement instances, expressions of their dimensions, something around loops.

use crate::build::{Build, implied};
use crate::convert::{disjuncts, lin_of, set_of};
use crate::expr::ExprGen;
use crate::lin::{Con, Lin};
use crate::options::Error;
use tilia_ast::{Expr, For, Node};
use tilia_presburger::{Budget, Id, PwAff};

/// Called while code is generated. Code may be made and given up for a better form, so that calls can be more than what is seen of them in the result: don't count them.
pub trait Callbacks {
    /// The node for a statement's instances at a place; nothing leaves it as it is, a call with the instance's dimensions.
    ///
    /// # Errors
    /// End the generation.
    fn statement(&mut self, at: &Place<'_>) -> Result<Option<Node>, Error> {
        let _: &Place<'_> = at;
        Ok(None)
    }

    /// The node for a loop that has just been made, its body included.
    ///
    /// # Errors
    /// End the generation.
    fn loop_made(&mut self, made: For) -> Result<Node, Error> {
        Ok(Node::For(made))
    }
}

/// A place in the code at which instances of one statement run.
pub struct Place<'a> {
    pub(crate) stmt: &'a Id,
    pub(crate) args: &'a [Expr],
    /// The instance's dimensions in terms of schedule dimensions.
    pub(crate) values: &'a [Lin],
    pub(crate) build: &'a Build,
    pub(crate) budget: &'a Budget,
}

impl Place<'_> {
    /// The statement.
    #[must_use]
    pub fn stmt(&self) -> &Id {
        self.stmt
    }

    /// The instance's dimensions.
    #[must_use]
    pub fn args(&self) -> &[Expr] {
        self.args
    }

    /// A function of the statement's dimensions, in the cheapest form for what is known here: with `8 c <= i <= 8 c + 7` from the loops, `floor(i / 8)` is `c`
    /// and `i mod 8` is `i - 8 c`. Pieces that can't apply here are left out, the others chosen between by conditions; the last needs none, so the function is
    /// to be defined for all instances.
    ///
    /// # Errors
    /// When the function isn't one of this statement's dimensions, mentions a parameter that the tree and the context don't have, or is defined for no instance here.
    pub fn expr(&self, f: &PwAff) -> Result<Expr, Error> {
        let wrong = |what: &str| {
            Err(Error::Sets(tilia_presburger::Error::Unsupported(format!(
                "{f} {what} {}",
                self.stmt
            ))))
        };
        let space = f.domain_space();
        if space.dim(tilia_presburger::DimType::Out) != self.values.len() {
            return wrong("isn't a function of the dimensions of");
        }
        let at = |d: usize| self.values[d].clone();
        let mut parts: Vec<(Vec<Vec<Con>>, Expr)> = Vec::new();
        for (set, aff) in f.pieces() {
            let conds = self.open(&disjuncts(set, self.budget)?, &at)?;
            let Some(conds) = conds else { continue };
            let mut inside = self.build.clone();
            if let [only] = &conds[..] {
                inside.assume(only)?;
            }
            let ranges = ExprGen {
                build: &inside,
                budget: self.budget,
            };
            let always = conds.iter().any(Vec::is_empty);
            parts.push((conds, ranges.expr(&lin_of(aff).substitute(&at))?));
            if always {
                break;
            }
        }
        let Some((_, mut out)) = parts.pop() else {
            return wrong("isn't defined for instances of");
        };
        let here = ExprGen {
            build: self.build,
            budget: self.budget,
        };
        for (conds, value) in parts.into_iter().rev() {
            let resolved = conds
                .iter()
                .map(|conj| conj.iter().map(|c| self.build.resolve_con(c)).collect::<Vec<_>>());
            let tests = resolved.map(|conj| here.conjunction(&conj)).collect::<Result<Vec<_>, _>>()?;
            out = Expr::Select(Box::new(Expr::any(tests)), Box::new(value), Box::new(out));
        }
        Ok(out)
    }

    /// What of the conjunctions must be tested here; nothing where none of them can hold.
    fn open(&self, conjunctions: &[Vec<Con>], at: &dyn Fn(usize) -> Lin) -> Result<Option<Vec<Vec<Con>>>, Error> {
        let mut out = Vec::new();
        for conj in conjunctions {
            let mut left = Vec::new();
            for c in conj {
                let c = self.build.with_known_quotients(&c.substitute(at), self.budget)?;
                if !self.build.plainly_holds(&c) && !implied(&self.build.domain, &c, self.budget)? {
                    left.push(c);
                }
            }
            let here = self.build.domain.intersect(&set_of(&left, self.build.space())?)?;
            if !crate::ask::surely_empty(&here, self.budget)? {
                out.push(left);
            }
        }
        Ok((!out.is_empty()).then_some(out))
    }
}
