//! Trees of source programs: the order in which loops and statements stand in the text.

use crate::{Band, Error, Member, Node, ScheduleTree};
use std::sync::Arc;
use tilia_presburger::{Aff, Budget, DimType, Id, PwAff, Set, Space, UnionPwAff, UnionSet};

/// Source code as far as its order goes.
#[derive(Debug, Clone)]
pub enum Source {
    /// A loop; every statement in it has the loop's iterator as the domain dimension that is the number of loops around this one.
    Loop {
        /// Name of the iterator.
        name: Id,
        /// What is in it, in order.
        body: Vec<Source>,
    },
    /// A statement by its domain.
    Stmt(Set),
}

impl ScheduleTree {
    /// The tree of a source program: a sequence of filters for a list, a band of one member for a loop. Loops without statements vanish.
    ///
    /// Loops run in ascending order of their iterators.
    ///
    /// # Errors
    /// When a statement has fewer dimensions than there are loops around it.
    pub fn from_source(items: &[Source]) -> Result<ScheduleTree, Error> {
        let mut domains = Vec::new();
        items.iter().for_each(|i| collect(i, &mut domains));
        ScheduleTree::new(UnionSet::from_members(&domains)?, list(items, 0)?)
    }
}

fn collect(item: &Source, out: &mut Vec<Set>) {
    match item {
        Source::Stmt(s) => out.push(s.clone()),
        Source::Loop { body, .. } => body.iter().for_each(|i| collect(i, out)),
    }
}

fn list(items: &[Source], depth: usize) -> Result<Arc<Node>, Error> {
    let mut children = Vec::new();
    for item in items {
        let mut domains = Vec::new();
        collect(item, &mut domains);
        if domains.is_empty() {
            continue;
        }
        let universes: Vec<Set> = domains.iter().map(|d| Set::universe(d.space())).collect();
        let filter = UnionSet::from_members(&universes)?;
        let node = match item {
            Source::Stmt(_) => Node::leaf(),
            Source::Loop { name, body } => {
                let spaces: Vec<Space> = domains.iter().map(|d| d.space().clone()).collect();
                let member = dimension_member(&spaces, depth)?.named(name.clone());
                Node::band(Band::new(vec![member]), list(body, depth + 1)?)
            }
        };
        children.push((filter, node));
    }
    Ok(match <[_; 1]>::try_from(children) {
        // What reaches a list of one is just that one.
        Ok([(_, only)]) => only,
        Err(children) => Node::sequence(children),
    })
}

/// A member that gives every instance the value of one of its dimensions.
///
/// # Errors
/// When a space has no such dimension.
pub fn dimension_member(spaces: &[Space], dim: usize) -> Result<Member, Error> {
    let params = spaces.iter().fold(Space::params_only([]), |p, s| p.align_params(s));
    let mut func = UnionPwAff::empty(&params);
    let b = Budget::unlimited();
    for s in spaces {
        if dim >= s.dim(DimType::Out) {
            let message = format!("{s} has no dimension {dim}");
            return Err(tilia_presburger::Error::Unsupported(message).into());
        }
        func = func.add_pw_aff(&PwAff::from_aff(&Aff::var(s, DimType::Out, dim)), &b)?;
    }
    Ok(Member::new(func))
}
