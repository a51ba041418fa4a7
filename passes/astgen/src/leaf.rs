//! Leaves: statement instances with their arguments and guards.

use crate::ask::{Oracle, ask, surely_empty};
use crate::build::{Build, implied};
use crate::convert::{disjuncts, set_of};
use crate::exe::Exe;
use crate::expr::ExprGen;
use crate::generate::{BandCx, Generator};
use crate::graft::{Cond, Graft};
use crate::lin::{Con, Lin};
use crate::options::Error;
use crate::solve::solve;
use tilia_ast::Node as AstNode;
use tilia_presburger::{Aff, BasicMap, DimType, Map, Set, UnionPwAff};
use tilia_schedule::{Band, Member};

impl Generator<'_> {
    /// The instances of the statements that run at one point of the schedule: no order among them.
    pub(crate) fn leaves(&mut self, exes: Vec<Exe>, build: &Build) -> Result<Vec<Graft>, Error> {
        let mut out = Vec::new();
        for e in exes {
            out.extend(self.leaf(e, build)?);
        }
        Ok(out)
    }

    fn leaf(&mut self, exe: Exe, build: &Build) -> Result<Vec<Graft>, Error> {
        let Some(guard) = self.guard_of(&exe.exact_values(self.budget)?, build)? else {
            return Ok(Vec::new());
        };
        let parts = exe.map.basic_maps();
        let mut args = None;
        let mut agree = true;
        let mut missing = Vec::new();
        for p in &parts {
            let solved = solve(p, self.budget)?;
            for (i, a) in solved.iter().enumerate() {
                if a.is_none() && !missing.contains(&i) {
                    missing.push(i);
                }
            }
            agree &= args.is_none() || args.as_ref() == Some(&solved);
            args = Some(solved);
        }
        if !missing.is_empty() {
            missing.sort_unstable();
            return self.scan(exe, &missing, build);
        }
        if !agree {
            // What holds in all parts may give them one form.
            let hull = ask(self.budget, |s| solve(&exe.map.affine_hull(s)?, s))?;
            let whole = hull.filter(|h| h.iter().all(Option::is_some));
            agree = whole.is_some();
            args = whole.or(args);
        }
        if !agree {
            return self.leaf_parts(&exe, &parts, build);
        }
        let inside = build.under(&guard)?;
        let ranges = ExprGen {
            build: &inside,
            budget: self.budget,
        };
        let values: Vec<Lin> = args.into_iter().flatten().flatten().collect();
        let args = values.iter().map(|a| ranges.expr(a)).collect::<Result<Vec<_>, _>>()?;
        self.copies += 1;
        let node = AstNode::User { stmt: exe.stmt, args };
        Ok(vec![Graft::new(node, guard)])
    }

    /// The schedule doesn't say which instance it is: loops over the dimensions that are open.
    fn scan(&mut self, exe: Exe, dims: &[usize], build: &Build) -> Result<Vec<Graft>, Error> {
        let space = exe.space().domain();
        let mut more: Option<Map> = None;
        for &d in dims {
            let map = Map::from_aff(&Aff::var(&space, DimType::Out, d))?;
            more = Some(match more {
                Some(all) => all.flat_range_product(&map)?,
                None => map,
            });
        }
        let Some(more) = more else { return Ok(Vec::new()) };
        let extended = exe.extend(&more, self.budget)?;
        let member = |d: &usize| Member {
            name: space.dim_name(DimType::Out, *d).cloned(),
            ..Member::new(UnionPwAff::empty(&space))
        };
        let band = Band::new(dims.iter().map(member).collect());
        let cx = BandCx {
            band: &band,
            child: None,
            first: build.depth(),
            vector: false,
            isolate: None,
            isolated: false,
        };
        self.level(&cx, vec![extended], build)
    }

    /// The instances are given by different expressions in different parts: one call for each, without overlap.
    fn leaf_parts(&mut self, exe: &Exe, parts: &[BasicMap], build: &Build) -> Result<Vec<Graft>, Error> {
        let mut out = Vec::new();
        let mut before: Option<Map> = None;
        for p in parts {
            let map = Map::from_basic_map(p);
            let rest = match &before {
                Some(done) => map.subtract(done, self.budget)?,
                None => map.clone(),
            };
            before = Some(match before {
                Some(done) => done.union(&map)?,
                None => map,
            });
            for piece in rest.make_disjoint(self.budget)?.basic_maps() {
                let piece = exe.with_map(Map::from_basic_map(&piece), self.budget)?;
                if !piece.is_empty_in(&build.domain, build.depth(), self.budget)? {
                    out.extend(self.leaf(piece, build)?);
                }
            }
        }
        Ok(out)
    }

    /// What must be tested at a place so that only points of the set remain; `None` when none do.
    pub(crate) fn guard_of(&self, set: &Set, build: &Build) -> Result<Option<Vec<Cond>>, Error> {
        let b = self.budget;
        let mut open: Vec<Vec<Con>> = Vec::new();
        for conj in disjuncts(set, b)? {
            let mut left = Vec::with_capacity(conj.len());
            for c in &conj {
                let c = build.with_known_quotients(c, b)?;
                if !build.plainly_holds(&c) && !left.contains(&c) {
                    left.push(c);
                }
            }
            if left.is_empty() {
                return Ok((!surely_empty(&build.domain, b)?).then(Vec::new));
            }
            let here = build.domain.intersect(&set_of(&left, build.space())?)?;
            if surely_empty(&here, b)? {
                continue;
            }
            let left = needed(left, build, b)?;
            if left.is_empty() {
                return Ok(Some(Vec::new()));
            }
            open.push(left);
        }
        if open.len() > 1 && ask(b, |s| Ok(build.domain.is_subset(set, s)?))?.unwrap_or(false) {
            return Ok(Some(Vec::new()));
        }
        let resolve = |c: &Con| build.resolve_con(c);
        Ok(match &open[..] {
            [] => None,
            [only] => Some(only.iter().map(|c| Cond::One(resolve(c))).collect()),
            many => {
                let (shared, rest): (Vec<&Con>, _) = many[0].iter().partition(|c| many.iter().all(|m| m.contains(c)));
                let _: Vec<&Con> = rest;
                let mut conds: Vec<Cond> = shared.iter().map(|c| Cond::One(resolve(c))).collect();
                let parts = many.iter().map(|m| m.iter().filter(|c| !shared.contains(c)).map(resolve).collect());
                conds.push(Cond::Any(parts.collect()));
                Some(conds)
            }
        })
    }
}

/// Those of the constraints that aren't implied by what is known and the others: costly ones are dropped first.
fn needed(mut cons: Vec<Con>, build: &Build, b: &Oracle<'_>) -> Result<Vec<Con>, Error> {
    cons.sort_by_key(|c| c.lin.cost());
    let mut i = cons.len();
    while i > 0 {
        i -= 1;
        let c = cons.remove(i);
        let context = build.domain.intersect(&set_of(&cons, build.space())?)?;
        if !implied(&context, &c, b)? {
            cons.insert(i, c);
        }
    }
    Ok(cons)
}

impl Exe {
    /// Instances that an extension adds: `map` from new instances to outer values, of which only those in `reached` count.
    pub(crate) fn added(map: &Map, reached: &Set, b: &Oracle<'_>) -> Result<Exe, Error> {
        Exe::from_map(map.set_tuple_name(DimType::Out, None), b)?.restrict(reached)
    }
}
