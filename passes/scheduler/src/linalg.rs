//! Rank and kernel of small integer matrices, exactly: what progression (`crate::progress`) needs.
//!
//! Elimination is fraction free; rows are divided by their greatest common divisor after each step, so entries stay small.

use tilia_presburger::Int;

/// A reduced row echelon form: pivot columns, and one row for each.
struct Echelon {
    rows: Vec<Vec<Int>>,
    pivots: Vec<usize>,
}

/// The greatest common divisor of the entries; zero for a zero vector.
pub(crate) fn content(v: &[Int]) -> Int {
    v.iter().fold(Int::ZERO, |g, x| g.gcd(x))
}

/// Divides by the content and makes the first entry that isn't zero positive.
fn normalise(v: &mut [Int]) {
    let g = content(v);
    if g.is_zero() {
        return;
    }
    let negative = v.iter().find(|x| !x.is_zero()).is_some_and(Int::is_neg);
    for x in v.iter_mut() {
        let q = x.div_exact(&g);
        *x = if negative { -q } else { q };
    }
}

/// Adds a multiple of `pivot` to `row` such that the column vanishes.
fn eliminate(row: &mut [Int], pivot: &[Int], col: usize) {
    if row[col].is_zero() {
        return;
    }
    let (a, b) = (pivot[col].clone(), row[col].clone());
    for (x, p) in row.iter_mut().zip(pivot) {
        *x = &(&*x * &a) - &(p * &b);
    }
    normalise(row);
}

fn echelon(matrix: &[Vec<Int>], cols: usize) -> Echelon {
    let mut rows: Vec<Vec<Int>> = matrix.to_vec();
    let mut pivots = Vec::new();
    for col in 0..cols {
        let at = pivots.len();
        let Some(found) = (at..rows.len()).find(|&r| !rows[r][col].is_zero()) else {
            continue;
        };
        rows.swap(at, found);
        normalise(&mut rows[at]);
        let pivot = rows[at].clone();
        for (r, row) in rows.iter_mut().enumerate() {
            if r != at {
                eliminate(row, &pivot, col);
            }
        }
        pivots.push(col);
    }
    rows.truncate(pivots.len());
    Echelon { rows, pivots }
}

/// The rank of a matrix of `cols` columns.
pub(crate) fn rank(matrix: &[Vec<Int>], cols: usize) -> usize {
    echelon(matrix, cols).pivots.len()
}

/// An integer basis of the right kernel: one vector for each column without pivot, without common divisor, its first entry that isn't zero positive.
pub(crate) fn kernel(matrix: &[Vec<Int>], cols: usize) -> Vec<Vec<Int>> {
    let e = echelon(matrix, cols);
    let free = (0..cols).filter(|c| !e.pivots.contains(c));
    free.map(|f| {
        // x_f = l, and for each pivot row: pivot * x_p + entry * x_f = 0.
        let scale = e.rows.iter().zip(&e.pivots).fold(Int::ONE, |l, (r, &p)| l.lcm(&r[p]));
        let mut v = vec![Int::ZERO; cols];
        for (r, &p) in e.rows.iter().zip(&e.pivots) {
            v[p] = -(&r[f] * &scale).div_exact(&r[p]);
        }
        v[f] = scale;
        normalise(&mut v);
        v
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[i64]]) -> Vec<Vec<Int>> {
        rows.iter().map(|r| r.iter().map(|&x| Int::from(x)).collect()).collect()
    }

    #[test]
    fn kernels_annihilate_their_matrix_and_complete_its_rank() {
        let cases: [&[&[i64]]; 6] = [
            &[&[1, 1]],
            &[&[1, 0, 0], &[1, 1, 0]],
            &[&[2, 3, 5]],
            &[&[1, 2, 3], &[2, 4, 6]],
            &[&[3, -1, 0, 7], &[6, 2, 5, 0]],
            &[&[0, 0, 0]],
        ];
        for rows in cases {
            let m = matrix(rows);
            let n = m[0].len();
            let k = kernel(&m, n);
            assert_eq!(rank(&m, n) + k.len(), n, "{rows:?}");
            assert_eq!(rank(&k, n), k.len(), "{rows:?}");
            for v in &k {
                assert!(content(v).is_one(), "{rows:?}");
                for r in &m {
                    let dot = r.iter().zip(v).fold(Int::ZERO, |s, (a, b)| s + a * b);
                    assert!(dot.is_zero(), "{rows:?}");
                }
            }
        }
    }

    #[test]
    fn after_a_skewed_row_the_kernel_points_to_the_outer_iterator() {
        assert_eq!(kernel(&matrix(&[&[1, 1]]), 2), matrix(&[&[1, -1]]));
    }

    #[test]
    fn without_rows_the_kernel_is_everything() {
        assert_eq!(kernel(&[], 3), matrix(&[&[1, 0, 0], &[0, 1, 0], &[0, 0, 1]]));
        assert!(kernel(&[], 0).is_empty());
    }
}
