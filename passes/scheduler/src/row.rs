//! Scheduling rows: one affine function of a statement's instances.

use std::fmt::Write;
use tilia_presburger::{Aff, DimType, Int, Space};

/// `iters . it + params . N + constant` for one statement: what the specification writes `T^it`, `T^N`, `T^1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Row {
    /// One coefficient for each iterator, outermost first.
    pub iters: Vec<Int>,
    /// One coefficient for each parameter.
    pub params: Vec<Int>,
    /// The constant.
    pub constant: Int,
}

impl Row {
    /// The same constant for all instances.
    #[must_use]
    pub fn scalar(iters: usize, params: usize, value: Int) -> Row {
        Row {
            iters: vec![Int::ZERO; iters],
            params: vec![Int::ZERO; params],
            constant: value,
        }
    }

    /// Does it give all instances one value?
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        self.iters.iter().all(Int::is_zero)
    }

    /// The row as a function on the statement's space, whose parameters are in the row's order.
    ///
    /// # Errors
    /// When the space has fewer parameters or dimensions than the row.
    pub fn to_aff(&self, space: &Space) -> tilia_presburger::Result<Aff> {
        let mut aff = Aff::constant(space, self.constant.clone());
        for (q, c) in self.params.iter().enumerate().filter(|(_, c)| !c.is_zero()) {
            aff = aff.add(&Aff::var(space, DimType::Param, q).scale(c))?;
        }
        for (k, c) in self.iters.iter().enumerate().filter(|(_, c)| !c.is_zero()) {
            aff = aff.add(&Aff::var(space, DimType::Out, k).scale(c))?;
        }
        Ok(aff)
    }

    /// Text with these names, `2t+i-1`.
    #[must_use]
    pub fn display(&self, iters: &[String], params: &[String]) -> String {
        let mut out = String::new();
        let terms = self.iters.iter().zip(iters).chain(self.params.iter().zip(params));
        for (c, name) in terms.filter(|(c, _)| !c.is_zero()) {
            let sign = if c.is_neg() {
                "-"
            } else if out.is_empty() {
                ""
            } else {
                "+"
            };
            let size = c.abs();
            let factor = if size.is_one() { String::new() } else { size.to_string() };
            // Writing to a string can't fail.
            let _ = write!(out, "{sign}{factor}{name}");
        }
        if out.is_empty() {
            return self.constant.to_string();
        }
        if !self.constant.is_zero() {
            let plus = if self.constant.is_neg() { "" } else { "+" };
            let _ = write!(out, "{plus}{}", self.constant);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text() {
        let names = |l: &[&str]| l.iter().map(ToString::to_string).collect::<Vec<_>>();
        let row = |i: &[i64], c: i64| Row {
            iters: i.iter().map(|&x| Int::from(x)).collect(),
            params: vec![Int::ZERO],
            constant: Int::from(c),
        };
        let show = |r: Row| r.display(&names(&["t", "i"]), &names(&["n"]));
        assert_eq!(show(row(&[2, 1], 1)), "2t+i+1");
        assert_eq!(show(row(&[1, -1], 0)), "t-i");
        assert_eq!(show(row(&[0, -1], -3)), "-i-3");
        assert_eq!(show(row(&[0, 0], 4)), "4");
        let mut shifted = row(&[0, 1], 0);
        shifted.params[0] = Int::from(2);
        assert_eq!(show(shifted), "i+2n");
    }
}
