//! A builder of functions for tests.

use tilia_diag::Loc;
use tilia_program::{
    Access, AffineMap, BlockId, Constant, ForOp, Function, IfCond, LoopExec, OpId, OpKind, PureOp, ScalarType, Step, Type, ValueId,
};

/// A function being built, and the block that operations go to.
pub(crate) struct Build {
    f: Function,
    block: BlockId,
}

impl Build {
    pub(crate) fn new(name: &str, params: &[Type], results: &[Type]) -> Self {
        let mut f = Function::new(name, params.to_vec(), results.to_vec(), Loc::unknown());
        let region = f.new_region();
        f.body = Some(region);
        let block = f.new_block(region, params);
        Self { f, block }
    }

    pub(crate) fn finish(self) -> Function {
        self.f
    }

    pub(crate) fn arg(&self, n: usize) -> ValueId {
        let entry = self.f.entry().expect("a body");
        self.f[entry].args[n]
    }

    pub(crate) fn op(&mut self, kind: OpKind, operands: &[ValueId], results: &[Type]) -> Vec<ValueId> {
        let op = self.push(kind, operands, results);
        self.f[op].results.clone()
    }

    fn push(&mut self, kind: OpKind, operands: &[ValueId], results: &[Type]) -> OpId {
        self.f.append(self.block, kind, operands.to_vec(), results, Loc::unknown())
    }

    pub(crate) fn pure(&mut self, op: PureOp, operands: &[ValueId], ty: Type) -> ValueId {
        self.op(OpKind::pure(op), operands, &[ty])[0]
    }

    pub(crate) fn index(&mut self, v: i64) -> ValueId {
        self.op(OpKind::int(v), &[], &[Type::INDEX])[0]
    }

    pub(crate) fn f64(&mut self, v: f64) -> ValueId {
        let c = OpKind::Constant(Constant::Float(v.to_bits()));
        self.op(c, &[], &[Type::Scalar(ScalarType::F64)])[0]
    }

    pub(crate) fn load(&mut self, m: ValueId, subscripts: &[ValueId]) -> ValueId {
        self.load_map(m, AffineMap::identity(subscripts.len() as u32), subscripts)
    }

    pub(crate) fn load_map(&mut self, m: ValueId, map: AffineMap, operands: &[ValueId]) -> ValueId {
        let elem = self.f[m].ty.element().expect("a memref");
        let all: Vec<_> = [m].iter().chain(operands).copied().collect();
        self.op(OpKind::Load(Access { map, checked: true }), &all, &[Type::Scalar(elem)])[0]
    }

    pub(crate) fn store(&mut self, v: ValueId, m: ValueId, subscripts: &[ValueId]) {
        self.store_map(v, m, AffineMap::identity(subscripts.len() as u32), subscripts);
    }

    pub(crate) fn store_map(&mut self, v: ValueId, m: ValueId, map: AffineMap, operands: &[ValueId]) {
        let all: Vec<_> = [v, m].iter().chain(operands).copied().collect();
        self.op(OpKind::Store(Access { map, checked: true }), &all, &[]);
    }

    pub(crate) fn ret(&mut self, values: &[ValueId]) {
        self.op(OpKind::Return, values, &[]);
    }

    fn region(&mut self, op: OpId, args: &[Type]) -> BlockId {
        let region = self.f.new_region();
        self.f[op].regions.push(region);
        self.f.new_block(region, args)
    }

    /// Builds a region of `op` of one block; `body` gives the terminator's operands.
    fn inside(&mut self, op: OpId, args: &[Type], end: OpKind, body: impl FnOnce(&mut Self, &[ValueId]) -> Vec<ValueId>) {
        let outer = self.block;
        self.block = self.region(op, args);
        let args = self.f[self.block].args.clone();
        let values = body(self, &args);
        self.op(end, &values, &[]);
        self.block = outer;
    }

