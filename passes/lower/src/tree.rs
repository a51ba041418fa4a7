//! The loop AST with statements resolved: what each instance touches, as forms of the loops' iterators.

use crate::copies::Copies;
use crate::form::{Atom, Form};
use crate::tighten::tightened;
use rustc_hash::FxHashMap;
use tilia_ast::{Ast, Expr, ForMarks, Node, VarId};
use tilia_diag::Loc;
use tilia_presburger::Id;
use tilia_program::{Function, Layout, OpId, OpKind, PureOp, SliceDim, Type, ValueId};
use tilia_scop::{AccessKind, AccessSource, ArrayId, ArrayKind, Scop, Stmt, StmtId, StmtKind};

/// Why lowering gave up on a scop; the original operations are kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Declined {
    /// One clause for a remark.
    pub reason: String,
    /// Where.
    pub loc: Loc,
}

impl Declined {
    pub(crate) fn new(loc: &Loc, reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            loc: loc.clone(),
        }
    }
}

/// A place in memory or a private cell that an instance touches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) array: ArrayId,
    /// The memref that the operation addresses (a view of the array's root, maybe); `None` for cells.
    pub(crate) memref: Option<ValueId>,
    /// Subscripts into `memref` (into the cell).
    pub(crate) subs: Vec<Form>,
    /// Number of elements, neighbours in the last dimension from there on, that are touched at once.
    pub(crate) lanes: u32,
}

/// One access of an instance.
#[derive(Debug, Clone)]
pub(crate) struct Touch {
    pub(crate) array: ArrayId,
    pub(crate) write: bool,
    /// The place, where it is one element known exactly and certainly touched.
    pub(crate) place: Option<Place>,
    /// The load or store that makes it; `None` for cells and effects.
    pub(crate) op: Option<OpId>,
}

/// The iterator of a vector's lanes, which counts from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) var: VarId,
    pub(crate) count: u32,
}

/// An instance of a statement, or several at once.
#[derive(Debug, Clone)]
pub(crate) struct Inst {
    pub(crate) stmt: StmtId,
    /// Values of the statement's iterators.
    pub(crate) args: Vec<Form>,
    /// Iterators of our own for arguments that aren't linear forms, with what they stand for.
    pub(crate) lets: Vec<(VarId, Expr)>,
    pub(crate) touches: Vec<Touch>,
    /// Where this stands for independent instances, one a lane, whose arguments mention the lane.
    pub(crate) lane: Option<Lane>,
}

#[derive(Debug, Clone)]
pub(crate) struct Loop {
    pub(crate) id: usize,
    pub(crate) var: VarId,
    pub(crate) lower: Expr,
    /// Inclusive.
    pub(crate) upper: Expr,
    pub(crate) step: i64,
    pub(crate) marks: ForMarks,
    /// Whether the body itself works on vectors, being made of smaller loops written out.
    pub(crate) vectors: bool,
    pub(crate) body: Box<Tree>,
    /// Iterators bound inside the body.
    pub(crate) inner: Vec<VarId>,
    pub(crate) loc: Loc,
}

#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Block(Vec<Tree>),
    Loop(Loop),
    If {
        cond: Expr,
        then: Box<Tree>,
        otherwise: Option<Box<Tree>>,
    },
    Inst(Inst),
}

impl Tree {
    /// Calls `visit` on each instance below, in order.
    pub(crate) fn instances<'a>(&'a self, visit: &mut dyn FnMut(&'a Inst)) {
        match self {
            Self::Block(children) => children.iter().for_each(|c| c.instances(visit)),
            Self::Loop(l) => l.body.instances(visit),
            Self::If { then, otherwise, .. } => {
                then.instances(visit);
                if let Some(o) = otherwise {
                    o.instances(visit);
                }
            }
            Self::Inst(i) => visit(i),
        }
    }

    /// Whether no loop stands below.
    pub(crate) fn is_innermost(&self) -> bool {
        match self {
            Self::Block(children) => children.iter().all(Tree::is_innermost),
            Self::Loop(_) => false,
            Self::If { then, otherwise, .. } => then.is_innermost() && otherwise.as_ref().is_none_or(|o| o.is_innermost()),
            Self::Inst(_) => true,
        }
    }

