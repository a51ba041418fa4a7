//! Constants and arithmetic.

use crate::{expect, read_fine};
use std::collections::BTreeSet;
use tilia_program::{Constant, OpKind};

#[test]
fn constants_bit_for_bit() {
    let text = r"
        func.func @f() {
          %0 = arith.constant 0x7FF0000000000001 : f64
          %1 = arith.constant -0.0 : f32
          %2 = arith.constant 1.5 : f16
          %3 = arith.constant 0xFFFF : bf16
          %4 = arith.constant true
          %5 = arith.constant -3 : i3
          %6 = arith.constant -128 : i8
          %7 = arith.constant 9223372036854775807 : index
          %8 = arith.constant -9223372036854775808 : i64
          %9 = arith.constant dense<[1, -2]> : vector<2xi8>
          %10 = arith.constant dense<[[true, false]]> : vector<1x2xi1>
          %11 = arith.constant dense<2.0> : vector<4xf32>
          %12 = arith.constant dense<2.0> : vector<1xf64>
          %13 = arith.constant dense<[5, -6]> : vector<2xi7>
          %14 = ub.poison : vector<4xi32>
          %15 = index.constant -4
          %16 = index.bool.constant true
          return
        }";
    let f = read_fine(text).program.functions[0].clone();
    let mut found = Vec::new();
    f.walk(f.body.unwrap(), |op| {
        if let OpKind::Constant(c) = &f[op].kind {
            found.push(c.clone());
        }
    });
    let splat = |c| Constant::Splat(Box::new(c));
    let expected = [
        Constant::Float(0x7FF0_0000_0000_0001),
        Constant::Float(0x8000_0000),
        Constant::Float(0x3E00),
        Constant::Float(0xFFFF),
        Constant::Int(-1),
        Constant::Int(-3),
        Constant::Int(-128),
        Constant::Int(i64::MAX),
        Constant::Int(i64::MIN),
        Constant::Vector(vec![Constant::Int(1), Constant::Int(-2)]),
        Constant::Vector(vec![Constant::Int(-1), Constant::Int(0)]),
        splat(Constant::Float(0x4000_0000)),
        Constant::Vector(vec![Constant::Float(0x4000_0000_0000_0000)]),
        Constant::Vector(vec![Constant::Int(5), Constant::Int(-6)]),
        splat(Constant::Int(0)),
        Constant::Int(-4),
        Constant::Int(-1),
    ];
    assert_eq!(found, expected);
}

/// Every operation of `arith` and `math` on numbers, on scalars and on vectors, becomes the pure operation of its name.
#[test]
fn every_arithmetic_operation() {
    let binary_i =
        "addi subi muli divsi divui ceildivsi ceildivui floordivsi remsi remui andi ori xori shli shrsi shrui maxsi maxui minsi minui";
    let binary_f = "addf subf mulf divf remf maximumf minimumf maxnumf minnumf";
    let math_1f = "absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor log log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh trunc";
    let math_2f = "atan2 copysign powf";
    let math_3f = "fma clampf";
    let math_i = "absi ctlz ctpop cttz";
    for (i, f) in [("i32", "f64"), ("vector<4xi32>", "vector<4xf64>")] {
        let mut lines = Vec::new();
        let mut names = BTreeSet::new();
        let mut add = |dialect: &str, list: &str, operands: &str, ty: &str| {
            for name in list.split(' ') {
                lines.push(format!(
                    "\"{dialect}.{name}\"({operands}) : ({}) -> {ty}",
                    vec![ty; operands.split(',').count()].join(", ")
                ));
                names.insert(name.to_owned());
            }
        };
        add("arith", binary_i, "%i, %i", i);
        add("arith", binary_f, "%f, %f", f);
        add("arith", "negf", "%f", f);
        add("math", math_1f, "%f", f);
        add("math", math_2f, "%f, %f", f);
        add("math", math_3f, "%f, %f, %f", f);
        add("math", math_i, "%i", i);
        add("math", "ipowi", "%i, %i", i);
        let text = format!("func.func @f(%i: {i}, %f: {f}) {{\n{}\nreturn\n}}", lines.join("\n"));
        let function = read_fine(&text).program.functions[0].clone();
        let mut found = BTreeSet::new();
        function.walk(function.body.unwrap(), |op| {
            let kind = match &function[op].kind {
                OpKind::Pure(tilia_program::PureOp::Math(m), _) => format!("{m:?}"),
                OpKind::Pure(p, _) => format!("{p:?}"),
                OpKind::Return => return,
                other => panic!("{other:?}"),
            };
            found.insert(kind.to_lowercase());
        });
        assert_eq!(found, names);
    }
}

