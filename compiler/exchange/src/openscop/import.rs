//! From a file to a scop.

use super::convert::{at, to_map, to_set};
use super::names::Unique;
use super::{Error, OpenScop, Relation, RelationKind, Statement};
use crate::tree::tree_of_maps;
use std::collections::BTreeMap;
use std::sync::Arc;
use tilia_diag::Loc;
use tilia_presburger::{Budget, DimType, Id, Int, Map, Set, Space, Tuple};
use tilia_program::{OpId, ScalarType, ValueId};
use tilia_scop::{Access, AccessKind, AccessSource, Array, ArrayId, ArrayKind, Scop, Stmt, StmtKind};

impl OpenScop {
    /// The scop: statements `S0`, `S1`, .. with domains and accesses, opaque and without operations; the scatterings as its schedule. `file` and `name` are for messages.
    ///
    /// # Errors
    /// A statement without scattering, a scattering that isn't a function, accesses without an array, with the line.
    pub fn to_scop(&self, file: &str, name: &str, b: &Budget) -> Result<Scop, Error> {
        let mut unique = Unique::default();
        let params: Vec<Id> = self.param_names().iter().map(|n| Id::new(unique.name(n))).collect();
        let file: Arc<str> = Arc::from(file);
        let context = to_set(&self.context, &Space::params_only(params.clone()), b)?;
        let mut import = Import {
            params,
            file,
            arrays: Vec::new(),
            by_id: BTreeMap::new(),
            names: self.array_names(),
            unique,
            values: 0,
            b,
        };
        let mut stmts = Vec::new();
        let mut loops = Vec::new();
        for (n, s) in self.statements.iter().enumerate() {
            let stmt = import.statement(s, n)?;
            loops.extend(stmt.iters.iter().map(|v| (*v, stmt.loc.clone())));
            stmts.push(stmt);
        }
        let mut dates = Vec::new();
        for (s, stmt) in self.statements.iter().zip(&stmts) {
            dates.push(import.dates(s, stmt)?);
        }
        let line = self.context.line;
        let schedule = tree_of_maps(&stmts.iter().map(|s| s.domain.clone()).collect::<Vec<_>>(), &dates, b)
            .map_err(|e| Error::new(line, format!("the scatterings make no schedule: {e}")))?;
        Ok(crate::scop::without_operations(crate::scop::Parts {
            name,
            params: import.params,
            context,
            arrays: import.arrays,
            stmts,
            schedule,
            loops,
            loc: Loc::new(&import.file, line, 1),
            values: import.values,
        }))
    }
}

struct Import<'a> {
    params: Vec<Id>,
    file: Arc<str>,
    arrays: Vec<Array>,
    by_id: BTreeMap<Int, ArrayId>,
    names: BTreeMap<i64, String>,
    unique: Unique,
    /// Values are numbered: nothing stands behind them.
    values: u32,
    b: &'a Budget,
}

