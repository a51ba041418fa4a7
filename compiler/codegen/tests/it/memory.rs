//! Views, allocation, globals, vectors in memory, printing.

use crate::build::Build;
use crate::compare::{F64, Seen, agree, both, compile, dynamic, fails, forking, memref, memref_of, program, ramp};
use tilia_abi::{MemRefValue, Value, sink};
use tilia_program::{
    Access, AffineExpr, AffineMap, Constant, Global, GlobalInit, Layout, LoopExec, MemRefType, OpKind, PureOp, ScalarType, Slice, SliceDim,
    Type, VectorType,
};

fn strided(shape: &[u64], strides: &[i64], offset: i64) -> Type {
    Type::MemRef(MemRefType {
        elem: ScalarType::F64,
        shape: shape.iter().map(|&d| Some(d)).collect(),
        layout: Layout::Strided {
            offset: Some(offset),
            strides: strides.iter().map(|&s| Some(s)).collect(),
        },
    })
}

fn open(rank: usize) -> Type {
    Type::MemRef(MemRefType {
        elem: ScalarType::F64,
        shape: vec![None; rank],
        layout: Layout::Strided {
            offset: None,
            strides: vec![None; rank],
        },
    })
}

const HEAP: OpKind = OpKind::Alloc { stack: false, align: 0 };
const STACK: OpKind = OpKind::Alloc { stack: true, align: 0 };

#[test]
fn views_share_the_buffer() {
    let mut b = Build::new("main", &[memref(&[4, 6])], &[F64, Type::BOOL, Type::BOOL]);
    let a = b.arg(0);
    // Rows 1 and 3, columns 2 to 4.
    let slice = Slice {
        offsets: vec![SliceDim::Const(1), SliceDim::Const(2)],
        sizes: vec![SliceDim::Const(2), SliceDim::Const(3)],
        strides: vec![SliceDim::Const(2), SliceDim::Const(1)],
        dropped: vec![],
    };
    let sub = b.op(OpKind::SubView(slice), &[a], &[strided(&[2, 3], &[12, 1], 8)])[0];
    let turned = b.op(OpKind::Transpose(vec![1, 0]), &[sub], &[strided(&[3, 2], &[1, 12], 8)])[0];
    let (i, j) = (b.index(2), b.index(1));
    let x = b.load(turned, &[i, j]);
    let flat = OpKind::Reshape {
        collapse: true,
        groups: vec![vec![0, 1]],
    };
    let flat = b.op(flat, &[a], &[memref(&[24])])[0];
    let k = b.index(9);
    let hundred = b.f64(100.0);
    b.store(hundred, flat, &[k]);
    let expanded = OpKind::Reshape {
        collapse: false,
        groups: vec![vec![0, 1, 2]],
    };
    let cube = b.op(expanded, &[flat], &[memref(&[2, 3, 4])])[0];
    let (zero, two, one) = (b.index(0), b.index(2), b.index(1));
    let y = b.load(cube, &[zero, two, one]);
    let sum = b.pure(PureOp::AddF, &[x, y], F64);
    let other = b.op(STACK, &[], &[memref(&[3, 2])])[0];
    let meets = b.op(OpKind::Overlap, &[sub, flat], &[Type::BOOL])[0];
    let misses = b.op(OpKind::Overlap, &[sub, other], &[Type::BOOL])[0];
    b.op(OpKind::Copy, &[other, turned], &[]);
    b.ret(&[sum, meets, misses]);
    assert!(matches!(agree(&program([b]), &[ramp(&[4, 6])]), Seen::Done { .. }));
}

