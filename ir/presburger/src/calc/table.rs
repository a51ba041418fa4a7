//! The table of functions and the choice among those of one name.

use super::functions::FUNCTIONS;
use super::value::{Kind, Value};
use crate::error::{Error, Result};
use crate::num::Budget;

/// One function for certain kinds of arguments.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) args: &'static [Kind],
    pub(super) result: &'static str,
    pub(super) help: &'static str,
    pub(super) run: fn(&[Value], &Budget) -> Result<Value>,
}

/// What can be said about a function in a help text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionInfo {
    /// The name.
    pub name: &'static str,
    /// Name, kinds of the arguments, kind of the result: `apply(set, map) -> set`.
    pub signature: String,
    /// What it computes, in one line.
    pub help: &'static str,
}

/// All functions of the calculator, in the order of their topics.
pub fn functions() -> impl Iterator<Item = FunctionInfo> {
    FUNCTIONS.iter().map(|f| FunctionInfo {
        name: f.name,
        signature: f.signature(),
        help: f.help,
    })
}

impl Function {
    fn signature(&self) -> String {
        let args: Vec<&str> = self.args.iter().map(|k| k.name()).collect();
        format!("{}({}) -> {}", self.name, args.join(", "), self.result)
    }

    /// How much conversion the arguments need, if they fit.
    fn distance(&self, args: &[Value]) -> Option<u32> {
        if self.args.len() != args.len() {
            return None;
        }
        self.args.iter().zip(args).map(|(k, v)| v.distance(*k)).sum()
    }
}

/// Why a call has no value.
pub(super) enum CallError {
    /// No function of that name takes these arguments.
    Choice(String),
    /// An argument can't be read as the kind that is needed.
    Argument(usize, Error),
    /// The operation has no result.
    Failed(Error),
}

/// Is there a function of that name?
pub(super) fn exists(name: &str) -> bool {
    FUNCTIONS.iter().any(|f| f.name == name)
}

/// The name without isl's prefixes: `isl_union_set_lexmin` is `lexmin`.
fn plain(name: &str) -> &str {
    const PREFIXES: &[&str] = &[
        "basic_set_",
        "basic_map_",
        "union_set_",
        "union_map_",
        "multi_union_pw_aff_",
        "union_pw_multi_aff_",
        "union_pw_aff_",
        "multi_pw_aff_",
        "pw_multi_aff_",
        "multi_aff_",
        "pw_qpolynomial_",
        "pw_aff_",
        "set_",
        "map_",
        "aff_",
    ];
    let name = name.strip_prefix("isl_").unwrap_or(name);
    if exists(name) {
        return name;
    }
    let stripped = PREFIXES.iter().find_map(|p| name.strip_prefix(p).filter(|n| exists(n)));
    stripped.unwrap_or(name)
}

/// Calls the function of that name that needs the least conversion of its arguments.
pub(super) fn call(name: &str, args: &[Value], budget: &Budget) -> std::result::Result<Value, CallError> {
    let name = plain(name);
    let mut best: Option<(u32, &Function)> = None;
    for f in FUNCTIONS.iter().filter(|f| f.name == name) {
        if let Some(d) = f.distance(args)
            && best.is_none_or(|(least, _)| d < least)
        {
            best = Some((d, f));
        }
    }
    let Some((_, f)) = best else {
        return Err(CallError::Choice(no_choice(name, args)));
    };
    let mut converted = Vec::with_capacity(args.len());
    for (i, (value, kind)) in args.iter().zip(f.args).enumerate() {
        converted.push(value.convert(*kind, budget).map_err(|e| CallError::Argument(i, e))?);
    }
    (f.run)(&converted, budget).map_err(CallError::Failed)
}

fn no_choice(name: &str, args: &[Value]) -> String {
    let candidates: Vec<String> = FUNCTIONS.iter().filter(|f| f.name == name).map(Function::signature).collect();
    if candidates.is_empty() {
        return match nearest(name) {
            Some(other) => format!("unknown function `{name}`; is it `{other}`?"),
            None => format!("unknown function `{name}`"),
        };
    }
    let kinds: Vec<&str> = args.iter().map(|v| v.kind().name()).collect();
    format!("`{name}` doesn't take ({}); there is {}", kinds.join(", "), candidates.join(", "))
}

/// The function whose name is nearest, when it is near.
fn nearest(name: &str) -> Option<&'static str> {
    let best = FUNCTIONS.iter().map(|f| (edit_distance(name, f.name), f.name)).min()?;
    (best.0 <= 1 + name.chars().count().min(20) / 4).then_some(best.1)
}

/// How many characters must be changed, added, removed or exchanged with the next. Long names are cut, so the work is bounded.
fn edit_distance(a: &str, b: &str) -> usize {
    let chars = |s: &str| s.chars().take(40).collect::<Vec<char>>();
    let (a, b) = (chars(a), chars(b));
    let mut cost = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                cost[i][j] = i + j;
                continue;
            }
            let change = cost[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            cost[i][j] = change.min(cost[i - 1][j] + 1).min(cost[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost[i][j] = cost[i][j].min(cost[i - 2][j - 2] + 1);
            }
        }
    }
    cost[a.len()][b.len()]
}
