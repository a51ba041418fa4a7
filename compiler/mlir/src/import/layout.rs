//! Memref layouts given by affine maps that are no strides: permuted, tiled or padded storage.
//!
//! Such a memref becomes a plain row-major buffer whose shape is the bounding box of the map's image, and every access is composed with the map. Element
//! `[i, ..]` of the source is element `map(i, ..)` of the buffer; buffer elements outside the image are never touched.

use super::affine;
use crate::ffi;
use crate::imported::LogicalShape;
use melior::ir::r#type::Type as MlirType;
use tilia_program::{AffineExpr, AffineMap};

/// The physical shape and the mapping for a memref type of logical shape `shape` whose layout isn't strided; otherwise why not.
pub(super) fn plain_storage(ty: MlirType<'_>, shape: &[Option<u64>]) -> Result<(Vec<Option<u64>>, LogicalShape), String> {
    let way_out = "normalize the memref first (mlir-opt -normalize-memrefs)";
    let source = ffi::layout_map(ty).ok_or_else(|| format!("its layout isn't an affine map; {way_out}"))?;
    let map = affine::map(source).map_err(|e| e.message())?;
    if map.syms > 0 {
        return Err(format!("its layout map has symbols; {way_out}"));
    }
    let mut physical = Vec::with_capacity(map.results.len());
    for expr in &map.results {
        if let AffineExpr::Dim(d) = expr {
            physical.push(shape.get(*d as usize).copied().flatten());
            continue;
        }
        let (low, high) =
            range(expr, shape).ok_or_else(|| format!("its layout map computes with a dynamic extent, or overflows; {way_out}"))?;
        if low < 0 {
            return Err(format!("its layout map reaches negative subscripts; {way_out}"));
        }
        physical.push(Some(
            u64::try_from(high + 1).map_err(|_| format!("its layout map overflows; {way_out}"))?,
        ));
    }
    let logical = LogicalShape {
        shape: shape.to_vec(),
        storage: physical.clone(),
        map,
    };
    Ok((physical, logical))
}

/// Smallest and largest value of an expression over the box of a static shape; an over-approximation by interval arithmetic. `None` when it depends on a
/// dynamic extent or overflows. An empty box counts as one with extent 1.
fn range(expr: &AffineExpr, shape: &[Option<u64>]) -> Option<(i64, i64)> {
    let both = |a: &AffineExpr, b: &AffineExpr| Some((range(a, shape)?, range(b, shape)?));
    let positive = |a: &AffineExpr, b: &AffineExpr| both(a, b).filter(|(_, b)| b.0 == b.1 && b.0 > 0).map(|(a, b)| (a, b.0));
    Some(match expr {
        AffineExpr::Dim(d) => (0, i64::try_from((*shape.get(*d as usize)?)?).ok()?.max(1) - 1),
        AffineExpr::Sym(_) => return None,
        AffineExpr::Const(c) => (*c, *c),
        AffineExpr::Add(a, b) => {
            let (a, b) = both(a, b)?;
            (a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)
        }
        AffineExpr::Mul(a, b) => {
            let (a, b) = both(a, b)?;
            let mut corners = [0i64; 4];
            for (slot, (x, y)) in corners.iter_mut().zip([(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)]) {
                *slot = x.checked_mul(y)?;
            }
            (*corners.iter().min()?, *corners.iter().max()?)
        }
        AffineExpr::FloorDiv(a, b) => {
            let (a, b) = positive(a, b)?;
            (a.0.div_euclid(b), a.1.div_euclid(b))
        }
        AffineExpr::CeilDiv(a, b) => {
            let (a, b) = positive(a, b)?;
            let ceil = |x: i64| x.div_euclid(b) + i64::from(x.rem_euclid(b) != 0);
            (ceil(a.0), ceil(a.1))
        }
        AffineExpr::Mod(a, b) => {
            let (a, b) = positive(a, b)?;
            if a.0.div_euclid(b) == a.1.div_euclid(b) {
                (a.0.rem_euclid(b), a.1.rem_euclid(b))
            } else {
                (0, b - 1)
            }
        }
    })
}

/// The access map `inner`, whose results are source subscripts, followed by the layout.
pub(super) fn compose(layout: &LogicalShape, inner: &AffineMap) -> AffineMap {
    AffineMap {
        dims: inner.dims,
        syms: inner.syms,
        results: layout.map.results.iter().map(|e| e.substitute(&inner.results, &[])).collect(),
    }
}

/// For each physical dimension that is dynamic, the logical dimension it is; they are always plain dims.
pub(super) fn dynamic_sources(layout: &LogicalShape) -> Vec<u32> {
    let dynamic = |d: u32| layout.shape.get(d as usize).is_some_and(Option::is_none);
    let dims = layout.map.results.iter().filter_map(|e| match e {
        AffineExpr::Dim(d) if dynamic(*d) => Some(*d),
        _ => None,
    });
    dims.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(n: u32) -> AffineExpr {
        AffineExpr::Dim(n)
    }

    fn c(n: i64) -> AffineExpr {
        AffineExpr::Const(n)
    }

    #[test]
    fn ranges_cover_the_image() {
        let shape = [Some(10), None];
        let tile = AffineExpr::FloorDiv(Box::new(d(0)), Box::new(c(4)));
        assert_eq!(range(&tile, &shape), Some((0, 2)));
        let lane = AffineExpr::Mod(Box::new(d(0)), Box::new(c(4)));
        assert_eq!(range(&lane, &shape), Some((0, 3)));
        assert_eq!(range(&AffineExpr::Mul(Box::new(d(0)), Box::new(c(-1))), &shape), Some((-9, 0)));
        assert_eq!(range(&AffineExpr::Add(Box::new(d(1)), Box::new(c(1))), &shape), None);
        let within = AffineExpr::Mod(Box::new(d(0)), Box::new(c(64)));
        assert_eq!(range(&within, &shape), Some((0, 9)));
    }

    #[test]
    fn composes_after_the_access() {
        let layout = LogicalShape {
            shape: vec![Some(4), Some(8)],
            storage: vec![Some(8), Some(4)],
            map: AffineMap {
                dims: 2,
                syms: 0,
                results: vec![d(1), d(0)],
            },
        };
        let inner = AffineMap {
            dims: 1,
            syms: 1,
            results: vec![d(0), AffineExpr::Sym(0)],
        };
        let composed = compose(&layout, &inner);
        assert_eq!(composed.results, vec![AffineExpr::Sym(0), d(0)]);
        assert_eq!((composed.dims, composed.syms), (1, 1));
    }
}
