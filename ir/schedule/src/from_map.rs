//! Trees from relations between instances and schedule values: the inverse of flattening.
//!
//! Dimension by dimension: where every instance has a constant, the constants order children of a sequence; a run of dimensions in which some statement varies is a band (flags unset, since a relation promises
//! nothing). A statement with several formulas is split by filters where constants differ. Zeros at the end, which flattening pads with, vanish.

use crate::{Band, Error, Member, Node, Path, ScheduleTree};
use std::collections::BTreeMap;
use std::sync::Arc;
use tilia_presburger::{Aff, Budget, Int, PwAff, Set, Space, UnionMap, UnionPwAff, UnionSet};

/// Instances of one statement that share a formula.
#[derive(Clone)]
struct Part {
    domain: Set,
    values: Vec<Aff>,
    /// All instances of the statement that reach here are in this part.
    alone: bool,
}

impl ScheduleTree {
    /// A tree that orders the instances by their values, lexicographically. Statements with fewer values than others are padded with zeros.
    ///
    /// # Errors
    /// When an instance has several values, or none that an expression could give; or the sets library gives up.
    pub fn from_union_map(map: &UnionMap, b: &Budget) -> Result<ScheduleTree, Error> {
        let mut parts: Vec<Part> = Vec::new();
        for m in map.maps() {
            if !m.is_single_valued(b)? {
                let message = format!("an instance has several values in {m}");
                return Err(Error::refused("from_union_map", &Path::root(), message));
            }
            let all = m.lexmin_pw_multi_aff(b)?;
            for (domain, values) in all.pieces() {
                parts.push(Part {
                    domain: domain.clone(),
                    values: values.affs().to_vec(),
                    alone: false,
                });
            }
        }
        let depth = parts.iter().map(|p| p.values.len()).max().unwrap_or(0);
        for p in &mut parts {
            let zero = Aff::constant(p.domain.space(), Int::ZERO);
            p.values.resize(depth, zero);
        }
        let domain = UnionSet::from_members(parts.iter().map(|p| &p.domain))?;
        ScheduleTree::new(domain, build(&mark_alone(parts), 0, b)?)
    }
}

/// Notes which statements have one formula only.
fn mark_alone(parts: Vec<Part>) -> Vec<Part> {
    let spaces: Vec<Space> = parts.iter().map(|p| p.domain.space().clone()).collect();
    let count = |s: &Space| spaces.iter().filter(|o| o.same_tuples(s)).count();
    let alone: Vec<bool> = spaces.iter().map(|s| count(s) == 1).collect();
    parts.into_iter().zip(alone).map(|(p, alone)| Part { alone, ..p }).collect()
}

fn build(parts: &[Part], d: usize, b: &Budget) -> Result<Arc<Node>, Error> {
    let Some(depth) = parts.first().map(|p| p.values.len()) else {
        return Ok(Node::leaf());
    };
    if d == depth {
        return Ok(Node::leaf());
    }
    if !constant(parts, d) {
        let end = (d..depth).find(|&k| constant(parts, k)).unwrap_or(depth);
        let members = (d..end).map(|k| member(parts, k, b)).collect::<Result<_, _>>()?;
        return Ok(Node::band(Band::new(members), build(parts, end, b)?));
    }
    let mut groups: BTreeMap<Int, Vec<Part>> = BTreeMap::new();
    for p in parts {
        groups.entry(p.values[d].constant_term().clone()).or_default().push(p.clone());
    }
    if groups.len() == 1 {
        return build(parts, d + 1, b);
    }
    let mut children = Vec::new();
    for group in groups.into_values() {
        let own: Vec<Set> = group
            .iter()
            .map(|p| {
                if p.alone {
                    Set::universe(p.domain.space())
                } else {
                    p.domain.clone()
                }
            })
            .collect();
        children.push((UnionSet::from_members(&own)?, build(&mark_alone(group), d + 1, b)?));
    }
    Ok(Node::sequence(children))
}

fn constant(parts: &[Part], d: usize) -> bool {
    parts.iter().all(|p| p.values[d].is_constant())
}

fn member(parts: &[Part], d: usize, b: &Budget) -> Result<Member, Error> {
    let params = parts.iter().fold(Space::params_only([]), |s, p| s.align_params(p.domain.space()));
    let mut func = UnionPwAff::empty(&params);
    for p in parts {
        let value = if p.alone {
            PwAff::from_aff(&p.values[d])
        } else {
            PwAff::alloc(&p.domain, &p.values[d])?
        };
        func = func.add_pw_aff(&value, b)?;
    }
    Ok(Member::new(func))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(text: &str) -> ScheduleTree {
        let b = Budget::default();
        let map: UnionMap = text.parse().unwrap_or_else(|e| panic!("{e}"));
        let tree = ScheduleTree::from_union_map(&map, &b).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(tree.verify(&b), Ok(Vec::new()), "{tree}");
        tree
    }

    #[test]
    fn worked_answers() {
        let b = Budget::default();
        for text in [
            "{ A[i] -> [0, i, 0] : 0 <= i < 9; B[i, j] -> [1, i, j] : 0 <= i < 9 and 0 <= j < 9 }",
            "{ A[i] -> [i, 0] : 0 <= i < 9; B[i] -> [i, 1] : 0 <= i < 9 }",
            "[n] -> { A[i] -> [floor(i/4), i mod 4] : 0 <= i < n }",
            "{ A[i] -> [2i] : 0 <= i < 5; A[i] -> [19 - 2i] : 5 <= i < 9 }",
            "{ A[i] -> [0, i] : 0 <= i < 5; A[i] -> [2, -i] : 5 <= i < 9; B[] -> [1, 0] }",
        ] {
            let back = round_trip(text).to_union_map(&b);
            let again = back
                .and_then(|m| ScheduleTree::from_union_map(&m, &b))
                .and_then(|t| t.to_union_map(&b));
            let first = round_trip(text).to_union_map(&b);
            match (first, again) {
                (Ok(x), Ok(y)) => assert_eq!(x.is_equal(&y, &b), Ok(true), "{text}: {x} and {y}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn sequences_where_constants_differ() {
        let tree = round_trip("{ A[i] -> [0, i, 0] : 0 <= i < 9; B[i, j] -> [1, i, j] : 0 <= i < 9 and 0 <= j < 9 }");
        let top = tree.root().child().map(|n| (n.kind().name(), n.children().len()));
        assert_eq!(top, Some(("sequence", 2)));
        let bands: Vec<usize> = tree.paths().iter().filter_map(|p| Some(tree.node(p)?.as_band()?.len())).collect();
        assert_eq!(bands, [1, 2]);
    }

    #[test]
    fn several_values_are_refused() {
        let map = "{ A[i] -> [j] : 0 <= i, j < 3 }".parse::<UnionMap>();
        let error = map
            .map_err(Error::from)
            .and_then(|m| ScheduleTree::from_union_map(&m, &Budget::default()));
        assert!(error.is_err_and(|e| e.to_string().contains("several values")));
    }
}
