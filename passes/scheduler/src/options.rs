//! What the caller may set beside the strategy.

use crate::program::Bounds;
use tilia_presburger::Int;
use tilia_strategy::{DimOptions, Options as StrategyOptions, TargetInfo};

/// Options of the caller.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What is known of the machine.
    pub target: TargetInfo,
}

const COEFFICIENT_MAX: i64 = 32;
const CONSTANT_MAX: i64 = 4096;
const NEGATIVE_BOUND: i64 = 4;

/// The limits of coefficients that hold at a dimension.
pub(crate) fn bounds(global: &StrategyOptions, here: Option<&DimOptions>) -> Bounds {
    let int = |here: Option<i64>, global: Option<i64>, default: i64| Int::from(here.or(global).unwrap_or(default).max(1));
    let negative = here.and_then(|o| o.negative_coefficients).unwrap_or(global.negative_coefficients);
    Bounds {
        coefficient: int(here.and_then(|o| o.coeff_max), global.coeff_max, COEFFICIENT_MAX),
        constant: int(here.and_then(|o| o.const_max), global.const_max, CONSTANT_MAX),
        negative: negative.then(|| int(None, global.coefficient_bound, NEGATIVE_BOUND)),
        parametric: here.and_then(|o| o.parametric_shift).unwrap_or(global.parametric_shift),
    }
}