    /// The nodes that execute in each iteration of a loop with this body, whatever the values: children of blocks, not of loops or conditions.
    pub(crate) fn unguarded(&self) -> Vec<&Tree> {
        match self {
            Self::Block(children) => children.iter().flat_map(Tree::unguarded).collect(),
            other => vec![other],
        }
    }
}

/// Builds the resolved tree.
pub(crate) struct Builder<'a> {
    pub(crate) function: &'a Function,
    pub(crate) scop: &'a Scop,
    pub(crate) params: &'a FxHashMap<Id, ValueId>,
    copies: &'a Copies,
    pub(crate) next_var: u32,
    pub(crate) next_loop: usize,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(function: &'a Function, scop: &'a Scop, ast: &Ast, params: &'a FxHashMap<Id, ValueId>, copies: &'a Copies) -> Self {
        Self {
            copies,
            function,
            scop,
            params,
            next_var: u32::try_from(ast.vars.len()).unwrap_or(u32::MAX),
            next_loop: 0,
        }
    }

    /// The tree, and the first number that no iterator has.
    pub(crate) fn build_root(mut self, ast: &Ast) -> Result<(Tree, u32), Declined> {
        let tree = self.build(&ast.root)?;
        Ok((tree, self.next_var))
    }

    fn build(&mut self, node: &Node) -> Result<Tree, Declined> {
        Ok(match node {
            Node::Block(children) => Tree::Block(children.iter().map(|c| self.build(c)).collect::<Result<_, _>>()?),
            Node::Mark { body, .. } => self.build(body)?,
            Node::If { cond, then, otherwise } => Tree::If {
                cond: cond.clone(),
                then: Box::new(self.build(then)?),
                otherwise: otherwise.as_ref().map(|o| self.build(o).map(Box::new)).transpose()?,
            },
            Node::For(l) => {
                let body = self.build(&l.body)?;
                let step = l
                    .step
                    .to_i64()
                    .filter(|&s| s > 0)
                    .ok_or_else(|| Declined::new(&self.scop.loc, "a loop's step doesn't fit 64 bits"))?;
                self.next_loop += 1;
                tightened(Loop {
                    id: self.next_loop - 1,
                    var: l.var,
                    lower: l.lower.clone(),
                    upper: l.upper.clone(),
                    step,
                    marks: l.marks,
                    vectors: false,
                    inner: inner_vars(&body),
                    loc: first_loc(&body, self.scop),
                    body: Box::new(body),
                })
            }
            Node::User { stmt, args } => Tree::Inst(self.instance(stmt, args)?),
        })
    }

    fn instance(&mut self, name: &Id, args: &[Expr]) -> Result<Inst, Declined> {
        let scop = self.scop;
        let (stmt, data) = scop.stmt_by_name(name).ok_or_else(|| {
            Declined::new(
                &scop.loc,
                format!("the loop AST names a statement {name} that the scop doesn't have"),
            )
        })?;
        if args.len() != data.iters.len() {
            return Err(Declined::new(
                &data.loc,
                format!(
                    "the loop AST gives {} values for the {} iterators of {name}",
                    args.len(),
                    data.iters.len()
                ),
            ));
        }
        let mut lets = Vec::new();
        let args = args
            .iter()
            .map(|e| {
                Form::of_expr(e, &|p| self.params.get(p).copied()).unwrap_or_else(|| {
                    let var = VarId(self.next_var);
                    self.next_var += 1;
                    lets.push((var, e.clone()));
                    Form::atom(Atom::Var(var))
                })
            })
            .collect::<Vec<_>>();
        let touches = self.touches(stmt, data, &args);
        Ok(Inst {
            stmt,
            args,
            lets,
            touches,
            lane: None,
        })
    }

    /// What an instance touches, one entry for each access of its statement, in their order.
    fn touches(&self, id: StmtId, stmt: &Stmt, args: &[Form]) -> Vec<Touch> {
        let (function, scop) = (self.function, self.scop);
        let forms = index_forms(function, stmt, args);
        let mut list = Vec::new();
        for (n, access) in stmt.accesses.iter().enumerate() {
            let write = access.kind == AccessKind::Write;
            let (place, op) = match access.source {
                AccessSource::Cell(_) if matches!(scop[access.array].kind, ArrayKind::Copy(_)) => {
                    (self.copies.place(scop, (id, n), args, self.params), None)
                }
                AccessSource::Cell(_) => (cell_place(scop, access.array, args), None),
                AccessSource::Op(op) if stmt.kind == StmtKind::Plain && access.must && !is_vector_access(function, op) => {
                    // A view that the statement itself makes exists nowhere else, so its elements aren't known as places; nor are those of a view that shows one
                    // element under several subscripts.
                    let place = subscripts(function, stmt, &forms, op)
                        .filter(|(memref, _)| !made_by(function, stmt, *memref) && keeps_apart(function, *memref))
                        .map(|(memref, subs)| Place {
                            array: access.array,
                            memref: Some(memref),
                            subs,
                            lanes: 1,
                        });
                    (place, Some(op))
                }
                AccessSource::Op(op) => (None, Some(op)),
                AccessSource::Effect(_) => (None, None),
            };
            list.push(Touch {
                array: access.array,
                write,
                place,
                op,
            });
        }
        list
    }
}

