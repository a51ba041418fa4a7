//! Arrays and statements with their sets.

use crate::cells::Cell;
use crate::index::Index;
use crate::plan::{Ctx, Declined};
use crate::reduction::combines;
use crate::roots::{RootKind, Roots, reaches_beyond};
use crate::sets::{Columns, Params, domain_tuple};
use crate::slice::{Draft, Purpose};
use crate::touch::{Apart, Region, Touch};
use rustc_hash::FxHashMap;
use tilia_presburger::{Id, Result, Tuple};
use tilia_program::{BlockId, OpKind, Program, ScalarType, ValueDef, ValueId};
use tilia_scop::{Access, AccessKind, AccessSource, Array, ArrayId, ArrayKind, Reduction, Stmt, StmtKind};

fn id(n: usize) -> ArrayId {
    ArrayId(u32::try_from(n).expect("fewer than 2^32 arrays"))
}

/// The arrays of a scop: root buffers in order of first touch, cells, and the world where something acts on it.
pub(crate) struct Arrays {
    pub(crate) list: Vec<Array>,
    of_root: FxHashMap<ValueId, usize>,
    first_cell: usize,
    world: Option<usize>,
}

impl Arrays {
    pub(crate) fn new(index: &Index<'_>, program: &Program, roots: &mut Roots, touches: &[(Vec<Touch>, bool)], cells: &[Cell]) -> Self {
        let mut arrays = Self {
            list: Vec::new(),
            of_root: FxHashMap::default(),
            first_cell: 0,
            world: None,
        };
        for t in touches.iter().flat_map(|(t, _)| t) {
            if !arrays.of_root.contains_key(&t.root) {
                arrays.of_root.insert(t.root, arrays.list.len());
                let array = root_array(index, program, roots, t.root, arrays.list.len());
                arrays.list.push(array);
            }
        }
        arrays.first_cell = arrays.list.len();
        for (n, c) in cells.iter().enumerate() {
            let kind = ArrayKind::Cell(c.value);
            arrays.list.push(Array {
                name: Id::new(format!("c{n}")),
                kind,
                elem: c.elem,
                rank: c.iters.len(),
                live_out: c.live_out,
                loc: c.loc.clone(),
            });
        }
        if touches.iter().any(|(_, unknown)| *unknown) {
            arrays.world = Some(arrays.list.len());
            let loc = tilia_diag::Loc::unknown();
            arrays.list.push(Array {
                name: Id::new("world"),
                kind: ArrayKind::World,
                elem: ScalarType::Int(1),
                rank: 0,
                live_out: None,
                loc,
            });
        }
        arrays
    }

    pub(crate) fn name(&self, root: ValueId) -> &str {
        self.of_root.get(&root).map_or("its buffer", |&n| self.list[n].name.as_str())
    }

    pub(crate) fn roots(&self) -> impl Iterator<Item = ValueId> {
        self.list.iter().filter_map(|a| match a.kind {
            ArrayKind::Root(v) => Some(v),
            _ => None,
        })
    }

    /// Root buffers that are written and whose elements the model tells apart by subscripts although that isn't known of their strides yet. What is only read may be found under several subscripts.
    pub(crate) fn unproven(&self, index: &Index<'_>, touches: &[(Vec<Touch>, bool)]) -> Vec<ArrayId> {
        let told_apart = |root: ValueId| {
            let all = || touches.iter().flat_map(|(t, _)| t).filter(|t| t.root == root);
            all().any(|t| t.write) && all().any(|t| t.region != Region::Anywhere)
        };
        let roots = self.roots().enumerate();
        let unproven = roots.filter(|(_, root)| Apart::of(index.function, *root) == Apart::ByStrides && told_apart(*root));
        unproven.map(|(n, _)| id(n)).collect()
    }

    /// Pairs of root buffers of which one is written and that may share memory.
    ///
    /// # Errors
    /// A buffer whose views may reach memory that its own descriptor doesn't span: comparing descriptors says nothing then.
    pub(crate) fn overlaps(
        &self,
        index: &Index<'_>,
        roots: &mut Roots,
        stmts: &[Stmt],
    ) -> std::result::Result<Vec<(ArrayId, ArrayId)>, Declined> {
        let mut written = vec![false; self.list.len()];
        for a in stmts.iter().flat_map(|s| &s.accesses).filter(|a| a.kind == AccessKind::Write) {
            written[a.array.0 as usize] = true;
        }
        let all: Vec<ValueId> = self.roots().collect();
        let mut out = Vec::new();
        for (i, &a) in all.iter().enumerate() {
            for (j, &b) in all.iter().enumerate().skip(i + 1) {
                if (written[i] || written[j]) && roots.may_overlap(index, a, b) {
                    if let Some(op) = [a, b].into_iter().find_map(|v| reaches_beyond(index, v)) {
                        let why = "it may reach beyond the memref that it is made of, where another one may lie";
                        return Err(Declined::new(op, why));
                    }
                    out.push((id(i), id(j)));
                }
            }
        }
        Ok(out)
    }
}

