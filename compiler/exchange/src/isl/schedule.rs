//! Schedules as flat relations in isl's notation: `[N] -> { S0[i, j] -> [i, 0, j]; S1[i] -> [i, 1, 0] }`.

use crate::tree::{flatten, tree_of_maps};
use tilia_presburger::{Budget, DimType, Map, Tuple, UnionMap};
use tilia_schedule::ScheduleTree;
use tilia_scop::Scop;

/// Why a relation is no schedule of a scop.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// It can't be read; with the column.
    #[error("column {column}: {message}")]
    Syntax {
        /// Column in the text, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// It doesn't fit the scop.
    #[error("{0}")]
    Unfit(String),
    /// An operation on sets or trees failed.
    #[error(transparent)]
    Schedule(#[from] tilia_schedule::Error),
}

impl From<tilia_presburger::Error> for Error {
    fn from(e: tilia_presburger::Error) -> Self {
        Self::Schedule(e.into())
    }
}

/// The schedule as one union map, dates of one length.
///
/// # Errors
/// When the tree adds instances by an extension, or the sets library gives up.
pub fn print_schedule(tree: &ScheduleTree, scop: &Scop, b: &Budget) -> Result<String, tilia_schedule::Error> {
    let mut maps = Vec::new();
    for (s, m) in scop.stmts.iter().zip(flatten(tree, scop, b)?) {
        maps.push(m.gist_domain(&s.domain, b)?.coalesce(b)?.intersect_domain(&s.domain)?.coalesce(b)?);
    }
    Ok(UnionMap::from_members(&maps)?.to_string())
}

/// Reads a schedule of the scop: a union map that gives each instance one date.
///
/// # Errors
/// What is wrong with the text, or which statement it doesn't date.
pub fn parse_schedule(text: &str, scop: &Scop, b: &Budget) -> Result<ScheduleTree, Error> {
    let all: UnionMap = text.parse().map_err(|e| match e {
        tilia_presburger::Error::Parse(p) => Error::Syntax {
            column: usize::try_from(p.column).unwrap_or(0),
            message: p.message,
        },
        other => Error::from(other),
    })?;
    let known = |m: &Map| scop.stmts.iter().any(|s| s.domain.space().same_tuples(&m.space().domain()));
    if let Some(m) = all.maps().iter().find(|m| !known(m)) {
        let domain = m.space().domain();
        return Err(Error::Unfit(format!("the scop has no statement {}", domain.out())));
    }
    let mut dates = Vec::new();
    for s in &scop.stmts {
        let own: Vec<&Map> = all
            .maps()
            .iter()
            .filter(|m| s.domain.space().same_tuples(&m.space().domain()))
            .collect();
        let map = match own[..] {
            [one] => one.intersect_domain(&s.domain)?.set_tuple_name(DimType::Out, None),
            [] if s.domain.is_empty(b)? => Map::empty(&s.domain.space().map_to_tuple(Tuple::anonymous(0))),
            [] => return Err(Error::Unfit(format!("statement {} has no dates", s.name))),
            _ => return Err(Error::Unfit(format!("the dates of statement {} have different lengths", s.name))),
        };
        if !map.is_single_valued(b)? {
            return Err(Error::Unfit(format!("statement {} has instances with several dates", s.name)));
        }
        if !s.domain.is_subset(&map.domain(), b)? {
            return Err(Error::Unfit(format!("statement {} has instances without a date", s.name)));
        }
        dates.push(map);
    }
    let domains: Vec<_> = scop.stmts.iter().map(|s| s.domain.clone()).collect();
    Ok(tree_of_maps(&domains, &dates, b)?)
}
