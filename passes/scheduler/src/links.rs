//! Custom constraints: which of them concern a component, and which statements they tie together.

use std::collections::BTreeMap;
use tilia_strategy::{DimConfig, LinearConstraint, Unknown};

/// The statement of an unknown.
fn stmt_of(u: &Unknown) -> Option<usize> {
    match u {
        Unknown::Iterator(s, _) | Unknown::Parameter(s, _) | Unknown::Constant(s) => Some(s.0 as usize),
        Unknown::BoundFactor(_) | Unknown::Bound | Unknown::User(_) => None,
    }
}

/// The statements that a constraint names.
fn stmts_of(c: &LinearConstraint) -> Vec<usize> {
    c.terms.iter().filter_map(|(u, _)| stmt_of(u)).collect()
}

/// Pairs of statements that share a constraint, or a user variable of several constraints: they must be scheduled together.
pub(crate) fn links(config: &DimConfig) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut user: BTreeMap<&str, usize> = BTreeMap::new();
    let all = config
        .constraints
        .iter()
        .chain(config.alternatives.iter().flat_map(|a| &a.constraints));
    for c in all {
        let stmts = stmts_of(c);
        out.extend(stmts.windows(2).map(|w| (w[0], w[1])));
        let Some(&first) = stmts.first() else { continue };
        for (u, _) in &c.terms {
            if let Unknown::User(name) = u {
                out.push((first, *user.entry(name).or_insert(first)));
            }
        }
    }
    out
}

/// The constraints that speak of statements of the component, or of none.
pub(crate) fn relevant<'a>(constraints: impl IntoIterator<Item = &'a LinearConstraint>, component: &[usize]) -> Vec<LinearConstraint> {
    let meant = |c: &&LinearConstraint| {
        let stmts = stmts_of(c);
        stmts.is_empty() || stmts.iter().any(|s| component.binary_search(s).is_ok())
    };
    constraints.into_iter().filter(meant).cloned().collect()
}
