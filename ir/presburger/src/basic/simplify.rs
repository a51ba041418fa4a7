//! Cheap canonical form.

use super::Basic;

impl Basic {
    /// Brings the conjunction into a cheap normal form without changing its elements.
    pub(crate) fn simplify(&mut self) {}

    /// The points of both conjunctions.
    pub(crate) fn intersect(&self, other: &Basic) -> Basic {
        let mut r = self.clone();
        r.conjoin(other);
        r.simplify();
        r
    }
}
