//! A dense row-major matrix of exact integers with cheap row and column surgery.

use std::hash::{Hash, Hasher};

use super::Int;

/// A matrix; also used as a list of rows of one length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mat {
    cols: usize,
    rows: usize,
    data: Vec<Int>,
}

impl Mat {
    /// A matrix without rows.
    pub(crate) fn new(cols: usize) -> Mat {
        Mat {
            cols,
            rows: 0,
            data: Vec::new(),
        }
    }

    /// A matrix without rows that has room for some.
    pub(crate) fn with_capacity(cols: usize, rows: usize) -> Mat {
        Mat {
            cols,
            rows: 0,
            data: Vec::with_capacity(cols * rows),
        }
    }

    /// The same rows, with room for some more.
    pub(crate) fn with_room(&self, more: usize) -> Mat {
        let mut m = Mat::with_capacity(self.cols, self.rows + more);
        m.data.extend_from_slice(&self.data);
        m.rows = self.rows;
        m
    }

    /// The identity matrix.
    pub(crate) fn identity(n: usize) -> Mat {
        let mut m = Mat::zero(n, n);
        for i in 0..n {
            m[i][i] = Int::ONE;
        }
        m
    }

    /// A matrix of zeros.
    pub(crate) fn zero(rows: usize, cols: usize) -> Mat {
        Mat {
            cols,
            rows,
            data: vec![Int::ZERO; rows * cols],
        }
    }

    /// The number of columns.
    #[inline]
    pub(crate) fn cols(&self) -> usize {
        self.cols
    }

    /// The number of rows.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Are there no rows?
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Appends a row.
    pub(crate) fn push(&mut self, row: &[Int]) {
        debug_assert_eq!(row.len(), self.cols);
        self.data.extend_from_slice(row);
        self.rows += 1;
    }

    /// Appends a row that is given away.
    pub(crate) fn push_vec(&mut self, row: Vec<Int>) {
        debug_assert_eq!(row.len(), self.cols);
        self.data.extend(row);
        self.rows += 1;
    }

    /// Appends a row of zeros and returns it.
    pub(crate) fn push_zero(&mut self) -> &mut [Int] {
        self.data.resize(self.data.len() + self.cols, Int::ZERO);
        self.rows += 1;
        let r = self.rows - 1;
        &mut self[r]
    }

    /// Appends the rows of another matrix whose column `j` is column `map[j]` here.
    pub(crate) fn extend_mapped(&mut self, other: &Mat, map: &[usize]) {
        self.data.reserve(other.rows * self.cols);
        for r in other.iter() {
            let dst = self.push_zero();
            for (x, &c) in r.iter().zip(map) {
                if !x.is_zero() {
                    dst[c] = x.clone();
                }
            }
        }
    }

    /// The rows in order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &[Int]> + ExactSizeIterator {
        (0..self.rows).map(move |i| &self[i])
    }

    /// Two different rows, the first one to be changed.
    pub(crate) fn pair_mut(&mut self, dst: usize, src: usize) -> (&mut [Int], &[Int]) {
        debug_assert_ne!(dst, src);
        let c = self.cols;
        if dst < src {
            let (a, b) = self.data.split_at_mut(src * c);
            (&mut a[dst * c..dst * c + c], &b[..c])
        } else {
            let (a, b) = self.data.split_at_mut(dst * c);
            (&mut b[..c], &a[src * c..src * c + c])
        }
    }

    /// Exchanges two rows.
    pub(crate) fn swap(&mut self, i: usize, j: usize) {
        if i == j {
            return;
        }
        for k in 0..self.cols {
            self.data.swap(i * self.cols + k, j * self.cols + k);
        }
    }

    /// Removes a row by moving the last one in its place.
    pub(crate) fn swap_remove(&mut self, i: usize) {
        let last = self.rows - 1;
        self.swap(i, last);
        self.truncate(last);
    }

    /// Removes a row, keeping the order of the others.
    pub(crate) fn remove(&mut self, i: usize) {
        self.data.drain(i * self.cols..(i + 1) * self.cols);
        self.rows -= 1;
    }

    /// Keeps the first `n` rows.
    pub(crate) fn truncate(&mut self, n: usize) {
        self.rows = n;
        self.data.truncate(n * self.cols);
    }

    /// Removes all rows.
    pub(crate) fn clear(&mut self) {
        self.truncate(0);
    }

    /// Keeps the rows for which `keep` holds, in order.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&[Int]) -> bool) {
        let mut w = 0;
        for r in 0..self.rows {
            if keep(&self[r]) {
                self.swap(w, r);
                w += 1;
            }
        }
        self.truncate(w);
    }

    /// Inserts `n` zero columns before column `at`.
    pub(crate) fn insert_cols(&mut self, at: usize, n: usize) {
        if n == 0 {
            return;
        }
        let old = std::mem::take(&mut self.data);
        let mut data = Vec::with_capacity(self.rows * (self.cols + n));
        let mut it = old.into_iter();
        for _ in 0..self.rows {
            data.extend(it.by_ref().take(at));
            data.extend(std::iter::repeat_n(Int::ZERO, n));
            data.extend(it.by_ref().take(self.cols - at));
        }
        self.data = data;
        self.cols += n;
    }

    /// Removes `n` columns from column `at` on.
    pub(crate) fn remove_cols(&mut self, at: usize, n: usize) {
        if n == 0 {
            return;
        }
        let cols = self.cols;
        let mut i = 0;
        self.data.retain(|_| {
            let c = i % cols;
            i += 1;
            c < at || c >= at + n
        });
        self.cols -= n;
    }

    /// A matrix whose column `j` is column `from[j]` of this one, or zero.
    pub(crate) fn select_cols(&self, from: &[Option<usize>]) -> Mat {
        let mut data = Vec::with_capacity(self.rows * from.len());
        for r in self.iter() {
            data.extend(from.iter().map(|c| c.map_or(Int::ZERO, |c| r[c].clone())));
        }
        Mat {
            cols: from.len(),
            rows: self.rows,
            data,
        }
    }

    /// Exchanges two columns.
    pub(crate) fn swap_cols(&mut self, a: usize, b: usize) {
        for r in 0..self.rows {
            self.data.swap(r * self.cols + a, r * self.cols + b);
        }
    }
}

