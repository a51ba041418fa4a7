//! Where the model has several answers: the first is taken, unless a choice names another.

use crate::steps::{STAGE, times};
use tilia_diag::{Loc, Remark};
use tilia_model::{CachePlan, CacheTile, MicroTile};

/// Alternatives that are kept for each decision.
pub(crate) const MOST: usize = 8;

/// One decision of [`shape`](crate::shape), with everything that could have been chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Labels of the alternatives, the model's choice first.
    pub alternatives: Vec<String>,
    /// Which one was taken.
    pub taken: usize,
}

/// The decisions made so far, and choices for them: the n-th choice is the label of what the n-th decision takes.
#[derive(Debug, Default)]
pub(crate) struct Decisions<'a> {
    /// `None`: nobody asks, so only the best is worked out.
    pub(crate) choices: Option<&'a [String]>,
    pub(crate) made: Vec<Decision>,
}

impl Decisions<'_> {
    /// How many alternatives the model is asked for.
    pub(crate) fn wanted(&self) -> usize {
        if self.choices.is_some() { MOST } else { 1 }
    }

    /// Takes one of `list`, which isn't empty; a choice that isn't there is told.
    pub(crate) fn take<T>(&mut self, list: Vec<T>, label: impl Fn(&T) -> String, said: &mut Vec<Remark>, loc: &Loc) -> Option<T> {
        let n = self.made.len();
        let mut taken = 0;
        if let Some(choices) = self.choices {
            let alternatives: Vec<String> = list.iter().map(label).collect();
            if let Some(choice) = choices.get(n) {
                match alternatives.iter().position(|a| a == choice) {
                    Some(k) => taken = k,
                    None => said.push(Remark::declined(
                        STAGE,
                        loc.clone(),
                        format!("there is no {choice} here any more; the model's choice is taken"),
                    )),
                }
            }
            self.made.push(Decision { alternatives, taken });
        }
        list.into_iter().nth(taken)
    }
}

/// What a register tile is called.
pub(crate) fn micro_label(m: &MicroTile) -> String {
    let member = |k: Option<usize>| k.map_or_else(|| "none".to_owned(), |k| k.to_string());
    format!(
        "registers {} vector {} inner {}",
        times(&m.sizes),
        member(m.vector),
        member(m.inner)
    )
}

/// What tiles for a cache are called.
pub(crate) fn plan_label(p: &CachePlan) -> String {
    match &p.tile {
        None => "no tiles".to_owned(),
        Some(tile) => {
            let size = |&s: &u64| if s == CacheTile::WHOLE { "all".to_owned() } else { s.to_string() };
            format!("tiles {}", tile.sizes.iter().map(size).collect::<Vec<_>>().join("x"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(x: &&str) -> String {
        (*x).to_owned()
    }

    #[test]
    fn choices_are_taken_by_label_and_missing_ones_are_told() {
        let choices = ["b".to_owned(), "z".to_owned()];
        let mut decisions = Decisions {
            choices: Some(&choices),
            made: Vec::new(),
        };
        let mut said = Vec::new();
        assert_eq!(decisions.take(vec!["a", "b"], label, &mut said, &Loc::unknown()), Some("b"));
        assert_eq!(decisions.take(vec!["c", "d"], label, &mut said, &Loc::unknown()), Some("c"));
        assert_eq!(decisions.take(vec!["e", "f"], label, &mut said, &Loc::unknown()), Some("e"));
        assert_eq!(said.len(), 1);
        let taken: Vec<usize> = decisions.made.iter().map(|d| d.taken).collect();
        assert_eq!(taken, [1, 0, 0]);
    }

    #[test]
    fn without_choices_nothing_is_noted() {
        let mut decisions = Decisions::default();
        assert_eq!(decisions.take(vec!["a"], label, &mut Vec::new(), &Loc::unknown()), Some("a"));
        assert!(decisions.made.is_empty());
        assert_eq!(decisions.wanted(), 1);
    }
}