#[test]
fn comparisons_casts_and_the_rest() {
    expect(
        r"
        func.func @f(%x: f32, %i: i64, %n: index, %v: vector<4xf32>, %b: i1) {
          %0 = arith.cmpf ugt, %x, %x : f32
          %1 = arith.cmpi ule, %i, %i : i64
          %2 = arith.select %b, %v, %v : vector<4xf32>
          %3 = arith.index_cast %n : index to i8
          %4 = arith.index_castui %3 : i8 to index
          %5 = arith.truncf %x to_nearest_even : f32 to bf16
          %6 = arith.sitofp %i : i64 to f32
          %7 = arith.bitcast %x : f32 to i32
          %8:2 = arith.mulsi_extended %i, %i : i64
          %9, %10 = arith.addui_extended %i, %i : i64, i1
          %11 = math.fpowi %x, %7 : f32, i32
          %12 = math.isnan %x : f32
          %13, %14 = math.sincos %x : f32
          %15 = math.exp %v fastmath<fast> : vector<4xf32>
          %16 = index.cmp slt(%n, %n)
          %17 = index.ceildivs %n, %n
          %18 = index.castu %n : index to i32
          return
        }",
        "func @f(%0: f32, %1: i64, %2: index, %3: vector<4xf32>, %4: i1) {
          %5 = cmpf ugt %0, %0 : (f32, f32) -> (i1)
          %6 = cmpi ule %1, %1 : (i64, i64) -> (i1)
          %7 = select %4, %3, %3 : (i1, vector<4xf32>, vector<4xf32>) -> (vector<4xf32>)
          %8 = indexcast %2 : (index) -> (i8)
          %9 = indexcastui %8 : (i8) -> (index)
          %10 = truncf %0 : (f32) -> (bf16)
          %11 = sitofp %1 : (i64) -> (f32)
          %12 = bitcast %0 : (f32) -> (i32)
          %13, %14 = mulsiextended %1, %1 : i64
          %15, %16 = adduiextended %1, %1 : (i64, i64) -> (i64, i1)
          %17 = fpowi %0, %12 : (f32, i32) -> (f32)
          %18 = isnan %0 : (f32) -> (i1)
          %19 = sin %0 : f32
          %20 = cos %0 : f32
          %21 = exp fastmath<reassoc,nnan,ninf,nsz,arcp,contract,afn> %3 : vector<4xf32>
          %22 = cmpi slt %2, %2 : (index, index) -> (i1)
          %23 = ceildivsi %2, %2 : index
          %24 = indexcastui %2 : (index) -> (i32)
          return
        }",
    );
}

#[test]
fn vector_elements() {
    expect(
        r"
        func.func @f(%x: f32, %v: vector<2xf32>) {
          %0 = vector.broadcast %x : f32 to vector<2x4xf32>
          %1 = vector.broadcast %v : vector<2xf32> to vector<2x2xf32>
          %2 = vector.extract %1[1, 0] : f32 from vector<2x2xf32>
          %3 = vector.extract %1[1] : vector<2xf32> from vector<2x2xf32>
          %4 = vector.insert %x, %v[1] : f32 into vector<2xf32>
          %5 = vector.from_elements %x, %2 : vector<2xf32>
          %6:2 = vector.to_elements %5 : vector<2xf32>
          %7 = vector.fma %v, %v, %v : vector<2xf32>
          return
        }",
        "func @f(%0: f32, %1: vector<2xf32>) {
          %2 = splat %0 : (f32) -> (vector<2x4xf32>)
          %3 = extract[0] %1 : (vector<2xf32>) -> (f32)
          %4 = extract[1] %1 : (vector<2xf32>) -> (f32)
          %5 = splat %3 : (f32) -> (vector<2x2xf32>)
          %6 = insert[1] %4, %5 : (f32, vector<2x2xf32>) -> (vector<2x2xf32>)
          %7 = insert[2] %3, %6 : (f32, vector<2x2xf32>) -> (vector<2x2xf32>)
          %8 = insert[3] %4, %7 : (f32, vector<2x2xf32>) -> (vector<2x2xf32>)
          %9 = extract[2] %8 : (vector<2x2xf32>) -> (f32)
          %10 = extract[2] %8 : (vector<2x2xf32>) -> (f32)
          %11 = extract[3] %8 : (vector<2x2xf32>) -> (f32)
          %12 = splat %10 : (f32) -> (vector<2xf32>)
          %13 = insert[1] %11, %12 : (f32, vector<2xf32>) -> (vector<2xf32>)
          %14 = insert[1] %0, %1 : (f32, vector<2xf32>) -> (vector<2xf32>)
          %15 = splat %0 : (f32) -> (vector<2xf32>)
          %16 = insert[1] %9, %15 : (f32, vector<2xf32>) -> (vector<2xf32>)
          %17 = extract[0] %16 : (vector<2xf32>) -> (f32)
          %18 = extract[1] %16 : (vector<2xf32>) -> (f32)
          %19 = fma %1, %1, %1 : vector<2xf32>
          return
        }",
    );
}
