//! The script engine with its limits, and its errors as ours.

use super::lower_first;
use crate::{Code, Place, StrategyError};
use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicFnPackage, BasicIteratorPackage, BasicMapPackage, BasicMathPackage, BasicStringPackage,
    LanguageCorePackage, LogicPackage, MoreStringPackage, Package,
};
use rhai::{Engine, EvalAltResult, LexError, ParseError, ParseErrorType, Position};
use std::sync::Arc;

/// Operations of one call.
const MAX_OPERATIONS: u64 = 200_000;
/// Calls within calls.
const MAX_CALLS: usize = 16;
/// Nesting of expressions, outside and inside functions.
const MAX_NESTING: (usize, usize) = (48, 32);
/// Elements of a list, in all its levels.
const MAX_LIST: usize = 50_000;
/// Entries of a map, in all its levels.
const MAX_MAP: usize = 10_000;
/// Bytes of a string, and of all strings in a value.
const MAX_STRING: usize = 100_000;
/// Variables at one time.
const MAX_VARIABLES: usize = 64;
/// Functions of a script.
const MAX_FUNCTIONS: usize = 200;

/// An engine that knows arithmetic, lists, maps and strings, and what a view offers.
pub(super) fn limited() -> Engine {
    let mut engine = Engine::new_raw();
    LanguageCorePackage::new().register_into_engine(&mut engine);
    ArithmeticPackage::new().register_into_engine(&mut engine);
    LogicPackage::new().register_into_engine(&mut engine);
    BasicStringPackage::new().register_into_engine(&mut engine);
    MoreStringPackage::new().register_into_engine(&mut engine);
    BasicIteratorPackage::new().register_into_engine(&mut engine);
    BasicFnPackage::new().register_into_engine(&mut engine);
    BasicMathPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    BasicMapPackage::new().register_into_engine(&mut engine);
    engine
        .set_max_operations(MAX_OPERATIONS)
        .set_max_call_levels(MAX_CALLS)
        .set_max_expr_depths(MAX_NESTING.0, MAX_NESTING.1)
        .set_max_array_size(MAX_LIST)
        .set_max_map_size(MAX_MAP)
        .set_max_string_size(MAX_STRING)
        .set_max_variables(MAX_VARIABLES)
        .set_max_functions(MAX_FUNCTIONS)
        .set_max_modules(0)
        .disable_symbol("eval")
        .disable_symbol("import")
        .disable_symbol("export");
    // The language's core holds a function that waits; strategies don't.
    engine.register_fn("sleep", |_: i64| -> Result<(), Box<EvalAltResult>> {
        Err("a strategy can't wait".into())
    });
    engine.register_fn("sleep", |_: f64| -> Result<(), Box<EvalAltResult>> {
        Err("a strategy can't wait".into())
    });
    engine.on_print(|_| {});
    engine.on_debug(|_, _, _| {});
    super::view::register(&mut engine);
    engine
}

/// Line and column, where known.
pub(super) fn line_column(position: Position) -> Option<(u32, u32)> {
    let line = u32::try_from(position.line()?).ok()?;
    let column = u32::try_from(position.position().unwrap_or(1)).ok()?;
    Some((line, column))
}

/// Whether a script is refused because of a limit rather than a mistake.
pub(super) fn is_parse_limit(e: &ParseError) -> bool {
    matches!(
        e.err_type(),
        ParseErrorType::ExprTooDeep
            | ParseErrorType::TooManyFunctions
            | ParseErrorType::LiteralTooLarge(..)
            | ParseErrorType::BadInput(LexError::StringTooLong(_))
    )
}

/// An error of a running script, at the innermost place that is known.
pub(super) fn error(file: &Arc<str>, e: &EvalAltResult) -> StrategyError {
    let mut inner = e;
    let mut position = e.position();
    while let EvalAltResult::ErrorInFunctionCall(_, _, next, _) = inner {
        inner = next;
        if !inner.position().is_none() {
            position = inner.position();
        }
    }
    let code = match inner {
        EvalAltResult::ErrorTooManyOperations(_)
        | EvalAltResult::ErrorTooManyVariables(_)
        | EvalAltResult::ErrorTooManyModules(_)
        | EvalAltResult::ErrorStackOverflow(_)
        | EvalAltResult::ErrorDataTooLarge(..) => Code::ScriptLimit,
        _ => Code::ScriptFailed,
    };
    let (line, column) = line_column(position).unwrap_or((1, 1));
    let place = Place {
        file: Arc::clone(file),
        pointer: String::new(),
        line,
        column,
    };
    // The text of the error ends with its position, which the place says already.
    let text = inner.to_string();
    let text = text.rsplit_once(" (line ").map_or(text.as_str(), |(head, _)| head);
    let short: String = text.chars().take(300).collect();
    StrategyError::new(code, place, lower_first(&short))
}
