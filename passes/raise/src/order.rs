//! The order of the source as a schedule tree.

use crate::plan::Node;
use crate::slice::Draft;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tilia_presburger::{Aff, Budget, DimType, PwAff, Set, Space, UnionPwAff, UnionSet};
use tilia_program::{OpId, ValueId};
use tilia_schedule::{Band, Member, Node as TreeNode, ScheduleTree};
use tilia_scop::Stmt;

/// A statement, by number, or a loop around items.
#[derive(Debug)]
pub(crate) enum Item {
    Stmt(usize),
    Loop(ValueId, Vec<Item>),
}

/// Arranges the drafts in the order of the text. Statements are numbered in that order; the second result maps them to drafts.
pub(crate) fn arrange(nodes: &[Node], drafts: &[Draft]) -> (Vec<Item>, Vec<usize>) {
    let mut at: FxHashMap<OpId, Vec<usize>> = FxHashMap::default();
    for (n, d) in drafts.iter().enumerate() {
        at.entry(d.at).or_default().push(n);
    }
    let mut order = Vec::new();
    let items = items(nodes, &at, &mut order);
    (items, order)
}

fn items(nodes: &[Node], at: &FxHashMap<OpId, Vec<usize>>, order: &mut Vec<usize>) -> Vec<Item> {
    let mut out = Vec::new();
    for node in nodes {
        let op = match node {
            Node::Loop(l) => l.op,
            Node::If { op, .. } | Node::Op(op) => *op,
            Node::Opaque(ops) => ops[0],
        };
        for &draft in at.get(&op).into_iter().flatten() {
            out.push(Item::Stmt(order.len()));
            order.push(draft);
        }
        match node {
            Node::Loop(l) => {
                let body = items(&l.body, at, order);
                if !body.is_empty() {
                    out.push(Item::Loop(l.iter, body));
                }
            }
            Node::If { then, otherwise, .. } => {
                out.extend(items(then, at, order));
                out.extend(items(otherwise, at, order));
            }
            Node::Op(_) | Node::Opaque(_) => {}
        }
    }
    out
}

/// The tree: a sequence for each block, a band of one member for each loop.
pub(crate) fn tree(items: &[Item], stmts: &[Stmt]) -> Result<ScheduleTree, tilia_schedule::Error> {
    let domain = UnionSet::from_members(stmts.iter().map(|s| &s.domain))?;
    let (_, root) = sequence(items, stmts)?;
    ScheduleTree::new(domain, root)
}

/// The subtree of a block, and the statements in it.
fn sequence(items: &[Item], stmts: &[Stmt]) -> Result<(Vec<usize>, Arc<TreeNode>), tilia_schedule::Error> {
    let mut all = Vec::new();
    let mut children = Vec::new();
    for item in items {
        let (inside, node) = match item {
            Item::Stmt(n) => (vec![*n], TreeNode::leaf()),
            Item::Loop(iter, body) => {
                let (inside, child) = sequence(body, stmts)?;
                let band = Band::new(vec![member(*iter, &inside, stmts)?]);
                (inside, TreeNode::band(band, child))
            }
        };
        let universes: Vec<Set> = inside.iter().map(|&n| Set::universe(stmts[n].domain.space())).collect();
        let filter = UnionSet::from_members(&universes)?;
        all.extend(inside);
        children.push((filter, node));
    }
    // A list of one needs no filter.
    let node = match children.len() {
        1 => children.remove(0).1,
        _ => TreeNode::sequence(children),
    };
    Ok((all, node))
}

/// The value of a loop's iterator in each statement inside it.
fn member(iter: ValueId, inside: &[usize], stmts: &[Stmt]) -> Result<Member, tilia_schedule::Error> {
    let budget = Budget::default();
    let params = stmts
        .first()
        .map_or_else(|| Space::params_only([]), |s| s.domain.space().to_params());
    let mut func = UnionPwAff::empty(&params);
    for &n in inside {
        let stmt = &stmts[n];
        if let Some(d) = stmt.iters.iter().position(|&v| v == iter) {
            let aff = Aff::var(stmt.domain.space(), DimType::Out, d);
            func = func.add_pw_aff(&PwAff::from_aff(&aff), &budget)?;
        }
    }
    Ok(Member::new(func))
}
