//! The meaning of a tree by enumeration: every execution of an instance for given parameters, and how two of them are ordered.
//!
//! An oracle for tests and interpreters: it follows the definition node by node and shares nothing with code generation.

use crate::{Band, Error, Node, NodeKind, Path, ScheduleTree};
use std::cmp::Ordering;
use std::sync::Arc;
use tilia_presburger::{Aff, Budget, DimType, Id, Int, Map, Optimum, Point, Set, Space};

/// One step of an execution's position in the order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Values of a band.
    Values(Vec<Int>),
    /// Child of a sequence.
    Child(usize),
    /// Child of a set: not ordered among others.
    Any(usize),
}

/// One execution of a statement instance.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Execution {
    /// What decides on its order, from the root down.
    pub key: Vec<Step>,
    /// The statement.
    pub stmt: Id,
    /// The instance.
    pub args: Vec<Int>,
}

/// How a tree orders two executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// The first comes first.
    Before,
    /// The second comes first.
    After,
    /// Either may come first.
    Unordered,
}

impl Execution {
    /// Does the tree put this execution before the other, after it, or neither?
    #[must_use]
    pub fn order(&self, other: &Execution) -> Order {
        for (a, b) in self.key.iter().zip(&other.key) {
            let cmp = match (a, b) {
                (Step::Any(x), Step::Any(y)) if x != y => return Order::Unordered,
                (a, b) => a.cmp(b),
            };
            match cmp {
                Ordering::Less => return Order::Before,
                Ordering::Greater => return Order::After,
                Ordering::Equal => {}
            }
        }
        Order::Unordered
    }
}

impl ScheduleTree {
    /// How the tree orders two instances of its domain (or added by extensions) for the given parameters. An instance that is executed several times, or not at
    /// all, isn't ordered.
    ///
    /// # Errors
    /// When there are more than `limit` executions, or the sets library gives up.
    pub fn order(&self, params: &[(Id, Int)], a: (&Id, &[Int]), b: (&Id, &[Int]), limit: usize, budget: &Budget) -> Result<Order, Error> {
        let all = self.executions(params, limit, budget)?;
        let find = |(stmt, args): (&Id, &[Int])| {
            let mut hits = all.iter().filter(|e| e.stmt == *stmt && e.args == args);
            let first = hits.next();
            first.filter(|_| hits.next().is_none())
        };
        Ok(match (find(a), find(b)) {
            (Some(x), Some(y)) => x.order(y),
            _ => Order::Unordered,
        })
    }

    /// Every execution of an instance for the given parameters, in an order that the tree allows.
    ///
    /// # Errors
    /// When there are more than `limit` of them (or of points to look at on the way), or the sets library gives up.
    pub fn executions(&self, params: &[(Id, Int)], limit: usize, budget: &Budget) -> Result<Vec<Execution>, Error> {
        let mut walk = Walk {
            params,
            limit,
            budget,
            out: Vec::new(),
        };
        let mut start = Vec::new();
        match self.root().kind() {
            NodeKind::Domain(d) => {
                for set in d.sets() {
                    for p in walk.points(set)? {
                        start.push(Running::new(p, Vec::new(), Vec::new()));
                    }
                }
            }
            _ => return Err(Error::refused("executions", &Path::root(), "the root isn't a domain")),
        }
        walk.children(self.root(), start)?;
        walk.out.sort();
        Ok(walk.out)
    }
}

/// An instance on its way down.
#[derive(Debug, Clone)]
struct Running {
    point: Point,
    key: Vec<Step>,
    values: Vec<Int>,
}

impl Running {
    fn new(point: Point, key: Vec<Step>, values: Vec<Int>) -> Running {
        Running { point, key, values }
    }
}

struct Walk<'a> {
    params: &'a [(Id, Int)],
    limit: usize,
    budget: &'a Budget,
    out: Vec<Execution>,
}

