//! The operations of the list `ops.txt`, by name.

use tilia_presburger::{Budget, DimType, Map, Result, Set};

/// An operand.
pub(crate) enum Value {
    Set(Set),
    Map(Map),
}

/// Reads an operand.
pub(crate) fn parse(text: &str) -> Value {
    match text.parse::<Set>() {
        Ok(s) => Value::Set(s),
        Err(_) => Value::Map(text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))),
    }
}

/// The size of the result, so that nothing is optimised away.
pub(crate) fn run(op: &str, args: &[Value], b: &Budget) -> Result<usize> {
    use Value::{Map as M, Set as S};
    let (Some(a), c) = (args.first(), args.get(1)) else {
        panic!("{op} has no operand")
    };
    Ok(match (op, a, c) {
        ("is_empty", S(a), None) => usize::from(a.is_empty(b)?),
        ("is_empty", M(a), None) => usize::from(a.is_empty(b)?),
        ("intersect", S(a), Some(S(c))) => a.intersect(c)?.n_basic(),
        ("intersect", M(a), Some(M(c))) => a.intersect(c)?.n_basic(),
        ("subtract", S(a), Some(S(c))) => a.subtract(c, b)?.n_basic(),
        ("subtract", M(a), Some(M(c))) => a.subtract(c, b)?.n_basic(),
        ("is_subset", S(a), Some(S(c))) => usize::from(a.is_subset(c, b)?),
        ("is_equal", S(a), Some(S(c))) => usize::from(a.is_equal(c, b)?),
        ("is_subset", M(a), Some(M(c))) => usize::from(a.is_subset(c, b)?),
        ("is_equal", M(a), Some(M(c))) => usize::from(a.is_equal(c, b)?),
        ("apply_range", M(a), Some(M(c))) => a.apply_range(c)?.n_basic(),
        ("intersect_domain", M(a), Some(S(c))) => a.intersect_domain(c)?.n_basic(),
        ("apply", S(a), Some(M(c))) => a.apply(c)?.n_basic(),
        ("domain", M(a), None) => a.domain().n_basic(),
        ("deltas", M(a), None) => a.deltas()?.n_basic(),
        ("lexmin", S(a), None) => a.lexmin(b)?.n_basic(),
        ("lexmin", M(a), None) => a.lexmin(b)?.n_basic(),
        ("lexmax", S(a), None) => a.lexmax(b)?.n_basic(),
        ("lexmax", M(a), None) => a.lexmax(b)?.n_basic(),
        ("coalesce", S(a), None) => a.coalesce(b)?.n_basic(),
        ("coalesce", M(a), None) => a.coalesce(b)?.n_basic(),
        ("gist", S(a), Some(S(c))) => a.gist(c, b)?.n_basic(),
        ("gist", M(a), Some(M(c))) => a.gist(c, b)?.n_basic(),
        ("simple_hull", S(a), None) => a.simple_hull(b)?.n_div(),
        ("affine_hull", S(a), None) => a.affine_hull(b)?.n_div(),
        ("compute_divs", S(a), None) => a.compute_divs(b)?.n_basic(),
        ("project_last", S(a), None) => a.project_out(DimType::Out, a.dim(DimType::Out) - 1, 1, b)?.n_basic(),
        ("project_inner", S(a), None) => a
            .project_out(DimType::Out, 1, a.dim(DimType::Out) - 1, b)?
            .compute_divs(b)?
            .n_basic(),
        ("params", S(a), None) => a.params().n_basic(),
        _ => panic!("unknown operation {op}"),
    })
}

/// The operations of a list: line number, group, name, operands.
pub(crate) fn operations(text: &str) -> impl Iterator<Item = (usize, &str, &str, Vec<Value>)> {
    let mut group = "";
    text.lines().enumerate().filter_map(move |(n, line)| {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("# group ") {
            group = name;
        }
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let mut parts = line.split('|').map(str::trim);
        let op = parts.next().unwrap_or("");
        Some((n + 1, group, op, parts.map(parse).collect()))
    })
}
