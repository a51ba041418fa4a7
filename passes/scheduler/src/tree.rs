//! From rows to a schedule tree.
//!
//! Consecutive loop rows of one band become a band node, scalar rows sequences. Statements that nothing orders any more and whose rows don't go together become children of a set.

use crate::edge::Edge;
use crate::error::Result;
use crate::graph;
use crate::model::Model;
use crate::source_order;
use crate::state::{End, State};
use std::collections::BTreeMap;
use std::sync::Arc;
use tilia_presburger::{Budget, Int, PwAff, Set, Space, UnionPwAff, UnionSet};
use tilia_schedule::{Band, Member, Node, SEQUENTIAL, ScheduleTree};
use tilia_scop::Scop;
use tilia_strategy::RowKind;

/// Builds the tree of a finished state.
pub(crate) fn tree(scop: &Scop, model: &Model, state: &State) -> Result<ScheduleTree> {
    let builder = Builder { scop, model, state };
    let all: Vec<usize> = (0..model.stmts.len()).collect();
    let child = builder.node(&all, 0)?;
    let domain = UnionSet::from_members(scop.stmts.iter().map(|s| &s.domain))?;
    ScheduleTree::new(domain, child).map_err(|e| crate::Error::Internal(e.to_string()))
}

struct Builder<'a> {
    scop: &'a Scop,
    model: &'a Model,
    state: &'a State,
}

/// How a statement goes on at a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Loop,
    Scalar,
    Complete,
    Source,
}

impl Builder<'_> {
    fn next(&self, stmt: usize, dim: usize) -> Next {
        match self.state.stmts[stmt].rows.get(dim) {
            Some(p) if p.info.kind == RowKind::Loop => Next::Loop,
            Some(_) => Next::Scalar,
            None if self.state.stmts[stmt].end == Some(End::Source) => Next::Source,
            None => Next::Complete,
        }
    }

    /// The subtree of statements that are ordered up to a dimension.
    fn node(&self, stmts: &[usize], dim: usize) -> Result<Arc<Node>> {
        let parts = self.together(stmts, dim);
        if parts.len() > 1 {
            let mut children = Vec::new();
            for part in &parts {
                children.push((self.filter(part)?, self.node(part, dim)?));
            }
            return Ok(if self.accumulates_across(&parts) {
                Node::sequence(children)
            } else {
                Node::set(children)
            });
        }
        match stmts.first().map(|&s| self.next(s, dim)) {
            None | Some(Next::Complete) => Ok(Node::leaf()),
            Some(Next::Source) => source_order::order_of(&self.scop.schedule, &self.spaces(stmts)),
            Some(Next::Scalar) => self.sequence(stmts, dim),
            Some(Next::Loop) => self.band(stmts, dim),
        }
    }

    /// Statements in parts that go on alike: those that were scheduled together stay together.
    fn together(&self, stmts: &[usize], dim: usize) -> Vec<Vec<usize>> {
        let open = |e: &&Arc<Edge>| !e.relaxed && e.satisfied_at.is_none_or(|at| at >= dim);
        let edges = self.state.edges.iter().filter(open);
        let open = graph::components(stmts, edges.map(|e| (e.source, e.target)));
        // Components whose rows came from one program, or that one partition separates, stay together.
        let mut leader: BTreeMap<*const tilia_strategy::RowInfo, usize> = BTreeMap::new();
        let mut links = Vec::new();
        for part in &open {
            links.extend(part.windows(2).map(|w| (w[0], w[1])));
            for &s in part {
                if let Some(p) = self.state.stmts[s].rows.get(dim) {
                    let first = *leader.entry(Arc::as_ptr(&p.info)).or_insert(s);
                    links.push((first, s));
                }
            }
        }
        graph::components(stmts, links)
    }

    /// Do statements of different parts accumulate in one place? Any order will do then, but there must be one.
    fn accumulates_across(&self, parts: &[Vec<usize>]) -> bool {
        let part = |s: usize| parts.iter().position(|p| p.contains(&s));
        let mut relaxed = self.state.edges.iter().filter(|e| e.relaxed);
        relaxed.any(|e| matches!((part(e.source), part(e.target)), (Some(a), Some(b)) if a != b))
    }

    fn spaces(&self, stmts: &[usize]) -> Vec<Space> {
        stmts.iter().map(|&s| self.scop.stmts[s].domain.space().clone()).collect()
    }

    fn filter(&self, stmts: &[usize]) -> Result<UnionSet> {
        let all: Vec<Set> = self.spaces(stmts).iter().map(Set::universe).collect();
        Ok(UnionSet::from_members(&all)?)
    }

    fn sequence(&self, stmts: &[usize], dim: usize) -> Result<Arc<Node>> {
        let mut groups: BTreeMap<Int, Vec<usize>> = BTreeMap::new();
        for &s in stmts {
            let value = self.state.stmts[s].rows.get(dim).map_or(Int::ZERO, |p| p.row.constant.clone());
            groups.entry(value).or_default().push(s);
        }
        if groups.len() == 1 {
            return self.node(stmts, dim + 1);
        }
        let crossing = self
            .state
            .edges
            .iter()
            .any(|e| e.satisfied_at == Some(dim) && stmts.contains(&e.source));
        let groups: Vec<Vec<usize>> = groups.into_values().collect();
        let mut children = Vec::new();
        for group in &groups {
            children.push((self.filter(group)?, self.node(group, dim + 1)?));
        }
        Ok(if crossing || self.accumulates_across(&groups) {
            Node::sequence(children)
        } else {
            Node::set(children)
        })
    }

    fn band(&self, stmts: &[usize], dim: usize) -> Result<Arc<Node>> {
        let band = |d: usize| {
            let p = self.state.stmts[stmts[0]].rows.get(d)?;
            (p.info.kind == RowKind::Loop).then_some((p.info.band, p.sequential))
        };
        let sequential = self.state.stmts[stmts[0]].rows.get(dim).is_some_and(|p| p.sequential);
        let mut end = dim + 1;
        // A row of the same band continues the node as long as the statements stay together.
        while band(end) == band(dim) && self.together(stmts, end).len() == 1 && stmts.iter().all(|&s| self.next(s, end) == Next::Loop) {
            end += 1;
        }
        let members: Result<Vec<Member>> = (dim..end).map(|d| self.member(stmts, d)).collect();
        let band = Band {
            permutable: true,
            ..Band::new(members?)
        };
        let node = Node::band(band, self.node(stmts, end)?);
        Ok(if sequential { Node::mark(SEQUENTIAL, node) } else { node })
    }

    fn member(&self, stmts: &[usize], dim: usize) -> Result<Member> {
        let b = Budget::unlimited();
        let mut func = UnionPwAff::empty(&self.model.space);
        for &s in stmts {
            let space = self.model.stmts[s].domain.space();
            if let Some(p) = self.state.stmts[s].rows.get(dim) {
                func = func.add_pw_aff(&PwAff::from_aff(&p.row.to_aff(space)?), &b)?;
            }
        }
        Ok(Member::new(func))
    }
}
