//! Every operation on numbers, of every type, on values at the edges.

use crate::build::Build;
use crate::compare::{both, both_with, compile, forking};
use tilia_abi::{FloatFormat, Value};
use tilia_interp::Interpreter;
use tilia_program::{CmpF, CmpI, MathFn, Program, PureOp, ScalarType, Type, VectorType};

const INTS: [ScalarType; 9] = [
    ScalarType::Int(1),
    ScalarType::Int(7),
    ScalarType::Int(8),
    ScalarType::Int(16),
    ScalarType::Int(24),
    ScalarType::Int(32),
    ScalarType::Int(48),
    ScalarType::Int(64),
    ScalarType::Index,
];
const FLOATS: [ScalarType; 4] = [ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64];

fn int_values(ty: ScalarType) -> Vec<i64> {
    let spare = 64 - u32::from(ty.bits());
    let all = [
        0,
        1,
        -1,
        2,
        3,
        -3,
        7,
        10,
        63,
        64,
        100,
        -100,
        12345,
        i64::MAX,
        i64::MIN,
        i64::MIN + 1,
        0x5555_5555_5555_5555,
    ];
    let mut fit: Vec<_> = all.iter().flat_map(|&v| [v << spare >> spare, v >> spare]).collect();
    fit.sort_unstable();
    fit.dedup();
    fit
}

fn float_values(ty: ScalarType) -> Vec<u64> {
    let format = FloatFormat::of(ty).unwrap();
    let all = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        3.5,
        -7.75,
        0.1,
        1e-3,
        255.0,
        256.5,
        -40000.0,
        3e9,
        -1e19,
        1e38,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        5e-324,
        1e-40,
        6e-8,
    ];
    all.iter().map(|&x| format.from_f64(x)).collect()
}

fn values(ty: ScalarType) -> Vec<Value> {
    if ty.is_int() {
        int_values(ty).into_iter().map(Value::Int).collect()
    } else {
        float_values(ty).into_iter().map(Value::Float).collect()
    }
}

/// One operation as a function: operand types, result types.
struct Case {
    op: PureOp,
    operands: Vec<ScalarType>,
    results: Vec<ScalarType>,
}

fn vector_of(ty: ScalarType, lanes: u64) -> Type {
    Type::Vector(VectorType {
        shape: vec![lanes],
        elem: ty,
    })
}

/// All cases as functions `f0`, `f1`, .. of scalars, or of vectors of `lanes`.
fn functions(cases: &[Case], lanes: Option<u64>) -> Program {
    let ty = |s: &ScalarType| lanes.map_or(Type::Scalar(*s), |n| vector_of(*s, n));
    let functions = cases.iter().enumerate().map(|(n, case)| {
        let params: Vec<_> = case.operands.iter().map(ty).collect();
        let results: Vec<_> = case.results.iter().map(ty).collect();
        let mut b = Build::new(&format!("f{n}"), &params, &results);
        let args: Vec<_> = (0..params.len()).map(|k| b.arg(k)).collect();
        let r = b.op(tilia_program::OpKind::pure(case.op), &args, &results);
        b.ret(&r);
        b.finish()
    });
    Program {
        functions: functions.collect(),
        globals: vec![],
    }
}

/// Runs every case on combinations of edge values; the number of operands decides how many combinations are taken.
fn check(cases: &[Case]) {
    let p = functions(cases, None);
    let module = compile(&p, &forking(1));
    let oracle = Interpreter::new(&p).unwrap();
    for (n, case) in cases.iter().enumerate() {
        let lists: Vec<_> = case.operands.iter().map(|&t| values(t)).collect();
        let name = format!("f{n}");
        match &lists[..] {
            [a] => a
                .iter()
                .for_each(|x| drop(both_with(&p, &oracle, &*module, &name, std::slice::from_ref(x)))),
            [a, b] => {
                for x in a {
                    for y in b {
                        both_with(&p, &oracle, &*module, &name, &[x.clone(), y.clone()]);
                    }
                }
            }
            [a, b, c] => {
                for (k, x) in a.iter().enumerate() {
                    for (l, y) in b.iter().enumerate() {
                        both_with(
                            &p,
                            &oracle,
                            &*module,
                            &name,
                            &[x.clone(), y.clone(), c[(k * 7 + l) % c.len()].clone()],
                        );
                    }
                }
            }
            _ => unreachable!(),
        }
    }
    check_vectors(cases);
}

