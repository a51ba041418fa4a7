//! Whole functions.

use crate::expr::c_type;
use crate::names::{Names, identifier};
use crate::operation::{Memory, Printer};
use crate::style::Style;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use tilia_diag::Diagnostic;
use tilia_program::{Function, Layout, OpKind, Program, Type, ValueId};

/// Compilers of C fuse multiply-adds unless told otherwise.
const EXACT: &str =
    "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__)\n#pragma GCC optimize(\"fp-contract=off\")\n#endif\n";
const PRELUDE: &str = "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdlib.h>\n\n\
static inline int64_t floord(int64_t a, int64_t b) { return a / b - (a % b < 0); }\n\
static inline int64_t ceild(int64_t a, int64_t b) { return a / b + (a % b > 0); }\n\
static inline int64_t emod(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }\n\
static inline double maximum(double a, double b) { return a > b ? a : a < b ? b : a == b ? (signbit(a) ? b : a) : a + b; }\n\
static inline double minimum(double a, double b) { return a < b ? a : a > b ? b : a == b ? (signbit(a) ? a : b) : a + b; }\n\
static inline float maximumf(float a, float b) { return a > b ? a : a < b ? b : a == b ? (signbit(a) ? b : a) : a + b; }\n\
static inline float minimumf(float a, float b) { return a < b ? a : a > b ? b : a == b ? (signbit(a) ? a : b) : a + b; }\n\
#define MIN(a, b) ((a) < (b) ? (a) : (b))\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n";