#[test]
fn dynamic_subviews_in_loops() {
    // Each tile of 2 x 3 of a dynamic array is scaled through a subview.
    let mut b = Build::new("main", &[dynamic(2)], &[]);
    let a = b.arg(0);
    b.for_const(0, 3, LoopExec::Parallel, |b, i| {
        b.for_const(0, 2, LoopExec::Serial, |b, j| {
            let scaled = |b: &mut Build, v, by| {
                let by = b.index(by);
                b.pure(PureOp::MulI, &[v, by], Type::INDEX)
            };
            let (at_i, at_j) = (scaled(b, i, 2), scaled(b, j, 3));
            let slice = Slice {
                offsets: vec![SliceDim::Operand, SliceDim::Operand],
                sizes: vec![SliceDim::Const(2), SliceDim::Const(3)],
                strides: vec![SliceDim::Const(1), SliceDim::Const(1)],
                dropped: vec![],
            };
            let tile = b.op(OpKind::SubView(slice), &[a, at_i, at_j], &[open(2)])[0];
            b.for_const(0, 2, LoopExec::Serial, |b, k| {
                b.for_const(0, 3, LoopExec::Serial, |b, l| {
                    let x = b.load(tile, &[k, l]);
                    let factor = b.pure(PureOp::SIToFP, &[at_i], F64);
                    let y = b.pure(PureOp::MulF, &[x, factor], F64);
                    b.store(y, tile, &[k, l]);
                });
            });
        });
    });
    b.ret(&[]);
    let p = program([b]);
    assert!(matches!(agree(&p, &[ramp(&[6, 7])]), Seen::Done { .. }));
    assert!(fails(&p, &[ramp(&[5, 7])]).contains("leaves dimension 0"));
    assert!(fails(&p, &[ramp(&[6, 5])]).contains("leaves dimension 1"));
}

#[test]
fn views_are_checked() {
    let with = |kind: OpKind, ty: Type| {
        let mut b = Build::new("main", &[memref(&[4]), Type::INDEX], &[]);
        let (a, n) = (b.arg(0), b.arg(1));
        b.op(kind, &[a, n], &[ty]);
        b.ret(&[]);
        program([b])
    };
    let from = |offset| Slice {
        offsets: vec![offset],
        sizes: vec![SliceDim::Const(3)],
        strides: vec![SliceDim::Const(1)],
        dropped: vec![],
    };
    let three = Type::MemRef(MemRefType {
        elem: ScalarType::F64,
        shape: vec![Some(3)],
        layout: Layout::Strided {
            offset: None,
            strides: vec![Some(1)],
        },
    });
    let m = ramp(&[4]);
    for kind in [
        OpKind::SubView(from(SliceDim::Operand)),
        OpKind::ReinterpretCast(from(SliceDim::Operand)),
    ] {
        let p = with(kind, three.clone());
        for ok in [0, 1] {
            agree(&p, &[m.clone(), Value::Int(ok)]);
        }
        for bad in [2, -1, i64::MAX, i64::MIN] {
            fails(&p, &[m.clone(), Value::Int(bad)]);
        }
    }
    let p = with(OpKind::Dim, Type::INDEX);
    agree(&p, &[m.clone(), Value::Int(0)]);
    fails(&p, &[m.clone(), Value::Int(1)]);
    let mut b = Build::new("main", &[Type::UnrankedMemRef(ScalarType::F64)], &[Type::INDEX, F64]);
    let a = b.arg(0);
    let rank = b.op(OpKind::Rank, &[a], &[Type::INDEX])[0];
    let cast = b.op(OpKind::CastMemRef, &[a], &[memref(&[5])])[0];
    let four = b.index(4);
    let x = b.load(cast, &[four]);
    b.ret(&[rank, x]);
    let p = program([b]);
    assert!(fails(&p, &[m]).contains("is 4 instead of 5"));
    agree(&p, &[ramp(&[5])]);
    assert!(fails(&p, &[ramp(&[5, 1])]).contains("rank"));
}

#[test]
fn sizes_that_cannot_be_allocated() {
    let mut b = Build::new("main", &[Type::INDEX, Type::INDEX], &[]);
    let (n, m) = (b.arg(0), b.arg(1));
    let a = b.op(HEAP, &[n, m], &[dynamic(2)])[0];
    b.op(OpKind::Dealloc, &[a], &[]);
    b.ret(&[]);
    let p = program([b]);
    let args = |n, m| [Value::Int(n), Value::Int(m)];
    agree(&p, &args(100, 10));
    agree(&p, &args(0, 0));
    assert!(fails(&p, &args(1 << 40, 1)).contains("beyond the memory limit"));
    assert!(fails(&p, &args(1 << 40, 1 << 40)).contains("more than 2^63 bytes"));
    assert!(fails(&p, &args(3, -1)).contains("the size of dimension 1 is -1"));
}

