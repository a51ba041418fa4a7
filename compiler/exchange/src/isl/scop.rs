//! Scops as sets and maps:
//!
//! ```text
//! context: "[N] -> { : N >= 1 }"
//! domain: "[N] -> { S[i] : 0 <= i < N }"
//! reads: "[N] -> { S[i] -> A[i - 1] }"
//! writes: "[N] -> { S[i] -> A[i] }"
//! may_writes: "[N] -> { }"
//! schedule: "[N] -> { S[i] -> [i] }"
//! ```
//!
//! The schedule is a union map or, indented below its key, a tree. All but domain and schedule may be left out.

use super::document::{TextError, Value, entries};
use super::schedule::{Error, parse_schedule};
use crate::scop::{Parts, without_operations};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use tilia_diag::Loc;
use tilia_presburger::{Budget, DimType, Id, Map, Set, Space, UnionMap, UnionSet};
use tilia_program::{OpId, ScalarType, ValueId};
use tilia_schedule::ScheduleTree;
use tilia_scop::{Access, AccessKind, AccessSource, Array, ArrayId, ArrayKind, Scop, Stmt, StmtKind};

const KEYS: [&str; 6] = ["context", "domain", "reads", "writes", "may_writes", "schedule"];

/// Reads a scop; `file` and `name` are for messages. Statements are numbered in the order of their names.
///
/// # Errors
/// What isn't understood, or doesn't fit together, with line and column.
pub fn parse_scop(file: &str, name: &str, text: &str, b: &Budget) -> Result<Scop, TextError> {
    let entries = entries(text, &KEYS)?;
    let find = |key: &str| entries.iter().find(|(k, _)| *k == key).map(|(_, v)| v);
    let needed = |key: &str| find(key).ok_or_else(|| TextError::new(1, 1, format!("the file has no {key}")));
    let (domain_value, schedule_value) = (needed("domain")?, needed("schedule")?);
    let domain: UnionSet = domain_value.parse()?;
    let file: Arc<str> = Arc::from(file);
    let mut import = Import {
        file: &file,
        params: Space::params_only([]).align_params(domain.params_space()),
        arrays: Vec::new(),
        by_name: BTreeMap::new(),
        values: 0,
    };
    let mut accesses: Vec<(&Value, UnionMap, AccessKind, bool)> = Vec::new();
    for (key, kind, must) in [
        ("reads", AccessKind::Read, true),
        ("writes", AccessKind::Write, true),
        ("may_writes", AccessKind::Write, false),
    ] {
        if let Some(v) = find(key) {
            let maps: UnionMap = v.parse()?;
            import.params = import.params.align_params(maps.params_space());
            accesses.push((v, maps, kind, must));
        }
    }
    let context = match find("context") {
        None => Set::universe(&import.params),
        Some(v) => {
            let set: Set = v.parse()?;
            if !set.is_params() {
                return Err(v.error(1, 1, "the context is a set of parameters, [N] -> { : N >= 1 }"));
            }
            import.params = import.params.align_params(set.space());
            set
        }
    };
    let mut sets: Vec<&Set> = domain.sets().iter().collect();
    sets.sort_by_key(|s| order_key(s.space()));
    let mut stmts = Vec::new();
    for set in sets {
        stmts.push(import.statement(set, domain_value)?);
    }
    for (value, maps, kind, must) in &accesses {
        import.accesses(&mut stmts, value, maps, *kind, *must)?;
    }
    let loops = stmts.iter().flat_map(|s| s.iters.iter().map(|v| (*v, s.loc.clone()))).collect();
    let mut scop = without_operations(Parts {
        name,
        params: import.params.params().to_vec(),
        context: context.align_params(&import.params),
        arrays: import.arrays,
        stmts,
        schedule: ScheduleTree::from_domain(domain.clone()),
        loops,
        loc: Loc::new(&file, domain_value.line, domain_value.column),
        values: import.values,
    });
    scop.schedule = schedule(schedule_value, &scop, &domain, b)?;
    Ok(scop)
}

/// `S2` before `S10`: by the letters, then by the number.
fn order_key(space: &Space) -> (String, u64, String) {
    let name = space.tuple_name(DimType::Out).map_or_else(String::new, ToString::to_string);
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (letters.to_owned(), name[letters.len()..].parse().unwrap_or(0), name.clone())
}

struct Import<'a> {
    file: &'a Arc<str>,
    params: Space,
    arrays: Vec<Array>,
    by_name: BTreeMap<Id, ArrayId>,
    values: u32,
}

