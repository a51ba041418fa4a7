//! Translation of a whole module: signatures, globals, then bodies.

use super::function::{ModuleContext, failed_import, import_function};
use super::numbers::Numbers;
use super::symbols::{Definition, Symbols};
use super::types::TypeTable;
use super::{MlirOp, constant, string_attribute};
use crate::ffi::SourceModule;
use crate::imported::{FunctionLayouts, Imported};
use crate::location::Locations;
use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, Type as MlirType};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tilia_diag::Diagnostic;
use tilia_program::{Constant, Function, Global, GlobalInit, Layout, MemRefType, Program, ScalarType, Type};

/// Translates a parsed module.
///
/// `failures` are the functions, by line and column, that MLIR refused and that were emptied: they become functions that can't be executed.
pub(super) fn translate(
    module: SourceModule,
    locations: Rc<Locations>,
    mut diagnostics: Vec<Diagnostic>,
    failures: Vec<((u32, u32), Diagnostic)>,
) -> Imported {
    let mut program = Program::default();
    let mut layouts = BTreeMap::new();
    let mut folded = BTreeSet::new();
    let mut sources = Vec::new();
    {
        let root = module.operation();
        let mut cx = ModuleContext {
            locations,
            types: TypeTable::default(),
            symbols: Symbols::collect(root),
            numbers: Numbers::of(root),
            failed_globals: FxHashSet::default(),
            fast_math: RefCell::default(),
        };
        for (n, definition) in cx.symbols.globals.iter().enumerate() {
            let (global, diagnostic) = global(&cx, definition);
            program.globals.push(global);
            if diagnostic.is_some() {
                cx.failed_globals.insert(n);
            }
            diagnostics.extend(diagnostic);
        }
        for definition in &cx.symbols.functions {
            let (signature, layout) = signature(&cx, definition);
            let refused = failures.iter().find(|(place, _)| signature.loc.line_column() == Some(*place));
            let imported = match refused {
                Some((_, diagnostic)) => failed_import(&cx, definition.op, signature, diagnostic),
                None => import_function(&cx, definition.op, definition.scope, signature),
            };
            diagnostics.extend(imported.diagnostic);
            if let Some(layout) = layout {
                layouts.insert(definition.name.clone(), layout);
            }
            if imported.folded {
                folded.insert(definition.name.clone());
            }
            sources.push(imported.sources);
            program.functions.push(imported.function);
        }
    }
    Imported {
        program,
        diagnostics,
        layouts,
        folded,
        module: Some(module),
        sources,
        emptied: !failures.is_empty(),
    }
}

fn signature(cx: &ModuleContext<'_>, definition: &Definition<'_>) -> (Function, Option<FunctionLayouts>) {
    let op = definition.op;
    let (inputs, results) = function_type(op);
    let infos = |types: &[MlirType<'_>]| types.iter().map(|t| cx.types.get(*t)).collect::<Vec<_>>();
    let (inputs, results) = (infos(&inputs), infos(&results));
    let layouts = FunctionLayouts {
        params: inputs.iter().map(|i| i.layout.clone()).collect(),
        results: results.iter().map(|i| i.layout.clone()).collect(),
    };
    let loc = cx.locations.convert(op.location());
    let mut function = Function::new(
        definition.name.clone(),
        inputs.iter().map(|i| i.ty.clone()).collect(),
        results.iter().map(|i| i.ty.clone()).collect(),
        loc,
    );
    function.public = string_attribute(&op, "sym_visibility").is_none_or(|v| v == "public");
    let rewritten = layouts.params.iter().chain(&layouts.results).any(Option::is_some);
    (function, rewritten.then_some(layouts))
}

fn function_type(op: MlirOp<'_>) -> (Vec<MlirType<'_>>, Vec<MlirType<'_>>) {
    let attribute = op.attribute("function_type").ok().and_then(|a| TypeAttribute::try_from(a).ok());
    let Some(ty) = attribute.and_then(|a| FunctionType::try_from(a.value()).ok()) else {
        return (Vec::new(), Vec::new());
    };
    let inputs = (0..ty.input_count()).filter_map(|n| ty.input(n).ok()).collect();
    let results = (0..ty.result_count()).filter_map(|n| ty.result(n).ok()).collect();
    (inputs, results)
}

/// A global, with a diagnostic where its contents or type can't be had: then nothing that uses it can be executed.
fn global(cx: &ModuleContext<'_>, definition: &Definition<'_>) -> (Global, Option<Diagnostic>) {
    let op = definition.op;
    let loc = cx.locations.convert(op.location());
    let mut result = Global {
        name: definition.name.clone(),
        ty: MemRefType {
            elem: ScalarType::Int(8),
            shape: Vec::new(),
            layout: Layout::Identity,
        },
        init: GlobalInit::Uninitialized,
        constant: op.has_attribute("constant"),
        loc: loc.clone(),
    };
    let name = &definition.name;
    let fail = |why: String| Diagnostic::error(loc.clone(), format!("global '{name}' can't be used: {why}"));
    let ty = op.attribute("type").ok().and_then(|a| TypeAttribute::try_from(a).ok());
    let Some(info) = ty.map(|a| cx.types.get(a.value())) else {
        return (result, Some(fail("it has no type".to_owned())));
    };
    let Type::MemRef(memref) = &info.ty else {
        let why = info.reason.clone().unwrap_or_else(|| "its type isn't a memref".to_owned());
        return (result, Some(fail(why)));
    };
    if info.layout.is_some() || memref.layout != Layout::Identity {
        return (result, Some(fail("its type has a layout map; use the identity layout".to_owned())));
    }
    let shape: Option<Vec<u64>> = memref.shape.iter().copied().collect();
    let Some(shape) = shape else {
        return (result, Some(fail("its shape isn't static".to_owned())));
    };
    let bytes = shape.iter().try_fold(memref.elem.bytes(), |n, &extent| n.checked_mul(extent));
    if bytes.is_none_or(|bytes| i64::try_from(bytes).is_err()) {
        return (result, Some(fail("it is larger than the address space".to_owned())));
    }
    result.ty = memref.clone();
    if let Ok(value) = op.attribute("initial_value") {
        match constant::dense(value, memref.elem, &shape) {
            Some(elements) => result.init = GlobalInit::Elements(elements),
            // `uninitialized` is a unit attribute.
            None if value.to_string() == "unit" => {}
            None => return (result, Some(fail("its contents aren't a dense constant".to_owned()))),
        }
    }
    if let GlobalInit::Elements(elements) = &result.init
        && let [Constant::Splat(_)] = elements[..]
        && shape.contains(&0)
    {
        result.init = GlobalInit::Uninitialized;
    }
    (result, None)
}