impl Walk<'_> {
    fn too_many(&self) -> Error {
        tilia_presburger::Error::Unsupported(format!("more than {} executions to enumerate", self.limit)).into()
    }

    fn value_of(&self, name: &Id) -> Result<Int, Error> {
        let found = self.params.iter().find(|p| p.0 == *name);
        found
            .map(|p| p.1.clone())
            .ok_or_else(|| tilia_presburger::Error::Unsupported(format!("parameter {name} has no value")).into())
    }

    fn param_values(&self, space: &Space) -> Result<Vec<Int>, Error> {
        space.params().iter().map(|p| self.value_of(p)).collect()
    }

    /// The points of a set for the parameters' values.
    fn points(&self, set: &Set) -> Result<Vec<Point>, Error> {
        let b = self.budget;
        let values = self.param_values(set.space())?;
        let mut fixed = set.clone();
        for (i, v) in values.iter().enumerate() {
            fixed = fixed.fix(DimType::Param, i, v.clone())?;
        }
        let mut boxes: Vec<(Int, Int)> = Vec::new();
        for d in 0..set.dim(DimType::Out) {
            let x = Aff::var(set.space(), DimType::Out, d);
            match (fixed.min_aff(&x, b)?, fixed.max_aff(&x, b)?) {
                (Optimum::Bounded(lo), Optimum::Bounded(hi)) => boxes.push((lo, hi)),
                (Optimum::Empty, _) | (_, Optimum::Empty) => return Ok(Vec::new()),
                _ => return Err(tilia_presburger::Error::Unbounded.into()),
            }
        }
        let mut out = Vec::new();
        let mut at: Vec<Int> = boxes.iter().map(|b| b.0.clone()).collect();
        let mut seen = 0usize;
        loop {
            seen += 1;
            if seen > self.limit.saturating_mul(20) || out.len() > self.limit {
                return Err(self.too_many());
            }
            let p = Point::new(set.space().clone(), values.clone(), at.clone());
            if set.contains(&p, b)? {
                out.push(p);
            }
            let Some(d) = (0..at.len()).rev().find(|&d| at[d] < boxes[d].1) else {
                return Ok(out);
            };
            at[d] += &Int::ONE;
            for k in d + 1..at.len() {
                at[k] = boxes[k].0.clone();
            }
        }
    }

    /// What a relation relates the values to.
    fn images(&self, map: &Map, values: &[Int]) -> Result<Vec<Point>, Error> {
        if map.dim(DimType::In) != values.len() {
            return Ok(Vec::new());
        }
        let mut m = map.clone();
        for (i, v) in values.iter().enumerate() {
            m = m.fix(DimType::In, i, v.clone())?;
        }
        self.points(&m.range().compute_divs(self.budget)?)
    }

    /// Is the point, read with the parameters of `set`, in the set?
    fn contains(&self, set: &Set, p: &Point) -> Result<bool, Error> {
        let q = Point::new(set.space().clone(), self.param_values(set.space())?, p.coords.clone());
        Ok(set.contains(&q, self.budget)?)
    }

    fn children(&mut self, node: &Arc<Node>, running: Vec<Running>) -> Result<(), Error> {
        let many = matches!(node.kind(), NodeKind::Sequence | NodeKind::Set);
        for (i, c) in node.children().iter().enumerate() {
            let mut next = running.clone();
            if many {
                let step = if matches!(node.kind(), NodeKind::Sequence) {
                    Step::Child(i)
                } else {
                    Step::Any(i)
                };
                next.iter_mut().for_each(|r| r.key.push(step.clone()));
            }
            self.node(c, next)?;
        }
        Ok(())
    }

    fn node(&mut self, node: &Arc<Node>, mut running: Vec<Running>) -> Result<(), Error> {
        match node.kind() {
            NodeKind::Leaf => {
                for r in running {
                    let stmt = r.point.space.out().name.clone().unwrap_or_else(|| Id::new(""));
                    self.out.push(Execution {
                        key: r.key,
                        stmt,
                        args: r.point.coords,
                    });
                    if self.out.len() > self.limit {
                        return Err(self.too_many());
                    }
                }
                return Ok(());
            }
            NodeKind::Filter(f) => {
                let mut kept = Vec::new();
                for r in running {
                    if let Some(set) = f.find(&r.point.space)
                        && self.contains(set, &r.point)?
                    {
                        kept.push(r);
                    }
                }
                running = kept;
            }
            NodeKind::Band(band) => {
                for r in &mut running {
                    let values = self.band_values(band, &r.point)?;
                    r.values.extend(values.iter().cloned());
                    r.key.push(Step::Values(values));
                }
            }
            NodeKind::Extension(added) => {
                let mut places: Vec<(Vec<Step>, Vec<Int>)> = running.iter().map(|r| (r.key.clone(), r.values.clone())).collect();
                places.sort();
                places.dedup();
                for (key, values) in places {
                    for m in added.maps() {
                        for p in self.images(m, &values)? {
                            running.push(Running::new(p, key.clone(), values.clone()));
                        }
                    }
                }
            }
            NodeKind::Expansion { expansion, .. } => {
                let mut next = Vec::new();
                for r in running {
                    for m in expansion.maps() {
                        if m.space().domain().same_tuples(&r.point.space) {
                            for p in self.images(m, &r.point.coords)? {
                                next.push(Running::new(p, r.key.clone(), r.values.clone()));
                            }
                        }
                    }
                }
                running = next;
            }
            NodeKind::Domain(_) | NodeKind::Sequence | NodeKind::Set | NodeKind::Mark(_) | NodeKind::Context(_) | NodeKind::Guard(_) => {}
        }
        self.children(node, running)
    }

    fn band_values(&self, band: &Band, p: &Point) -> Result<Vec<Int>, Error> {
        let mut out = Vec::with_capacity(band.len());
        for m in &band.members {
            let missing = || tilia_presburger::Error::Unsupported(format!("a band has no value for {p}"));
            let f = m.func.extract(&p.space).ok_or_else(missing)?;
            let space = f.domain_space();
            let q = Point::new(space.clone(), self.param_values(space)?, p.coords.clone());
            out.push(f.eval(&q, self.budget)?.ok_or_else(missing)?);
        }
        Ok(out)
    }
}