#[test]
fn freeing_what_is_not_there() {
    let mut b = Build::new("main", &[memref(&[2])], &[]);
    let m = b.op(HEAP, &[], &[memref(&[2])])[0];
    b.op(OpKind::Dealloc, &[m], &[]);
    b.op(OpKind::Dealloc, &[m], &[]);
    b.ret(&[]);
    assert!(fails(&program([b]), &[ramp(&[2])]).contains("can't be freed"));
}

/// Memory that is used after it was freed isn't given to anyone else: in a straight line, in a later iteration, through a view, and after a call that could have kept it.
#[test]
fn freed_memory_that_is_used_again_stays_apart() {
    let ty = memref(&[2]);
    for case in 0..4 {
        let mut b = Build::new("main", &[], &[F64]);
        let zero = b.index(0);
        let (one, five) = (b.f64(1.0), b.f64(5.0));
        let m = b.op(HEAP, &[], std::slice::from_ref(&ty))[0];
        b.store(one, m, &[zero]);
        let view = match case {
            1 => b.op(OpKind::CastMemRef, &[m], &[dynamic(1)])[0],
            2 => b.op(OpKind::Call("same".into()), &[m], std::slice::from_ref(&ty))[0],
            _ => m,
        };
        b.op(OpKind::Dealloc, &[m], &[]);
        let x = b.for_carried(0, if case == 3 { 2 } else { 1 }, &[one], |b, _, _| {
            let other = b.op(HEAP, &[], std::slice::from_ref(&ty))[0];
            b.store(five, other, &[zero]);
            let x = b.load(view, &[zero]);
            b.op(OpKind::Dealloc, &[other], &[]);
            vec![x]
        });
        b.ret(&[x[0]]);
        let mut same = Build::new("same", std::slice::from_ref(&ty), std::slice::from_ref(&ty));
        let a = same.arg(0);
        same.ret(&[a]);
        let module = compile(&program([b, same]), &forking(1));
        let out = module.call("main", &[]).unwrap();
        assert!(
            matches!(out.results[0], Value::Float(bits) if f64::from_bits(bits) == 1.0),
            "case {case}: {:?}",
            out.results
        );
    }
}

#[test]
fn stack_memory_does_not_grow() {
    // An alloca of each kind (small, large, dynamic) in a long loop; each must come zeroed.
    for (ty, dynamic_size) in [(memref(&[2]), false), (memref(&[100_000]), false), (dynamic(1), true)] {
        let iterations = if dynamic_size { 200_000 } else { 1_000 };
        let mut b = Build::new("main", &[Type::INDEX], &[F64]);
        let n = b.arg(0);
        let zero = b.f64(0.0);
        let r = b.for_carried(0, iterations, &[zero], |b, _, v| {
            let sizes: &[_] = if dynamic_size { &[n] } else { &[] };
            let m = b.op(STACK, sizes, std::slice::from_ref(&ty))[0];
            let one = b.index(1);
            let x = b.load(m, &[one]);
            let next = b.f64(1.0);
            let y = b.pure(PureOp::AddF, &[x, next], F64);
            b.store(y, m, &[one]);
            let z = b.load(m, &[one]);
            vec![b.pure(PureOp::AddF, &[v[0], z], F64)]
        });
        b.ret(&r);
        let p = program([b]);
        let module = compile(&p, &forking(1));
        let out = module.call("main", &[Value::Int(16)]).unwrap();
        assert!(matches!(out.results[..], [Value::Float(x)] if f64::from_bits(x) == iterations as f64));
    }
}

