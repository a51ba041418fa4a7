//! Rays and lines of a cone given by constraints: the double description method.
//!
//! Motzkin and others, "The double description method" (1953); the combinatorial adjacency test as in Fukuda and Prodon (1996). Where the number of rays explodes the
//! remaining constraints are handed back instead.

use tilia_presburger::{Budget, Int};

use crate::Result;

/// An extreme ray, and which of the constraints so far it makes zero.
#[derive(Clone, Debug)]
struct Ray {
    v: Vec<Int>,
    zero: Vec<u64>,
}

/// What generates `{ x | some constraints }`, and the constraints that were left out.
#[derive(Debug)]
pub(super) struct Generators {
    pub(super) lines: Vec<Vec<Int>>,
    pub(super) rays: Vec<Vec<Int>>,
    /// Constraints (`>= 0`) that the generators don't respect yet.
    pub(super) kept: Vec<Vec<Int>>,
}

/// The generators of the cone of the constraints. The first inequality is always taken in; others are left out when there would be more than `limit` rays.
pub(super) fn generators(cols: usize, equalities: &[Vec<Int>], inequalities: &[Vec<Int>], limit: usize, b: &Budget) -> Result<Generators> {
    let mut s = State {
        lines: (0..cols).map(|k| unit(cols, k)).collect(),
        rays: Vec::new(),
        pointed: cols,
        count: 0,
        words: inequalities.len().div_ceil(64).max(1),
    };
    for e in equalities {
        s.add_equality(e, b)?;
    }
    let mut pending: Vec<&Vec<Int>> = inequalities.iter().collect();
    if !pending.is_empty() {
        let first = pending.remove(0);
        s.add_inequality(first, usize::MAX, b)?;
    }
    while let Some(i) = s.cheapest(&pending, b)? {
        if !s.add_inequality(pending[i], limit, b)? {
            break;
        }
        pending.remove(i);
    }
    Ok(Generators {
        lines: s.lines,
        rays: s.rays.into_iter().map(|r| r.v).collect(),
        kept: pending.into_iter().cloned().collect(),
    })
}

struct State {
    lines: Vec<Vec<Int>>,
    rays: Vec<Ray>,
    /// The dimension of the space less that of the lines and the equalities' rank: that of the pointed part.
    pointed: usize,
    /// How many inequalities were taken in.
    count: usize,
    words: usize,
}

impl State {
    /// The constraint that makes the fewest new rays.
    fn cheapest(&self, pending: &[&Vec<Int>], b: &Budget) -> Result<Option<usize>> {
        let mut best: Option<(usize, usize)> = None;
        b.spend(1 + (pending.len() * (self.rays.len() + self.lines.len())) as u64 / 4)?;
        for (i, c) in pending.iter().enumerate() {
            if self.lines.iter().any(|l| !dot(c, l).is_zero()) {
                return Ok(Some(i));
            }
            let (mut pos, mut neg) = (0, 0);
            for r in &self.rays {
                match dot(c, &r.v).signum() {
                    0 => {}
                    1 => pos += 1,
                    _ => neg += 1,
                }
            }
            if best.is_none_or(|(_, cost)| pos * neg < cost) {
                best = Some((i, pos * neg));
            }
        }
        Ok(best.map(|x| x.0))
    }

    /// Takes the line out that a constraint cuts and makes all others parallel to the constraint; `None` when it cuts no line. The line comes back with a positive product.
    fn take_line(&mut self, c: &[Int]) -> Option<Vec<Int>> {
        let products: Vec<Int> = self.lines.iter().map(|l| dot(c, l)).collect();
        let i = (0..products.len())
            .filter(|&i| !products[i].is_zero())
            .min_by_key(|&i| products[i].abs())?;
        let mut line = self.lines.swap_remove(i);
        let mut p = products[i].clone();
        if p.is_neg() {
            p.negate();
            line.iter_mut().for_each(Int::negate);
        }
        for l in &mut self.lines {
            flatten(l, c, &line, &p);
        }
        for r in &mut self.rays {
            flatten(&mut r.v, c, &line, &p);
        }
        Some(line)
    }

    fn add_equality(&mut self, c: &[Int], b: &Budget) -> Result<()> {
        b.spend(1 + (self.lines.len() * c.len()) as u64 / 8)?;
        if self.take_line(c).is_some() {
            self.pointed -= 1;
        }
        Ok(())
    }

    /// Takes an inequality in; false (and no change) when there would be too many rays.
    fn add_inequality(&mut self, c: &[Int], limit: usize, b: &Budget) -> Result<bool> {
        b.spend(1 + ((self.lines.len() + self.rays.len()) * c.len()) as u64 / 8)?;
        let bit = self.count;
        if let Some(line) = self.take_line(c) {
            // The line makes all earlier constraints zero, the other rays now make this one zero.
            for r in &mut self.rays {
                set(&mut r.zero, bit);
            }
            let mut zero = vec![0; self.words];
            (0..bit).for_each(|k| set(&mut zero, k));
            self.rays.push(Ray { v: line, zero });
            self.count += 1;
            return Ok(true);
        }
        let products: Vec<Int> = self.rays.iter().map(|r| dot(c, &r.v)).collect();
        let Some(new) = self.combinations(&products, bit, limit, b)? else {
            return Ok(false);
        };
        let mut products = products.iter();
        self.rays.retain_mut(|r| match products.next().map_or(0, Int::signum) {
            0 => {
                set(&mut r.zero, bit);
                true
            }
            s => s > 0,
        });
        self.rays.extend(new);
        self.count += 1;
        Ok(true)
    }