fn bits(v: &Value) -> u64 {
    match v {
        Value::Int(v) => v.cast_unsigned(),
        Value::Float(b) => *b,
        _ => 0,
    }
}

/// The same on vectors that hold all edge values, shifted against each other.
fn check_vectors(cases: &[Case]) {
    for lanes in [3u64, 8, 19] {
        let p = functions(cases, Some(lanes));
        let module = compile(&p, &forking(1));
        let oracle = Interpreter::new(&p).unwrap();
        for (n, case) in cases.iter().enumerate() {
            for shift in 0..5 {
                let args: Vec<_> = case
                    .operands
                    .iter()
                    .enumerate()
                    .map(|(k, &t)| {
                        let list = values(t);
                        let lane = |l: usize| bits(&list[(l + (k + 1) * shift) % list.len()]);
                        Value::Vector((0..lanes as usize).map(lane).collect())
                    })
                    .collect();
                both_with(&p, &oracle, &*module, &format!("f{n}"), &args);
            }
        }
    }
}

fn same(op: PureOp, ty: ScalarType, operands: usize) -> Case {
    Case {
        op,
        operands: vec![ty; operands],
        results: vec![ty],
    }
}

#[test]
fn integer_arithmetic() {
    use PureOp::*;
    let ops = [
        AddI, SubI, MulI, DivSI, DivUI, CeilDivSI, CeilDivUI, FloorDivSI, RemSI, RemUI, AndI, OrI, XOrI, ShLI, ShRSI, ShRUI, MaxSI, MaxUI,
        MinSI, MinUI,
    ];
    let mut cases: Vec<_> = INTS.iter().flat_map(|&t| ops.map(|op| same(op, t, 2))).collect();
    for &t in &INTS {
        for f in [MathFn::AbsI, MathFn::CtLz, MathFn::CtPop, MathFn::CtTz] {
            cases.push(same(Math(f), t, 1));
        }
        cases.push(same(Math(MathFn::IPowI), t, 2));
        for op in [MulSIExtended, MulUIExtended] {
            cases.push(Case {
                op,
                operands: vec![t; 2],
                results: vec![t; 2],
            });
        }
        cases.push(Case {
            op: AddUIExtended,
            operands: vec![t; 2],
            results: vec![t, ScalarType::Int(1)],
        });
    }
    check(&cases);
}

#[test]
fn comparisons() {
    use tilia_program::{CmpF as F, CmpI as I};
    let ints = [I::Eq, I::Ne, I::Slt, I::Sle, I::Sgt, I::Sge, I::Ult, I::Ule, I::Ugt, I::Uge];
    let floats = [
        F::False,
        F::Oeq,
        F::Ogt,
        F::Oge,
        F::Olt,
        F::Ole,
        F::One,
        F::Ord,
        F::Ueq,
        F::Ugt,
        F::Uge,
        F::Ult,
        F::Ule,
        F::Une,
        F::Uno,
        F::True,
    ];
    let case = |op, ty| Case {
        op,
        operands: vec![ty; 2],
        results: vec![ScalarType::Int(1)],
    };
    let mut cases: Vec<_> = INTS.iter().flat_map(|&t| ints.map(|c: CmpI| case(PureOp::CmpI(c), t))).collect();
    cases.extend(FLOATS.iter().flat_map(|&t| floats.map(|c: CmpF| case(PureOp::CmpF(c), t))));
    check(&cases);
}

#[test]
fn float_arithmetic() {
    use PureOp::*;
    let ops = [AddF, SubF, MulF, DivF, RemF, MaximumF, MinimumF, MaxNumF, MinNumF];
    let mut cases: Vec<_> = FLOATS.iter().flat_map(|&t| ops.map(|op| same(op, t, 2))).collect();
    for &t in &FLOATS {
        cases.push(same(NegF, t, 1));
    }
    check(&cases);
}