fn inner_vars(tree: &Tree) -> Vec<VarId> {
    match tree {
        Tree::Block(children) => children.iter().flat_map(inner_vars).collect(),
        Tree::Loop(l) => std::iter::once(l.var).chain(l.inner.iter().copied()).collect(),
        Tree::If { then, otherwise, .. } => inner_vars(then)
            .into_iter()
            .chain(otherwise.as_ref().map(|o| inner_vars(o)).unwrap_or_default())
            .collect(),
        Tree::Inst(i) => i.lets.iter().map(|(v, _)| *v).collect(),
    }
}

fn first_loc(tree: &Tree, scop: &Scop) -> Loc {
    let mut loc = None;
    tree.instances(&mut |i| {
        loc.get_or_insert_with(|| scop[i.stmt].loc.clone());
    });
    loc.unwrap_or_else(|| scop.loc.clone())
}

/// Forms of the index values that a statement's operations compute from its iterators; what has none isn't in the map.
pub(crate) fn index_forms(function: &Function, stmt: &Stmt, args: &[Form]) -> FxHashMap<ValueId, Form> {
    let mut forms: FxHashMap<ValueId, Form> = stmt.iters.iter().copied().zip(args.iter().cloned()).collect();
    let mut unknown: rustc_hash::FxHashSet<ValueId> = stmt.cell_reads.iter().map(|(v, _)| *v).collect();
    for &id in &stmt.ops {
        let op = &function[id];
        let operand = |n: usize, forms: &FxHashMap<ValueId, Form>| operand_form(forms, &unknown, op.operands[n]);
        let form = match &op.kind {
            OpKind::Constant(tilia_program::Constant::Int(c)) => Some(Form::constant(*c)),
            OpKind::Apply(map) => map_forms(map, &op.operands, &forms, &unknown).and_then(|mut f| f.pop()),
            OpKind::Pure(pure, _) if function[op.results[0]].ty == Type::INDEX => match pure {
                PureOp::AddI => operand(0, &forms).zip(operand(1, &forms)).and_then(|(a, b)| a.add_scaled(&b, 1)),
                PureOp::SubI => operand(0, &forms).zip(operand(1, &forms)).and_then(|(a, b)| a.add_scaled(&b, -1)),
                PureOp::MulI => operand(0, &forms)
                    .zip(operand(1, &forms))
                    .and_then(|(a, b)| match (a.as_constant(), b.as_constant()) {
                        (Some(c), _) => b.scaled(c),
                        (_, Some(c)) => a.scaled(c),
                        _ => None,
                    }),
                _ => None,
            },
            _ => None,
        };
        match (form, op.results.first()) {
            (Some(form), Some(&result)) => {
                forms.insert(result, form);
            }
            _ => unknown.extend(op.results.iter().copied()),
        }
    }
    forms.retain(|v, _| !unknown.contains(v));
    forms
}

