//! Affine expressions, constants and arithmetic as C expressions.

use tilia_program::{AffineExpr, AffineMap, CmpF, CmpI, Constant, MathFn, PureOp, ScalarType};

/// An affine expression over operands written as given.
pub(crate) fn affine(e: &AffineExpr, dims: &[String], syms: &[String]) -> String {
    let sub = |e: &AffineExpr| affine(e, dims, syms);
    match e {
        AffineExpr::Dim(n) => dims.get(*n as usize).cloned().unwrap_or_default(),
        AffineExpr::Sym(n) => syms.get(*n as usize).cloned().unwrap_or_default(),
        AffineExpr::Const(c) => c.to_string(),
        AffineExpr::Add(a, b) => match negative(b) {
            Some(b) => format!("{} - {}", sub(a), wrapped(&sub(&b))),
            None => format!("{} + {}", sub(a), sub(b)),
        },
        AffineExpr::Mul(a, b) => format!("{} * {}", wrapped(&sub(a)), wrapped(&sub(b))),
        AffineExpr::FloorDiv(a, b) => format!("floord({}, {})", sub(a), sub(b)),
        AffineExpr::CeilDiv(a, b) => format!("ceild({}, {})", sub(a), sub(b)),
        AffineExpr::Mod(a, b) => format!("emod({}, {})", sub(a), sub(b)),
    }
}

