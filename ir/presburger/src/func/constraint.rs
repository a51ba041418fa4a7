//! Constraints as expressions compared with zero.

use crate::func::Aff;

/// `aff >= 0` or `aff = 0`.
///
/// For a constraint of a map the expression lives in the *wrapped* set space: its dimensions are the input dimensions followed
/// by the output dimensions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constraint {
    aff: Aff,
    is_equality: bool,
}

impl Constraint {
    /// `aff >= 0`.
    pub fn ineq(aff: Aff) -> Constraint {
        Constraint { aff, is_equality: false }
    }

    /// `aff = 0`.
    pub fn eq(aff: Aff) -> Constraint {
        Constraint { aff, is_equality: true }
    }

    /// The expression compared with zero.
    pub fn aff(&self) -> &Aff {
        &self.aff
    }

    /// The same comparison of another expression.
    #[must_use]
    pub fn with_aff(&self, aff: Aff) -> Constraint {
        Constraint {
            aff,
            is_equality: self.is_equality,
        }
    }

    /// Is this an equality?
    pub fn is_equality(&self) -> bool {
        self.is_equality
    }
}
