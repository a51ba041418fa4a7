//! Coordinates of access functions along the rows of a schedule. Floating-point: estimates, never legality.

use tilia_presburger::{Aff, DimType, Term};

const ZERO: f64 = 1e-9;

/// The linear part of an expression over the dimensions of its domain; a division counts as its quotient.
pub(crate) fn gradient(aff: &Aff) -> Vec<f64> {
    let mut row = vec![0.0; aff.space().dim(DimType::Out)];
    for term in aff.terms() {
        match term {
            Term::Dim {
                kind: DimType::Out,
                pos,
                coefficient,
            } => row[pos] += coefficient.to_f64(),
            Term::Dim { .. } => {}
            Term::Div {
                coefficient,
                numerator,
                denominator,
            } => {
                let scale = coefficient.to_f64() / denominator.to_f64();
                for (r, g) in row.iter_mut().zip(gradient(&numerator)) {
                    *r += scale * g;
                }
            }
        }
    }
    row
}

/// Where a basis row comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The given row of this number.
    Given(usize),
    /// The unit row of this iterator, to complete the basis.
    Unit(usize),
}

/// Independent rows that span the space of a statement's iterators.
#[derive(Debug, Clone)]
pub(crate) struct Basis {
    /// For each basis row: where it comes from.
    pub(crate) origin: Vec<Origin>,
    /// Rows of the inverse: coordinates = vector * inverse.
    inverse: Vec<Vec<f64>>,
}

impl Basis {
    /// Takes rows that are independent of those before them, then unit rows, the innermost iterators last.
    pub(crate) fn of(rows: &[Vec<f64>], dim: usize) -> Basis {
        let mut chosen: Vec<(Origin, Vec<f64>)> = Vec::new();
        let mut reduced: Vec<Vec<f64>> = Vec::new();
        let units = (0..dim).map(|k| (Origin::Unit(k), unit(k, dim)));
        let given = rows.iter().enumerate().map(|(n, r)| (Origin::Given(n), r.clone()));
        for (origin, row) in given.chain(units) {
            if chosen.len() == dim {
                break;
            }
            let rest = reduce(&row, &reduced);
            if rest.iter().any(|x| x.abs() > ZERO) {
                reduced.push(rest);
                chosen.push((origin, row));
            }
        }
        let (origin, matrix): (Vec<_>, Vec<_>) = chosen.into_iter().unzip();
        Basis {
            origin,
            inverse: inverse(matrix),
        }
    }

    /// How the iterators move when basis row `r` goes up by one and the others stay.
    pub(crate) fn direction(&self, r: usize) -> Vec<f64> {
        self.inverse.iter().map(|row| row[r]).collect()
    }

    /// `y` with `row = sum of y_r * basis row r`.
    pub(crate) fn coordinates(&self, row: &[f64]) -> Vec<f64> {
        (0..self.origin.len())
            .map(|r| {
                let y: f64 = row.iter().zip(&self.inverse).map(|(x, inv)| x * inv[r]).sum();
                if y.abs() > ZERO { y } else { 0.0 }
            })
            .collect()
    }
}

fn unit(k: usize, dim: usize) -> Vec<f64> {
    let mut row = vec![0.0; dim];
    row[k] = 1.0;
    row
}

/// What is left of a row after the leading entries of reduced rows are cleared.
fn reduce(row: &[f64], reduced: &[Vec<f64>]) -> Vec<f64> {
    let mut row = row.to_vec();
    for r in reduced {
        let Some(lead) = r.iter().position(|x| x.abs() > ZERO) else {
            continue;
        };
        let factor = row[lead] / r[lead];
        for (x, y) in row.iter_mut().zip(r) {
            *x -= factor * y;
        }
        row[lead] = 0.0;
    }
    row
}

/// Gauss-Jordan with pivoting; the matrix is known to be regular.
fn inverse(mut m: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = m.len();
    let mut inv: Vec<Vec<f64>> = (0..n).map(|k| unit(k, n)).collect();
    for c in 0..n {
        let pivot = (c..n).max_by(|&a, &b| m[a][c].abs().total_cmp(&m[b][c].abs())).unwrap_or(c);
        m.swap(c, pivot);
        inv.swap(c, pivot);
        let p = m[c][c];
        if p.abs() <= ZERO {
            continue;
        }
        for k in 0..n {
            m[c][k] /= p;
            inv[c][k] /= p;
        }
        for r in (0..n).filter(|&r| r != c) {
            let factor = m[r][c];
            for k in 0..n {
                m[r][k] -= factor * m[c][k];
                inv[r][k] -= factor * inv[c][k];
            }
        }
    }
    inv
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skewed_rows() {
        // Rows t and 2t + i: i = (2t + i) - 2 t.
        let basis = Basis::of(&[vec![1.0, 0.0], vec![2.0, 1.0]], 2);
        assert_eq!(basis.coordinates(&[0.0, 1.0]), [-2.0, 1.0]);
        assert_eq!(basis.coordinates(&[1.0, 0.0]), [1.0, 0.0]);
        assert_eq!(basis.direction(0), [1.0, -2.0]);
        assert_eq!(basis.direction(1), [0.0, 1.0]);
    }

    #[test]
    fn dependent_rows_are_left_out_and_units_complete() {
        let basis = Basis::of(&[vec![0.0, 1.0, 0.0], vec![0.0, 2.0, 0.0]], 3);
        assert_eq!(basis.origin, [Origin::Given(0), Origin::Unit(0), Origin::Unit(2)]);
        assert_eq!(basis.coordinates(&[3.0, 4.0, 5.0]), [4.0, 3.0, 5.0]);
    }
}