#[test]
fn globals_persist_until_reset() {
    let mut b = Build::new("main", &[Type::INDEX], &[F64]);
    let i = b.arg(0);
    let g = b.op(OpKind::GetGlobal(0), &[], &[memref(&[3])])[0];
    let x = b.load(g, &[i]);
    let h = b.op(OpKind::GetGlobal(1), &[], &[memref(&[3])])[0];
    let y = b.load(h, &[i]);
    let z = b.pure(PureOp::AddF, &[x, y], F64);
    b.store(z, h, &[i]);
    b.ret(&[z]);
    let mut p = program([b]);
    let float = |x: f64| Constant::Float(x.to_bits());
    for (name, init, constant) in [
        ("g", GlobalInit::Elements(vec![float(1.0), float(2.0), float(3.0)]), true),
        ("h", GlobalInit::Elements(vec![Constant::Splat(Box::new(float(7.0)))]), false),
    ] {
        p.globals.push(Global {
            name: name.to_owned(),
            ty: MemRefType {
                elem: ScalarType::F64,
                shape: vec![Some(3)],
                layout: Layout::Identity,
            },
            init,
            constant,
            loc: tilia_diag::Loc::unknown(),
        });
    }
    let module = compile(&p, &forking(1));
    let call = || match module.call("main", &[Value::Int(1)]).unwrap().results[..] {
        [Value::Float(x)] => f64::from_bits(x),
        _ => panic!(),
    };
    assert_eq!([call(), call()], [9.0, 11.0]);
    module.reset_globals();
    assert_eq!(call(), 9.0);
    module.reset_globals();
    both(&p, &*module, "main", &[Value::Int(2)]);
    p.globals[1].constant = true;
    assert!(fails(&p, &[Value::Int(1)]).contains("@h is a constant global"));
}

#[test]
fn vectors_in_memory() {
    let access = |map: AffineMap| Access { map, checked: true };
    for shape in [vec![4], vec![5], vec![2, 2], vec![2, 3], vec![1], vec![], vec![3, 2], vec![7]] {
        for elem in [
            ScalarType::F64,
            ScalarType::F32,
            ScalarType::Int(8),
            ScalarType::Int(1),
            ScalarType::BF16,
            ScalarType::Index,
        ] {
            let v = Type::Vector(VectorType {
                shape: shape.clone(),
                elem,
            });
            let mut b = Build::new(
                "main",
                &[memref_of(elem, &[None, None]), Type::INDEX, v.clone()],
                std::slice::from_ref(&v),
            );
            let (a, i, w) = (b.arg(0), b.arg(1), b.arg(2));
            let ident = AffineMap::identity(2);
            let x = b.op(OpKind::Load(access(ident.clone())), &[a, i, i], std::slice::from_ref(&v))[0];
            let zero = b.index(0);
            b.op(OpKind::Store(access(ident)), &[w, a, zero, i], &[]);
            b.ret(&[x]);
            let p = program([b]);
            let lanes = shape.iter().product::<u64>();
            let m = MemRefValue::zeroed(elem, &[6, 9]).unwrap();
            for k in 0..54 {
                let value = if elem == ScalarType::Int(1) { k % 2 } else { k };
                m.set(&[k as i64 / 9, k as i64 % 9], value);
            }
            let w = Value::Vector((0..lanes).map(|l| l % 2).collect());
            for i in [0, 1, 2, 4, 5] {
                agree(&p, &[Value::MemRef(m.clone()), Value::Int(i), w.clone()]);
            }
            fails(&p, &[Value::MemRef(m), Value::Int(if shape.is_empty() { 6 } else { 9 }), w]);
        }
    }
}

#[test]
fn strided_vectors() {
    let v = Type::Vector(VectorType {
        shape: vec![4],
        elem: ScalarType::F64,
    });
    let mut b = Build::new("main", &[open(2)], &[]);
    let a = b.arg(0);
    b.for_map(
        AffineMap::constant(0),
        &[],
        AffineMap::constant(4),
        &[],
        1,
        LoopExec::Vector,
        |b, i| {
            let zero = b.index(0);
            let access = || Access {
                map: AffineMap::identity(2),
                checked: false,
            };
            let x = b.op(OpKind::Load(access()), &[a, i, zero], std::slice::from_ref(&v))[0];
            let y = b.pure(PureOp::AddF, &[x, x], v.clone());
            b.op(OpKind::Store(access()), &[y, a, i, zero], &[]);
        },
    );
    b.ret(&[]);
    let p = program([b]);
    let Value::MemRef(m) = ramp(&[8, 8]) else { panic!() };
    for (sizes, strides) in [([4, 4], [8, 1]), ([4, 4], [1, 8]), ([4, 4], [16, 2])] {
        let view = MemRefValue {
            sizes: sizes.to_vec(),
            strides: strides.to_vec(),
            ..m.clone()
        };
        let Seen::Done { executed, .. } = agree(&p, &[Value::MemRef(view)]) else {
            panic!()
        };
        assert_eq!(executed[1], 1);
    }
}

