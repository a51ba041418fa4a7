//! Bounds, conditions and subscripts.

use super::Chooser;
use crate::model::Access;
use crate::{chance, pick};
use arbitrary::Result;
use tilia_program::AffineExpr;

fn constant(c: i64) -> AffineExpr {
    AffineExpr::Const(c)
}

fn times(c: i64, e: AffineExpr) -> AffineExpr {
    AffineExpr::mul(e, constant(c))
}

fn plus(a: AffineExpr, b: AffineExpr) -> AffineExpr {
    AffineExpr::add(a, b)
}

impl Chooser<'_, '_, '_> {
    /// A variable in scope: mostly iterators, mostly inner ones.
    pub(super) fn variable(&mut self) -> Result<Option<usize>> {
        let params = self.model.params.len();
        if !self.iterators.is_empty() && (params == 0 || chance(self.u, 75)?) {
            let last = self.iterators.len() - 1;
            let n = self.u.int_in_range(0..=last)?.max(self.u.int_in_range(0..=last)?);
            return Ok(Some(self.iterators[n]));
        }
        if params == 0 {
            return Ok(None);
        }
        Ok(Some(self.u.int_in_range(0..=params - 1)?))
    }

    fn term(&mut self) -> Result<AffineExpr> {
        Ok(match self.variable()? {
            Some(v) => AffineExpr::Dim(u32::try_from(v).unwrap_or(0)),
            None => constant(self.u.int_in_range(1..=3)?),
        })
    }

    /// The lower and upper bounds of a loop.
    pub(super) fn bounds(&mut self) -> Result<(Vec<AffineExpr>, Vec<AffineExpr>)> {
        let mut lower = vec![self.lower()?];
        if chance(self.u, 15)? {
            lower.push(self.lower()?);
        }
        let mut upper = vec![self.upper()?];
        if chance(self.u, 20)? {
            upper.push(self.upper()?);
        }
        Ok((lower, upper))
    }

    fn lower(&mut self) -> Result<AffineExpr> {
        if self.iterators.is_empty() || chance(self.u, 60)? {
            return Ok(constant(pick(self.u, &[(6, 0), (2, 1), (1, 2), (1, -1), (1, -3)])?));
        }
        let c = self.u.int_in_range(-2..=2)?;
        let t = self.term()?;
        let kind = pick(self.u, &[(8, 0), (1, 1), (1, 2)])?;
        Ok(match kind {
            0 => plus(t, constant(c)),
            1 => plus(times(-1, t), constant(c + 2)),
            _ if self.profile.divisions => AffineExpr::FloorDiv(Box::new(plus(t, constant(c))), Box::new(constant(2))),
            _ => plus(times(2, t), constant(c)),
        })
    }

    fn upper(&mut self) -> Result<AffineExpr> {
        if chance(self.u, 35)? {
            return Ok(constant(pick(self.u, &[(3, 3), (3, 4), (3, 5), (2, 6), (1, 8), (1, 0)])?));
        }
        let c = self.u.int_in_range(-2..=3)?;
        let t = self.term()?;
        let kind = pick(self.u, &[(8, 0), (2, 1), (2, 2), (2, 3)])?;
        Ok(match kind {
            0 => plus(t, constant(c.max(-1))),
            1 => {
                let other = self.term()?;
                plus(plus(t, other), constant(c))
            }
            2 => plus(times(-1, t), constant(c + 5)),
            _ if self.profile.divisions => AffineExpr::CeilDiv(Box::new(plus(t, constant(c + 3))), Box::new(constant(2))),
            _ => plus(times(2, t), constant(c)),
        })
    }

    /// The conditions of a guard.
    pub(super) fn conditions(&mut self) -> Result<Vec<(AffineExpr, bool)>> {
        let mut all = Vec::new();
        for _ in 0..self.u.int_in_range(1..=2)? {
            let t = self.term()?;
            let c = self.u.int_in_range(-3..=3)?;
            let kind = pick(self.u, &[(3, 0), (3, 1), (2, 2), (2, 3), (1, 4)])?;
            all.push(match kind {
                0 => (plus(t, constant(c)), false),
                1 => (plus(times(-1, t), constant(c + 3)), false),
                2 if self.profile.divisions => {
                    let d = self.u.int_in_range(2..=3)?;
                    let rest = AffineExpr::Mod(Box::new(plus(t, constant(c))), Box::new(constant(d)));
                    (plus(rest, constant(-self.u.int_in_range(0..=d - 1)?)), true)
                }
                3 if self.profile.divisions => {
                    let half = AffineExpr::FloorDiv(Box::new(t), Box::new(constant(2)));
                    let other = self.term()?;
                    (plus(plus(half, times(-1, other)), constant(c.max(0))), false)
                }
                4 => (plus(t, constant(c)), true),
                _ => {
                    let other = self.term()?;
                    (plus(plus(t, times(-1, other)), constant(c)), false)
                }
            });
        }
        Ok(all)
    }

    /// An access to array number `array`.
    pub(super) fn access(&mut self, array: usize) -> Result<Access> {
        let rank = self.model.arrays[array].rank();
        let mut free = self.iterators.clone();
        let mut subscripts = Vec::new();
        for _ in 0..rank {
            // Another iterator in each dimension, as in most programs.
            let own = if !free.is_empty() && chance(self.u, 80)? {
                let n = self.u.int_in_range(0..=free.len() - 1)?;
                Some(free.remove(n))
            } else {
                None
            };
            subscripts.push(self.subscript(own)?);
        }
        Ok(Access {
            array,
            subscripts,
            lanes: 1,
        })
    }

    fn subscript(&mut self, own: Option<usize>) -> Result<AffineExpr> {
        let base = match own {
            Some(v) => AffineExpr::Dim(u32::try_from(v).unwrap_or(0)),
            None if chance(self.u, 40)? => return Ok(constant(self.u.int_in_range(0..=2)?)),
            None => self.term()?,
        };
        let c = pick(self.u, &[(5, 0), (2, -1), (2, 1), (1, 2)])?;
        let kind = pick(self.u, &[(14, 0), (1, 1), (1, 2), (1, 3), (1, 4)])?;
        Ok(match kind {
            1 => plus(times(2, base), constant(c)),
            2 => plus(times(-1, base), constant(c)),
            3 => {
                let other = self.term()?;
                plus(plus(base, other), constant(c))
            }
            4 if self.profile.divisions => {
                if chance(self.u, 50)? {
                    AffineExpr::FloorDiv(Box::new(plus(base, constant(c))), Box::new(constant(2)))
                } else {
                    AffineExpr::Mod(Box::new(plus(base, constant(c))), Box::new(constant(3)))
                }
            }
            _ => plus(base, constant(c)),
        })
    }
}