#[test]
fn math_functions() {
    use MathFn as M;
    let unary = [
        M::AbsF,
        M::Acos,
        M::Acosh,
        M::Asin,
        M::Asinh,
        M::Atan,
        M::Atanh,
        M::Cbrt,
        M::Ceil,
        M::Cos,
        M::Cosh,
        M::Erf,
        M::Erfc,
        M::Exp,
        M::Exp2,
        M::ExpM1,
        M::Floor,
        M::Log,
        M::Log10,
        M::Log1p,
        M::Log2,
        M::Round,
        M::RoundEven,
        M::Rsqrt,
        M::Sin,
        M::Sinh,
        M::Sqrt,
        M::Tan,
        M::Tanh,
        M::Trunc,
    ];
    let mut cases = Vec::new();
    for &t in &FLOATS {
        cases.extend(unary.map(|f| same(PureOp::Math(f), t, 1)));
        cases.extend([M::Atan2, M::CopySign, M::PowF].map(|f| same(PureOp::Math(f), t, 2)));
        cases.extend([M::ClampF, M::Fma].map(|f| same(PureOp::Math(f), t, 3)));
        cases.push(Case {
            op: PureOp::Math(M::FPowI),
            operands: vec![t, ScalarType::Int(32)],
            results: vec![t],
        });
        cases.extend([M::IsFinite, M::IsInf, M::IsNaN, M::IsNormal].map(|f| Case {
            op: PureOp::Math(f),
            operands: vec![t],
            results: vec![ScalarType::Int(1)],
        }));
    }
    check(&cases);
}

#[test]
fn conversions() {
    let case = |op, from, to| Case {
        op,
        operands: vec![from],
        results: vec![to],
    };
    let mut cases = Vec::new();
    for &a in &INTS {
        for &b in &INTS {
            if a != ScalarType::Index && b != ScalarType::Index {
                match a.bits().cmp(&b.bits()) {
                    std::cmp::Ordering::Less => cases.extend([case(PureOp::ExtSI, a, b), case(PureOp::ExtUI, a, b)]),
                    std::cmp::Ordering::Greater => cases.push(case(PureOp::TruncI, a, b)),
                    std::cmp::Ordering::Equal => {}
                }
            } else if a != b {
                cases.extend([case(PureOp::IndexCast, a, b), case(PureOp::IndexCastUI, a, b)]);
            }
        }
        for &f in &FLOATS {
            if a != ScalarType::Index {
                cases.extend([case(PureOp::SIToFP, a, f), case(PureOp::UIToFP, a, f)]);
                cases.extend([case(PureOp::FPToSI, f, a), case(PureOp::FPToUI, f, a)]);
            }
            if a.bits() == f.bits() && a != ScalarType::Index {
                cases.extend([case(PureOp::Bitcast, a, f), case(PureOp::Bitcast, f, a)]);
            }
        }
    }
    for &a in &FLOATS {
        for &b in &FLOATS {
            match a.bits().cmp(&b.bits()) {
                std::cmp::Ordering::Less => cases.push(case(PureOp::ExtF, a, b)),
                std::cmp::Ordering::Greater => cases.push(case(PureOp::TruncF, a, b)),
                std::cmp::Ordering::Equal => {}
            }
        }
    }
    check(&cases);
}

#[test]
fn selections() {
    let mut cases = Vec::new();
    for &t in INTS.iter().chain(&FLOATS) {
        cases.push(Case {
            op: PureOp::Select,
            operands: vec![ScalarType::Int(1), t, t],
            results: vec![t],
        });
    }
    check(&cases);
}

#[test]
fn selection_by_comparison_of_vectors() {
    for elem in [ScalarType::F64, ScalarType::F32, ScalarType::Int(32), ScalarType::Index] {
        let v = vector_of(elem, 7);
        let flags = vector_of(ScalarType::Int(1), 7);
        let mut b = Build::new("f0", &[v.clone(), v.clone()], &[v.clone(), flags.clone()]);
        let (x, y) = (b.arg(0), b.arg(1));
        let cmp = if elem.is_float() {
            PureOp::CmpF(CmpF::Ogt)
        } else {
            PureOp::CmpI(CmpI::Slt)
        };
        let c = b.pure(cmp, &[x, y], flags);
        let r = b.pure(PureOp::Select, &[c, x, y], v);
        b.ret(&[r, c]);
        let p = crate::compare::program([b]);
        let module = compile(&p, &forking(1));
        let list: Vec<_> = values(elem).iter().map(bits).collect();
        for shift in 0..list.len() {
            let lane = |s: usize| Value::Vector((0..7).map(|l| list[(l + s) % list.len()]).collect());
            both(&p, &*module, "f0", &[lane(0), lane(shift)]);
        }
    }
}
