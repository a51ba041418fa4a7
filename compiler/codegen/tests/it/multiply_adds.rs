//! Multiply-adds: which operand the instruction overwrites, and sums that stay in registers.

use crate::build::Build;
use crate::compare::{Seen, agree, both, compile, memref_of, program};
use tilia_abi::{MemRefValue, Value};
use tilia_codegen::{CodegenOptions, Text};
use tilia_program::{Access, AffineExpr, AffineMap, MathFn, OpKind, PureOp, ScalarType, Type, ValueId, VectorType};

/// Where the sum comes from and what becomes of it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sum {
    /// The iteration before hands it on.
    Carried,
    /// The same, but it is also stored, after the addition.
    Kept,
    /// It is loaded.
    Loaded,
    /// It is the first factor, too.
    Factor,
    /// It is loaded before the loop, and the same in all iterations.
    Fixed,
}

fn negated(b: &mut Build, negate: bool, v: ValueId, ty: &Type) -> ValueId {
    if negate { b.pure(PureOp::NegF, &[v], ty.clone()) } else { v }
}

fn load(b: &mut Build, m: ValueId, row: ValueId, column: i64, ty: &Type) -> ValueId {
    let map = AffineMap {
        dims: 1,
        syms: 0,
        results: vec![AffineExpr::Dim(0), AffineExpr::Const(column)],
    };
    b.op(OpKind::Load(Access { map, checked: false }), &[m, row], std::slice::from_ref(ty))[0]
}

fn store(b: &mut Build, v: ValueId, m: ValueId, row: ValueId) {
    let map = AffineMap {
        dims: 1,
        syms: 0,
        results: vec![AffineExpr::Dim(0), AffineExpr::Const(0)],
    };
    b.op(OpKind::Store(Access { map, checked: false }), &[v, m, row], &[]);
}

fn fma(b: &mut Build, x: ValueId, y: ValueId, z: ValueId, ty: &Type) -> ValueId {
    b.pure(PureOp::Math(MathFn::Fma), &[x, y, z], ty.clone())
}

/// For each row i: a multiply-add of rows of the arguments, with the signs given, its result to the third one.
fn sums(name: &str, elem: ScalarType, ty: &Type, sum: Sum, signs: [bool; 3]) -> Build {
    let m = memref_of(elem, &[Some(ROWS as u64), Some(8)]);
    let mut b = Build::new(name, &[m.clone(), m.clone(), m], &[]);
    let (a, x, c) = (b.arg(0), b.arg(1), b.arg(2));
    let zero = b.index(0);
    let start = load(&mut b, c, zero, 4, ty);
    let last = b.for_carried(0, ROWS, &[start], |b, i, carried| {
        let first = load(b, a, i, 0, ty);
        let second = load(b, x, i, 0, ty);
        let z = match sum {
            Sum::Carried | Sum::Kept => carried[0],
            Sum::Loaded => load(b, c, i, 4, ty),
            Sum::Factor => first,
            Sum::Fixed => start,
        };
        let (first, second) = (negated(b, signs[0], first, ty), negated(b, signs[1], second, ty));
        let summand = negated(b, signs[2], z, ty);
        let result = fma(b, first, second, summand, ty);
        store(b, if sum == Sum::Kept { z } else { result }, c, i);
        vec![result]
    });
    store(&mut b, last[0], a, zero);
    b.ret(&[]);
    b
}

const ROWS: i64 = 5;

/// Numbers whose products round, of both signs.
fn numbers(elem: ScalarType, salt: u64) -> Value {
    let m = MemRefValue::zeroed(elem, &[ROWS, 8]).unwrap();
    for k in 0..m.count().unwrap() {
        let number = 1.0 / ((k * 7 + salt * 3) % 23 + 3) as f64 - 0.1;
        let written = if elem == ScalarType::F64 {
            m.buffer.write(8 * k as usize, &number.to_le_bytes())
        } else {
            m.buffer.write(4 * k as usize, &(number as f32).to_le_bytes())
        };
        assert!(written);
    }
    Value::MemRef(m)
}

fn vector(lanes: u64, elem: ScalarType) -> Type {
    Type::Vector(VectorType { shape: vec![lanes], elem })
}

fn has_fma() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

fn listing(p: &tilia_program::Program) -> String {
    let options = CodegenOptions {
        text: true,
        ..CodegenOptions::default()
    };
    compile(p, &options).text(Text::Asm).unwrap()
}

