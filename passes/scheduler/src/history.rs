//! Choices among alternatives that may have to be taken back (constraint injection).

use crate::state::State;
use std::collections::BTreeMap;

/// More steps back than this aren't made.
const MAX_STEPS_BACK: usize = 256;

/// An alternative that was taken.
#[derive(Debug, Clone)]
struct Choice {
    /// The state at the start of the dimension.
    before: State,
    component: Vec<usize>,
    taken: usize,
}

/// The choices so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    choices: Vec<Choice>,
    /// For a dimension and the first statement of a component, the first alternative that hasn't failed.
    first: BTreeMap<(usize, usize), usize>,
    steps_back: usize,
}

impl History {
    /// The first alternative of a component that may be tried.
    pub(crate) fn first_alternative(&self, dim: usize, component: &[usize]) -> usize {
        let key = (dim, component.first().copied().unwrap_or(0));
        self.first.get(&key).copied().unwrap_or(0)
    }

    /// An alternative was taken for the component.
    pub(crate) fn taken(&mut self, before: &State, component: &[usize], alternative: usize) {
        self.choices.push(Choice {
            before: before.clone(),
            component: component.to_vec(),
            taken: alternative,
        });
    }

    /// Is there a choice for some of these statements that may be taken back?
    pub(crate) fn can_go_back(&self, stmts: &[usize]) -> bool {
        self.steps_back < MAX_STEPS_BACK && self.choices.iter().any(|c| c.component.iter().any(|s| stmts.contains(s)))
    }

    /// The state before the last choice for some of these statements, which isn't made again.
    pub(crate) fn back(&mut self, stmts: &[usize]) -> Option<State> {
        let concerns = |c: &Choice| c.component.iter().any(|s| stmts.contains(s));
        let at = self.choices.iter().rposition(concerns)?;
        let choice = self.choices.swap_remove(at);
        let dim = choice.before.dim;
        self.choices.retain(|c| c.before.dim < dim);
        self.first.retain(|(d, _), _| *d <= dim);
        let key = (dim, choice.component.first().copied().unwrap_or(0));
        self.first.insert(key, choice.taken + 1);
        self.steps_back += 1;
        Some(choice.before)
    }
}
