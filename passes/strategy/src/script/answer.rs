//! What a script returns, read as the same keys of a configuration file would be.

use crate::read::{At, DIMENSION, Node, Reader, Source, Value};
use crate::shape::{check_directives, check_partition};
use crate::strategy::expand_all;
use crate::{Alternative, Code, CostFunction, DimAlternative, DimConfig, Globals, Place, ProgramShape, StrategyError, Verdict};
use rhai::Dynamic;

/// Deepest nesting of an answer.
const MAX_DEPTH: usize = 64;

/// The answer of `begin`.
pub(super) fn globals(answer: &Dynamic, place: &Place, shape: &ProgramShape) -> Result<Globals, StrategyError> {
    let globals = read(answer, place, |reader, at| reader.globals(at))?;
    let mut errors = Vec::new();
    check_directives(&globals.directives, shape, &mut errors);
    match errors.into_iter().next() {
        Some(e) => Err(e),
        None => Ok(globals),
    }
}

/// The answer of `configure`.
pub(super) fn dimension(answer: &Dynamic, place: &Place, shape: &ProgramShape) -> Result<DimConfig, StrategyError> {
    read(answer, place, |reader, at| dim_config(reader, at, shape))
}

/// The answer of `accept`: nothing, `true` or `"keep"`; or a map as of `configure`.
pub(super) fn verdict(answer: &Dynamic, place: &Place, shape: &ProgramShape) -> Result<Verdict, StrategyError> {
    if answer.is_unit() || answer.as_bool() == Ok(true) || answer.clone().into_string().is_ok_and(|s| s == "keep") {
        return Ok(Verdict::Keep);
    }
    if !answer.is_map() {
        let message = format!("accept must return nothing, true, or a map as configure does, not {}", kind(answer));
        return Err(StrategyError::new(Code::ScriptAnswer, place.clone(), message)
            .help("to reject a row, return the map that says what to look for instead, such as #{ cost_functions: [\"feautrier\"] }"));
    }
    dimension(answer, place, shape).map(|d| Verdict::Retry(Box::new(d)))
}

fn kind(answer: &Dynamic) -> String {
    node(answer, 0).map_or_else(|_| "an object of the view or a function".to_owned(), |n| n.value.describe())
}

fn read<T>(answer: &Dynamic, place: &Place, read: impl FnOnce(&mut Reader<'_>, &At<'_>) -> Option<T>) -> Result<T, StrategyError> {
    let bad = |message: String| StrategyError::new(Code::ScriptAnswer, place.clone(), message);
    if !answer.is_map() {
        return Err(bad(format!("the answer must be a map, not {}", kind(answer)))
            .help("an answer is, for instance, #{ cost_functions: [\"proximity\"] }"));
    }
    let node = node(answer, 0).map_err(bad)?;
    let source = Source::fixed(place.clone());
    let mut reader = Reader::new(&source);
    let result = read(&mut reader, &At::root(&node));
    match (reader.errors.into_iter().next(), result) {
        (Some(e), _) => Err(e),
        (None, Some(result)) => Ok(result),
        (None, None) => Err(bad("the answer isn't a map".to_owned())),
    }
}

/// A script's value as a tree.
fn node(value: &Dynamic, depth: usize) -> Result<Node, String> {
    if depth > MAX_DEPTH {
        return Err("the answer is nested too deeply".to_owned());
    }
    let value = if value.is_unit() {
        Value::Null
    } else if let Ok(b) = value.as_bool() {
        Value::Bool(b)
    } else if let Ok(n) = value.as_int() {
        Value::Int(n)
    } else if let Ok(x) = value.as_float() {
        Value::Number(x.to_string())
    } else if let Ok(text) = value.clone().into_string() {
        Value::String { text, plain: true }
    } else if let Ok(list) = value.as_array_ref() {
        Value::Array(list.iter().map(|v| node(v, depth + 1)).collect::<Result<_, _>>()?)
    } else if let Ok(map) = value.as_map_ref() {
        let members = map.iter().map(|(k, v)| Ok((k.to_string(), 0, node(v, depth + 1)?)));
        Value::Object(members.collect::<Result<_, String>>()?)
    } else {
        return Err(
            "the answer holds an object of the view or a function: only numbers, text, true, false, lists and maps are understood"
                .to_owned(),
        );
    };
    Ok(Node { value, start: 0 })
}

/// The keys of one dimension.
fn dim_config(reader: &mut Reader<'_>, at: &At<'_>, shape: &ProgramShape) -> Option<DimConfig> {
    let members = reader.object(at, "a map {cost_functions, constraints, ..}", DIMENSION)?;
    let mut config = DimConfig {
        cost: vec![CostFunction::Proximity],
        ..DimConfig::default()
    };
    if let Some((_, at)) = members.iter().find(|(key, _)| *key == "new_variables") {
        config.new_variables = reader.variables(at);
    }
    let variables = config.new_variables.clone();
    let (mut total, mut groups) = (None, None);
    for (key, at) in &members {
        match *key {
            "cost_functions" => config.cost = reader.cost_functions(at, &variables),
            "constraints" => {
                let list = reader.constraints(at, &variables);
                config.constraints = expand(reader, &list, shape)?;
            }
            "total_distribution" => total = reader.boolean(at),
            "stmts_fusion" => groups = Some(reader.groups(at)),
            "alternatives" => {
                let list = reader.alternatives(at, &variables);
                config.alternatives = list.iter().map(|a| alternative(reader, at, a, shape)).collect::<Option<_>>()?;
            }
            "on_infeasible" => config.on_infeasible = reader.named(at)?,
            "options" => config.options = Some(reader.dim_options(at)),
            _ => {}
        }
    }
    if total == Some(true) || groups.is_some() {
        config.partition = reader.partition(at, total == Some(true), groups);
    }
    if let Some(partition) = &config.partition {
        let mut errors = Vec::new();
        check_partition(partition, &reader.place(at), shape, &mut errors);
        errors.into_iter().for_each(|e| reader.push(e));
    }
    Some(config)
}

fn expand(reader: &mut Reader<'_>, list: &[crate::Constraint], shape: &ProgramShape) -> Option<Vec<crate::LinearConstraint>> {
    expand_all(list, shape).map_err(|e| reader.push(e)).ok()
}

fn alternative(reader: &mut Reader<'_>, at: &At<'_>, a: &Alternative, shape: &ProgramShape) -> Option<DimAlternative> {
    if !a.then.is_empty() {
        let message =
            "a script answers one dimension at a time: alternatives of the next dimension are for configure at the next dimension";
        reader.error(at, Code::BadValue, message);
        return None;
    }
    Some(DimAlternative {
        cost: a.cost.clone(),
        constraints: expand(reader, &a.constraints, shape)?,
    })
}
