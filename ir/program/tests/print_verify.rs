//! The text form, and what the verifier finds in valid and in broken programs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tilia_diag::Loc;
use tilia_program::{
    Access, AffineExpr, AffineMap, BlockId, Constant, FastMath, ForOp, Function, IfCond, IntegerSet, LoopExec, MemRefType, OpId, OpKind,
    Program, PureOp, RegionId, ScalarType, Step, Type, ValueId, verify,
};

fn f64_matrix() -> Type {
    Type::MemRef(MemRefType {
        elem: ScalarType::F64,
        shape: vec![Some(8), None],
        layout: tilia_program::Layout::Identity,
    })
}

fn for_op(upper: AffineMap) -> OpKind {
    OpKind::For(ForOp {
        lower: AffineMap::constant(0),
        upper,
        step: Step::Const(1),
        independent: false,
        exec: LoopExec::Serial,
        full_tile: false,
    })
}

fn body(f: &mut Function, op: OpId, args: &[Type]) -> BlockId {
    let region = f.new_region();
    f[op].regions.push(region);
    f.new_block(region, args)
}

fn emit(f: &mut Function, block: BlockId, kind: OpKind, operands: Vec<ValueId>, results: &[Type]) -> OpId {
    f.append(block, kind, operands, results, Loc::unknown())
}

fn new_function(params: Vec<Type>, results: Vec<Type>) -> (Function, BlockId) {
    let mut f = Function::new("f", params.clone(), results, Loc::unknown());
    let region = f.new_region();
    f.body = Some(region);
    let entry = f.new_block(region, &params);
    (f, entry)
}

/// Sums `A[i, i + 1]` over i in 0..n, and stores the sum where the guard holds.
fn sum() -> Function {
    let f64_ = Type::Scalar(ScalarType::F64);
    let (mut f, entry) = new_function(vec![f64_matrix(), Type::INDEX], vec![f64_.clone()]);
    let (a, n) = (f[entry].args[0], f[entry].args[1]);
    let zero = emit(
        &mut f,
        entry,
        OpKind::Constant(Constant::Float(0)),
        vec![],
        std::slice::from_ref(&f64_),
    );
    let zero = f.result(zero);
    let loop_ = emit(
        &mut f,
        entry,
        for_op(AffineMap::identity(1)),
        vec![n, zero],
        std::slice::from_ref(&f64_),
    );
    let inner = body(&mut f, loop_, &[Type::INDEX, f64_.clone()]);
    let (i, acc) = (f[inner].args[0], f[inner].args[1]);
    let map = AffineMap {
        dims: 1,
        syms: 0,
        results: vec![AffineExpr::Dim(0), AffineExpr::add(AffineExpr::Dim(0), AffineExpr::Const(-1))],
    };
    let access = Access { map, checked: true };
    let x = emit(&mut f, inner, OpKind::Load(access.clone()), vec![a, i], std::slice::from_ref(&f64_));
    let x = f.result(x);
    let contract = FastMath {
        contract: true,
        ..FastMath::default()
    };
    let sum = emit(
        &mut f,
        inner,
        OpKind::Pure(PureOp::AddF, contract),
        vec![acc, x],
        std::slice::from_ref(&f64_),
    );
    let sum = f.result(sum);
    let set = IntegerSet {
        dims: 1,
        syms: 1,
        constraints: vec![(
            AffineExpr::add(AffineExpr::Sym(0), AffineExpr::mul(AffineExpr::Dim(0), AffineExpr::Const(-2))),
            false,
        )],
    };
    let guard = emit(&mut f, inner, OpKind::If(IfCond::Set(set)), vec![i, n], &[]);
    let then = body(&mut f, guard, &[]);
    let otherwise = f.new_region();
    f[guard].regions.push(otherwise);
    emit(&mut f, then, OpKind::Store(access), vec![sum, a, i], &[]);
    emit(&mut f, then, OpKind::Yield, vec![], &[]);
    emit(&mut f, inner, OpKind::Yield, vec![sum], &[]);
    let result = f.result(loop_);
    emit(&mut f, entry, OpKind::Return, vec![result], &[]);
    f
}

fn program(f: Function) -> Program {
    Program {
        functions: vec![f],
        globals: vec![],
    }
}

