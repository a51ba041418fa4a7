//! That a tree keeps the order of conflicting pairs, and that its claims about them are true.

use crate::conflict::{Conflict, member_values, related};
use crate::values::{self, unmovable};
use crate::violation::{Violation, ViolationKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use tilia_presburger::{Budget, Map, Result, Space, Tuple, UnionSet};
use tilia_schedule::{Band, Node, NodeKind, Path};
use tilia_scop::{ArrayId, Scop};

/// How the values of two instances compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Compare {
    /// The first is greater.
    Greater,
    Different,
    Equal,
}

/// Orders of single values, as relations.
pub(crate) struct Values {
    greater: Map,
    different: Map,
    equal: Map,
}

impl Values {
    pub(crate) fn new() -> Result<Values> {
        let space = Space::set([], Tuple::anonymous(1));
        let greater = Map::lex_gt(&space);
        Ok(Values {
            different: greater.union(&Map::lex_lt(&space))?,
            greater,
            equal: Map::identity(&space)?,
        })
    }

    fn relation(&self, how: Compare) -> &Map {
        match how {
            Compare::Greater => &self.greater,
            Compare::Different => &self.different,
            Compare::Equal => &self.equal,
        }
    }
}

/// Relations between instances of two statements by members of one band, computed when first asked for. `None`: a member has no value for one of them.
type Known = FxHashMap<(usize, usize, usize, Compare), Option<Map>>;

/// Flow by array and pair of statements.
type Staying = BTreeMap<ArrayId, BTreeMap<(usize, usize), Map>>;

/// What the checks need everywhere.
pub(crate) struct Checker<'a> {
    pub(crate) scop: &'a Scop,
    pub(crate) budget: &'a Budget,
    pub(crate) values: Values,
    /// Arrays that are judged by the values that pass through them, not by the order of pairs.
    pub(crate) by_value: Vec<values::Values>,
    pub(crate) out: Vec<Violation>,
}