fn operand_form(forms: &FxHashMap<ValueId, Form>, unknown: &rustc_hash::FxHashSet<ValueId>, v: ValueId) -> Option<Form> {
    if unknown.contains(&v) {
        return None;
    }
    Some(forms.get(&v).cloned().unwrap_or_else(|| Form::atom(Atom::Value(v))))
}

fn map_forms(
    map: &tilia_program::AffineMap,
    operands: &[ValueId],
    forms: &FxHashMap<ValueId, Form>,
    unknown: &rustc_hash::FxHashSet<ValueId>,
) -> Option<Vec<Form>> {
    let operands = operands
        .iter()
        .map(|&v| operand_form(forms, unknown, v))
        .collect::<Option<Vec<_>>>()?;
    let (dims, syms) = operands.split_at_checked(map.dims as usize)?;
    map.results.iter().map(|e| Form::of_affine(e, dims, syms)).collect()
}

/// Subscripts of a load or store of a statement as forms; `None` where an operand has no form.
pub(crate) fn subscripts(function: &Function, stmt: &Stmt, forms: &FxHashMap<ValueId, Form>, op: OpId) -> Option<(ValueId, Vec<Form>)> {
    let data = &function[op];
    let (memref, access, rest) = match &data.kind {
        OpKind::Load(access) => (data.operands[0], access, &data.operands[1..]),
        OpKind::Store(access) => (data.operands[1], access, &data.operands[2..]),
        _ => return None,
    };
    let mut unknown: rustc_hash::FxHashSet<ValueId> = stmt.cell_reads.iter().map(|(v, _)| *v).collect();
    for &o in &stmt.ops {
        unknown.extend(function[o].results.iter().copied().filter(|v| !forms.contains_key(v)));
    }
    Some((memref, map_forms(&access.map, rest, forms, &unknown)?))
}

/// Whether the value is a result of one of the statement's operations.
fn made_by(function: &Function, stmt: &Stmt, value: ValueId) -> bool {
    matches!(function[value].def, tilia_program::ValueDef::Result(op, _) if stmt.ops.contains(&op))
}

/// Whether different subscripts of a memref are different elements of its root buffer, whose own elements are known to be apart. A new layout is taken for one that doesn't keep
/// them apart unless it is plain.
fn keeps_apart(function: &Function, memref: ValueId) -> bool {
    let mut at = memref;
    loop {
        let tilia_program::ValueDef::Result(op, _) = function[at].def else {
            return true;
        };
        let data = &function[op];
        match &data.kind {
            OpKind::CastMemRef | OpKind::Transpose(_) | OpKind::Reshape { .. } => {}
            OpKind::SubView(slice) => {
                if !slice.strides.iter().all(|s| matches!(s, SliceDim::Const(c) if *c != 0)) {
                    return false;
                }
            }
            OpKind::ReinterpretCast(_) => {
                return matches!(function[at].ty.as_memref().map(|m| &m.layout), Some(Layout::Identity));
            }
            _ => return true,
        }
        let Some(&source) = data.operands.first() else { return false };
        at = source;
    }
}

fn is_vector_access(function: &Function, op: OpId) -> bool {
    let value = match function[op].kind {
        OpKind::Load(_) => function[op].results[0],
        _ => function[op].operands[0],
    };
    matches!(function[value].ty, Type::Vector(_))
}

/// The element of a cell: a cell has one dimension a loop around its value's definition, and whoever sees the value stands inside these loops; so the
/// subscripts are the outermost iterators of the statement.
fn cell_place(scop: &Scop, array: ArrayId, args: &[Form]) -> Option<Place> {
    Some(Place {
        array,
        memref: None,
        subs: args.get(..scop[array].rank)?.to_vec(),
        lanes: 1,
    })
}
