//! Lists of local variables.
//!
//! A local variable is either a *known division* `floor(num / den)` with `den > 0`, whose numerator uses the constant, the
//! dimensions and earlier local variables, or an *unknown* existentially quantified integer (`den = 0`).

use crate::num::{Int, Mat, row};

/// The local variables of a conjunction or expression.
///
/// Row `k` is `[den, const, dims.., locals..]`; the numerator never uses local `k` or a later one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Divs {
    n_dim: usize,
    rows: Mat,
}

impl Divs {
    /// No local variables over `n_dim` dimensions.
    pub(crate) fn new(n_dim: usize) -> Divs {
        Divs {
            n_dim,
            rows: Mat::new(2 + n_dim),
        }
    }

    /// That many unknown local variables over `n_dim` dimensions.
    pub(crate) fn unknown(n_dim: usize, n: usize) -> Divs {
        Divs {
            n_dim,
            rows: Mat::zero(n, 2 + n_dim + n),
        }
    }

    /// The number of local variables.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Are there none?
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of dimensions below the local variables.
    pub(crate) fn n_dim(&self) -> usize {
        self.n_dim
    }

    /// Does local `k` have a definition?
    #[inline]
    pub(crate) fn is_known(&self, k: usize) -> bool {
        !self.rows[k][0].is_zero()
    }

    /// Do all of them have definitions?
    pub(crate) fn all_known(&self) -> bool {
        (0..self.len()).all(|k| self.is_known(k))
    }

    /// The denominator; zero for an unknown local.
    #[inline]
    pub(crate) fn den(&self, k: usize) -> &Int {
        &self.rows[k][0]
    }

    /// The numerator as a constraint row `[const, dims.., locals..]`.
    #[inline]
    pub(crate) fn num(&self, k: usize) -> &[Int] {
        &self.rows[k][1..]
    }

    /// The numerator, to be changed.
    #[inline]
    pub(crate) fn num_mut(&mut self, k: usize) -> &mut [Int] {
        &mut self.rows[k][1..]
    }

    /// The whole row `[den, const, dims.., locals..]`.
    #[inline]
    pub(crate) fn row(&self, k: usize) -> &[Int] {
        &self.rows[k]
    }

    /// Defines local `k` as `floor(num / den)`.
    pub(crate) fn define(&mut self, k: usize, den: Int, num: &[Int]) {
        let r = &mut self.rows[k];
        r[0] = den;
        r[1..].clone_from_slice(num);
    }

    /// Forgets the definition of local `k`.
    pub(crate) fn forget(&mut self, k: usize) {
        self.rows[k].fill(Int::ZERO);
    }

    /// Appends an unknown local.
    pub(crate) fn push_unknown(&mut self) {
        let c = self.rows.cols();
        self.rows.insert_cols(c, 1);
        self.rows.push_zero();
    }

    /// Appends `floor(num / den)`; `num` is over the columns before it.
    pub(crate) fn push(&mut self, den: &Int, num: &[Int]) {
        debug_assert_eq!(num.len(), 1 + self.n_dim + self.len());
        self.push_unknown();
        let k = self.len() - 1;
        let r = &mut self.rows[k];
        r[0] = den.clone();
        r[1..=num.len()].clone_from_slice(num);
    }

    /// Removes local `k`; its column must be unused in the definitions.
    pub(crate) fn remove(&mut self, k: usize) {
        self.rows.remove(k);
        self.rows.remove_cols(2 + self.n_dim + k, 1);
    }

    /// Inserts `n` dimensions so that the first new one has position `at`.
    pub(crate) fn insert_dims(&mut self, at: usize, n: usize) {
        self.rows.insert_cols(2 + at, n);
        self.n_dim += n;
    }

    /// The definitions with constraint columns chosen anew (`from[0]` must be the constant); the order of locals is unchanged.
    pub(crate) fn select_cols(&self, from: &[Option<usize>], n_dim: usize) -> Divs {
        let cols: Vec<_> = std::iter::once(Some(0)).chain(from.iter().map(|c| c.map(|c| c + 1))).collect();
        Divs {
            n_dim,
            rows: self.rows.select_cols(&cols),
        }
    }

    /// Some of the locals, the columns unchanged.
    pub(crate) fn select_rows(&self, keep: &[usize]) -> Divs {
        let mut rows = Mat::new(self.rows.cols());
        for &k in keep {
            rows.push(&self.rows[k]);
        }
        Divs { n_dim: self.n_dim, rows }
    }

    /// Is there a known local equal to `floor(num / den)`? (`num` may be shorter than the rows.)
    pub(crate) fn find(&self, den: &Int, num: &[Int]) -> Option<usize> {
        (0..self.len()).find(|&k| {
            let r = &self.rows[k][1..];
            self.den(k) == den
                && r[..num.len().min(r.len())] == num[..num.len().min(r.len())]
                && row::is_zero(&r[num.len().min(r.len())..])
                && row::is_zero(&num[num.len().min(r.len())..])
        })
    }
}
