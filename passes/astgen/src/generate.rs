//! The walk over the schedule tree.

use crate::ask::{Memory, Oracle, ask};
use crate::build::Build;
use crate::convert::disjuncts;
use crate::exe::Exe;
use crate::graft::{Cond, Graft, common, without};
use crate::options::{Error, Options};
use crate::params::all_params;
use std::cell::RefCell;
use std::sync::Arc;
use tilia_ast::{Ast, Node as AstNode, VarId};
use tilia_diag::{Loc, Remark};
use tilia_presburger::{Budget, DimType, Id, Map, Set, UnionMap, UnionSet};
use tilia_schedule::{Band, Member, Node, NodeKind, Path, ScheduleTree};

/// Makes the loop AST of a schedule tree.
///
/// `context` (over parameters) is what may be assumed of the parameters. Every instance of the tree's domain that satisfies the context is executed exactly once,
/// in an order that the tree allows. What couldn't be done as asked (code would have grown too much, say) is reported as a remark.
///
/// # Errors
/// When a loop has no bounds, the tree isn't one that can be generated, or the budget runs out.
pub fn generate(tree: &ScheduleTree, context: &Set, options: &Options, b: &Budget) -> Result<(Ast, Vec<Remark>), Error> {
    let memory = RefCell::new(Memory::default());
    let oracle = Oracle::new(b, &memory);
    let b = &oracle;
    let mut gen_ = Generator {
        options,
        budget: b,
        vars: Vec::new(),
        remarks: Vec::new(),
        copies: 0,
        at: Path::root(),
    };
    let mut build = Build::new(all_params(tree, context));
    let context = on_tuple(context, 0)?;
    build.assume_set(&context)?;
    let domain = match tree.root().kind() {
        NodeKind::Domain(d) => d.clone(),
        _ => return Err(gen_.tree_error("only a tree whose root is a domain can be generated")),
    };
    let mut exes = Vec::new();
    for set in domain.sets() {
        let exe = Exe::new(set, b)?;
        exes.push(exe.restrict(&context)?);
    }
    let grafts = gen_.children(tree.root(), exes, &build)?;
    let nodes = gen_.close(grafts, &build)?;
    let root = AstNode::sequence(nodes).simplified().unwrap_or_else(|| AstNode::Block(Vec::new()));
    Ok((Ast { root, vars: gen_.vars }, gen_.remarks))
}

/// A set over parameters, or over the first dimensions, as a set over an anonymous tuple of `n` dimensions.
pub(crate) fn on_tuple(set: &Set, n: usize) -> Result<Set, Error> {
    let set = if set.space().is_params() { set.from_params()? } else { set.clone() };
    let have = set.dim(DimType::Out);
    if have > n {
        return Err(Error::Sets(tilia_presburger::Error::Unsupported(format!(
            "{set} has {have} dimensions where there are {n} outer ones"
        ))));
    }
    let set = set.set_tuple_name(DimType::Out, None);
    Ok(if have < n { set.add_dims(DimType::Out, n - have)? } else { set })
}

pub(crate) struct Generator<'a> {
    pub(crate) options: &'a Options,
    pub(crate) budget: &'a Oracle<'a>,
    pub(crate) vars: Vec<Id>,
    pub(crate) remarks: Vec<Remark>,
    /// Statement instances emitted.
    pub(crate) copies: usize,
    /// The node of the tree that is being generated.
    pub(crate) at: Path,
}

/// A band on its way: which members are still to be scanned, and what was asked for.
#[derive(Clone)]
pub(crate) struct BandCx<'t> {
    pub(crate) band: &'t Band,
    /// The node below the band.
    pub(crate) child: Option<&'t Arc<Node>>,
    /// Schedule dimension of the first member.
    pub(crate) first: usize,
    /// The loops of the band are to be marked for vectorisation.
    pub(crate) vector: bool,
    /// The isolated part, over the dimensions up to the band's last.
    pub(crate) isolate: Option<Arc<crate::isolate::Isolate>>,
    /// Inside the isolated part, as far as it is known up to this member.
    pub(crate) isolated: bool,
}

