//! From the relaxation's minimum to that over the integers: cuts, then branches.

use std::cmp::Ordering;

use tilia_presburger::{Budget, Int};

use super::cone::{Cone, Cut, End, Point, position};
use super::prepare::{Line, Prepared};
use crate::{Result, RowKind};

/// So many cuts in a row before a branch. Scheduling problems need a handful; where cuts make slow progress, branches are faster and keep numbers small.
const CUTS_PER_NODE: usize = 40;

/// As many where only points below a limit are wanted: there the limit ends most branches soon, so that branches cost less than cuts.
const CUTS_BELOW_A_LIMIT: usize = 5;

/// What is known of a node.
enum Node {
    Infeasible,
    /// None of its points is less than the limit.
    Reached,
    /// All integer positions have integer values.
    Integer,
    /// This position has a fractional value.
    Fractional(usize),
}

/// Minimises, and adds cuts as long as that seems useful.
fn relax(p: &Prepared, cone: &mut Cone, more: &[Line], below: Option<&[Int]>, b: &Budget) -> Result<Node> {
    let most = if below.is_some() { CUTS_BELOW_A_LIMIT } else { CUTS_PER_NODE };
    let mut cuts = 0;
    loop {
        match cone.minimise(&p.lines, more, below, b)? {
            End::Minimum => {}
            End::Infeasible => return Ok(Node::Infeasible),
            End::Reached => return Ok(Node::Reached),
        }
        let Some(k) = cone.first_fraction(&p.integer) else {
            return Ok(Node::Integer);
        };
        if cuts == most {
            return Ok(Node::Fractional(k));
        }
        match cone.cut(k, b)? {
            Cut::Done => cuts += 1,
            Cut::Infeasible => return Ok(Node::Infeasible),
            Cut::None => return Ok(Node::Fractional(k)),
        }
    }
}

/// A point with the multiples of `M`.
pub(super) type Found = (Point, Option<Point>);

/// What a search came to.
pub(super) enum Least {
    Point(Found),
    /// There is no point.
    Nothing,
    /// There is no point below the limit.
    Reached,
}

/// The least point over the integers, if there is one below the limit. The cone keeps what was learnt without branching.
pub(super) fn minimum(p: &Prepared, root: &mut Cone, below: Option<&[Int]>, b: &Budget) -> Result<Least> {
    let k = match relax(p, root, &[], below, b)? {
        Node::Infeasible => return Ok(Least::Nothing),
        Node::Reached => return Ok(Least::Reached),
        Node::Integer => return Ok(Least::Point((root.vertex.clone(), root.big.clone()))),
        Node::Fractional(k) => k,
    };
    let mut stack = Vec::new();
    branch(&mut stack, root.clone(), Vec::new(), k);
    let mut best: Option<Found> = None;
    let mut reached = false;
    while let Some((mut cone, more)) = stack.pop() {
        let node = relax(p, &mut cone, &more, below, b)?;
        reached |= matches!(node, Node::Reached);
        if matches!(node, Node::Infeasible | Node::Reached) || best.as_ref().is_some_and(|f| !is_less(p, &cone, f)) {
            continue;
        }
        match node {
            Node::Infeasible | Node::Reached => {}
            Node::Integer => {
                best = Some((cone.vertex, cone.big));
                if p.n_lex == 0 {
                    break;
                }
            }
            Node::Fractional(k) => branch(&mut stack, cone, more, k),
        }
    }
    Ok(match best {
        Some(found) => Least::Point(found),
        None if reached => Least::Reached,
        None => Least::Nothing,
    })
}

/// Splits at a fractional value. The upper part comes first: it may keep all earlier positions as they are, the lower part can't.
fn branch(stack: &mut Vec<(Cone, Vec<Line>)>, cone: Cone, more: Vec<Line>, k: usize) {
    let floor = cone.floor(k);
    let part = |a: Int, constant: Int| {
        let mut lines = more.clone();
        lines.push(Line {
            terms: vec![(position(k), a)],
            constant,
            kind: RowKind::Ge,
            integer: true,
        });
        lines
    };
    let above = part(Int::ONE, -&floor - &Int::ONE);
    let below = part(Int::NEG_ONE, floor);
    stack.push((cone.clone(), below));
    stack.push((cone, above));
}

/// Is the cone's vertex less than a point, in the minimised positions?
fn is_less(p: &Prepared, cone: &Cone, found: &Found) -> bool {
    let cmp = |x: &Point, y: &Point, k: usize| Int::cross(&x.num[k], &y.den, &y.num[k], &x.den).signum().cmp(&0);
    for k in 0..p.n_lex {
        let mut o = Ordering::Equal;
        if let (Some(x), Some(y)) = (&cone.big, &found.1) {
            o = cmp(x, y, k);
        }
        match o.then_with(|| cmp(&cone.vertex, &found.0, k)) {
            Ordering::Equal => {}
            o => return o == Ordering::Less,
        }
    }
    false
}
