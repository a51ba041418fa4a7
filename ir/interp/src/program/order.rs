//! Iteration orders made from a seed.

/// A permutation of `0..n`: `k` goes to `(a k + b) mod n` with `a` coprime to `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Permutation {
    n: u64,
    a: u64,
    b: u64,
}

impl Permutation {
    /// Ascending order.
    pub(crate) fn ascending(n: u64) -> Self {
        Self { n, a: 1, b: 0 }
    }

    /// A permutation of `0..n` made from `random`.
    pub(crate) fn random(n: u64, random: &mut SplitMix) -> Self {
        if n < 2 {
            return Self::ascending(n);
        }
        let b = random.next() % n;
        // A coprime number turns up soon: there is one among any few dozen neighbours.
        let start = 1 + random.next() % (n - 1);
        let a = (start..n).chain(1..start).find(|&a| gcd(a, n) == 1).unwrap_or(1);
        Self { n, a, b }
    }

    /// Where `k` goes.
    pub(crate) fn get(self, k: u64) -> u64 {
        let (n, a, b) = (u128::from(self.n.max(1)), u128::from(self.a), u128::from(self.b));
        u64::try_from((a * u128::from(k) + b) % n).unwrap_or(k)
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Steele, Lea and Flood's SplitMix64: a small generator of well-mixed numbers.
#[derive(Debug, Clone)]
pub(crate) struct SplitMix(u64);

impl SplitMix {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations() {
        let mut random = SplitMix::new(7);
        let mut moved = 0;
        for n in 0..60 {
            let p = Permutation::random(n, &mut random);
            let mut image: Vec<_> = (0..n).map(|k| p.get(k)).collect();
            moved += usize::from(image.iter().copied().ne(0..n));
            image.sort_unstable();
            assert!(image.into_iter().eq(0..n), "{p:?}");
        }
        assert!(moved > 40, "most orders differ from the ascending one: {moved}");
        let huge = Permutation::random(u64::MAX, &mut random);
        assert!(huge.get(u64::MAX - 1) < u64::MAX);
    }
}
