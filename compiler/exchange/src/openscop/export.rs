//! From scops and schedules to files.

use super::convert::{from_map, from_set};
use super::loops::loop_marks;
use super::{Extension, OpenScop, Relation, RelationKind, Statement};
use crate::tree::flatten;
use tilia_presburger::{Aff, Budget, DimType, Id, Int, Map, Set, Space};
use tilia_schedule::ScheduleTree;
use tilia_scop::{Access, AccessKind, Scop, Stmt};

impl OpenScop {
    /// The file of a scop under a schedule.
    ///
    /// Bodies name the statement and its iterators: what it computes has no words in the format. Conditions that are checked at run time are in the comment.
    ///
    /// # Errors
    /// When the schedule has no form as a relation, or the sets library gives up.
    pub fn from_scop(scop: &Scop, tree: &ScheduleTree, b: &Budget) -> Result<Self, tilia_schedule::Error> {
        let names: Vec<Id> = scop.params.iter().map(|p| p.name.clone()).collect();
        let space = Space::params_only(names.clone());
        let mut file = Self {
            language: "C".to_owned(),
            context: relation(RelationKind::Context, from_set(&scop.context.align_params(&space), b)?),
            params: Some(names.iter().map(ToString::to_string).collect()),
            statements: Vec::new(),
            extensions: Vec::new(),
        };
        for s in &scop.stmts {
            file.statements.push(statement(s, &space, b)?);
        }
        let arrays: Vec<String> = scop
            .arrays
            .iter()
            .enumerate()
            .map(|(n, a)| format!("{} {}\n", n + 1, a.name))
            .collect();
        file.extensions.push(Extension {
            tag: "arrays".to_owned(),
            text: format!(
                "# Number of arrays\n{}\n# Mapping array-identifiers/array-names\n{}",
                arrays.len(),
                arrays.concat()
            ),
        });
        let assumed: Vec<String> = scop
            .assumptions
            .iter()
            .map(|a| format!("assumes {} ({})\n", a.condition, a.what))
            .collect();
        if !assumed.is_empty() {
            file.extensions.push(Extension {
                tag: "comment".to_owned(),
                text: assumed.concat(),
            });
        }
        file.with_schedule(scop, tree, b)
    }

    /// The same file with other dates: the scatterings are replaced, the extension `loop` says which loops are parallel or vector loops, `scatnames` names the dimensions. Everything else
    /// stays.
    ///
    /// # Errors
    /// When the schedule has no form as a relation, or the sets library gives up.
    pub fn with_schedule(&self, scop: &Scop, tree: &ScheduleTree, b: &Budget) -> Result<Self, tilia_schedule::Error> {
        let mut file = self.clone();
        let names: Vec<Id> = scop.params.iter().map(|p| p.name.clone()).collect();
        let space = Space::params_only(names);
        let dates = flatten(tree, scop, b)?;
        let depth = dates.first().map_or(0, |m| m.dim(DimType::Out));
        for ((s, stmt), dates) in file.statements.iter_mut().zip(&scop.stmts).zip(&dates) {
            let dates = dates
                .align_params(&space)
                .gist_domain(&stmt.domain.align_params(&space), b)?
                .coalesce(b)?;
            s.scattering = Some(relation(RelationKind::Scattering, from_map(&dates, b)?));
        }
        let replaced = ["loop", "scatnames", "scatinfos"];
        file.extensions.retain(|e| !replaced.contains(&e.tag.as_str()));
        let dims: Vec<String> = (1..=depth).map(|n| format!("t{n}")).collect();
        file.extensions.insert(
            0,
            Extension {
                tag: "scatnames".to_owned(),
                text: format!("{}\n", dims.join(" ")),
            },
        );
        if let Some(text) = loop_marks(tree, scop) {
            file.extensions.push(Extension {
                tag: "loop".to_owned(),
                text,
            });
        }
        Ok(file)
    }
}

fn relation(kind: RelationKind, parts: Vec<super::Matrix>) -> Relation {
    Relation { kind, parts, line: 0 }
}

fn dim_name(domain: &Set, n: usize) -> String {
    domain
        .space()
        .dim_name(DimType::Out, n)
        .map_or_else(|| format!("i{n}"), ToString::to_string)
}

/// A statement without dates; its body calls its name.
fn statement(s: &Stmt, space: &Space, b: &Budget) -> tilia_presburger::Result<Statement> {
    let domain = s.domain.align_params(space);
    let mut accesses = Vec::new();
    for a in &s.accesses {
        accesses.push(access(a, space, &domain, b)?);
    }
    let depth = domain.dim(DimType::Out);
    let iters: Vec<String> = (0..depth).map(|n| dim_name(&domain, n)).collect();
    let call = format!("{}({});", s.name, iters.join(", "));
    let text = format!(
        "# Number of original iterators\n{depth}\n# List of original iterators\n{}\n# Statement body expression\n{call}\n",
        iters.join(" ")
    );
    Ok(Statement {
        domain: relation(RelationKind::Domain, from_set(&domain, b)?),
        scattering: None,
        accesses,
        extensions: vec![Extension {
            tag: "body".to_owned(),
            text,
        }],
        line: 0,
    })
}

/// An access with the number of its array as first output dimension.
fn access(a: &Access, space: &Space, domain: &Set, b: &Budget) -> tilia_presburger::Result<Relation> {
    let map = a.relation.align_params(space).gist_domain(domain, b)?;
    let number = Aff::constant(domain.space(), Int::from(i64::from(a.array.0) + 1));
    let elements = map.set_tuple_name(DimType::Out, None);
    let numbered = Map::from_aff(&number)?.flat_range_product(&elements)?;
    let kind = match (a.kind, a.must) {
        (AccessKind::Read, _) => RelationKind::Read,
        (AccessKind::Write, true) => RelationKind::Write,
        (AccessKind::Write, false) => RelationKind::MayWrite,
    };
    Ok(relation(kind, from_map(&numbered, b)?))
}
