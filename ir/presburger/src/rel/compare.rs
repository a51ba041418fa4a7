//! Pairs restricted by how expressions of their two ends compare, and by where their ends lie: what checks of schedules ask again and again.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Rel;
use crate::basic::{Basic, Divs};
use crate::error::Result;
use crate::func::{Aff, Constraint};
use crate::num::{Budget, Int};
use crate::sets::{Map, Set};
use crate::space::{DimType, Space};

/// All that a restricted relation depends on: its pieces, with the numbers of parameters and inputs, and the restriction. Names take no part.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct Restriction {
    parts: Vec<Arc<Basic>>,
    n_param: usize,
    n_in: usize,
    by: By,
}

#[derive(PartialEq, Eq, Hash, Debug)]
enum By {
    /// How an expression of the output compares with one of the input.
    Order { source: Row, target: Row, how: Ordering },
    /// The pieces in which the input or output lies.
    Place { side: DimType, parts: Vec<Arc<Basic>> },
}

/// An expression without its space.
type Row = (Divs, Vec<Int>);

fn row(a: &Aff) -> Row {
    (a.divs().clone(), a.row().to_vec())
}

impl Aff {
    /// The expression of the first dimensions of one side, on wrapped pairs with the same parameters.
    fn of_side(&self, pairs: &Space, wrapped: &Space, side: DimType) -> Aff {
        let n_param = pairs.dim(DimType::Param);
        let n_own = self.space().dim(DimType::Out);
        let first = pairs.offset(side);
        let total = pairs.total_dim();
        // The old column of each new one.
        let mut from: Vec<Option<usize>> = (0..=n_param).map(Some).collect();
        from.extend((1 + n_param..=total).map(|c| (first..first + n_own).contains(&c).then(|| 1 + n_param + c - first)));
        from.extend((1 + n_param + n_own..self.row().len()).map(Some));
        let r = from.iter().map(|c| c.map_or(Int::ZERO, |c| self.row()[c].clone())).collect();
        Aff::from_parts(wrapped.clone(), self.divs().select_cols(&from, total), r).normalized()
    }
}

impl Map {
    /// The pairs `x -> y` for which `target(y) - source(x)` compares so with zero. The expressions are on the dimensions of the two tuples, or on the first of them.
    ///
    /// ```
    /// # use std::cmp::Ordering;
    /// # use tilia_presburger::{Aff, Budget, DimType, Map};
    /// # fn main() -> Result<(), tilia_presburger::Error> {
    /// let b = Budget::default();
    /// let pairs: Map = "{ S[i] -> T[j] : 0 <= i < 10 and 0 <= j < 10 }".parse()?;
    /// let i = Aff::var(&pairs.space().domain(), DimType::Out, 0);
    /// let j = Aff::var(&pairs.space().range(), DimType::Out, 0);
    /// let expected: Map = "{ S[i] -> T[j] : 0 <= i < j < 10 }".parse()?;
    /// assert!(pairs.where_compared(&i, &j, Ordering::Greater, &b)?.is_equal(&expected, &b)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When an expression has more dimensions than its side.
    pub fn where_compared(&self, source: &Aff, target: &Aff, how: Ordering, b: &Budget) -> Result<Map> {
        for (side, aff) in [(DimType::In, source), (DimType::Out, target)] {
            if aff.space().dim(DimType::Out) > self.0.space.dim(side) {
                return Err(crate::error::Error::mismatch(&self.0.space, aff.space()));
            }
        }
        let (me, source, target) = self.0.with_params_of(source, target)?;
        let remembered = b.answers().map(|answers| {
            let asked = Restriction {
                parts: me.parts.clone(),
                n_param: me.space.dim(DimType::Param),
                n_in: me.space.dim(DimType::In),
                by: By::Order {
                    source: row(&source),
                    target: row(&target),
                    how,
                },
            };
            (answers, asked)
        });
        me.restricted(remembered, |me| {
            let wrapped = me.space.wrap();
            let distance = target
                .of_side(&me.space, &wrapped, DimType::Out)
                .sub(&source.of_side(&me.space, &wrapped, DimType::In))?;
            let constraint = match how {
                Ordering::Less => Constraint::ineq(distance.neg().add_constant(&Int::NEG_ONE)),
                Ordering::Equal => Constraint::eq(distance),
                Ordering::Greater => Constraint::ineq(distance.add_constant(&Int::NEG_ONE)),
            };
            Ok(Map(me).add_constraint(&constraint)?.0)
        })
    }

