//! What happens below a band: how each access moves with the band's members.

use crate::instances::{counts_strips, is_stripped, stripped_instances, stripped_trips};
use crate::linear::{Basis, Origin, gradient};
use crate::{CacheTile, Error, Estimates, Work, trip_counts};
use tilia_presburger::{Budget, DimType, Map, PwMultiAff, Set};
use tilia_schedule::{Member, Path, ScheduleTree};
use tilia_scop::{Access, AccessKind, ArrayId, ArrayKind, Scop, Stmt, StmtId, StmtKind};

/// Cycles from the start of an addition to its result.
pub(crate) const LATENCY: u64 = 4;

/// A member of the band.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemberInfo {
    /// Values it takes, at the estimated parameters; `None` when unknown.
    pub trips: Option<u64>,
    /// Values that it takes one after the other while the other members stay, at most: less than all where the band is skewed.
    pub run: f64,
    /// No dependence is carried here.
    pub coincident: bool,
    /// No dependence is carried here while all other members of the band stay: as the innermost loop it is parallel.
    pub free: bool,
    /// Not free, but only since sums (or the like) grow there whose order may change: as the innermost loop it may add up in the lanes of vectors.
    pub sums: bool,
}

/// An access of a statement below the band, or several that differ by constants only.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// The array.
    pub array: ArrayId,
    /// Bytes of an element.
    pub bytes: u64,
    /// The statement.
    pub stmt: StmtId,
    /// For each dimension of the array, outermost first: how far the subscript moves when a member goes up by one.
    pub moves: Vec<Vec<f64>>,
    /// The same for the loops around the band, outermost first.
    pub outer_moves: Vec<Vec<f64>>,
    /// For each dimension: how many elements the loops below the band sweep (1 where they don't move it).
    pub sweep: Vec<f64>,
    /// For each dimension: how many elements there are in all iterations; no box is larger.
    pub most: Vec<f64>,
    /// Whether something is written.
    pub writes: bool,
    /// Accesses that were taken together.
    pub count: u32,
    /// Where in the array they are when all members and the loops around stand at zero, each place once: for each dimension, as far as parameters don't move it.
    pub places: Vec<Vec<f64>>,
    /// Operations of an iteration on what is read here and nothing else that moves: iterations that read the same element share them. Those of statements with fewer instances count less.
    pub operations: f64,
    /// It may be elsewhere too (a call, an indirect subscript), or the subscripts aren't affine in the members.
    pub vague: bool,
}

impl Reference {
    /// How far the address moves in the last dimension when member `k` goes up by one; `None` when another dimension moves.
    #[must_use]
    pub fn stride(&self, k: usize) -> Option<f64> {
        let (last, outer) = match self.moves.split_last() {
            Some((last, outer)) => (last[k], outer),
            None => (0.0, &[][..]),
        };
        outer.iter().all(|row| row[k] == 0.0).then_some(last)
    }

    /// The same place for all values of member `k`?
    #[must_use]
    pub fn is_invariant(&self, k: usize) -> bool {
        !self.vague && self.moves.iter().all(|row| row[k] == 0.0)
    }
}

/// A band with what the model needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// Members, outermost first.
    pub members: Vec<MemberInfo>,
    /// The loops around the band, outermost first: how many values each takes.
    pub outer: Vec<f64>,
    /// Whether the members may be permuted and tiled.
    pub permutable: bool,
    /// Pairs of members that a bound ties together, so that the points form triangles (or the like) along them.
    pub slanted: Vec<(usize, usize)>,
    /// Accesses below.
    pub references: Vec<Reference>,
    /// Statements below that have loops of their own below the band.
    pub deeper: bool,
    /// Statements below.
    pub statements: usize,
    /// Iterations of the statement with most of them, with all loops around it counted in full.
    pub instances: f64,
    /// Floating-point or integer operations for each iteration: of one instance of each statement below, those of statements with fewer instances counting less.
    pub operations: f64,
    /// Cycles from one instance to the next that depends on it, of all statements below together, counted alike.
    pub chain: f64,
}

