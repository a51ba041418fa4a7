//! A configuration file as a strategy.

use crate::shape::{check_directives, check_partition};
use crate::strategy::expand_all;
use crate::{
    Alternative, Candidate, Config, CostFunction, DimAlternative, DimConfig, Globals, Objective, ProgramShape, Strategy, StrategyError,
    Verdict, View, When,
};

/// Answers from a [`Config`], by the number of the dimension and the conditions of its entries.
#[derive(Debug, Clone)]
pub struct StaticStrategy {
    name: String,
    config: Config,
    /// For scops that the configuration isn't for.
    general: Config,
}

impl StaticStrategy {
    /// A strategy that does what the file says.
    #[must_use]
    pub fn new(name: impl Into<String>, config: Config) -> Self {
        let general = config.without_numbers();
        Self {
            name: name.into(),
            config,
            general,
        }
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What counts for a scop.
    fn of(&self, scop: &str) -> &Config {
        if self.config.is_for(scop) { &self.config } else { &self.general }
    }

    /// Entries for the dimension, best first: the more specific, then the earlier.
    fn entries(&self, view: &View<'_>) -> Vec<&Objective> {
        let last = view.is_last();
        let mut entries: Vec<&Objective> = self
            .of(view.scop)
            .objectives
            .iter()
            .filter(|o| o.dimension.matches(view.dim, last))
            .filter(|o| match o.when {
                When::Always | When::ParallelPossible => true,
                When::NoParallelYet => !view.has_parallel_row(),
                When::BandStart => view.is_band_start(),
            })
            .collect();
        entries.sort_by_key(|o| std::cmp::Reverse(o.dimension.specificity()));
        entries
    }

    /// What an entry (or none) asks for, with all constraints that match.
    fn answer(&self, entry: Option<&Objective>, view: &View<'_>) -> Result<DimConfig, StrategyError> {
        let shape = view.shape();
        let last = view.is_last();
        let config = self.of(view.scop);
        let fusion = config.fusion.iter().filter(|f| f.dimension.matches(view.dim, last)).max_by(|a, b| {
            a.dimension
                .specificity()
                .cmp(&b.dimension.specificity())
                .then(std::cmp::Ordering::Greater)
        });
        let mut constraints = Vec::new();
        for group in config.constraints.iter().filter(|g| g.dimension.matches(view.dim, last)) {
            constraints.extend(expand_all(&group.constraints, &shape)?);
        }
        let mut alternatives = Vec::new();
        for a in self.alternatives(entry, view) {
            let constraints = expand_all(&a.constraints, &shape)?;
            alternatives.push(DimAlternative {
                cost: a.cost.clone(),
                constraints,
            });
        }
        Ok(DimConfig {
            cost: entry.map_or_else(|| vec![CostFunction::Proximity], |o| o.cost.clone()),
            constraints,
            new_variables: config.new_variables.clone(),
            partition: fusion.map(|f| f.partition.clone()),
            options: None,
            on_infeasible: config.options.on_infeasible,
            alternatives,
        })
    }

    /// The alternatives of a dimension: those under the alternative taken at the dimension before, else the entry's own.
    fn alternatives<'a>(&'a self, entry: Option<&'a Objective>, view: &View<'_>) -> &'a [Alternative] {
        let taken = view.rows.iter().rev().take_while(|r| r.alternative.is_some()).count();
        for start in view.rows.len() - taken..view.rows.len() {
            // The tree that was entered at row `start` belongs to an entry that matched there.
            let roots = self
                .of(view.scop)
                .objectives
                .iter()
                .filter(|o| !o.alternatives.is_empty() && o.dimension.matches(start, false));
            for root in roots {
                let mut level: &[Alternative] = &root.alternatives;
                let mut inside = true;
                for row in &view.rows[start..] {
                    match row.alternative.and_then(|n| level.get(n)) {
                        Some(node) => level = &node.then,
                        None => inside = false,
                    }
                }
                if inside && !level.is_empty() {
                    return level;
                }
            }
        }
        entry.map_or(&[], |o| &o.alternatives)
    }

    /// Checks numbers of statements, iterators and parameters against a program.
    ///
    /// # Errors
    /// All that don't exist (`E201`, `E202`), in the file's order.
    pub fn check(&self, scop: &str, shape: &ProgramShape) -> Result<(), Vec<StrategyError>> {
        let mut errors = Vec::new();
        let config = self.of(scop);
        let groups = config.constraints.iter().flat_map(|g| &g.constraints);
        for c in groups {
            errors.extend(c.expand(shape).err());
        }
        for o in &config.objectives {
            check_alternatives(&o.alternatives, shape, &mut errors);
        }
        for f in &config.fusion {
            check_partition(&f.partition, &f.place, shape, &mut errors);
        }
        check_directives(&config.directives, shape, &mut errors);
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

fn check_alternatives(list: &[Alternative], shape: &ProgramShape, errors: &mut Vec<StrategyError>) {
    for a in list {
        for c in &a.constraints {
            errors.extend(c.expand(shape).err());
        }
        check_alternatives(&a.then, shape, errors);
    }
}

impl Strategy for StaticStrategy {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, view: &View<'_>) -> Result<Globals, StrategyError> {
        self.check(view.scop, &view.shape()).map_err(|mut e| e.remove(0))?;
        let config = self.of(view.scop);
        Ok(Globals {
            original_order: config.original_order,
            directives: config.directives.clone(),
            auto_vectorization: config.auto_vectorization,
            options: config.options.clone(),
            post_processing: config.post_processing.clone(),
        })
    }

    fn configure(&mut self, view: &View<'_>) -> Result<DimConfig, StrategyError> {
        let entries = self.entries(view);
        self.answer(entries.first().copied(), view)
    }

    fn accept(&mut self, view: &View<'_>, candidate: &Candidate<'_>) -> Result<Verdict, StrategyError> {
        if candidate.parallel || view.band_has_parallel_row() {
            return Ok(Verdict::Keep);
        }
        // The entry that found the candidate is the first with its objectives: entries before it were rejected at this dimension.
        let entries = self.entries(view);
        let Some(used) = entries.iter().position(|o| o.cost == candidate.cost) else {
            return Ok(Verdict::Keep);
        };
        if entries[used].when != When::ParallelPossible {
            return Ok(Verdict::Keep);
        }
        let next = entries[used + 1..].iter().copied().find(|o| o.cost != entries[used].cost);
        match next {
            Some(o) => Ok(Verdict::Retry(Box::new(self.answer(Some(o), view)?))),
            None => Ok(Verdict::Keep),
        }
    }
}