impl BandCx<'_> {
    pub(crate) fn member(&self, dim: usize) -> &Member {
        &self.band.members[dim - self.first]
    }
}

impl Generator<'_> {
    pub(crate) fn tree_error(&self, message: impl Into<String>) -> Error {
        Error::Tree {
            at: self.at.clone(),
            message: message.into(),
        }
    }

    pub(crate) fn declined(&mut self, message: impl Into<String>) {
        let remark = Remark::declined("astgen", Loc::default(), message);
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    pub(crate) fn new_var(&mut self, name: Id) -> VarId {
        let id = VarId(u32::try_from(self.vars.len()).unwrap_or(u32::MAX));
        self.vars.push(name);
        id
    }

    /// The code of the children of a node, one after the other.
    fn children(&mut self, node: &Arc<Node>, exes: Vec<Exe>, build: &Build) -> Result<Vec<Graft>, Error> {
        let mut out = Vec::new();
        for (i, c) in node.children().iter().enumerate() {
            self.at.0.push(i);
            out.extend(self.node(c, exes.clone(), build)?);
            self.at.0.pop();
        }
        Ok(out)
    }

    /// The code of a subtree for the statements.
    pub(crate) fn node(&mut self, node: &Arc<Node>, exes: Vec<Exe>, build: &Build) -> Result<Vec<Graft>, Error> {
        if exes.is_empty() {
            return Ok(Vec::new());
        }
        match node.kind() {
            NodeKind::Leaf => self.leaves(exes, build),
            NodeKind::Domain(_) => Err(self.tree_error("a domain below the root")),
            NodeKind::Filter(f) => {
                let kept = self.filtered(&exes, f)?;
                self.children(node, kept, build)
            }
            NodeKind::Sequence | NodeKind::Set => self.children(node, exes, build),
            NodeKind::Mark(name) => self.mark(node, name, exes, build),
            NodeKind::Context(set) => {
                let set = on_tuple(set, build.depth())?;
                let mut inner = build.clone();
                inner.assume_set(&set)?;
                let exes = exes.iter().map(|e| e.restrict(&set)).collect::<Result<_, _>>()?;
                self.children(node, exes, &inner)
            }
            NodeKind::Guard(set) => self.guard(node, set, exes, build),
            NodeKind::Extension(map) => {
                let all = self.extended(exes, map, build)?;
                self.children(node, all, build)
            }
            NodeKind::Expansion { expansion, .. } => {
                let all = self.expanded(&exes, expansion)?;
                self.children(node, all, build)
            }
            NodeKind::Band(band) => self.band(node, band, exes, build, false),
        }
    }

    fn filtered(&self, exes: &[Exe], filter: &UnionSet) -> Result<Vec<Exe>, Error> {
        let mut out = Vec::new();
        for e in exes {
            let space = e.space().domain();
            for set in filter.sets() {
                if !set.space().same_tuples(&space) {
                    continue;
                }
                let all = set.plain_is_universe() || ask(self.budget, |s| Ok(e.map.domain().is_subset(set, s)?))?.unwrap_or(false);
                let kept = if all { e.clone() } else { e.restrict_instances(set, self.budget)? };
                if all || !crate::ask::surely_empty(&kept.levels[kept.depth()], self.budget)? {
                    out.push(kept);
                }
            }
        }
        Ok(out)
    }

    fn mark(&mut self, node: &Arc<Node>, name: &Id, exes: Vec<Exe>, build: &Build) -> Result<Vec<Graft>, Error> {
        if *name == self.options.vector_mark
            && let Some(c) = node.child()
            && let NodeKind::Band(band) = c.kind()
        {
            self.at.0.push(0);
            let r = self.band(c, band, exes, build, true);
            self.at.0.pop();
            return r;
        }
        let grafts = self.children(node, exes, build)?;
        if grafts.is_empty() {
            return Ok(grafts);
        }
        let guard = common(&grafts, None);
        let body = self.close(without(grafts, &guard), build)?;
        let node = AstNode::Mark {
            name: name.clone(),
            body: Box::new(AstNode::sequence(body)),
        };
        Ok(vec![Graft::new(node, guard)])
    }

    fn guard(&mut self, node: &Arc<Node>, set: &Set, exes: Vec<Exe>, build: &Build) -> Result<Vec<Graft>, Error> {
        let set = on_tuple(set, build.depth())?;
        let lists = disjuncts(&set, self.budget)?;
        let conds: Vec<Cond> = match &lists[..] {
            [] => return Ok(Vec::new()),
            [conj] => conj.iter().map(|c| Cond::One(build.resolve_con(c))).collect(),
            many => {
                let resolve = |conj: &Vec<_>| conj.iter().map(|c| build.resolve_con(c)).collect();
                vec![Cond::Any(many.iter().map(resolve).collect())]
            }
        };
        let mut inner = build.clone();
        inner.assume_set(&set)?;
        let exes = exes.iter().map(|e| e.restrict(&set)).collect::<Result<_, _>>()?;
        let mut grafts = self.children(node, exes, &inner)?;
        for g in &mut grafts {
            for c in &conds {
                if !g.guard.contains(c) {
                    g.guard.push(c.clone());
                }
            }
        }
        Ok(grafts)
    }

    /// The statements with those that an extension adds for the outer values at which this node is reached.
    fn extended(&self, exes: Vec<Exe>, map: &UnionMap, build: &Build) -> Result<Vec<Exe>, Error> {
        let depth = build.depth();
        let mut reached = Set::empty(build.space());
        for e in &exes {
            reached = reached.union(&e.exact_values(self.budget)?)?;
        }
        let mut out = exes;
        for m in map.maps() {
            if m.dim(DimType::In) != depth {
                let message = format!(
                    "the extension {m} has {} outer values where the tree has {depth}",
                    m.dim(DimType::In)
                );
                return Err(self.tree_error(message));
            }
            out.push(Exe::added(&m.reverse(), &reached, self.budget)?);
        }
        Ok(out)
    }

    /// Each statement replaced by those that an expansion gives for it. (The contraction may say more than the inverse of the expansion.)
    fn expanded(&self, exes: &[Exe], expansion: &UnionMap) -> Result<Vec<Exe>, Error> {
        let mut out = Vec::new();
        for e in exes {
            for m in expansion.maps() {
                if m.space().domain().same_tuples(&e.space().domain()) {
                    let map: Map = m.reverse().apply_range(&e.map)?;
                    out.push(e.with_map(map, self.budget)?);
                }
            }
        }
        Ok(out)
    }

    fn band(&mut self, node: &Arc<Node>, band: &Band, exes: Vec<Exe>, build: &Build, vector: bool) -> Result<Vec<Graft>, Error> {
        let mut extended = Vec::with_capacity(exes.len());
        for e in &exes {
            let space = e.space().domain();
            let mut more: Option<Map> = None;
            for m in &band.members {
                let Some(f) = m.func.extract(&space) else {
                    return Err(self.tree_error(format!("the band doesn't say when {} runs", e.stmt)));
                };
                let map = Map::from_pw_aff(f)?;
                more = Some(match more {
                    Some(all) => all.flat_range_product(&map)?,
                    None => map,
                });
            }
            extended.push(match more {
                Some(all) => e.extend(&all, self.budget)?,
                None => e.clone(),
            });
        }
        let isolate = match &band.isolate {
            Some(i) => crate::isolate::Isolate::new(i, build, band.len(), self.budget)?.map(Arc::new),
            None => None,
        };
        let cx = BandCx {
            band,
            child: node.child(),
            first: build.depth(),
            vector,
            isolate,
            isolated: false,
        };
        self.level(&cx, extended, build)
    }
}