impl Band {
    /// Reads the band at `at`.
    ///
    /// # Errors
    /// When there is no band, or the sets library gives up.
    pub fn of(scop: &Scop, tree: &ScheduleTree, at: &Path, estimates: &Estimates, b: &Budget) -> Result<Band, Error> {
        let node = tree.node(at).and_then(|n| n.as_band().cloned());
        let band = node.ok_or_else(|| Error::NoBand(at.to_string()))?;
        let outer = outer_members(tree, at);
        let domains = tree.reaching(at, b)?;
        let sets: Vec<Set> = domains.sets().to_vec();
        let mut trips = trip_counts(&band.members, &sets, estimates, b)?;
        if sets.iter().any(is_stripped) {
            trips = stripped_trip_counts(&band.members, &outer, &sets, estimates, b)?;
        }
        let members = band.members.iter().zip(trips).map(|(m, trips)| MemberInfo {
            trips,
            run: 1.0,
            coincident: m.coincident,
            free: m.coincident,
            sums: false,
        });
        let mut out = Band {
            members: members.collect(),
            outer: Vec::new(),
            permutable: band.permutable,
            slanted: Vec::new(),
            references: Vec::new(),
            deeper: false,
            statements: 0,
            instances: 0.0,
            operations: 0.0,
            chain: 0.0,
        };
        let outer: Vec<Member> = outer.into_iter().filter(|m| !counts_strips(m)).collect();
        let around = trip_counts(&outer, &sets, estimates, b)?;
        out.outer = around
            .into_iter()
            .map(|n| n.map_or(estimates.default as f64, |n| n as f64))
            .collect();
        let mut costs: Vec<(f64, Work)> = Vec::new();
        for set in &sets {
            let Some(name) = set.space().tuple_name(DimType::Out) else {
                continue;
            };
            let Some((id, stmt)) = scop.stmt_by_name(name) else { continue };
            costs.push(out.statement(scop, (id, stmt), set, (&outer, &band.members), estimates, b)?);
        }
        for r in &mut out.references {
            r.operations /= out.instances.max(1.0);
        }
        for (instances, work) in costs {
            let share = instances / out.instances.max(1.0);
            out.operations += share * work.operations as f64;
            out.chain += share * work.chain as f64;
        }
        Ok(out)
    }