impl Checker<'_> {
    fn report(&mut self, kind: ViolationKind, at: &Path, c: &Conflict, pairs: &Map) -> Result<bool> {
        if pairs.plain_is_empty() {
            return Ok(false);
        }
        let Some(point) = pairs.sample_point(self.budget)? else {
            return Ok(false);
        };
        let stmts = (&self.scop.stmts[c.source], &self.scop.stmts[c.target]);
        let array = &self.scop[c.array].name;
        self.out.push(Violation::pair(kind, at, stmts, array, Some(&point)));
        Ok(true)
    }

    /// Pairs of a conflict whose values in member `m` of a band compare so.
    fn by_member(&self, known: &mut Known, c: &Conflict, band: &Band, m: usize, how: Compare) -> Result<Map> {
        let key = (c.source, c.target, m, how);
        if let Entry::Vacant(entry) = known.entry(key) {
            let func = |n: usize| band.members[m].func.extract(self.scop.stmts[n].domain.space());
            let relation = match (func(c.source), func(c.target)) {
                (Some(f), Some(g)) => Some(related(&member_values(f)?, self.values.relation(how), &member_values(g)?)?),
                _ => None,
            };
            entry.insert(relation);
        }
        match &known[&key] {
            Some(relation) => c.pairs.intersect(relation),
            // A missing value has been reported; nothing is known of the order.
            None => Ok(c.pairs.clone()),
        }
    }

    /// Checks a band, and keeps the pairs that it leaves unordered.
    pub(crate) fn band(&mut self, band: &Band, at: &Path, conflicts: Vec<Conflict>) -> Result<Vec<Conflict>> {
        let mut known = Known::default();
        let mut left = Vec::new();
        let staying = self.staying(&mut known, band, &conflicts)?;
        for c in conflicts {
            if c.is_flow {
                let pairs = staying[&c.array][&(c.source, c.target)].clone();
                left.push(Conflict { pairs, ..c });
                continue;
            }
            let by_value = self.by_value.iter().position(|v| v.array == c.array);
            for (m, member) in band.members.iter().enumerate() {
                if band.permutable && !c.relaxed {
                    let mut bad = self.by_member(&mut known, &c, band, m, Compare::Greater)?;
                    if let (Some(n), false) = (by_value, bad.plain_is_empty()) {
                        let none = BTreeMap::new();
                        let stay = staying.get(&c.array).unwrap_or(&none);
                        bad = unmovable((self.scop, &self.by_value[n]), (c.source, c.target), &bad, stay, self.budget)?;
                    }
                    self.report(ViolationKind::Permutable, at, &c, &bad)?;
                }
                if member.coincident {
                    let bad = self.by_member(&mut known, &c, band, m, Compare::Different)?;
                    self.report(ViolationKind::Coincident, at, &c, &bad)?;
                }
            }
            let mut rest = c;
            for (m, member) in band.members.iter().enumerate() {
                if !rest.relaxed && by_value.is_none() {
                    let bad = self.by_member(&mut known, &rest, band, m, Compare::Greater)?;
                    if self.report(ViolationKind::Order, at, &rest, &bad)? {
                        break;
                    }
                }
                // What lanes keep apart is what one statement accumulates.
                if member.reduces && !member.coincident && !(rest.relaxed && rest.source == rest.target) {
                    let bad = self.by_member(&mut known, &rest, band, m, Compare::Different)?;
                    self.report(ViolationKind::Reduces, at, &rest, &bad)?;
                }
                rest.pairs = self
                    .by_member(&mut known, &rest, band, m, Compare::Equal)?
                    .drop_empty_pieces(self.budget)?;
            }
            if !rest.pairs.plain_is_empty() {
                left.push(rest);
            }
        }
        Ok(left)
    }

    /// The flow through arrays that are judged by values that has one value at both ends in all members of a band.
    fn staying(&self, known: &mut Known, band: &Band, conflicts: &[Conflict]) -> Result<Staying> {
        let mut out = Staying::new();
        for c in conflicts.iter().filter(|c| c.is_flow) {
            let mut rest = c.clone();
            for m in 0..band.members.len() {
                rest.pairs = self.by_member(known, &rest, band, m, Compare::Equal)?;
            }
            let pairs = rest.pairs.drop_empty_pieces(self.budget)?;
            out.entry(c.array).or_default().insert((c.source, c.target), pairs);
        }
        Ok(out)
    }

    /// The pairs of a conflict with source in one filter and target in another.
    fn between(&self, c: &Conflict, source: &UnionSet, target: &UnionSet) -> Result<Option<Conflict>> {
        let space = |n: usize| self.scop.stmts[n].domain.space();
        let (Some(s), Some(t)) = (source.find(space(c.source)), target.find(space(c.target))) else {
            return Ok(None);
        };
        if s.plain_is_universe() && t.plain_is_universe() {
            return Ok(Some(c.clone()));
        }
        let pairs = c.pairs.intersect_domain(s)?.intersect_range(t)?.drop_empty_pieces(self.budget)?;
        Ok((!pairs.plain_is_empty()).then(|| Conflict { pairs, ..c.clone() }))
    }

    /// Checks the order among the children of a sequence or set; for each child the pairs within it.
    pub(crate) fn children(&mut self, node: &Node, at: &Path, conflicts: &[Conflict]) -> Result<Vec<Vec<Conflict>>> {
        let filters: Vec<&UnionSet> = node
            .children()
            .iter()
            .filter_map(|c| if let NodeKind::Filter(f) = c.kind() { Some(f) } else { None })
            .collect();
        let ordered = matches!(node.kind(), NodeKind::Sequence);
        // Most statements stand in one child.
        let homes = |stmt: &tilia_scop::Stmt| -> Vec<usize> {
            let has = |f: &UnionSet| f.find(stmt.domain.space()).is_some_and(|s| !s.plain_is_empty());
            (0..filters.len()).filter(|&n| has(filters[n])).collect()
        };
        let homes: Vec<Vec<usize>> = self.scop.stmts.iter().map(homes).collect();
        let mut inside = vec![Vec::new(); filters.len()];
        for c in conflicts {
            for &i in &homes[c.source] {
                for &j in &homes[c.target] {
                    if ordered && (i < j || c.relaxed && i != j) {
                        continue;
                    }
                    let Some(pairs) = self.between(c, filters[i], filters[j])? else {
                        continue;
                    };
                    if i == j {
                        inside[i].push(pairs);
                    } else if !(c.is_flow || ordered && self.by_value.iter().any(|v| v.array == c.array)) {
                        self.report(ViolationKind::Order, at, &pairs, &pairs.pairs)?;
                    }
                }
            }
        }
        Ok(inside)
    }

    /// At a leaf nothing more is ordered.
    pub(crate) fn leaf(&mut self, at: &Path, conflicts: &[Conflict]) -> Result<()> {
        for c in conflicts.iter().filter(|c| !c.is_flow) {
            self.report(ViolationKind::Order, at, c, &c.pairs)?;
        }
        Ok(())
    }
}