    #[expect(clippy::too_many_arguments, reason = "a loop has that many parts")]
    pub(crate) fn for_map(
        &mut self,
        lower: AffineMap,
        lower_operands: &[ValueId],
        upper: AffineMap,
        upper_operands: &[ValueId],
        step: i64,
        exec: LoopExec,
        body: impl FnOnce(&mut Self, ValueId),
    ) {
        let kind = OpKind::For(ForOp {
            lower,
            upper,
            step: Step::Const(step),
            independent: false,
            exec,
            full_tile: false,
        });
        let op = self.push(kind, &[lower_operands, upper_operands].concat(), &[]);
        self.inside(op, &[Type::INDEX], OpKind::Yield, |b, args| {
            body(b, args[0]);
            vec![]
        });
    }

    pub(crate) fn for_const(&mut self, lower: i64, upper: i64, exec: LoopExec, body: impl FnOnce(&mut Self, ValueId)) {
        self.for_map(AffineMap::constant(lower), &[], AffineMap::constant(upper), &[], 1, exec, body);
    }

    pub(crate) fn for_carried(
        &mut self,
        lower: i64,
        upper: i64,
        inits: &[ValueId],
        body: impl FnOnce(&mut Self, ValueId, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let kind = OpKind::For(ForOp {
            lower: AffineMap::constant(lower),
            upper: AffineMap::constant(upper),
            step: Step::Const(1),
            independent: false,
            exec: LoopExec::Serial,
            full_tile: false,
        });
        let types: Vec<_> = inits.iter().map(|&v| self.f[v].ty.clone()).collect();
        let op = self.push(kind, inits, &types);
        let args = [&[Type::INDEX], &types[..]].concat();
        self.inside(op, &args, OpKind::Yield, |b, args| body(b, args[0], &args[1..]));
        self.f[op].results.clone()
    }

    /// `depth` loops of one iteration around `body`.
    pub(crate) fn nest(&mut self, depth: usize, body: impl FnOnce(&mut Self)) {
        let outer = self.block;
        let mut blocks = Vec::new();
        for _ in 0..depth {
            let kind = OpKind::For(ForOp {
                lower: AffineMap::constant(0),
                upper: AffineMap::constant(1),
                step: Step::Const(1),
                independent: false,
                exec: LoopExec::Serial,
                full_tile: false,
            });
            let op = self.push(kind, &[], &[]);
            self.block = self.region(op, &[Type::INDEX]);
            blocks.push(self.block);
        }
        body(self);
        for block in blocks {
            self.block = block;
            self.op(OpKind::Yield, &[], &[]);
        }
        self.block = outer;
    }

    pub(crate) fn if_(
        &mut self,
        cond: IfCond,
        operands: &[ValueId],
        results: &[Type],
        then: impl FnOnce(&mut Self) -> Vec<ValueId>,
        otherwise: impl FnOnce(&mut Self) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let op = self.push(OpKind::If(cond), operands, results);
        self.inside(op, &[], OpKind::Yield, |b, _| then(b));
        self.inside(op, &[], OpKind::Yield, |b, _| otherwise(b));
        self.f[op].results.clone()
    }

    pub(crate) fn while_(
        &mut self,
        inits: &[ValueId],
        before: impl FnOnce(&mut Self, &[ValueId]) -> (ValueId, Vec<ValueId>),
        after: impl FnOnce(&mut Self, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let types: Vec<_> = inits.iter().map(|&v| self.f[v].ty.clone()).collect();
        let op = self.push(OpKind::While, inits, &types);
        self.inside(op, &types, OpKind::Condition, |b, args| {
            let (condition, values) = before(b, args);
            [&[condition], &values[..]].concat()
        });
        self.inside(op, &types, OpKind::Yield, after);
        self.f[op].results.clone()
    }

    pub(crate) fn block(&mut self, args: &[Type]) -> BlockId {
        let body = self.f.body.expect("a body");
        self.f.new_block(body, args)
    }

    pub(crate) fn at(&mut self, block: BlockId) {
        self.block = block;
    }

    pub(crate) fn block_arg(&self, block: BlockId, n: usize) -> ValueId {
        self.f[block].args[n]
    }
}