    fn statement(
        &mut self,
        scop: &Scop,
        (id, stmt): (StmtId, &Stmt),
        set: &Set,
        (outer, members): (&[Member], &[Member]),
        estimates: &Estimates,
        b: &Budget,
    ) -> Result<(f64, Work), Error> {
        let dim = stmt.iters.len();
        let row = |m: &Member| m.func.extract(set.space()).and_then(|f| f.as_aff().map(gradient));
        // A loop that isn't an affine function of the iterators, or has none for this statement, moves nothing as far as is known; it keeps its place among the others.
        let rows_of = |list: &[Member]| -> Vec<Vec<f64>> { list.iter().map(|m| row(m).unwrap_or_else(|| vec![0.0; dim])).collect() };
        let (outer_rows, member_rows) = (rows_of(outer), rows_of(members));
        let n_outer = outer_rows.len();
        let constant_of = |m: &Member| {
            m.func
                .extract(set.space())
                .and_then(|f| f.as_aff().map(|a| a.constant_term().to_f64()))
        };
        let constants: Vec<f64> = outer.iter().chain(members).map(|m| constant_of(m).unwrap_or(0.0)).collect();
        let rows: Vec<Vec<f64>> = outer_rows.into_iter().chain(member_rows).collect();
        let basis = Basis::of(&rows, dim);
        self.deeper |= basis.origin.iter().any(|o| matches!(o, Origin::Unit(_)));
        let operations = u64::try_from(stmt.ops.len()).unwrap_or(u64::MAX);
        let plain = Work {
            operations: operations.saturating_sub(stmt.accesses.len() as u64),
            chain: LATENCY,
        };
        let work = estimates.work.get(&id).copied().unwrap_or(plain);
        let trips = iterator_trips(set, dim, estimates, b)?;
        self.statements += 1;
        for (r, origin) in basis.origin.iter().enumerate() {
            let Origin::Given(n) = *origin else { continue };
            let Some(member) = n.checked_sub(n_outer).and_then(|k| self.members.get_mut(k)) else {
                continue;
            };
            let moved = basis.direction(r);
            let run = moved.iter().zip(&trips).filter(|(d, _)| d.abs() > 1e-9);
            member.run = member.run.max(run.map(|(d, t)| t / d.abs()).fold(f64::INFINITY, f64::min));
        }
        self.slant(set, &basis, n_outer)?;
        let mut instances: f64 = trips.iter().product();
        if is_stripped(set) {
            instances = stripped_instances(set, estimates, b)?.map_or(instances, |n| n.min(instances));
        }
        self.instances = self.instances.max(instances);
        for (n, access) in stmt.accesses.iter().enumerate() {
            let array = &scop[access.array];
            // Cells are registers, or passed from statement to statement in them, except where sums and the like grow in them.
            let counts = matches!(array.kind, ArrayKind::Root(_) | ArrayKind::Copy(_)) || accumulates(stmt, access.array);
            if !counts {
                continue;
            }
            let vague = !access.must || stmt.kind == StmtKind::Opaque;
            let subscripts = if vague { None } else { subscripts(&access.relation, b) };
            let vague = subscripts.is_none();
            let mut reference = Reference {
                array: access.array,
                bytes: array.elem.bytes(),
                stmt: id,
                moves: Vec::new(),
                outer_moves: Vec::new(),
                sweep: Vec::new(),
                most: Vec::new(),
                writes: access.kind == AccessKind::Write,
                count: 1,
                places: Vec::new(),
                operations: estimates.own.get(&(id, n)).map_or(0.0, |&own| own as f64 * instances),
                vague,
            };
            let mut place = Vec::new();
            for (subscript, constant) in subscripts.unwrap_or_else(|| vec![(vec![0.0; dim], 0.0); array.rank]) {
                let y = basis.coordinates(&subscript);
                // The loops' own constants move the place: a statement that runs one iteration later is one element behind.
                let moved = basis.origin.iter().zip(&y).map(|(origin, y)| match origin {
                    Origin::Given(n) => y * constants[*n],
                    Origin::Unit(_) => 0.0,
                });
                place.push(constant - moved.sum::<f64>());
                let mut moves = vec![0.0; self.members.len()];
                let mut around = vec![0.0; n_outer];
                let mut sweep = 1.0;
                for (origin, y) in basis.origin.iter().zip(&y) {
                    match origin {
                        Origin::Given(n) if *n >= n_outer => moves[n - n_outer] = *y,
                        Origin::Given(n) => around[*n] = *y,
                        Origin::Unit(k) => sweep += y.abs() * (trips[*k] - 1.0),
                    }
                }
                reference.moves.push(moves);
                reference.outer_moves.push(around);
                reference.sweep.push(sweep);
                let moved: f64 = subscript.iter().zip(&trips).map(|(c, t)| c.abs() * (t - 1.0)).sum();
                reference.most.push(1.0 + moved);
            }
            reference.places.push(place);
            self.add(reference);
        }
        Ok((instances, work))
    }

    /// Notes which members the bounds of a statement's iterators tie together.
    fn slant(&mut self, set: &Set, basis: &Basis, n_outer: usize) -> Result<(), Error> {
        for part in set.basic_sets() {
            for c in part.constraints()?.iter().filter(|c| !c.is_equality()) {
                let y = basis.coordinates(&gradient(c.aff()));
                let member = |(origin, y): (&Origin, &f64)| match origin {
                    Origin::Given(n) if *y != 0.0 => n.checked_sub(n_outer),
                    _ => None,
                };
                let tied: Vec<usize> = basis.origin.iter().zip(&y).filter_map(member).collect();
                if let [a, b] = tied[..] {
                    let pair = (a.min(b), a.max(b));
                    if !self.slanted.contains(&pair) {
                        self.slanted.push(pair);
                    }
                }
            }
        }
        Ok(())
    }

    /// The band with the loops around it as further members, outermost.
    #[must_use]
    pub(crate) fn nest(&self) -> Band {
        let around = self.outer.iter().map(|&trips| MemberInfo {
            trips: Some(trips as u64),
            run: trips,
            coincident: false,
            free: false,
            sums: false,
        });
        let with_outer = |r: &Reference| Reference {
            moves: r.outer_moves.iter().zip(&r.moves).map(|(a, b)| [&a[..], b].concat()).collect(),
            outer_moves: vec![Vec::new(); r.moves.len()],
            ..r.clone()
        };
        Band {
            members: around.chain(self.members.iter().copied()).collect(),
            slanted: self
                .slanted
                .iter()
                .map(|(a, b)| (a + self.outer.len(), b + self.outer.len()))
                .collect(),
            outer: Vec::new(),
            references: self.references.iter().map(with_outer).collect(),
            ..self.clone()
        }
    }

