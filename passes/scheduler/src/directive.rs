//! Directives: wishes for single iterators (spec 5.4).

use crate::model::Model;
use crate::progress::Needy;
use crate::run::Scheduler;
use crate::solve::Demand;
use crate::view::Facts;
use tilia_scop::Scop;
use tilia_strategy::Globals;

/// A directive in force.
#[derive(Debug, Clone)]
pub(crate) struct Wish;

pub(crate) fn wishes(_: &Scop, _: &Model, _: &Facts, _: &Globals) -> Vec<Wish> {
    Vec::new()
}

pub(crate) fn demands(_: &Scheduler<'_>, _: &[usize], _: &[Needy], _: usize) -> Vec<Demand> {
    Vec::new()
}

pub(crate) fn last_in_force(_: &Scheduler<'_>, _: &[usize], _: usize) -> Option<usize> {
    None
}

pub(crate) fn drop_from(_: &mut Scheduler<'_>, _: usize) {}