/// `-e`, if `e` is written with a leading minus.
fn negative(e: &AffineExpr) -> Option<AffineExpr> {
    match e {
        AffineExpr::Const(c) if *c < 0 => c.checked_neg().map(AffineExpr::Const),
        AffineExpr::Mul(a, b) => match (&**a, &**b) {
            (e, AffineExpr::Const(c)) | (AffineExpr::Const(c), e) if *c < 0 => {
                Some(AffineExpr::mul(e.clone(), AffineExpr::Const(c.checked_neg()?)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// In parentheses, unless it is a name, a number or a call.
pub(crate) fn wrapped(text: &str) -> String {
    let simple = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    let call = text.ends_with(')')
        && text
            .chars()
            .take_while(|&c| c != '(')
            .all(|c| c.is_ascii_alphanumeric() || c == '_')
        && balanced_once(text);
    if simple || call || is_element(text) {
        text.to_owned()
    } else {
        format!("({text})")
    }
}

/// Whether the text is a name with subscripts and nothing else.
fn is_element(text: &str) -> bool {
    let name = text.find('[').unwrap_or(0);
    let mut depth = 0;
    name > 0
        && text.ends_with(']')
        && text[..name].chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text[name..].chars().all(|c| {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => return depth > 0,
            }
            true
        })
}

/// Whether the parenthesis opened first is closed by the last character.
fn balanced_once(text: &str) -> bool {
    let mut depth = 0;
    for (n, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return n + 1 == text.len();
                }
            }
            _ => {}
        }
    }
    false
}

/// All results of a map.
pub(crate) fn results(map: &AffineMap, operands: &[String]) -> Vec<String> {
    let (dims, syms) = operands.split_at((map.dims as usize).min(operands.len()));
    map.results.iter().map(|e| affine(e, dims, syms)).collect()
}

/// The greatest or least of several expressions.
pub(crate) fn extremum(list: &[String], function: &str) -> String {
    let mut list = list.iter();
    let first = list.next().cloned().unwrap_or_default();
    list.fold(first, |so_far, e| format!("{function}({so_far}, {e})"))
}

/// The C type of a number; `None` for 16-bit floats, which C doesn't have everywhere.
pub(crate) fn c_type(ty: ScalarType, int_indices: bool) -> Option<&'static str> {
    Some(match ty {
        ScalarType::F64 => "double",
        ScalarType::F32 => "float",
        ScalarType::F16 | ScalarType::BF16 => return None,
        ScalarType::Index if int_indices => "int",
        ScalarType::Index | ScalarType::Int(64) => "int64_t",
        ScalarType::Int(32) => "int32_t",
        ScalarType::Int(16) => "int16_t",
        ScalarType::Int(8) => "int8_t",
        ScalarType::Int(1) => "bool",
        ScalarType::Int(_) => return None,
    })
}

/// A constant as a C literal.
pub(crate) fn literal(constant: &Constant, ty: ScalarType) -> Option<String> {
    Some(match (constant, ty) {
        (Constant::Int(v), ScalarType::Int(1)) => if *v == 0 { "false" } else { "true" }.to_owned(),
        (Constant::Int(i64::MIN), _) => "INT64_MIN".to_owned(),
        (Constant::Int(v), _) => v.to_string(),
        (Constant::Float(bits), ScalarType::F64) => float(f64::from_bits(*bits), ""),
        (Constant::Float(bits), ScalarType::F32) => float(f64::from(f32::from_bits(u32::try_from(*bits).ok()?)), "f"),
        _ => return None,
    })
}

fn float(x: f64, suffix: &str) -> String {
    if x.is_nan() {
        format!("(({})NAN)", if suffix.is_empty() { "double" } else { "float" })
    } else if x.is_infinite() {
        if x > 0.0 { "INFINITY" } else { "(-INFINITY)" }.to_owned()
    } else {
        // Debug form is the shortest text that reads back to the same number, with a point or an exponent.
        let text = format!("{x:?}{suffix}");
        if x.is_sign_negative() { format!("({text})") } else { text }
    }
}

/// An arithmetic operation on numbers of type `ty` (the operands'; `to` is the result's); `None` for what C has no plain form of.
pub(crate) fn pure(op: PureOp, ty: ScalarType, to: ScalarType, x: &[String], int_indices: bool) -> Option<String> {
    let w: Vec<String> = x.iter().map(|t| wrapped(t)).collect();
    let binary = |sign: &str| Some(format!("{} {sign} {}", w.first()?, w.get(1)?));
    // Signed overflow wraps in the program, so sums and products are taken unsigned where the type is wide enough for that to matter.
    let wrapping = |sign: &str| match ty {
        ScalarType::Index if int_indices => binary(sign),
        ScalarType::Int(64) | ScalarType::Index => Some(format!("(int64_t)((uint64_t){} {sign} (uint64_t){})", w.first()?, w.get(1)?)),
        ScalarType::Int(32) => Some(format!("(int32_t)((uint32_t){} {sign} (uint32_t){})", w.first()?, w.get(1)?)),
        ScalarType::Int(8 | 16) => Some(format!("({})({} {sign} {})", c_type(ty, false)?, w.first()?, w.get(1)?)),
        _ => None,
    };
    let call = |name: &str| Some(format!("{name}({})", x.join(", ")));
    let choose = |sign: &str| Some(format!("{a} {sign} {b} ? {a} : {b}", a = w.first()?, b = w.get(1)?));
    match op {
        PureOp::AddI => wrapping("+"),
        PureOp::SubI => wrapping("-"),
        PureOp::MulI => wrapping("*"),
        PureOp::DivSI => binary("/"),
        PureOp::RemSI => binary("%"),
        PureOp::FloorDivSI => call("floord"),
        PureOp::CeilDivSI => call("ceild"),
        PureOp::AndI => binary("&"),
        PureOp::OrI => binary("|"),
        PureOp::XOrI => binary("^"),
        PureOp::MaxSI => choose(">"),
        PureOp::MinSI => choose("<"),
        PureOp::CmpI(p) => match p {
            CmpI::Eq => binary("=="),
            CmpI::Ne => binary("!="),
            CmpI::Slt => binary("<"),
            CmpI::Sle => binary("<="),
            CmpI::Sgt => binary(">"),
            CmpI::Sge => binary(">="),
            CmpI::Ult | CmpI::Ule | CmpI::Ugt | CmpI::Uge => None,
        },
        PureOp::AddF => binary("+"),
        PureOp::SubF => binary("-"),
        PureOp::MulF => binary("*"),
        PureOp::DivF => binary("/"),
        PureOp::NegF => Some(format!("-{}", w.first()?)),
        PureOp::MaximumF => extreme("maximum", ty).and_then(|name| call(&name)),
        PureOp::MinimumF => extreme("minimum", ty).and_then(|name| call(&name)),
        PureOp::CmpF(p) => match p {
            CmpF::Oeq => binary("=="),
            CmpF::Une => binary("!="),
            CmpF::Olt => binary("<"),
            CmpF::Ole => binary("<="),
            CmpF::Ogt => binary(">"),
            CmpF::Oge => binary(">="),
            _ => None,
        },
        PureOp::Select => Some(format!("{} ? {} : {}", w.first()?, w.get(1)?, w.get(2)?)),
        // A boolean widens to 0 or 1; C compares and converts alike.
        PureOp::ExtUI if ty == ScalarType::Int(1) => cast(to, w.first()?, int_indices),
        PureOp::ExtSI if ty != ScalarType::Int(1) => cast(to, w.first()?, int_indices),
        PureOp::IndexCast | PureOp::SIToFP | PureOp::ExtF | PureOp::TruncF if ty != ScalarType::Int(1) => cast(to, w.first()?, int_indices),
        PureOp::TruncI if to != ScalarType::Int(1) => cast(to, w.first()?, int_indices),
        PureOp::Math(f) => math(f, ty).and_then(|name| call(&name)),
        _ => None,
    }
}

fn cast(to: ScalarType, x: &str, int_indices: bool) -> Option<String> {
    Some(format!("({}){x}", c_type(to, int_indices)?))
}

/// The functions of the text's head that keep NaNs and tell zeros apart, as C's `fmax` and `fmin` don't.
fn extreme(name: &str, ty: ScalarType) -> Option<String> {
    match ty {
        ScalarType::F64 => Some(name.to_owned()),
        ScalarType::F32 => Some(format!("{name}f")),
        _ => None,
    }
}

fn math(f: MathFn, ty: ScalarType) -> Option<String> {
    let base = match f {
        MathFn::Sqrt => "sqrt",
        MathFn::AbsF => "fabs",
        MathFn::Exp => "exp",
        MathFn::Exp2 => "exp2",
        MathFn::Log => "log",
        MathFn::Log2 => "log2",
        MathFn::Log10 => "log10",
        MathFn::PowF => "pow",
        MathFn::Sin => "sin",
        MathFn::Cos => "cos",
        MathFn::Tan => "tan",
        MathFn::Tanh => "tanh",
        MathFn::Floor => "floor",
        MathFn::Ceil => "ceil",
        MathFn::Trunc => "trunc",
        MathFn::Fma => "fma",
        _ => return None,
    };
    match ty {
        ScalarType::F64 => Some(base.to_owned()),
        ScalarType::F32 => Some(format!("{base}f")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affine_text() {
        let e = AffineExpr::add(
            AffineExpr::mul(AffineExpr::add(AffineExpr::Dim(0), AffineExpr::Dim(1)), AffineExpr::Const(2)),
            AffineExpr::mul(AffineExpr::Sym(0), AffineExpr::Const(-1)),
        );
        assert_eq!(affine(&e, &["i".into(), "j".into()], &["n".into()]), "(i + j) * 2 - n");
    }

    #[test]
    fn parentheses() {
        assert_eq!(wrapped("A[i + 1][j]"), "A[i + 1][j]");
        assert_eq!(wrapped("A[i] + B[j]"), "(A[i] + B[j])");
        assert_eq!(wrapped("f(a) + g(b)"), "(f(a) + g(b))");
        assert_eq!(wrapped("sqrt(a + b)"), "sqrt(a + b)");
    }

    #[test]
    fn extremes_keep_nans_and_tell_zeros_apart() {
        let x = ["a".to_owned(), "b".to_owned()];
        let text = |op, ty| pure(op, ty, ty, &x, false);
        assert_eq!(text(PureOp::MaximumF, ScalarType::F64), Some("maximum(a, b)".into()));
        assert_eq!(text(PureOp::MinimumF, ScalarType::F32), Some("minimumf(a, b)".into()));
        assert_eq!(text(PureOp::MaximumF, ScalarType::F16), None);
    }

    #[test]
    fn literals() {
        assert_eq!(literal(&Constant::Float(0.1f64.to_bits()), ScalarType::F64), Some("0.1".into()));
        assert_eq!(literal(&Constant::Float((-1f64).to_bits()), ScalarType::F64), Some("(-1.0)".into()));
        assert_eq!(literal(&Constant::Float(1e300f64.to_bits()), ScalarType::F64), Some("1e300".into()));
        assert_eq!(literal(&Constant::Int(-1), ScalarType::Int(1)), Some("true".into()));
    }
}