impl Hash for Mat {
    /// Four chains of products side by side, each number in one of them: one chain alone would take the time of a product for each number.
    fn hash<H: Hasher>(&self, state: &mut H) {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let step = |h: u64, x: &Int| (h.rotate_left(5) ^ x.code()).wrapping_mul(ODD);
        let (fours, rest) = self.data.as_chunks::<4>();
        let mut lanes = [1_u64, 2, 3, 4];
        for four in fours {
            for (h, x) in lanes.iter_mut().zip(four) {
                *h = step(*h, x);
            }
        }
        for (h, x) in lanes.iter_mut().zip(rest) {
            *h = step(*h, x);
        }
        state.write_usize(self.cols);
        state.write_usize(self.rows);
        for h in lanes {
            state.write_u64(h);
        }
    }
}

impl std::ops::Index<usize> for Mat {
    type Output = [Int];
    #[inline]
    fn index(&self, r: usize) -> &[Int] {
        &self.data[r * self.cols..(r + 1) * self.cols]
    }
}

impl std::ops::IndexMut<usize> for Mat {
    #[inline]
    fn index_mut(&mut self, r: usize) -> &mut [Int] {
        &mut self.data[r * self.cols..(r + 1) * self.cols]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mat(rows: &[&[i64]]) -> Mat {
        let mut m = Mat::new(rows[0].len());
        for r in rows {
            m.push(&r.iter().map(|&v| Int::new(v)).collect::<Vec<_>>());
        }
        m
    }

    #[test]
    fn column_surgery_keeps_rows_apart() {
        let mut m = mat(&[&[1, 2, 3], &[4, 5, 6]]);
        m.insert_cols(1, 2);
        assert_eq!(m, mat(&[&[1, 0, 0, 2, 3], &[4, 0, 0, 5, 6]]));
        m.remove_cols(0, 3);
        assert_eq!(m, mat(&[&[2, 3], &[5, 6]]));
        assert_eq!(m.select_cols(&[Some(1), None, Some(0)]), mat(&[&[3, 0, 2], &[6, 0, 5]]));
    }

    #[test]
    fn the_hash_depends_on_every_number_and_its_place() {
        let hash = |m: &Mat| std::hash::BuildHasher::hash_one(&std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default(), m);
        let big = Int::new(i64::MAX) * Int::new(3);
        for cols in 1..=9 {
            let m = Mat::zero(3, cols);
            let mut seen = vec![hash(&m)];
            for i in 0..3 {
                for j in 0..cols {
                    for v in [Int::ONE, Int::NEG_ONE, Int::new(i64::MIN), big.clone()] {
                        let mut other = m.clone();
                        other[i][j] = v;
                        assert_eq!(hash(&other), hash(&other.clone()));
                        seen.push(hash(&other));
                    }
                }
            }
            let n = seen.len();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), n);
        }
        assert_ne!(hash(&Mat::zero(2, 3)), hash(&Mat::zero(3, 2)));
    }

    #[test]
    fn row_surgery() {
        let mut m = mat(&[&[1, 2], &[3, 4], &[5, 6]]);
        m.swap_remove(0);
        assert_eq!(m, mat(&[&[5, 6], &[3, 4]]));
        m.push(&[Int::new(7), Int::new(8)]);
        m.retain(|r| r[0] != 3);
        assert_eq!(m, mat(&[&[5, 6], &[7, 8]]));
        let (d, s) = m.pair_mut(1, 0);
        d[0] += &s[0];
        assert_eq!(m, mat(&[&[5, 6], &[12, 8]]));
    }
}