#[test]
fn every_source_of_a_sum_and_every_sign() {
    let (f32, f64) = (ScalarType::F32, ScalarType::F64);
    for (elem, ty) in [
        (f32, Type::Scalar(f32)),
        (f64, Type::Scalar(f64)),
        (f32, vector(4, f32)),
        (f64, vector(2, f64)),
        (f64, vector(3, f64)),
    ] {
        let mut functions = Vec::new();
        let mut names = Vec::new();
        for sum in [Sum::Carried, Sum::Kept, Sum::Loaded, Sum::Factor, Sum::Fixed] {
            for signs in 0..8 {
                let signs = [signs & 1 != 0, signs & 2 != 0, signs & 4 != 0];
                let name = format!("{sum:?}_{}_{}_{}", signs[0], signs[1], signs[2]);
                functions.push(sums(&name, elem, &ty, sum, signs));
                names.push(name);
            }
        }
        let p = program(functions);
        let module = compile(&p, &CodegenOptions::default());
        for name in names {
            let seen = both(&p, &*module, &name, &[numbers(elem, 0), numbers(elem, 1), numbers(elem, 2)]).0;
            assert_ne!(seen, Seen::Failed, "{name}");
        }
    }
}

#[test]
fn carried_sums_are_overwritten() {
    if !has_fma() {
        return;
    }
    let (elem, ty) = (ScalarType::F64, Type::Scalar(ScalarType::F64));
    for (signs, name) in [
        ([false, false, false], "vfmadd231sd"),
        ([true, false, false], "vfnmadd231sd"),
        ([false, true, false], "vfnmadd231sd"),
    ] {
        let text = listing(&program([sums("main", elem, &ty, Sum::Carried, signs)]));
        assert!(text.contains(name), "{text}");
    }
    // A factor that isn't needed any more is overwritten where the sum is.
    let text = listing(&program([sums("main", elem, &ty, Sum::Fixed, [false; 3])]));
    assert!(text.contains("vfmadd132sd") || text.contains("vfmadd213sd"), "{text}");
}

/// A register tile: `rows` by `columns` sums of two lanes, products of all rows with all columns.
fn tile(rows: i64, columns: i64, fused: bool) -> Build {
    let (elem, ty) = (ScalarType::F64, vector(2, ScalarType::F64));
    let m = |columns| memref_of(elem, &[Some(ROWS as u64), Some(columns as u64)]);
    let mut b = Build::new("main", &[m(rows), m(2 * columns), m(2 * rows * columns)], &[]);
    let (a, x, c) = (b.arg(0), b.arg(1), b.arg(2));
    let zero = b.index(0);
    let places: Vec<_> = (0..rows).flat_map(|r| (0..columns).map(move |k| (r, k))).collect();
    let starts: Vec<_> = (0..rows * columns).map(|n| load(&mut b, c, zero, 2 * n, &ty)).collect();
    let ends = b.for_carried(0, ROWS, &starts, |b, i, sums| {
        let mut results = vec![None; places.len()];
        let mut factors = vec![None; rows as usize];
        for k in 0..columns {
            let right = load(b, x, i, 2 * k, &ty);
            for r in 0..rows {
                let left = *factors[r as usize].get_or_insert_with(|| {
                    let scalar = load(b, a, i, r, &Type::Scalar(elem));
                    b.pure(PureOp::Splat, &[scalar], ty.clone())
                });
                let n = (r * columns + k) as usize;
                results[n] = Some(if fused {
                    fma(b, left, right, sums[n], &ty)
                } else {
                    let product = b.pure(PureOp::MulF, &[left, right], ty.clone());
                    b.pure(PureOp::AddF, &[sums[n], product], ty.clone())
                });
            }
        }
        results.into_iter().flatten().collect()
    });
    for (n, end) in ends.into_iter().enumerate() {
        let map = AffineMap {
            dims: 1,
            syms: 0,
            results: vec![AffineExpr::Dim(0), AffineExpr::Const(2 * n as i64)],
        };
        b.op(OpKind::Store(Access { map, checked: false }), &[end, c, zero], &[]);
    }
    b.ret(&[]);
    b
}

#[test]
fn register_tiles_stay_in_registers() {
    for (rows, columns) in [(2, 6), (6, 2), (3, 4), (2, 4), (1, 12)] {
        for fused in [true, false] {
            let p = program([tile(rows, columns, fused)]);
            let filled = |columns: i64, salt: f64| {
                let m = MemRefValue::zeroed(ScalarType::F64, &[ROWS, columns]).unwrap();
                for k in 0..m.count().unwrap() {
                    assert!(m.buffer.write(8 * k as usize, &(1.0 / (k as f64 + salt)).to_le_bytes()));
                }
                Value::MemRef(m)
            };
            let seen = agree(&p, &[filled(rows, 3.0), filled(2 * columns, 7.0), filled(2 * rows * columns, 11.0)]);
            assert_ne!(seen, Seen::Failed);
            // The sums, the factors of one side, one of the other side, and a product that isn't fused.
            let needed = rows * columns + rows.min(columns) + 1 + i64::from(!fused);
            if has_fma() && needed <= 16 {
                let text = listing(&p);
                let spilled = text.lines().find(|line| line.contains("%xmm") && line.contains("%rsp"));
                assert_eq!(spilled, None, "{rows} by {columns}, fused: {fused}\n{text}");
            }
        }
    }
}