impl Import<'_> {
    fn value(&mut self) -> ValueId {
        self.values += 1;
        ValueId(self.values - 1)
    }

    fn statement(&mut self, set: &Set, at: &Value) -> Result<Stmt, TextError> {
        let tuple = set.space().out();
        let (Some(name), None) = (&tuple.name, &tuple.nested) else {
            return Err(at.error(1, 1, format!("a statement needs a name and plain dimensions: {tuple} has not")));
        };
        Ok(Stmt {
            name: name.clone(),
            kind: StmtKind::Opaque,
            iters: (0..tuple.len()).map(|_| self.value()).collect(),
            domain: set.align_params(&self.params),
            ops: Vec::new(),
            accesses: Vec::new(),
            cell_writes: Vec::new(),
            cell_reads: Vec::new(),
            reduction: None,
            loc: Loc::new(self.file, at.line, at.column),
        })
    }

    fn accesses(&mut self, stmts: &mut [Stmt], at: &Value, maps: &UnionMap, kind: AccessKind, must: bool) -> Result<(), TextError> {
        for map in maps.maps() {
            let of = map.space().domain();
            let Some(stmt) = stmts.iter_mut().find(|s| s.domain.space().same_tuples(&of)) else {
                return Err(at.error(1, 1, format!("the domain has no statement {}", of.out())));
            };
            let array = self.array(map, at)?;
            let sets_error = |e: tilia_presburger::Error| at.error(1, 1, e.to_string());
            let relation = map.align_params(&self.params).intersect_domain(&stmt.domain).map_err(sets_error)?;
            stmt.accesses.push(Access {
                array,
                kind,
                must,
                relation,
                source: AccessSource::Effect(OpId(0)),
                loc: Loc::new(self.file, at.line, at.column),
            });
        }
        Ok(())
    }

    fn array(&mut self, map: &Map, at: &Value) -> Result<ArrayId, TextError> {
        let tuple = map.space().out().clone();
        let (Some(name), None) = (&tuple.name, &tuple.nested) else {
            return Err(at.error(1, 1, format!("an array needs a name and plain subscripts: {tuple} has not")));
        };
        if let Some(known) = self.by_name.get(name) {
            let rank = self.arrays[known.0 as usize].rank;
            if rank != tuple.len() {
                let message = format!("array {name} has {} subscripts here, and {rank} elsewhere", tuple.len());
                return Err(at.error(1, 1, message));
            }
            return Ok(*known);
        }
        let value = self.value();
        let number = ArrayId(u32::try_from(self.arrays.len()).unwrap_or(u32::MAX));
        self.arrays.push(Array {
            name: name.clone(),
            kind: ArrayKind::Root(value),
            elem: ScalarType::F64,
            rank: tuple.len(),
            live_out: None,
            loc: Loc::new(self.file, at.line, at.column),
        });
        self.by_name.insert(name.clone(), number);
        Ok(number)
    }
}

/// The schedule: a tree of all instances, or a union map.
fn schedule(value: &Value, scop: &Scop, domain: &UnionSet, b: &Budget) -> Result<ScheduleTree, TextError> {
    if !value.block {
        let text = value.text.replace(['\n', '\r'], " ");
        return parse_schedule(&text, scop, b).map_err(|e| match e {
            Error::Syntax { column, message } => value.error(1, u32::try_from(column).unwrap_or(1), message),
            other => value.error(1, 1, other.to_string()),
        });
    }
    let tree: ScheduleTree = value.text.parse().map_err(|e: tilia_schedule::Error| {
        let (line, column) = e.line_column().unwrap_or((1, 1));
        let text = e.to_string();
        value.error(line, column, text.strip_prefix(&format!("{line}:{column}: ")).unwrap_or(&text))
    })?;
    let wrong = |e: String| value.error(1, 1, e);
    match tree.domain() {
        Some(own) if own.is_equal(domain, b).map_err(|e| wrong(e.to_string()))? => {}
        _ => return Err(wrong("the tree doesn't have the instances of the domain".to_owned())),
    }
    match tree.verify(b).map_err(|e| wrong(e.to_string()))?.first() {
        Some(violation) => Err(wrong(violation.to_string())),
        None => Ok(tree),
    }
}

/// A scop under a schedule, which is written as a tree.
///
/// # Errors
/// When spaces don't fit: never for the scop of a program.
pub fn print_scop(scop: &Scop, tree: &ScheduleTree) -> Result<String, tilia_presburger::Error> {
    let mut out = String::new();
    let accesses = |kind: AccessKind, must: bool| -> Result<String, tilia_presburger::Error> {
        let all = scop.stmts.iter().flat_map(|s| &s.accesses);
        let maps: Vec<Map> = all
            .filter(|a| a.kind == kind && (a.must == must || kind == AccessKind::Read))
            .map(|a| a.relation.clone())
            .collect();
        Ok(UnionMap::from_members(&maps)?.to_string())
    };
    let mut line = |key: &str, text: &str| {
        let _ = writeln!(out, "{key}: \"{text}\"");
    };
    line("context", &scop.context.to_string());
    line("domain", &scop.domain()?.to_string());
    line("reads", &accesses(AccessKind::Read, true)?);
    line("writes", &accesses(AccessKind::Write, true)?);
    line("may_writes", &accesses(AccessKind::Write, false)?);
    let _ = writeln!(out, "schedule:");
    for l in tree.to_string().lines() {
        let _ = writeln!(out, "  {l}");
    }
    Ok(out)
}
