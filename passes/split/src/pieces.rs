//! From cuts to statements.

use crate::midpoints::midpoints;
use crate::planes::planes;
use crate::tree::{Names, renamed};
use crate::{Cut, Error, MOST_PIECES, Split};
use tilia_diag::Remark;
use tilia_presburger::{Budget, Constraint, DimType, Id, Int, Set};
use tilia_scop::{Deps, Scop, Stmt, StmtId};

/// The name of the stage in remarks.
const STAGE: &str = "split";

/// Cuts the statements of a scop where its dependences suggest it: a scop with the same instances, operations and order, and more statements. Nothing where no cut was found. What there is to say about
/// cuts that weren't made is in the list.
///
/// `deps` are the memory-based dependences of the scop.
///
/// # Errors
/// When the sets library gives up, or the scop's tree adds or replaces instances.
pub fn split(scop: &Scop, deps: &Deps, b: &Budget) -> Result<(Option<Split>, Vec<Remark>), Error> {
    let mut cuts = planes(scop, deps, b)?;
    for (stmt, more) in midpoints(scop, deps, b)? {
        cuts.entry(stmt).or_default().extend(more);
    }
    let mut said = Vec::new();
    let mut made = Vec::new();
    let mut names = Names::new();
    let (mut stmts, mut origin) = (Vec::new(), Vec::new());
    for (n, stmt) in scop.stmts.iter().enumerate() {
        let id = StmtId(u32::try_from(n).unwrap_or(u32::MAX));
        let parts = match cuts.get(&n) {
            Some(cuts) => parts(&stmt.domain, cuts, b)?,
            None => Vec::new(),
        };
        if parts.len() > MOST_PIECES {
            let message = format!(
                "{} stays whole: it would fall into {} pieces, more than {MOST_PIECES}",
                stmt.name,
                parts.len()
            );
            said.push(Remark::declined(STAGE, stmt.loc.clone(), message));
        }
        if parts.len() < 2 || parts.len() > MOST_PIECES {
            stmts.push(stmt.clone());
            origin.push(id);
            continue;
        }
        let own: Vec<Id> = (0..parts.len()).map(|k| name(scop, stmt, k)).collect();
        let planes: Vec<String> = cuts.get(&n).into_iter().flatten().map(text).collect();
        let message = format!("{} is cut at {} into {} pieces", stmt.name, planes.join(" and "), parts.len());
        made.push(Remark::applied(STAGE, stmt.loc.clone(), message));
        for (domain, name) in parts.iter().zip(&own) {
            stmts.push(piece(stmt, domain, name));
            origin.push(id);
        }
        names.insert(stmt.name.clone(), own);
    }
    if names.is_empty() {
        return Ok((None, said));
    }
    let domain = tilia_presburger::UnionSet::from_members(stmts.iter().map(|s| &s.domain))?;
    let schedule = renamed(&scop.schedule, &names, domain, b)?;
    let scop = Scop {
        stmts,
        schedule,
        ..scop.clone()
    };
    Ok((
        Some(Split {
            scop,
            origin,
            remarks: made,
        }),
        said,
    ))
}

/// A name that no other statement has.
fn name(scop: &Scop, stmt: &Stmt, k: usize) -> Id {
    let mut name = format!("{}_{k}", stmt.name);
    while scop.stmts.iter().any(|s| s.name.as_str() == name) {
        name.push('_');
    }
    Id::new(name)
}

/// The statement for a part of its instances.
fn piece(stmt: &Stmt, domain: &Set, name: &Id) -> Stmt {
    let mut out = stmt.clone();
    out.name = name.clone();
    out.domain = domain.set_tuple_name(DimType::Out, Some(name.clone()));
    for a in &mut out.accesses {
        a.relation = a.relation.set_tuple_name(DimType::In, Some(name.clone()));
    }
    out
}

/// The parts of a domain, none empty, in ascending order of the cuts' functions.
fn parts(domain: &Set, cuts: &[Cut], b: &Budget) -> Result<Vec<Set>, Error> {
    let mut parts = vec![domain.clone()];
    for cut in cuts {
        let sides = match cut {
            Cut::Plane(f) => vec![
                Constraint::ineq(f.neg().add_constant(&Int::NEG_ONE)),
                Constraint::eq(f.clone()),
                Constraint::ineq(f.add_constant(&Int::NEG_ONE)),
            ],
            Cut::Midpoint(f) => vec![Constraint::ineq(f.neg().add_constant(&Int::NEG_ONE)), Constraint::ineq(f.clone())],
        };
        let mut next = Vec::new();
        for part in &parts {
            for side in &sides {
                let cut = part.add_constraint(side)?;
                if !cut.is_empty(b)? {
                    next.push(cut);
                }
            }
        }
        parts = next;
        if parts.len() > MOST_PIECES {
            break;
        }
    }
    Ok(parts)
}

/// `i1 = i0`, in the iterators' own names or numbers.
fn text(cut: &Cut) -> String {
    match cut {
        Cut::Plane(f) => format!("{f} = 0"),
        Cut::Midpoint(f) => format!("{f} = 0, the middle of long dependences"),
    }
}