fn errors(f: Function) -> Vec<String> {
    verify(&program(f)).into_iter().map(|d| d.message).collect()
}

/// The operation of the first kind that `wanted` accepts.
fn find(f: &Function, wanted: impl Fn(&OpKind) -> bool) -> OpId {
    (0..f.op_count() as u32)
        .map(OpId)
        .find(|&op| wanted(&f[op].kind))
        .expect("the operation exists")
}

#[test]
fn text_of_a_loop() {
    let text = program(sum()).to_string();
    let expected = "\
func @f(%0: memref<8x?xf64>, %1: index) -> (f64) {
  %2 = constant 0.0 : f64
  %3 = for %4 = 0 to %1 iter_args(%5: f64 = %2) {
    %6 = load %0[%4, %4 - 1] checked : memref<8x?xf64>
    %7 = addf fastmath<contract> %5, %6 : f64
    if (%1 - %4 * 2 >= 0) {
      store %7, %0[%4, %4 - 1] checked : memref<8x?xf64>
    }
    yield %7 : f64
  }
  return %3 : f64
}
";
    assert_eq!(text, expected);
    assert_eq!(errors(sum()), Vec::<String>::new());
}

#[test]
fn text_of_a_graph_of_blocks() {
    let (mut f, entry) = new_function(vec![Type::BOOL, Type::INDEX], vec![Type::INDEX]);
    let region = f.body.unwrap();
    let (c, n) = (f[entry].args[0], f[entry].args[1]);
    let end = f.new_block(region, &[Type::INDEX]);
    let other = f.new_block(region, &[]);
    let branch = OpKind::CondBr {
        then: end,
        otherwise: other,
        then_args: 1,
    };
    emit(&mut f, entry, branch, vec![c, n], &[]);
    let result = f[end].args[0];
    emit(&mut f, end, OpKind::Return, vec![result], &[]);
    emit(&mut f, other, OpKind::Br(end), vec![n], &[]);
    assert_eq!(errors(f.clone()), Vec::<String>::new());
    let expected = "\
func @f(%0: i1, %1: index) -> (index) {
  cond_br %0, ^bb1(%1), ^bb2
^bb1(%2: index):
  return %2 : index
^bb2:
  br ^bb1(%1)
}
";
    assert_eq!(f.to_string(), expected);
}

#[test]
fn text_does_not_depend_on_the_arena() {
    let f = sum();
    let mut copy = Function::new("f", f.params.clone(), f.results.clone(), Loc::unknown());
    // Other numbers for everything.
    for _ in 0..5 {
        copy.new_region();
    }
    let region = copy.new_region();
    copy.body = Some(region);
    copy.new_op(OpKind::int(1), vec![], &[Type::INDEX, Type::INDEX], Loc::unknown());
    let entry = copy.new_block(region, &f.params);
    assert_ne!(copy[entry].args[0], ValueId(0));
    emit(&mut copy, entry, OpKind::Unreachable, vec![], &[]);
    assert!(
        copy.to_string().starts_with("func @f(%0: memref<8x?xf64>, %1: index) -> (f64) {"),
        "{copy}"
    );
}

#[test]
fn deep_nesting_is_no_problem() {
    let (mut f, entry) = new_function(vec![], vec![]);
    let mut block = entry;
    for _ in 0..5000 {
        let op = emit(&mut f, block, for_op(AffineMap::constant(2)), vec![], &[]);
        let inner = body(&mut f, op, &[Type::INDEX]);
        let end = if block == entry { OpKind::Return } else { OpKind::Yield };
        emit(&mut f, block, end, vec![], &[]);
        block = inner;
    }
    emit(&mut f, block, OpKind::Yield, vec![], &[]);
    assert!(f.to_string().lines().count() > 10_000);
    assert_eq!(errors(f), Vec::<String>::new());
}

