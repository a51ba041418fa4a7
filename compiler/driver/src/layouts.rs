//! Memref parameters whose elements don't lie in row-major order: what the user gives and gets are the source's arrays.
//!
//! A layout map that is no strides was folded into the function's accesses by the import, so the function takes a plain buffer of another shape; strides stay in the
//! parameter's type, and its buffer must have them.

use crate::dump::NamedArray;
use tilia_abi::{MemRefValue, Value};
use tilia_mlir::{FunctionLayouts, LogicalShape};
use tilia_program::{AffineExpr, Function, Layout, MemRefType, Type};

/// The function with its parameters as the source has them, contiguous: the form in which arguments are described.
pub(crate) fn as_written(function: &Function, layouts: Option<&FunctionLayouts>) -> Function {
    let logical = |k: usize| layouts.and_then(|l| l.params.get(k)).and_then(Option::as_ref);
    let written = |(k, ty): (usize, &Type)| match ty {
        Type::MemRef(memref) => Type::MemRef(MemRefType {
            elem: memref.elem,
            shape: logical(k).map_or_else(|| memref.shape.clone(), |l| l.shape.clone()),
            layout: Layout::Identity,
        }),
        other => other.clone(),
    };
    let params = function.params.iter().enumerate().map(written).collect();
    Function::new(function.name.clone(), params, function.results.clone(), function.loc.clone())
}

/// Arguments as the function takes them, made from contiguous ones.
///
/// # Errors
/// One sentence for each argument that can't be laid out as its parameter asks.
pub(crate) fn place(args: Vec<Value>, function: &Function, layouts: Option<&FunctionLayouts>) -> Result<Vec<Value>, Vec<String>> {
    let mut errors = Vec::new();
    let mut placed = Vec::new();
    for (k, (value, ty)) in args.into_iter().zip(&function.params).enumerate() {
        let logical = layouts.and_then(|l| l.params.get(k)).and_then(Option::as_ref);
        let made = match (&value, ty, logical) {
            (Value::MemRef(m), _, Some(logical)) => folded(m, logical),
            (Value::MemRef(m), Type::MemRef(memref), None) => match &memref.layout {
                Layout::Strided { offset, strides } => strided(m, *offset, strides),
                Layout::Identity => Some(m.clone()),
            },
            _ => {
                placed.push(value);
                continue;
            }
        };
        match made {
            Some(m) => placed.push(Value::MemRef(m)),
            None => errors.push(format!("argument {k} of @{}: no memory can be laid out as {ty}", function.name)),
        }
    }
    if errors.is_empty() { Ok(placed) } else { Err(errors) }
}

/// Arrays of arguments and results in the source's shape.
pub(crate) fn as_source(arrays: Vec<NamedArray>, layouts: Option<&FunctionLayouts>) -> Option<Vec<NamedArray>> {
    let Some(layouts) = layouts else {
        return Some(arrays);
    };
    let logical = |name: &str| {
        let of = |prefix: &str, list: &'_ [Option<LogicalShape>]| list.get(name.strip_prefix(prefix)?.parse::<usize>().ok()?)?.clone();
        of("arg", &layouts.params).or_else(|| of("ret", &layouts.results))
    };
    arrays
        .into_iter()
        .map(|array| match logical(&array.name) {
            Some(logical) => unfolded(&array, &logical),
            None => Some(array),
        })
        .collect()
}

/// Calls `visit` with all subscripts of a shape in row-major order; false when `visit` said so.
fn each_subscript(sizes: &[i64], mut visit: impl FnMut(&[i64]) -> bool) -> bool {
    if sizes.iter().any(|&s| s <= 0) {
        return true;
    }
    let mut at = vec![0i64; sizes.len()];
    loop {
        if !visit(&at) {
            return false;
        }
        let Some(d) = (0..sizes.len()).rev().find(|&d| at[d] + 1 < sizes[d]) else {
            return true;
        };
        at[d] += 1;
        at[d + 1..].fill(0);
    }
}

/// The plain buffer that a folded layout makes of an array.
fn folded(source: &MemRefValue, logical: &LogicalShape) -> Option<MemRefValue> {
    let mut sizes = Vec::new();
    for (d, expr) in logical.map.results.iter().enumerate() {
        sizes.push(match (logical.storage.get(d)?, expr) {
            (Some(extent), _) => i64::try_from(*extent).ok()?,
            (None, AffineExpr::Dim(from)) => *source.sizes.get(*from as usize)?,
            (None, _) => return None,
        });
    }
    let target = MemRefValue::zeroed(source.elem, &sizes)?;
    let copied = each_subscript(&source.sizes, |at| {
        let place = logical.map.eval(at);
        place.zip(source.get(at)).is_some_and(|(place, bits)| target.set(&place, bits))
    });
    copied.then_some(target)
}

