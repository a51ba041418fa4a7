//! From the tree that is used to its loops.

use crate::context::Context;
use tilia_ast::Ast;
use tilia_diag::Remark;
use tilia_schedule::ScheduleTree;
use tilia_scop::{Deps, Scop};

/// A tree with its parallel loops and reductions, and the loops of it.
#[derive(Debug)]
pub(crate) struct Loops {
    /// Its bands are split where that frees parallel loops in them, and members are marked.
    pub(crate) tree: ScheduleTree,
    /// What there is to say.
    pub(crate) remarks: Vec<Remark>,
    /// The loops, or why there are none.
    pub(crate) ast: Result<Ast, String>,
}

impl Loops {
    /// The loops of a tree.
    pub(crate) fn of(mut tree: ScheduleTree, (scop, deps): (&Scop, &Deps), cx: &Context<'_>) -> Loops {
        let mut remarks = Vec::new();
        let declined = |stage, message| Remark::declined(stage, scop.loc.clone(), message);
        match tilia_deps::expose_parallel(&tree, deps, scop, &cx.stage_budget()) {
            Ok(exposed) => tree = exposed,
            Err(e) => remarks.push(declined("parallel", format!("no band is split to find parallel loops in it: {e}"))),
        }
        match tilia_deps::mark_coincident(&tree, deps, scop, &cx.stage_budget()) {
            Ok((marked, said)) => {
                tree = marked;
                remarks.extend(said);
            }
            Err(e) => remarks.push(declined("parallel", format!("no loop is called parallel: {e}"))),
        }
        match tilia_deps::mark_reductions(&tree, deps, scop, &cx.stage_budget()) {
            Ok(marked) => tree = marked,
            Err(e) => remarks.push(declined("vectorise", format!("no loop is said to accumulate: {e}"))),
        }
        if cx.options.explain {
            match tilia_deps::explain_loops(&tree, deps, scop, &cx.stage_budget()) {
                Ok(said) => remarks.extend(said),
                Err(e) => remarks.push(declined("tile", format!("loops aren't explained: {e}"))),
            }
        }
        let ast = tilia_astgen::generate(&tree, &scop.context, &tilia_astgen::Options::default(), &cx.stage_budget());
        let ast = ast.map_err(|e| e.to_string()).map(|(ast, said)| {
            remarks.extend(said);
            ast
        });
        Loops { tree, remarks, ast }
    }
}
