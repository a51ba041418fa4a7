//! A small builder of functions, for tests.

use tilia_diag::Loc;
use tilia_program::{
    Access, AffineExpr, AffineMap, BlockId, Constant, ForOp, Function, IfCond, IntegerSet, Layout, LoopExec, MemRefType, OpId, OpKind,
    Program, PureOp, ScalarType, Step, Type, ValueId,
};

pub(crate) struct Builder {
    pub(crate) f: Function,
    pub(crate) at: BlockId,
    line: u32,
}

pub(crate) fn memref(shape: &[Option<u64>]) -> Type {
    Type::MemRef(MemRefType {
        elem: ScalarType::F64,
        shape: shape.to_vec(),
        layout: Layout::Identity,
    })
}

pub(crate) const F64: Type = Type::Scalar(ScalarType::F64);

pub(crate) fn d(n: u32) -> AffineExpr {
    AffineExpr::Dim(n)
}

pub(crate) fn c(v: i64) -> AffineExpr {
    AffineExpr::Const(v)
}

pub(crate) fn add(a: AffineExpr, b: AffineExpr) -> AffineExpr {
    AffineExpr::add(a, b)
}

pub(crate) fn map(dims: u32, results: Vec<AffineExpr>) -> AffineMap {
    AffineMap { dims, syms: 0, results }
}

impl Builder {
    pub(crate) fn new(params: Vec<Type>) -> Self {
        let mut f = Function::new("k", params.clone(), Vec::new(), Loc::unknown());
        let region = f.new_region();
        f.body = Some(region);
        let at = f.new_block(region, &params);
        Self { f, at, line: 0 }
    }

    pub(crate) fn arg(&self, n: usize) -> ValueId {
        self.f[self.f.entry().unwrap()].args[n]
    }

    pub(crate) fn op(&mut self, kind: OpKind, operands: Vec<ValueId>, results: &[Type]) -> OpId {
        self.line += 1;
        let loc = Loc::new(&std::sync::Arc::from("t.mlir"), self.line, 1);
        self.f.append(self.at, kind, operands, results, loc)
    }

    pub(crate) fn value(&mut self, kind: OpKind, operands: Vec<ValueId>, ty: Type) -> ValueId {
        let op = self.op(kind, operands, &[ty]);
        self.f.result(op)
    }

    pub(crate) fn float(&mut self, v: f64) -> ValueId {
        self.value(OpKind::Constant(Constant::Float(v.to_bits())), vec![], F64)
    }

    pub(crate) fn int(&mut self, v: i64, ty: Type) -> ValueId {
        self.value(OpKind::int(v), vec![], ty)
    }

    pub(crate) fn pure(&mut self, op: PureOp, operands: &[ValueId], ty: Type) -> ValueId {
        self.value(OpKind::pure(op), operands.to_vec(), ty)
    }

    pub(crate) fn load(&mut self, m: ValueId, subs: Vec<AffineExpr>, operands: &[ValueId]) -> ValueId {
        let access = Access {
            map: map(operands.len() as u32, subs),
            checked: true,
        };
        let all = [&[m], operands].concat();
        self.value(OpKind::Load(access), all, F64)
    }

    pub(crate) fn store(&mut self, v: ValueId, m: ValueId, subs: Vec<AffineExpr>, operands: &[ValueId]) -> OpId {
        let access = Access {
            map: map(operands.len() as u32, subs),
            checked: true,
        };
        let all = [&[v, m], operands].concat();
        self.op(OpKind::Store(access), all, &[])
    }

    /// A loop over `lower..upper` with carried values; the body gives what it yields.
    pub(crate) fn for_full(
        &mut self,
        lower: (AffineMap, &[ValueId]),
        upper: (AffineMap, &[ValueId]),
        step: i64,
        inits: &[ValueId],
        body: impl FnOnce(&mut Self, ValueId, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let types: Vec<Type> = inits.iter().map(|&v| self.f[v].ty.clone()).collect();
        let data = ForOp {
            lower: lower.0,
            upper: upper.0,
            step: Step::Const(step),
            independent: false,
            exec: LoopExec::Serial,
            full_tile: false,
        };
        let op = self.op(OpKind::For(data), [lower.1, upper.1, inits].concat(), &types);
        let region = self.f.new_region();
        self.f[op].regions.push(region);
        let block = self.f.new_block(region, &[vec![Type::INDEX], types].concat());
        let args = self.f[block].args.clone();
        let outer = std::mem::replace(&mut self.at, block);
        let yielded = body(self, args[0], &args[1..]);
        self.op(OpKind::Yield, yielded, &[]);
        self.at = outer;
        self.f[op].results.clone()
    }

    /// A loop over constants.
    pub(crate) fn for_(&mut self, lower: i64, upper: i64, body: impl FnOnce(&mut Self, ValueId)) {
        self.for_full(
            (AffineMap::constant(lower), &[]),
            (AffineMap::constant(upper), &[]),
            1,
            &[],
            |b, i, _| {
                body(b, i);
                Vec::new()
            },
        );
    }

    /// A loop from 0 to a value.
    pub(crate) fn for_to(&mut self, upper: ValueId, body: impl FnOnce(&mut Self, ValueId)) {
        self.for_full(
            (AffineMap::constant(0), &[]),
            (AffineMap::identity(1), &[upper]),
            1,
            &[],
            |b, i, _| {
                body(b, i);
                Vec::new()
            },
        );
    }

    pub(crate) fn if_(
        &mut self,
        cond: IfCond,
        operands: &[ValueId],
        then: impl FnOnce(&mut Self),
        otherwise: Option<&mut dyn FnMut(&mut Self)>,
    ) {
        let op = self.op(OpKind::If(cond), operands.to_vec(), &[]);
        let outer = self.at;
        let region = |b: &mut Self| {
            let r = b.f.new_region();
            b.f[op].regions.push(r);
            b.at = b.f.new_block(r, &[]);
        };
        region(self);
        then(self);
        self.op(OpKind::Yield, vec![], &[]);
        if let Some(f) = otherwise {
            region(self);
            f(self);
            self.op(OpKind::Yield, vec![], &[]);
        }
        self.at = outer;
    }

    pub(crate) fn at_least(dims: u32, e: AffineExpr) -> IfCond {
        IfCond::Set(IntegerSet {
            dims,
            syms: 0,
            constraints: vec![(e, false)],
        })
    }

    pub(crate) fn finish(mut self) -> (Function, Program) {
        self.op(OpKind::Return, vec![], &[]);
        (self.f, Program::default())
    }
}