    /// The rays where the constraint cuts the faces between adjacent rays.
    fn combinations(&self, products: &[Int], bit: usize, limit: usize, b: &Budget) -> Result<Option<Vec<Ray>>> {
        let side = |s: i32| (0..products.len()).filter(move |&i| products[i].signum() == s);
        let old = products.len() - side(-1).count();
        let dim = self.pointed - self.lines.len();
        let mut new = Vec::new();
        for i in side(1) {
            for j in side(-1) {
                b.spend(1 + self.rays.len() as u64 / 8)?;
                let Some(mut zero) = self.common_face(i, j, dim) else { continue };
                set(&mut zero, bit);
                let mut v = self.rays[j].v.clone();
                add_until_zero(&mut v, &products[j], &self.rays[i].v, &products[i]);
                new.push(Ray { v, zero });
                if old + new.len() > limit {
                    return Ok(None);
                }
            }
        }
        Ok(Some(new))
    }

    /// The constraints that two rays both make zero, if the rays are adjacent: if no third ray lies in that face.
    fn common_face(&self, i: usize, j: usize, dim: usize) -> Option<Vec<u64>> {
        let common: Vec<u64> = self.rays[i].zero.iter().zip(&self.rays[j].zero).map(|(a, b)| a & b).collect();
        let size: u32 = common.iter().map(|w| w.count_ones()).sum();
        if (size as usize) + 2 < dim {
            return None;
        }
        let within = |r: &Ray| common.iter().zip(&r.zero).all(|(c, z)| c & !z == 0);
        let third = self.rays.iter().enumerate().any(|(k, r)| k != i && k != j && within(r));
        (!third).then_some(common)
    }
}

fn unit(n: usize, k: usize) -> Vec<Int> {
    let mut v = vec![Int::ZERO; n];
    v[k] = Int::ONE;
    v
}

fn set(bits: &mut [u64], k: usize) {
    bits[k / 64] |= 1 << (k % 64);
}

/// The sum of products.
pub(super) fn dot(a: &[Int], b: &[Int]) -> Int {
    let mut s = Int::ZERO;
    for (x, y) in a.iter().zip(b) {
        if !x.is_zero() && !y.is_zero() {
            s.add_mul(x, y);
        }
    }
    s
}

/// Adds a multiple of `by`, whose product with `c` is the positive `p`, to a positive multiple of `v`, so that its product with `c` is zero.
fn flatten(v: &mut [Int], c: &[Int], by: &[Int], p: &Int) {
    let q = dot(c, v);
    add_until_zero(v, &q, by, p);
}

/// `p·v - q·by` in lowest terms, `p` being positive.
fn add_until_zero(v: &mut [Int], q: &Int, by: &[Int], p: &Int) {
    if q.is_zero() {
        return;
    }
    let g = p.gcd(q);
    let (p, q) = (p.div_exact(&g), q.div_exact(&g));
    for (x, y) in v.iter_mut().zip(by) {
        *x = Int::cross(x, &p, y, &q);
    }
    reduce(v);
}

/// Divides a vector by its common divisor.
pub(super) fn reduce(v: &mut [Int]) {
    let mut g = Int::ZERO;
    for x in v.iter() {
        g = g.gcd(x);
        if g.is_one() {
            return;
        }
    }
    if !g.is_zero() {
        for x in v {
            *x = x.div_exact(&g);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(v: &[i64]) -> Vec<Int> {
        v.iter().map(|&x| Int::new(x)).collect()
    }

    #[test]
    fn rays_of_a_square() {
        // t >= 0, 0 <= x <= t, 0 <= y <= t.
        let rows = [r(&[1, 0, 0]), r(&[0, 1, 0]), r(&[1, -1, 0]), r(&[0, 0, 1]), r(&[1, 0, -1])];
        let mut g = generators(3, &[], &rows, 100, &Budget::unlimited()).unwrap();
        g.rays.sort();
        assert_eq!(g.rays, [r(&[1, 0, 0]), r(&[1, 0, 1]), r(&[1, 1, 0]), r(&[1, 1, 1])]);
        assert!(g.lines.is_empty() && g.kept.is_empty());
    }

    #[test]
    fn a_cube_has_as_many_rays_as_corners() {
        let mut rows = vec![unit(8, 0)];
        for k in 1..8 {
            rows.push(unit(8, k));
            let mut u = unit(8, 0);
            u[k] = Int::NEG_ONE;
            rows.push(u);
        }
        let b = Budget::unlimited();
        let g = generators(8, &[], &rows, 1000, &b).unwrap();
        assert_eq!((g.rays.len(), g.kept.len()), (128, 0));
        let g = generators(8, &[], &rows, 40, &b).unwrap();
        assert!(g.rays.len() <= 40 && !g.kept.is_empty());
    }

    #[test]
    fn lines_stay_lines() {
        // x = y, t >= 0, z free.
        let g = generators(4, &[r(&[0, 1, -1, 0])], &[r(&[1, 0, 0, 0])], 10, &Budget::unlimited()).unwrap();
        assert_eq!((g.lines.len(), g.rays.len()), (2, 1));
        assert!(g.lines.iter().all(|l| l[0].is_zero() && l[1] == l[2]));
    }
}