fn root_array(index: &Index<'_>, program: &Program, roots: &mut Roots, root: ValueId, n: usize) -> Array {
    let function = index.function;
    let (name, loc) = match function[root].def {
        ValueDef::Arg(block, k) if Some(block) == function.entry() => (format!("arg{k}"), function.loc.clone()),
        ValueDef::Arg(..) => (format!("mem{n}"), function.loc.clone()),
        ValueDef::Result(op, _) => (format!("mem{n}"), function[op].loc.clone()),
    };
    let name = match roots.kind(index, root) {
        // Only names that sets can print, and that nothing else here has.
        RootKind::Global(g) => match program.globals.get(g as usize) {
            Some(g) if g.name.len() < 40 && g.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => format!("global_{}", g.name),
            _ => name,
        },
        _ => name,
    };
    let elem = function[root].ty.element().unwrap_or(ScalarType::Int(8));
    Array {
        name: Id::new(name),
        kind: ArrayKind::Root(root),
        elem,
        rank: crate::views::rank(function, root),
        live_out: None,
        loc,
    }
}

/// Makes statements out of drafts.
pub(crate) struct StmtBuilder<'a> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) params: &'a Params,
    pub(crate) arrays: &'a Arrays,
    pub(crate) contexts: &'a FxHashMap<BlockId, Ctx>,
    pub(crate) cells: &'a [Cell],
}