#[test]
fn aliasing_arguments() {
    // b[i + 1] = a[i] + 1 with a and b the same array: each iteration sees the one before.
    let mut b = Build::new("main", &[dynamic(1), dynamic(1)], &[]);
    let (x, y) = (b.arg(0), b.arg(1));
    b.for_const(0, 7, LoopExec::Serial, |b, i| {
        let v = b.load(x, &[i]);
        let one = b.f64(1.0);
        let v = b.pure(PureOp::AddF, &[v, one], F64);
        let next = AffineMap {
            dims: 1,
            syms: 0,
            results: vec![AffineExpr::add(AffineExpr::Dim(0), AffineExpr::Const(1))],
        };
        b.store_map(v, y, next, &[i]);
    });
    b.ret(&[]);
    let m = ramp(&[8]);
    let p = program([b]);
    agree(&p, &[m.clone(), m]);
    agree(&p, &[ramp(&[8]), ramp(&[8])]);
}

#[test]
fn runner_functions_print() {
    let unranked = Type::UnrankedMemRef(ScalarType::F64);
    let mut b = Build::new("main", &[memref(&[2, 2])], &[]);
    let a = b.arg(0);
    let u = b.op(OpKind::CastMemRef, &[a], std::slice::from_ref(&unranked));
    b.op(OpKind::Call("printMemrefF64".to_owned()), &u, &[]);
    let x = b.f64(2.5);
    b.op(OpKind::Call("printF64".to_owned()), &[x], &[]);
    b.op(OpKind::Call("printNewline".to_owned()), &[], &[]);
    b.ret(&[]);
    let mut p = program([b]);
    for (name, params) in [
        ("printMemrefF64", vec![unranked]),
        ("printF64", vec![F64]),
        ("printNewline", vec![]),
    ] {
        p.functions
            .push(tilia_program::Function::new(name, params, vec![], tilia_diag::Loc::unknown()));
    }
    let module = compile(&p, &forking(1));
    let (result, out) = sink::capture(|| module.call("main", &[ramp(&[2, 2])]));
    result.unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.ends_with("data = \n[[1,   2], \n [3,   4]]\n2.5\n"), "{out}");
}

#[test]
fn numbers_put_into_repeated_ones() {
    let i64 = ScalarType::Int(64);
    for (elem, lanes) in [
        (ScalarType::F64, 2),
        (i64, 2),
        (ScalarType::F64, 3),
        (ScalarType::F32, 4),
        (ScalarType::F32, 2),
    ] {
        let (number, vector) = (Type::Scalar(elem), Type::Vector(VectorType { shape: vec![lanes], elem }));
        let m = memref_of(elem, &[Some(2), Some(lanes)]);
        for first in 0..lanes as u32 {
            for second in 0..lanes as u32 {
                let mut b = Build::new("main", std::slice::from_ref(&m), &[]);
                let a = b.arg(0);
                let (zero, one) = (b.index(0), b.index(1));
                let access = || Access {
                    map: AffineMap::identity(2),
                    checked: false,
                };
                let x = b.op(OpKind::Load(access()), &[a, zero, zero], std::slice::from_ref(&number))[0];
                let y = b.op(OpKind::Load(access()), &[a, one, one], std::slice::from_ref(&number))[0];
                let z = b.op(OpKind::Load(access()), &[a, zero, one], std::slice::from_ref(&number))[0];
                let repeated = b.pure(PureOp::Splat, &[x], vector.clone());
                let once = b.pure(PureOp::Insert(first), &[y, repeated], vector.clone());
                let twice = b.pure(PureOp::Insert(second), &[z, once], vector.clone());
                b.op(OpKind::Store(access()), &[once, a, zero, zero], &[]);
                b.op(OpKind::Store(access()), &[twice, a, one, zero], &[]);
                b.ret(&[]);
                let m = MemRefValue::zeroed(elem, &[2, lanes as i64]).unwrap();
                let bytes = elem.bytes() as usize;
                for k in 0..m.count().unwrap() as usize {
                    let some = (0x3ff0_0000_4080_0000_u64 + k as u64 * 0x0001_0000_0003_0000).to_le_bytes();
                    assert!(m.buffer.write(bytes * k, &some[..bytes]));
                }
                agree(&program([b]), &[Value::MemRef(m)]);
            }
        }
    }
}