/// The array of the source that a plain buffer holds.
fn unfolded(array: &NamedArray, logical: &LogicalShape) -> Option<NamedArray> {
    let sizes: Option<Vec<i64>> = array.shape.iter().map(|&s| i64::try_from(s).ok()).collect();
    let strides = MemRefValue::row_major(&sizes?)?;
    let mut shape = Vec::new();
    for (d, extent) in (0u32..).zip(&logical.shape) {
        let dynamic = || {
            logical
                .map
                .results
                .iter()
                .position(|e| *e == AffineExpr::Dim(d))
                .and_then(|p| array.shape.get(p))
                .copied()
        };
        shape.push(extent.or_else(dynamic)?);
    }
    let extents: Option<Vec<i64>> = shape.iter().map(|&s| i64::try_from(s).ok()).collect();
    let mut bits = Vec::new();
    let read = each_subscript(&extents?, |at| {
        let place = logical.map.eval(at);
        let number = place.and_then(|p| p.iter().zip(&strides).try_fold(0i64, |n, (i, s)| n.checked_add(i.checked_mul(*s)?)));
        let element = number.and_then(|n| array.bits.get(usize::try_from(n).ok()?));
        bits.extend(element);
        element.is_some()
    });
    read.then(|| NamedArray {
        name: array.name.clone(),
        elem: array.elem,
        shape,
        bits,
    })
}

/// A copy of an array with the offset and strides that a type states; what it leaves open is as in a row-major array.
fn strided(source: &MemRefValue, offset: Option<i64>, strides: &[Option<i64>]) -> Option<MemRefValue> {
    let offset = offset.unwrap_or(0);
    let mut chosen = vec![1i64; source.sizes.len()];
    let mut next = 1i64;
    let mut span = offset.checked_add(1)?;
    for d in (0..chosen.len()).rev() {
        chosen[d] = strides.get(d).copied().flatten().unwrap_or(next);
        let size = *source.sizes.get(d)?;
        if chosen[d] < 0 || offset < 0 {
            return None;
        }
        next = chosen[d].checked_mul(size.max(1))?;
        span = span.checked_add((size - 1).max(0).checked_mul(chosen[d])?)?;
    }
    let target = MemRefValue {
        offset,
        sizes: source.sizes.clone(),
        strides: chosen,
        ..MemRefValue::zeroed(source.elem, &[span])?
    };
    let copied = each_subscript(&source.sizes, |at| source.get(at).is_some_and(|bits| target.set(at, bits)));
    copied.then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilia_program::{AffineMap, ScalarType};

    fn array(sizes: &[i64]) -> MemRefValue {
        let a = MemRefValue::zeroed(ScalarType::Int(32), sizes).unwrap();
        let mut k = 0;
        each_subscript(sizes, |at| {
            k += 1;
            a.set(at, k)
        });
        a
    }

    /// `[i, j]` lies at `[i floordiv 4, j, i mod 4]`.
    fn tiled() -> LogicalShape {
        let d = |n| Box::new(AffineExpr::Dim(n));
        let four = || Box::new(AffineExpr::Const(4));
        LogicalShape {
            shape: vec![Some(6), None],
            storage: vec![Some(2), None, Some(4)],
            map: AffineMap {
                dims: 2,
                syms: 0,
                results: vec![
                    AffineExpr::FloorDiv(d(0), four()),
                    AffineExpr::Dim(1),
                    AffineExpr::Mod(d(0), four()),
                ],
            },
        }
    }

    #[test]
    fn folding_and_back() {
        let source = array(&[6, 3]);
        let storage = folded(&source, &tiled()).unwrap();
        assert_eq!(storage.sizes, [2, 3, 4]);
        assert_eq!(storage.get(&[1, 2, 1]), source.get(&[5, 2]));
        let back = unfolded(&NamedArray::from_memref("arg0", &storage).unwrap(), &tiled()).unwrap();
        assert_eq!(back.shape, [6, 3]);
        assert_eq!(Some(back.bits), source.elements());
    }

    #[test]
    fn strides_are_met() {
        let source = array(&[2, 3]);
        let placed = strided(&source, Some(5), &[None, Some(2)]).unwrap();
        assert_eq!((placed.offset, &placed.strides[..]), (5, &[6, 2][..]));
        assert_eq!(placed.elements(), source.elements());
        assert!(strided(&source, None, &[Some(-1), Some(1)]).is_none());
    }
}