/// All functions that have bodies.
///
/// # Errors
/// What can't be written in C, each with its place.
pub fn print_program(program: &Program, style: &Style) -> Result<String, Vec<Diagnostic>> {
    let mut out = prelude(style);
    let mut errors = Vec::new();
    for function in program.functions.iter().filter(|f| f.body.is_some()) {
        match body(function, style) {
            Ok(text) => {
                out.push('\n');
                out.push_str(&text);
            }
            Err(e) => errors.push(e),
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

/// One function with everything that it needs, as a translation unit.
///
/// # Errors
/// What can't be written in C, with its place.
pub fn print_function(function: &Function, style: &Style) -> Result<String, Diagnostic> {
    Ok(format!("{}\n{}", prelude(style), body(function, style)?))
}

fn prelude(style: &Style) -> String {
    format!("{}{PRELUDE}", if style.may_contract { "" } else { EXACT })
}

/// How a parameter is passed.
struct Passed {
    /// Declaration in the parameter list.
    declaration: String,
    /// Argument expression in the entry function, from `args[k]`.
    argument: String,
}

fn body(function: &Function, style: &Style) -> Result<String, Diagnostic> {
    let entry = function
        .entry()
        .ok_or_else(|| Diagnostic::error(function.loc.clone(), format!("@{} has no body", function.name)))?;
    let mut names = Names::default();
    let mut memory = FxHashMap::default();
    let mut passed = Vec::new();
    for (k, &value) in function[entry].args.iter().enumerate() {
        passed.extend(parameter(function, k, value, style, &mut names, &mut memory)?);
    }
    let result = match &function.results[..] {
        [] => "void",
        [Type::Scalar(s)] => c_type(*s, style.int_indices).ok_or_else(|| unsupported(function, "a result of that type"))?,
        _ => return Err(unsupported(function, "several results, or results that aren't numbers")),
    };
    let name = identifier(&function.name);
    let list: Vec<&str> = passed.iter().map(|p| p.declaration.as_str()).collect();
    let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
    let mut out = String::new();
    let attribute = if style.entry { "__attribute__((noinline, noclone)) " } else { "" };
    let _ = writeln!(out, "{attribute}{result} {name}({list}) {{");
    let mut printer = Printer::new(function, style, names, memory);
    printer.block(entry)?;
    out.push_str(&printer.finish());
    out.push_str("}\n");
    if style.entry {
        let arguments: Vec<&str> = passed.iter().map(|p| p.argument.as_str()).collect();
        let _ = writeln!(
            out,
            "\nvoid tilia_entry(void **args) {{\n  (void)args;\n  {name}({});\n}}",
            arguments.join(", ")
        );
    }
    Ok(out)
}

fn unsupported(function: &Function, what: &str) -> Diagnostic {
    Diagnostic::error(function.loc.clone(), format!("@{} can't be written in C: {what}", function.name))
}

fn parameter(
    function: &Function,
    k: usize,
    value: ValueId,
    style: &Style,
    names: &mut Names,
    memory: &mut FxHashMap<ValueId, Memory>,
) -> Result<Vec<Passed>, Diagnostic> {
    let missing = |ty: &dyn std::fmt::Display| unsupported(function, &format!("parameter {k} of type {ty}"));
    match &function[value].ty {
        Type::Scalar(s) => {
            let ty = c_type(*s, style.int_indices).ok_or_else(|| missing(s))?;
            let name = names.bind(value, "n");
            let argument = if s.is_int() {
                format!("({ty})*(int64_t *)args[{k}]")
            } else {
                format!("*({ty} *)args[{k}]")
            };
            Ok(vec![Passed {
                declaration: format!("{ty} {name}"),
                argument,
            }])
        }
        // C's arrays are row-major, from their start on.
        Type::MemRef(m) if m.layout != Layout::Identity => Err(missing(m)),
        Type::MemRef(m) => {
            let elem = c_type(m.elem, false).ok_or_else(|| missing(m))?;
            let name = names.bind(value, "A");
            if m.rank() == 0 {
                let by_value = is_only_loaded(function, value);
                memory.insert(value, if by_value { Memory::Variable } else { Memory::Pointer });
                let star = if by_value { "" } else { "*" };
                let argument = if by_value {
                    format!("*({elem} *)args[{k}]")
                } else {
                    format!("args[{k}]")
                };
                return Ok(vec![Passed {
                    declaration: format!("{elem} {star}{name}"),
                    argument,
                }]);
            }
            let mut list = Vec::new();
            let mut dims = Vec::new();
            let known = style.extents.get(&k);
            for (d, extent) in m.shape.iter().enumerate() {
                match (extent, known.and_then(|e| e.get(d))) {
                    (Some(n), _) => dims.push(n.to_string()),
                    (None, Some(n)) => dims.push(n.to_string()),
                    (None, None) => {
                        let size = format!("{name}_{d}");
                        list.push(Passed {
                            declaration: format!("int64_t {size}"),
                            argument: String::new(),
                        });
                        dims.push(size);
                    }
                }
            }
            if style.entry && !list.is_empty() {
                return Err(unsupported(function, &format!("the extents of parameter {k} aren't known")));
            }
            let restrict = if style.restrict { "restrict " } else { "" };
            let brackets: String = dims
                .iter()
                .enumerate()
                .map(|(n, d)| if n == 0 { format!("[{restrict}{d}]") } else { format!("[{d}]") })
                .collect();
            list.push(Passed {
                declaration: format!("{elem} {name}{brackets}"),
                argument: format!("args[{k}]"),
            });
            memory.insert(value, Memory::Array(dims));
            Ok(list)
        }
        other => Err(missing(other)),
    }
}

/// Whether a rank-0 memref is used by loads only, so that it may be passed by value.
fn is_only_loaded(function: &Function, value: ValueId) -> bool {
    let Some(body) = function.body else { return false };
    let mut only = true;
    function.walk(body, |op| {
        if function[op].operands.contains(&value) && !matches!(function[op].kind, OpKind::Load(_)) {
            only = false;
        }
    });
    only
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_may_fuse_only_where_that_is_allowed() {
        let program = Program::default();
        let text = |may_contract| {
            let style = Style {
                may_contract,
                ..Style::default()
            };
            print_program(&program, &style).unwrap()
        };
        assert!(text(false).starts_with(EXACT));
        assert!(!text(true).contains("contract"));
    }
}