impl StmtBuilder<'_> {
    fn tuple(&self, array: usize) -> Tuple {
        Tuple::named(self.arrays.list[array].name.clone(), self.arrays.list[array].rank)
    }

    pub(crate) fn stmt(&self, n: usize, draft: &Draft, touches: &[Touch], unknown: bool, roots: &mut Roots) -> Result<Stmt> {
        let name = Id::new(format!("S{n}"));
        let none = Ctx {
            iters: Vec::new(),
            dnf: crate::lin::always(),
        };
        let ctx = self.contexts.get(&draft.block).unwrap_or(&none);
        let tuple = domain_tuple(&name, ctx.iters.len());
        let domain = Columns::set(self.params, tuple.clone(), &ctx.iters).dnf(&ctx.dnf)?;
        let group: &[_] = if let Purpose::Opaque(group) = &draft.purpose { group } else { &[] };
        let mut accesses = Vec::new();
        for t in touches {
            let plain = draft.ops.contains(&t.op) && !group.contains(&t.op);
            accesses.push(self.touch(t, plain, &tuple, &ctx.iters)?);
        }
        if unknown {
            self.reach(draft, &tuple, roots, &mut accesses)?;
        }
        // A call that is handed a buffer several times touches it once.
        let mut once: Vec<Access> = Vec::with_capacity(accesses.len());
        for a in accesses {
            let same = |o: &Access| !a.must && !o.must && o.array == a.array && o.kind == a.kind && o.relation == a.relation;
            if group.is_empty() || !once.iter().any(same) {
                once.push(a);
            }
        }
        let mut stmt = Stmt {
            kind: if group.is_empty() && draft.purpose != Purpose::Copy {
                StmtKind::Plain
            } else {
                StmtKind::Opaque
            },
            name,
            iters: ctx.iters.clone(),
            domain,
            ops: draft.ops.clone(),
            accesses: once,
            cell_writes: Vec::new(),
            cell_reads: Vec::new(),
            reduction: None,
            loc: self.index.function[draft.at].loc.clone(),
        };
        self.cell_accesses(draft, &tuple, &mut stmt)?;
        stmt.reduction = self.reduction(draft, touches, &stmt);
        Ok(stmt)
    }

    fn touch(&self, t: &Touch, plain: bool, tuple: &Tuple, iters: &[ValueId]) -> Result<Access> {
        let array = self.arrays.of_root.get(&t.root).copied().unwrap_or_default();
        let columns = Columns::map(self.params, tuple.clone(), self.tuple(array), iters);
        let rank = self.arrays.list[array].rank;
        let relation = match &t.region {
            Region::At(subs, extents) if subs.len() == rank => columns.access(subs, extents)?,
            Region::Whole(extents) if extents.len() == rank => columns.whole(extents)?,
            _ => columns.access(&[], &[])?,
        };
        Ok(Access {
            array: id(array),
            kind: if t.write { AccessKind::Write } else { AccessKind::Read },
            must: plain && t.region.is_exact(),
            relation,
            source: if plain {
                AccessSource::Op(t.op)
            } else {
                AccessSource::Effect(t.op)
            },
            loc: self.index.function[t.op].loc.clone(),
        })
    }

    /// Accesses of code that isn't seen: everything whose address it may know, and the world.
    fn reach(&self, draft: &Draft, tuple: &Tuple, roots: &mut Roots, accesses: &mut Vec<Access>) -> Result<()> {
        for (n, array) in self.arrays.list.iter().enumerate() {
            let kinds: &[AccessKind] = match array.kind {
                ArrayKind::Root(v) if roots.is_exposed(self.index, v) => &[AccessKind::Read, AccessKind::Write],
                ArrayKind::World => &[AccessKind::Read, AccessKind::Write],
                _ => &[],
            };
            for &kind in kinds {
                let relation = Columns::map(self.params, tuple.clone(), self.tuple(n), &[]).access(&[], &[])?;
                let loc = self.index.function[draft.at].loc.clone();
                accesses.push(Access {
                    array: id(n),
                    kind,
                    must: false,
                    relation,
                    source: AccessSource::Effect(draft.at),
                    loc,
                });
            }
        }
        Ok(())
    }

    fn cell_accesses(&self, draft: &Draft, tuple: &Tuple, stmt: &mut Stmt) -> Result<()> {
        let reads = draft.reads.iter().map(|&(v, c)| (v, c, AccessKind::Read));
        let writes = draft.writes.iter().map(|&(v, c)| (v, c, AccessKind::Write));
        for (v, cell, kind) in reads.chain(writes) {
            let array = self.arrays.first_cell + cell;
            let iters = &self.cells[cell].iters;
            let columns = Columns::map(self.params, tuple.clone(), self.tuple(array), &stmt.iters);
            let subs: Vec<_> = iters
                .iter()
                .map(|&i| Some(crate::lin::Pw::lin(crate::lin::Lin::atom(crate::lin::Atom::Iter(i)))))
                .collect();
            let relation = columns.access(&subs, &vec![1; subs.len()])?;
            let list = if kind == AccessKind::Read {
                &mut stmt.cell_reads
            } else {
                &mut stmt.cell_writes
            };
            list.push((v, stmt.accesses.len()));
            let loc = self.cells[cell].loc.clone();
            stmt.accesses.push(Access {
                array: id(array),
                kind,
                must: true,
                relation,
                source: AccessSource::Cell(v),
                loc,
            });
        }
        Ok(())
    }

    fn reduction(&self, draft: &Draft, touches: &[Touch], stmt: &Stmt) -> Option<Reduction> {
        let function = self.index.function;
        match draft.purpose {
            Purpose::Store => {
                let write = touches.iter().position(|t| t.op == draft.at)?;
                let result = function[draft.at].operands[0];
                let same =
                    |t: &Touch| !t.write && t.root == touches[write].root && t.region == touches[write].region && t.region.is_exact();
                if !stmt.cell_writes.is_empty() {
                    return None;
                }
                // Other loads from the same buffer are accesses of their own, whose dependences keep their order.
                touches.iter().enumerate().filter(|(_, t)| same(t)).find_map(|(read, t)| {
                    let old = matches!(function[t.op].kind, OpKind::Load(_)).then(|| function[t.op].results[0])?;
                    combines(self.index, &stmt.ops, result, old).map(|op| Reduction { read, write, op })
                })
            }
            Purpose::Cells => {
                let [(result, write)] = stmt.cell_writes[..] else { return None };
                let array = stmt.accesses[write].array;
                let mut reads = stmt.cell_reads.iter().filter(|(_, a)| stmt.accesses[*a].array == array);
                let &(old, read) = reads.next()?;
                if reads.next().is_some() {
                    return None;
                }
                combines(self.index, &stmt.ops, result, old).map(|op| Reduction { read, write, op })
            }
            _ => None,
        }
    }
}