    /// Says that member `k` takes only `width` values inside a loop over strips around the band.
    pub fn within_strips(&mut self, k: usize, width: u64) {
        let Some(member) = self.members.get_mut(k) else { return };
        let all = member.trips.unwrap_or(CacheTile::WHOLE);
        member.trips = Some(all.min(width));
        member.run = member.run.min(width as f64);
        self.outer.push((all as f64 / width as f64).max(1.0));
        for r in &mut self.references {
            for (around, own) in r.outer_moves.iter_mut().zip(&r.moves) {
                around.push(own[k] * width as f64);
            }
        }
    }

    fn add(&mut self, new: Reference) {
        let same = |r: &&mut Reference| {
            let alike = (r.array, r.vague) == (new.array, new.vague) && r.moves == new.moves && r.outer_moves == new.outer_moves;
            alike && r.sweep == new.sweep && !r.vague
        };
        match self.references.iter_mut().find(same) {
            Some(known) => {
                known.count += 1;
                for place in new.places {
                    if !known.places.contains(&place) {
                        known.places.push(place);
                    }
                }
                known.operations += new.operations;
                known.writes |= new.writes;
            }
            None => self.references.push(new),
        }
    }
}

/// As [`trip_counts`], while the outer members stand still.
fn stripped_trip_counts(
    members: &[Member],
    outer: &[Member],
    sets: &[Set],
    estimates: &Estimates,
    b: &Budget,
) -> Result<Vec<Option<u64>>, Error> {
    let mut counts = Vec::with_capacity(members.len());
    for m in members {
        let mut most = Some(0);
        for set in sets {
            let one = stripped_trips(m, outer, set, estimates, b)?;
            most = most.zip(one).map(|(a, b): (u64, u64)| a.max(b));
        }
        counts.push(most);
    }
    Ok(counts)
}

/// For each memory access of a statement: which of the statement's iterators leave the place where it is. `None` for accesses that aren't affine.
#[must_use]
pub fn still_iterators(scop: &Scop, stmt: &Stmt, b: &Budget) -> Vec<Option<Vec<bool>>> {
    let kept = |a: &&Access| matches!(scop[a.array].kind, ArrayKind::Root(_) | ArrayKind::Copy(_));
    let memory = stmt.accesses.iter().filter(kept);
    let still = |rows: Vec<(Vec<f64>, f64)>| (0..stmt.iters.len()).map(|k| rows.iter().all(|(r, _)| r[k] == 0.0)).collect();
    memory.map(|a| subscripts(&a.relation, b).filter(|_| a.must).map(still)).collect()
}

/// Whether the statement reads what it writes in this array.
fn accumulates(stmt: &Stmt, array: ArrayId) -> bool {
    let has = |kind| stmt.accesses.iter().any(|a| a.array == array && a.kind == kind);
    has(AccessKind::Read) && has(AccessKind::Write)
}

/// Members of the bands above a place, outermost first.
fn outer_members(tree: &ScheduleTree, at: &Path) -> Vec<Member> {
    let mut above = Vec::new();
    let mut here = at.parent();
    while let Some(p) = here {
        if let Some(band) = tree.node(&p).and_then(|n| n.as_band()) {
            above.push(band.members.clone());
        }
        here = p.parent();
    }
    above.into_iter().rev().flatten().collect()
}

/// Values of each iterator of a statement.
fn iterator_trips(set: &Set, dim: usize, estimates: &Estimates, b: &Budget) -> Result<Vec<f64>, Error> {
    let spaces = [set.space().clone()];
    let members = (0..dim)
        .map(|k| tilia_schedule::dimension_member(&spaces, k))
        .collect::<Result<Vec<_>, _>>()?;
    let counts = trip_counts(&members, std::slice::from_ref(set), estimates, b)?;
    Ok(counts
        .into_iter()
        .map(|n| n.map_or(estimates.default as f64, |n| n as f64))
        .collect())
}

/// Gradients of the subscripts, when the relation is one affine function.
fn subscripts(relation: &Map, b: &Budget) -> Option<Vec<(Vec<f64>, f64)>> {
    let function = PwMultiAff::from_map(relation, b).ok()?;
    let (_, affs) = function.pieces().first()?;
    Some(affs.affs().iter().map(|a| (gradient(a), a.constant_term().to_f64())).collect())
}