    /// The pairs whose input (or output) is in the set.
    ///
    /// # Errors
    /// When the set has another tuple.
    pub fn where_within(&self, side: DimType, set: &Set, b: &Budget) -> Result<Map> {
        let (me, set) = self.0.align_params_both(set.rel());
        let remembered = b.answers().map(|answers| {
            let asked = Restriction {
                parts: me.parts.clone(),
                n_param: me.space.dim(DimType::Param),
                n_in: me.space.dim(DimType::In),
                by: By::Place {
                    side,
                    parts: set.parts.clone(),
                },
            };
            (answers, asked)
        });
        // Whether the set fits isn't part of the question.
        if me.space.tuple(side).is_none_or(|t| !t.matches(set.space.out())) {
            return Err(crate::error::Error::mismatch(&me.space, &set.space));
        }
        me.restricted(remembered, |me| {
            if side == DimType::In {
                me.intersect_domain(&set)
            } else {
                me.intersect_range(&set)
            }
        })
    }
}

impl Rel {
    /// The relation and the two expressions, all with the relation's parameters and those that only the expressions have.
    fn with_params_of(&self, source: &Aff, target: &Aff) -> Result<(Rel, Aff, Aff)> {
        if self.space.same_params(source.space()) && self.space.same_params(target.space()) {
            return Ok((self.clone(), source.clone(), target.clone()));
        }
        let space = self.space.with_params(self.space.merged_params(source.space()));
        let params = space.merged_params(target.space());
        let aligned = |a: &Aff| a.align_to(&a.space().with_params(params.clone()));
        Ok((self.with_params(&params), aligned(source)?, aligned(target)?))
    }

    /// What `restrict` makes of the relation, or made of it when it was asked before.
    fn restricted(
        self,
        remembered: Option<(&crate::basic::Answers, Restriction)>,
        restrict: impl FnOnce(Rel) -> Result<Rel>,
    ) -> Result<Map> {
        let Some((answers, asked)) = remembered else {
            return Ok(Map(restrict(self)?));
        };
        match answers.restricted.find(&asked, Clone::clone) {
            Ok(parts) => Ok(Map(Rel { space: self.space, parts })),
            Err(place) => {
                let found = restrict(self)?;
                answers.restricted.keep(place, asked, found.parts.clone());
                Ok(Map(found))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basic::Answers;

    #[test]
    fn restrictions_are_the_same_when_remembered_and_depend_on_all_of_the_question() {
        let answers = Arc::new(Answers::new());
        let (plain, b) = (Budget::default(), Budget::default().with_answers(&answers));
        let pairs: Map = "[n] -> { S[i, k] -> T[j] : 0 <= i, k, j < n }".parse().unwrap();
        let other: Map = "[n] -> { S[i] -> T[k, j] : 0 <= i, k, j < n }".parse().unwrap();
        let of = |space: Space, pos: usize| Aff::var(&space, DimType::Out, pos);
        for map in [&pairs, &other] {
            let i = of(map.space().domain(), 0);
            let j = of(map.space().range(), 0).floor_div(&Int::new(4)).unwrap();
            for how in [Ordering::Less, Ordering::Equal, Ordering::Greater] {
                let expected = map.where_compared(&i, &j, how, &plain).unwrap();
                for _ in 0..2 {
                    assert_eq!(map.where_compared(&i, &j, how, &b).unwrap(), expected);
                }
                let swapped = map.reverse().where_compared(&j, &i, how.reverse(), &b).unwrap().reverse();
                assert!(swapped.is_equal(&expected, &plain).unwrap());
            }
        }
        let set: Set = "[n] -> { T[j] : j mod 3 = 1 }".parse().unwrap();
        let expected = pairs.intersect_range(&set).unwrap();
        for _ in 0..2 {
            assert_eq!(pairs.where_within(DimType::Out, &set, &b).unwrap(), expected);
        }
        assert!(pairs.where_within(DimType::In, &set, &b).is_err());
        assert!(other.where_within(DimType::Out, &set, &b).is_err());
    }

    #[test]
    fn parameters_of_the_expressions_are_added() {
        let b = Budget::default().with_answers(&Arc::new(Answers::new()));
        let pairs: Map = "[n] -> { S[i] -> S[j] : 0 <= i, j < n }".parse().unwrap();
        let text: crate::PwAff = "[m] -> { S[i] -> [(m - i)] }".parse().unwrap();
        let a = text.as_aff().unwrap();
        let expected: Map = "[n, m] -> { S[i] -> S[j] : 0 <= i, j < n and m - j > m - i }".parse().unwrap();
        for _ in 0..2 {
            let found = pairs.where_compared(a, a, Ordering::Greater, &b).unwrap();
            assert!(found.is_equal(&expected, &b).unwrap());
            assert_eq!(found.dim(DimType::Param), 2);
        }
    }
}