#[test]
fn broken_programs_are_found() {
    type Break = fn(&mut Function);
    let cases: [(Break, &str); 9] = [
        (
            |f| {
                let op = find(f, |k| matches!(k, OpKind::Pure(..)));
                f[op].operands[1] = f[find(f, |k| matches!(k, OpKind::For(_)))].operands[0];
            },
            "2 operands of one float type",
        ),
        (
            |f| {
                let op = find(f, |k| matches!(k, OpKind::Load(_)));
                f[op].operands.pop();
            },
            "number of operands isn't that of its map",
        ),
        (
            |f| {
                let op = find(f, |k| matches!(k, OpKind::Load(_)));
                f[op].kind = OpKind::Load(Access {
                    map: AffineMap::identity(1),
                    checked: true,
                });
            },
            "subscripts isn't the memref's rank",
        ),
        (
            |f| {
                // The sum, used after the loop.
                let sum = f.result(find(f, |k| matches!(k, OpKind::Pure(..))));
                let ret = find(f, |k| matches!(k, OpKind::Return));
                f[ret].operands[0] = sum;
            },
            "isn't visible",
        ),
        (
            |f| {
                let add = find(f, |k| matches!(k, OpKind::Pure(..)));
                let block = f[f[find(f, |k| matches!(k, OpKind::For(_)))].regions[0]].blocks[0];
                f[block].ops.swap(0, 1);
                assert_eq!(f[block].ops[0], add);
            },
            "isn't visible",
        ),
        (
            |f| {
                let block = f.entry().unwrap();
                f[block].ops.pop();
            },
            "doesn't end in a terminator",
        ),
        (
            |f| {
                let op = find(f, |k| matches!(k, OpKind::For(_)));
                if let OpKind::For(l) = &mut f[op].kind {
                    l.step = Step::Const(0);
                }
            },
            "step must be positive",
        ),
        (
            |f| {
                let op = find(f, |k| matches!(k, OpKind::For(_)));
                f[op].regions.push(RegionId(99));
            },
            "region99 doesn't exist",
        ),
        (
            |f| {
                let block = f.entry().unwrap();
                let first = f[block].ops[0];
                f[block].ops.insert(0, first);
            },
            "in two places",
        ),
    ];
    for (change, message) in cases {
        let mut f = sum();
        change(&mut f);
        let found = errors(f);
        assert!(found.iter().any(|e| e.contains(message)), "wanted {message:?}, found {found:?}");
    }
}

#[test]
fn branch_arguments_and_dominance() {
    let (mut f, entry) = new_function(vec![Type::BOOL], vec![]);
    let region = f.body.unwrap();
    let c = f[entry].args[0];
    let (left, right, end) = (f.new_block(region, &[]), f.new_block(region, &[]), f.new_block(region, &[]));
    let branch = OpKind::CondBr {
        then: left,
        otherwise: right,
        then_args: 0,
    };
    emit(&mut f, entry, branch, vec![c], &[]);
    let x = emit(&mut f, left, OpKind::int(3), vec![], &[Type::INDEX]);
    let x = f.result(x);
    emit(&mut f, left, OpKind::Br(end), vec![], &[]);
    let to_end = emit(&mut f, right, OpKind::Br(end), vec![], &[]);
    emit(&mut f, end, OpKind::pure(PureOp::AddI), vec![x, x], &[Type::INDEX]);
    emit(&mut f, end, OpKind::Return, vec![], &[]);
    let found = errors(f.clone());
    assert!(
        found.iter().any(|e| e.contains("isn't visible")),
        "one side doesn't define it: {found:?}"
    );
    f[to_end].kind = OpKind::Unreachable;
    assert_eq!(
        errors(f.clone()),
        Vec::<String>::new(),
        "only the defining side reaches the end now"
    );
    f.add_block_arg(end, Type::INDEX);
    let found = errors(f);
    assert!(found.iter().any(|e| e.contains("branch arguments")), "{found:?}");
}

#[test]
fn calls_and_constants() {
    let (mut f, entry) = new_function(vec![], vec![]);
    emit(&mut f, entry, OpKind::int(2), vec![], &[Type::BOOL]);
    emit(&mut f, entry, OpKind::Call("g".to_owned()), vec![], &[]);
    emit(&mut f, entry, OpKind::Return, vec![], &[]);
    let found = errors(f);
    assert!(found.iter().any(|e| e.contains("isn't a constant of type i1")), "{found:?}");
    assert!(found.iter().any(|e| e.contains("no function @g")), "{found:?}");
}
