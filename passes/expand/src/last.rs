//! The last values of a buffer, written back from its copies.

use crate::copy::Copy;
use tilia_presburger::{Aff, Budget, DimType, Error, Id, Map, MultiAff, PwAff, PwMultiAff, Result, Set, Tuple, UnionPwAff, UnionSet};
use tilia_program::{Access as Subscripts, AffineMap, Function, OpKind, Type, ValueId};
use tilia_schedule::{Band, Member, Node, ScheduleTree};
use tilia_scop::{Access, AccessKind, AccessSource, ArrayId, ArrayKind, DepKind, Deps, Scop, Stmt, StmtKind};

/// For some elements of a buffer, the element of a copy that holds their last value: a function on the buffer's tuple.
#[derive(Debug)]
pub(crate) struct Last {
    /// Which of the copies it is.
    pub(crate) copy: usize,
    elements: Set,
    /// The iterators of the copy's loops, then the element.
    place: MultiAff,
}

/// Where the last values of `array` are, or why that isn't known. `copies` are those of all its accesses.
pub(crate) fn last_values(
    scop: &Scop,
    deps: &Deps,
    array: ArrayId,
    copies: &[Copy],
    budget: &Budget,
) -> Result<std::result::Result<Vec<Last>, String>> {
    let mut out = Vec::new();
    let mut written: Option<Set> = None;
    let mut covered: Option<Set> = None;
    let join = |a: Option<Set>, b: &Set| a.map_or_else(|| Ok(b.clone()), |a| a.union(b)).map(Some);
    for (n, copy) in copies.iter().enumerate() {
        for site in &copy.sites {
            let stmt = &scop[site.stmt];
            let access = &stmt.accesses[site.access];
            if access.kind == AccessKind::Read {
                continue;
            }
            let mut last = stmt.domain.intersect_params(&scop.context)?;
            written = join(written, &last.apply(&access.relation)?)?;
            let overwrites = |d: &&tilia_scop::Dep| {
                d.kind == DepKind::Output && d.array == array && (d.source, d.source_access) == (site.stmt, site.access)
            };
            for d in deps.memory.iter().filter(overwrites) {
                last = last.subtract(&d.relation.domain(), budget)?;
            }
            let last = last.drop_empty_pieces(budget)?.coalesce(budget)?;
            if last.plain_is_empty() {
                continue;
            }
            let writers: Map = access.relation.intersect_domain(&last)?.reverse();
            let elements = writers.domain().coalesce(budget)?;
            covered = join(covered, &elements)?;
            if !writers.is_single_valued(budget)? {
                return Ok(Err("the last writes of its elements aren't known".to_owned()));
            }
            let function = PwMultiAff::from_map(&writers, budget)?.coalesce(budget)?;
            let [(elements, instance)] = function.pieces() else {
                return Ok(Err("its last values come from several places".to_owned()));
            };
            let space = instance.domain_space();
            let mut subs: Vec<Aff> = copy.loops.iter().map(|&k| instance.get(k).clone()).collect();
            subs.extend((0..scop[array].rank).map(|k| Aff::var(space, DimType::Out, k)));
            out.push(Last {
                copy: n,
                elements: elements.clone(),
                place: MultiAff::new(space, Tuple::anonymous(subs.len()), &subs)?,
            });
        }
    }
    // Dependences may hold more pairs than there are; then writes would be missing here.
    let all = match (written, covered) {
        (Some(w), Some(c)) => w.is_subset(&c, budget)?,
        (None, _) => true,
        (Some(w), None) => w.is_empty(budget)?,
    };
    Ok(if all {
        Ok(out)
    } else {
        Err("the last writes of its elements aren't known".to_owned())
    })
}

/// Appends a statement that writes last values back. `copy` is the array that holds them. Its operations are made in `function`, in no block.
///
/// # Errors
/// When the sets library gives up.
pub(crate) fn write_back(function: &mut Function, scop: &mut Scop, (array, copy): (ArrayId, ArrayId), last: &Last) -> Result<()> {
    let ArrayKind::Root(root) = scop[array].kind else {
        return Err(Error::Unsupported("a copy of something that isn't a buffer".to_owned()));
    };
    let (rank, elem, loc) = (scop[array].rank, scop[array].elem, scop[array].loc.clone());
    let name = Id::new(format!("S{}", scop.stmts.len()));
    let tuple = Tuple::named(name.clone(), rank);
    let domain = last.elements.reset_tuple(DimType::Out, tuple.clone())?;
    let space = domain.space().clone();
    let region = function.new_region();
    let block = function.new_block(region, &vec![Type::INDEX; rank]);
    let iters: Vec<ValueId> = function[block].args.clone();
    let subscripts = || Subscripts {
        map: AffineMap::identity(u32::try_from(rank).unwrap_or(u32::MAX)),
        checked: false,
    };
    let operands = std::iter::once(root).chain(iters.iter().copied()).collect();
    let load = function.new_op(OpKind::Load(subscripts()), operands, &[Type::Scalar(elem)], loc.clone());
    let value = function.result(load);
    let operands = [value, root].into_iter().chain(iters.iter().copied()).collect();
    let store = function.new_op(OpKind::Store(subscripts()), operands, &[], loc.clone());
    let from = last.place.as_map()?.intersect_domain(&last.elements)?;
    let from = from.reset_tuple(DimType::In, tuple)?;
    let from = from.reset_tuple(DimType::Out, Tuple::named(scop[copy].name.clone(), scop[copy].rank))?;
    let here: Vec<Aff> = (0..rank).map(|k| Aff::var(&space, DimType::Out, k)).collect();
    let to = MultiAff::new(&space, Tuple::named(scop[array].name.clone(), rank), &here)?;
    let to = PwMultiAff::alloc(&domain, &to)?.as_map()?;
    let access = |array, kind, relation, source| Access {
        array,
        kind,
        must: true,
        relation,
        source,
        loc: loc.clone(),
    };
    let accesses = vec![
        access(copy, AccessKind::Read, from, AccessSource::Cell(value)),
        access(array, AccessKind::Write, to, AccessSource::Op(store)),
    ];
    scop.schedule = loops_over(&scop.schedule, &domain, false)?;
    scop.stmts.push(Stmt {
        name,
        kind: StmtKind::Plain,
        iters,
        domain,
        ops: vec![store],
        accesses,
        cell_writes: Vec::new(),
        cell_reads: vec![(value, 0)],
        reduction: None,
        loc,
    });
    Ok(())
}

/// The tree, and before or after all of it the instances in their lexicographic order.
pub(crate) fn loops_over(tree: &ScheduleTree, domain: &Set, before: bool) -> Result<ScheduleTree> {
    let unsupported = |what: &str| Error::Unsupported(format!("a schedule tree {what}"));
    let (Some(all), Some(child)) = (tree.domain(), tree.root().child()) else {
        return Err(unsupported("without instances"));
    };
    let new = UnionSet::from_members([domain])?;
    let mut loops = Node::leaf();
    let mut members = Vec::new();
    for k in 0..domain.dim(DimType::Out) {
        let value = PwAff::from_aff(&Aff::var(domain.space(), DimType::Out, k));
        members.push(Member::new(UnionPwAff::from_pw_aff(&value)));
    }
    for m in members.into_iter().rev() {
        loops = Node::band(Band::new(vec![m]), loops);
    }
    let mut parts = vec![(all.clone(), child.clone()), (new.clone(), loops)];
    if before {
        parts.reverse();
    }
    let body = Node::sequence(parts);
    ScheduleTree::new(all.union(&new)?, body).map_err(|e| unsupported(&format!("that can't be extended: {e}")))
}