impl Import<'_> {
    fn value(&mut self) -> ValueId {
        self.values += 1;
        ValueId(self.values - 1)
    }

    fn loc(&self, line: u32) -> Loc {
        Loc::new(&self.file, line, 1)
    }

    fn statement(&mut self, s: &Statement, n: usize) -> Result<Stmt, Error> {
        let mut dims = Unique::default();
        self.params.iter().for_each(|p| drop(dims.name(p.as_str())));
        let iters: Vec<String> = s.iterator_names().iter().map(|i| dims.name(i)).collect();
        let name = Id::new(format!("S{n}"));
        let space = Space::set(
            self.params.clone(),
            Tuple::with_dims(name.clone(), iters.iter().map(|i| Id::new(i.as_str()))),
        );
        let domain = to_set(&s.domain, &space, self.b)?;
        let mut accesses = Vec::new();
        for r in &s.accesses {
            accesses.push(self.access(r, &domain)?);
        }
        let iters = iters.iter().map(|_| self.value()).collect();
        Ok(Stmt {
            name,
            kind: StmtKind::Opaque,
            iters,
            domain,
            ops: Vec::new(),
            accesses,
            cell_writes: Vec::new(),
            cell_reads: Vec::new(),
            reduction: None,
            loc: self.loc(s.line),
        })
    }

    /// An access; its first output dimension is the array's number.
    fn access(&mut self, r: &Relation, domain: &Set) -> Result<Access, Error> {
        let outputs = r.parts.first().map_or(0, |m| m.outputs);
        if outputs == 0 {
            return Err(Error::new(r.line, "an access needs an output dimension for its array"));
        }
        let space = domain.space().map_to_tuple(Tuple::anonymous(outputs));
        let whole = to_map(r, &space, self.b)?;
        let ids = r.parts.iter().map(array_number).collect::<Option<Vec<Int>>>();
        let id = match ids.as_deref() {
            Some([first, rest @ ..]) if rest.iter().all(|o| o == first) => first.clone(),
            _ => {
                return Err(Error::new(
                    r.line,
                    "this access doesn't say which array: no row sets its first output dimension to a number",
                ));
            }
        };
        let array = self.array(&id, outputs - 1, r.line)?;
        let relation = whole.project_out(DimType::Out, 0, 1, self.b).map_err(at(r.line))?;
        let relation = relation.set_tuple_name(DimType::Out, Some(self.arrays[array.0 as usize].name.clone()));
        let relation = relation.intersect_domain(domain).map_err(at(r.line))?;
        Ok(Access {
            array,
            kind: if r.kind == RelationKind::Read {
                AccessKind::Read
            } else {
                AccessKind::Write
            },
            must: r.kind != RelationKind::MayWrite,
            relation,
            source: AccessSource::Effect(OpId(0)),
            loc: self.loc(r.line),
        })
    }

    fn array(&mut self, id: &Int, rank: usize, line: u32) -> Result<ArrayId, Error> {
        if let Some(known) = self.by_id.get(id) {
            let array = &self.arrays[known.0 as usize];
            if array.rank != rank {
                let message = format!(
                    "array {} has {} subscripts here, and {} in an access before",
                    array.name, rank, array.rank
                );
                return Err(Error::new(line, message));
            }
            return Ok(*known);
        }
        let wanted = id
            .to_i64()
            .and_then(|n| self.names.get(&n).cloned())
            .unwrap_or_else(|| format!("A{id}"));
        let name = self.unique.name(&wanted);
        let value = self.value();
        let number = ArrayId(u32::try_from(self.arrays.len()).unwrap_or(u32::MAX));
        self.arrays.push(Array {
            name: Id::new(name),
            kind: ArrayKind::Root(value),
            elem: ScalarType::F64,
            rank,
            live_out: None,
            loc: self.loc(line),
        });
        self.by_id.insert(id.clone(), number);
        Ok(number)
    }

    /// The dates of a statement's instances.
    fn dates(&self, s: &Statement, stmt: &Stmt) -> Result<Map, Error> {
        let Some(r) = &s.scattering else {
            return Err(Error::new(
                s.line,
                "this statement has no SCATTERING, which says when its instances run",
            ));
        };
        let outputs = r.parts.first().map_or(0, |m| m.outputs);
        let space = stmt.domain.space().map_to_tuple(Tuple::anonymous(outputs));
        let map = to_map(r, &space, self.b)?.intersect_domain(&stmt.domain).map_err(at(r.line))?;
        if !map.is_single_valued(self.b).map_err(at(r.line))? {
            return Err(Error::new(r.line, "this scattering gives an instance several dates"));
        }
        if !stmt.domain.is_subset(&map.domain(), self.b).map_err(at(r.line))? {
            return Err(Error::new(r.line, "this scattering leaves instances without a date"));
        }
        Ok(map)
    }
}

/// The number that an equality of the part gives its first output dimension.
fn array_number(m: &super::Matrix) -> Option<Int> {
    m.rows.iter().find_map(|row| {
        let last = row.len() - 1;
        let alone = row[0].is_zero() && row[2..last].iter().all(Int::is_zero);
        match row[1].to_i64() {
            Some(-1) if alone => Some(row[last].clone()),
            Some(1) if alone => Some(-&row[last]),
            _ => None,
        }
    })
}
