//! From names to positions in a tree.

use super::Target;
use crate::chain::{Chain, chains, loop_name};
use tilia_presburger::{Id, Space};
use tilia_schedule::{NodeKind, Path, ScheduleTree};

/// Consecutive members of a chain.
pub(super) struct Selected {
    pub(super) chain: Chain,
    pub(super) first: usize,
    /// For each of the target's loops, its number counted from `first`.
    pub(super) members: Vec<usize>,
}

/// Finds the target's loops. With `in_order` they must stand right inside each other in the order given; else the selection spans all of them, in any order.
pub(super) fn loops(tree: &ScheduleTree, target: &Target, in_order: bool) -> Result<Selected, String> {
    let mut found: Vec<Selected> = Vec::new();
    let stmt = match &target.stmt {
        Some(name) => Some(space_of(tree, name)?),
        None => None,
    };
    for chain in chains(tree) {
        if target.below.as_ref().is_some_and(|m| !below_mark(tree, &chain, m)) || !around(&chain, stmt.as_ref()) {
            continue;
        }
        if let Some(at) = &target.at {
            let inside = (0..chain.members.len()).any(|m| chain.band_of(m) == *at);
            if !inside {
                continue;
            }
        }
        found.extend(matches(&chain, target, stmt.as_ref(), in_order));
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(format!(
            "there are no such loops{}; {}",
            where_text(target, in_order),
            listing(tree)
        )),
        n => {
            let places: Vec<String> = found.iter().map(|s| s.chain.band_of(s.first).to_string()).collect();
            Err(format!(
                "{n} places have loops {}: say which by \"stmt\" or by \"at\" ({})",
                target.loops.join(", "),
                places.join(", ")
            ))
        }
    }
}

fn where_text(target: &Target, in_order: bool) -> String {
    let mut text = if in_order && target.loops.len() > 1 {
        " right inside each other, in this order".to_owned()
    } else {
        String::new()
    };
    if let Some(s) = &target.stmt {
        text.push_str(&format!(" around {s}"));
    }
    if let Some(p) = &target.at {
        text.push_str(&format!(" at {p}"));
    }
    if let Some(m) = &target.below {
        text.push_str(&format!(" right below a mark \"{m}\""));
    }
    text
}

/// What loops there are.
fn listing(tree: &ScheduleTree) -> String {
    let mut out = Vec::new();
    for chain in chains(tree) {
        let names: Vec<String> = chain
            .members
            .iter()
            .map(|m| loop_name(m, None).unwrap_or_else(|| "(no name)".to_owned()))
            .collect();
        let stmts: Vec<String> = chain.members[0]
            .func
            .pw_affs()
            .iter()
            .filter_map(|f| f.domain_space().out().name.as_ref().map(ToString::to_string))
            .collect();
        out.push(format!("{} at {} around {}", names.join(", "), chain.at, stmts.join(", ")));
    }
    if out.is_empty() {
        "there are no loops".to_owned()
    } else {
        format!("there are {}", out.join("; "))
    }
}

fn space_of(tree: &ScheduleTree, name: &str) -> Result<Space, String> {
    let domain = tree.domain().ok_or("the tree has no domain")?;
    let found = domain
        .sets()
        .iter()
        .find(|s| s.space().out().name.as_ref().is_some_and(|n| n.as_str() == name));
    found.map(|s| s.space().clone()).ok_or_else(|| {
        let all: Vec<String> = domain
            .sets()
            .iter()
            .filter_map(|s| s.space().out().name.as_ref().map(Id::to_string))
            .collect();
        format!("there is no statement {name}; there are {}", all.join(", "))
    })
}

fn below_mark(tree: &ScheduleTree, chain: &Chain, mark: &str) -> bool {
    let above = chain.at.parent().and_then(|p| tree.node(&p));
    matches!(above.map(|n| n.kind()), Some(NodeKind::Mark(m)) if m.as_str() == mark)
}

fn around(chain: &Chain, stmt: Option<&Space>) -> bool {
    stmt.is_none_or(|s| chain.members.iter().all(|m| m.func.extract(s).is_some()))
}

/// Is that the loop's name?
fn has_name(chain: &Chain, member: usize, stmt: Option<&Space>, name: &str) -> bool {
    let m = &chain.members[member];
    if m.name.is_some() || stmt.is_some() {
        return loop_name(m, stmt).as_deref() == Some(name);
    }
    // Without a statement, the iterator of any statement will do.
    m.func
        .pw_affs()
        .iter()
        .any(|f| loop_name(m, Some(f.domain_space())).as_deref() == Some(name))
}

fn matches(chain: &Chain, target: &Target, stmt: Option<&Space>, in_order: bool) -> Vec<Selected> {
    let (n, wanted) = (chain.members.len(), &target.loops);
    let mut out = Vec::new();
    if in_order {
        for first in 0..(n + 1).saturating_sub(wanted.len()) {
            if wanted.iter().enumerate().all(|(k, w)| has_name(chain, first + k, stmt, w)) {
                out.push(Selected {
                    chain: chain.clone(),
                    first,
                    members: (0..wanted.len()).collect(),
                });
            }
        }
        return out;
    }
    let at: Option<Vec<usize>> = wanted.iter().map(|w| (0..n).find(|&m| has_name(chain, m, stmt, w))).collect();
    if let Some(at) = at
        && let Some(first) = at.iter().min().copied()
    {
        out.push(Selected {
            chain: chain.clone(),
            first,
            members: at.iter().map(|m| m - first).collect(),
        });
    }
    out
}

/// The sequence that keeps the target's statements apart, nearest the root, and the children they are in.
pub(super) fn sequence(tree: &ScheduleTree, target: &Target) -> Result<(Path, Vec<usize>), String> {
    for name in &target.stmts {
        space_of(tree, name)?;
    }
    for at in tree.paths() {
        let Some(node) = tree.node(&at).filter(|n| n.is_list()) else {
            continue;
        };
        if target.at.as_ref().is_some_and(|p| *p != at) {
            continue;
        }
        let child_of = |name: &String| {
            let found: Vec<usize> = (0..node.children().len())
                .filter(|&i| match node.children()[i].kind() {
                    NodeKind::Filter(f) => f
                        .sets()
                        .iter()
                        .any(|s| s.space().out().name.as_ref().is_some_and(|n| n.as_str() == name) && !s.plain_is_empty()),
                    _ => false,
                })
                .collect();
            if let [one] = found[..] { Some(one) } else { None }
        };
        let children: Option<Vec<usize>> = target.stmts.iter().map(child_of).collect();
        if let Some(children) = children {
            let mut apart = children.clone();
            apart.sort_unstable();
            apart.dedup();
            if apart.len() == children.len() {
                return Ok((at, children));
            }
        }
    }
    Err(format!("no sequence keeps {} apart", target.stmts.join(", ")))
}
