//! Edits of single bands.

use super::{Edited, not_anchored};
use crate::{Band, Error, Member, Node, Path, ScheduleTree};
use tilia_presburger::{Budget, DimType, Int, UnionPwAff};

impl ScheduleTree {
    /// Replaces a band by two nested ones: members before `p`, then the rest. Flags and options go with the members. The position is the outer band's.
    ///
    /// # Errors
    /// When there is no band, or it has fewer than `p` members.
    pub fn split_band(&self, at: &Path, p: usize, b: &Budget) -> Result<Edited, Error> {
        let (band, child) = self.target_band("split_band", at)?;
        if p > band.len() {
            return Err(Error::refused(
                "split_band",
                at,
                format!("the band has only {} members", band.len()),
            ));
        }
        let (outer_isolate, inner_isolate) = match &band.isolate {
            None => (None, None),
            Some(i) => {
                let outer = i.project_out(DimType::Out, p, band.len() - p, b)?;
                let depth = i.dim(DimType::In);
                let inner = i.move_dims(DimType::In, depth, DimType::Out, 0, p)?;
                (Some(outer), Some(inner))
            }
        };
        let inner = Band {
            members: band.members[p..].to_vec(),
            permutable: band.permutable,
            isolate: inner_isolate,
        };
        let outer = Band {
            members: band.members[..p].to_vec(),
            permutable: band.permutable,
            isolate: outer_isolate,
        };
        self.put(at, Node::band(outer, Node::band(inner, child.clone())))
    }

    /// Joins a band and the band right below it. The result counts as permutable only when `permutable` says so.
    ///
    /// Coincidence of the inner members was only promised for equal values of the outer band, so that they lose the flag; the outer members keep it.
    ///
    /// # Errors
    /// When the child is no band, or one of both has an isolate option.
    pub fn fuse_band(&self, at: &Path, permutable: bool) -> Result<Edited, Error> {
        let (outer, child) = self.target_band("fuse_band", at)?;
        let (Some(inner), Some(below)) = (child.as_band(), child.child()) else {
            return Err(Error::refused(
                "fuse_band",
                at,
                format!("a {} stands below the band", child.kind().name()),
            ));
        };
        if outer.isolate.is_some() || inner.isolate.is_some() {
            return Err(Error::refused("fuse_band", at, "a band with an isolate option can't be joined"));
        }
        let mut members = outer.members.clone();
        members.extend(inner.members.iter().map(|m| Member {
            coincident: false,
            reduces: false,
            ..m.clone()
        }));
        let band = Band {
            members,
            permutable,
            isolate: None,
        };
        self.put(at, Node::band(band, below.clone()))
    }

    /// Permutes the members: the new member `k` is the old member `order[k]`. Coincidence holds whatever the other members do, so flags move along.
    ///
    /// # Errors
    /// When `order` is no permutation of the members, or the subtree is anchored.
    pub fn reorder_band(&self, at: &Path, order: &[usize]) -> Result<Edited, Error> {
        let (band, child) = self.target_band("reorder_band", at)?;
        if !is_permutation(order, band.len()) {
            return Err(Error::refused(
                "reorder_band",
                at,
                format!("{order:?} is no permutation of {} members", band.len()),
            ));
        }
        not_anchored("reorder_band", at, self.target("reorder_band", at)?)?;
        let members = order.iter().map(|&k| band.members[k].clone()).collect();
        self.put(at, Node::band(Band { members, ..band.clone() }, child.clone()))
    }

    /// Multiplies member `k` by `factors[k]`; a factor may be negative (reversal), not zero.
    ///
    /// # Errors
    /// When the numbers of members and factors differ, a factor is zero, or the subtree is anchored.
    pub fn scale_band(&self, at: &Path, factors: &[Int]) -> Result<Edited, Error> {
        let permutable = factors.iter().all(Int::is_pos);
        self.map_members(
            "scale_band",
            at,
            factors,
            |f, m| if m.is_zero() { None } else { Some(f.scale(m)) },
            permutable,
        )
    }

    /// Replaces member `k` by `floor(f / divisors[k])`.
    ///
    /// # Errors
    /// When the numbers of members and divisors differ, a divisor isn't positive, or the subtree is anchored.
    pub fn scale_down_band(&self, at: &Path, divisors: &[Int]) -> Result<Edited, Error> {
        self.map_members("scale_down_band", at, divisors, |f, m| m.is_pos().then(|| f.floor_div(m)), true)
    }

    /// Replaces member `k` by `f mod divisors[k]`.
    ///
    /// # Errors
    /// When the numbers of members and divisors differ, a divisor isn't positive, or the subtree is anchored.
    pub fn mod_band(&self, at: &Path, divisors: &[Int]) -> Result<Edited, Error> {
        self.map_members("mod_band", at, divisors, |f, m| m.is_pos().then(|| f.mod_(m)), false)
    }

    fn map_members(
        &self,
        operation: &'static str,
        at: &Path,
        numbers: &[Int],
        change: impl Fn(&UnionPwAff, &Int) -> Option<tilia_presburger::Result<UnionPwAff>>,
        keeps_signs: bool,
    ) -> Result<Edited, Error> {
        let (band, child) = self.target_band(operation, at)?;
        if numbers.len() != band.len() {
            return Err(Error::refused(
                operation,
                at,
                format!("{} numbers for {} members", numbers.len(), band.len()),
            ));
        }
        not_anchored(operation, at, self.target(operation, at)?)?;
        let mut members = Vec::with_capacity(band.len());
        for (m, n) in band.members.iter().zip(numbers) {
            let func = change(&m.func, n).ok_or_else(|| Error::refused(operation, at, format!("{n} isn't allowed")))??;
            members.push(m.with_func(func));
        }
        let band = Band {
            members,
            permutable: band.permutable && keeps_signs,
            isolate: None,
        };
        self.put(at, Node::band(band, child.clone()))
    }

    /// Adds a function to each member. The flags don't survive, since different statements may move apart.
    ///
    /// # Errors
    /// When the numbers of members and functions differ, or the subtree is anchored.
    pub fn shift_band(&self, at: &Path, by: &[UnionPwAff], b: &Budget) -> Result<Edited, Error> {
        let (band, child) = self.target_band("shift_band", at)?;
        if by.len() != band.len() {
            return Err(Error::refused(
                "shift_band",
                at,
                format!("{} functions for {} members", by.len(), band.len()),
            ));
        }
        not_anchored("shift_band", at, self.target("shift_band", at)?)?;
        let mut members = Vec::with_capacity(band.len());
        for (m, g) in band.members.iter().zip(by) {
            members.push(Member {
                coincident: false,
                reduces: false,
                ..m.with_func(m.func.add(g, b)?)
            });
        }
        self.put(at, Node::band(Band::new(members), child.clone()))
    }
}

/// Is `order` a permutation of `0..n`?
pub(super) fn is_permutation(order: &[usize], n: usize) -> bool {
    let mut seen = vec![false; n];
    order.len() == n && order.iter().all(|&k| k < n && !std::mem::replace(&mut seen[k], true))
}
