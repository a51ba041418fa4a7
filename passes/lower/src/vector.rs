//! Vectorisation of innermost parallel loops: 128-bit vectors over consecutive iterations, a scalar loop for the rest.
//!
//! Each lane does what its iteration would have done, in the same order of operations, so results are bit-identical. A loop is vectorised when all its iterations are
//! independent, its body is straight-line, all varying values have one width, and at least as many accesses are contiguous as are strided (strided ones are
//! gathered and scattered lane by lane).

use crate::emit::{Emitter, for_op};
use crate::form::Form;
use crate::slots::Scope;
use crate::tree::{Declined, Inst, Loop, Place, Tree, index_forms, subscripts};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tilia_diag::{Loc, Remark};
use tilia_program::{
    Access, AffineExpr, AffineMap, BlockId, Constant, Layout, LoopExec, MathFn, OpId, OpKind, PureOp, ScalarType, Type, ValueId, VectorType,
};
use tilia_scop::{ArrayId, Stmt, StmtKind};

type Res<T> = Result<T, Declined>;

/// How a loop is vectorised.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Iterations per vector.
    pub(crate) lanes: u32,
}

/// Bits of a vector register.
const VECTOR_BITS: u32 = 128;

/// What the analysis knows of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Uniform,
    Varying,
}

/// How the element of an access moves from one iteration to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Motion {
    Fixed,
    Contiguous,
    Strided,
}

#[derive(Default)]
struct Analysis {
    bits: Option<u8>,
    contiguous: u32,
    strided: u32,
    cells: BTreeMap<ArrayId, Kind>,
}

impl Emitter<'_> {
    /// A plan for `l`, or `None` with a remark that says why not. Loops with loops inside are passed over in silence: they aren't candidates.
    pub(crate) fn vector_plan(&mut self, l: &Loop) -> Option<Plan> {
        if !self.options.vector || !l.body.is_innermost() {
            return None;
        }
        match self.analyse(l) {
            Ok(plan) => {
                self.remarks.push(Remark::applied(
                    "vectorise",
                    l.loc.clone(),
                    format!("{} iterations at a time", plan.lanes),
                ));
                Some(plan)
            }
            Err(why) => {
                self.remarks.push(Remark::declined("vectorise", l.loc.clone(), why));
                None
            }
        }
    }

    fn analyse(&self, l: &Loop) -> Result<Plan, String> {
        if !l.marks.parallel {
            return Err("its iterations depend on each other".into());
        }
        let mut analysis = Analysis::default();
        for child in l.body.unguarded() {
            let Tree::Inst(inst) = child else {
                return Err("a condition stands in the loop".into());
            };
            self.analyse_instance(l, inst, &mut analysis)?;
        }
        let bits = u32::from(analysis.bits.ok_or("nothing in it varies from iteration to iteration")?);
        if analysis.contiguous == 0 || analysis.strided > analysis.contiguous {
            return Err("its accesses aren't contiguous".into());
        }
        Ok(Plan { lanes: VECTOR_BITS / bits })
    }

    fn analyse_instance(&self, l: &Loop, inst: &Inst, analysis: &mut Analysis) -> Result<(), String> {
        let stmt = &self.scop[inst.stmt];
        if stmt.kind != StmtKind::Plain || !inst.lets.is_empty() {
            return Err("the loop body isn't plain arithmetic".into());
        }
        let forms = index_forms(self.f, stmt, &inst.args);
        let mut kinds: FxHashMap<ValueId, Kind> = FxHashMap::default();
        for &(value, access) in &stmt.cell_reads {
            let array = stmt.accesses[access].array;
            let kind = match self.cells.contracted.get(&array) {
                Some(Scope::Loop(id)) if *id == l.id => *analysis.cells.get(&array).ok_or("a cell is read before it is written")?,
                Some(_) => Kind::Uniform,
                None => return Err("a private cell lives in memory".into()),
            };
            kinds.insert(value, kind);
        }
        for &op in &stmt.ops {
            self.analyse_op(l, inst, stmt, op, &forms, &mut kinds, analysis)?;
        }
        for &(value, access) in &stmt.cell_writes {
            let array = stmt.accesses[access].array;
            if self.cells.contracted.get(&array) != Some(&Scope::Loop(l.id)) {
                return Err("a private cell lives across iterations".into());
            }
            let kind = self.kind(l, value, &forms, &kinds, analysis)?;
            analysis.cells.insert(array, kind);
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the state of the analysis")]
    fn analyse_op(
        &self,
        l: &Loop,
        inst: &Inst,
        stmt: &Stmt,
        id: OpId,
        forms: &FxHashMap<ValueId, Form>,
        kinds: &mut FxHashMap<ValueId, Kind>,
        analysis: &mut Analysis,
    ) -> Result<(), String> {
        let op = &self.f[id];
        match &op.kind {
            OpKind::Load(_) => {
                let result = op.results[0];
                let motion = self.motion(l, inst, stmt, id, forms)?;
                self.count(motion, analysis);
                let kind = if motion == Motion::Fixed { Kind::Uniform } else { Kind::Varying };
                if kind == Kind::Varying {
                    self.width(result, analysis)?;
                }
                kinds.insert(result, kind);
            }
            OpKind::Store(_) => {
                let motion = self.motion(l, inst, stmt, id, forms)?;
                if motion == Motion::Fixed {
                    return Err("it stores to one location again and again".into());
                }
                self.count(motion, analysis);
                self.width(op.operands[0], analysis)?;
                self.kind(l, op.operands[0], forms, kinds, analysis)?;
            }
            OpKind::Constant(_) => {
                kinds.insert(op.results[0], Kind::Uniform);
            }
            OpKind::Pure(..) | OpKind::Apply(_) if op.results.len() == 1 && forms.contains_key(&op.results[0]) => {}
            OpKind::Pure(pure, _) if op.results.len() == 1 => {
                let mut all = Kind::Uniform;
                for &v in &op.operands {
                    if self.kind(l, v, forms, kinds, analysis)? == Kind::Varying {
                        all = Kind::Varying;
                    }
                }
                if all == Kind::Varying {
                    if !lanewise(*pure) {
                        return Err(format!("{pure:?} has no vector form"));
                    }
                    self.width(op.results[0], analysis)?;
                }
                kinds.insert(op.results[0], all);
            }
            _ => return Err("an operation of the body has no vector form".into()),
        }
        Ok(())
    }

    fn count(&self, motion: Motion, analysis: &mut Analysis) {
        match motion {
            Motion::Fixed => {}
            Motion::Contiguous => analysis.contiguous += 1,
            Motion::Strided => analysis.strided += 1,
        }
    }

    /// Whether a value varies with the loop; a varying index value counts as a vector of its type.
    fn kind(
        &self,
        l: &Loop,
        v: ValueId,
        forms: &FxHashMap<ValueId, Form>,
        kinds: &FxHashMap<ValueId, Kind>,
        analysis: &mut Analysis,
    ) -> Result<Kind, String> {
        if let Some(&kind) = kinds.get(&v) {
            return Ok(kind);
        }
        let Some(form) = forms.get(&v) else { return Ok(Kind::Uniform) };
        match form.stride(l.var) {
            Some(0) => Ok(Kind::Uniform),
            Some(_) if self.f[v].ty == Type::INDEX => {
                self.width(v, analysis)?;
                Ok(Kind::Varying)
            }
            _ => Err("an index computed from the iterator isn't linear".into()),
        }
    }

    fn width(&self, v: ValueId, analysis: &mut Analysis) -> Result<(), String> {
        let Type::Scalar(ty) = self.f[v].ty else {
            return Err("a value isn't a number".into());
        };
        if ty == ScalarType::Int(1) {
            return Ok(());
        }
        let bits = ty.bits();
        if !matches!(ty, ScalarType::F32 | ScalarType::F64 | ScalarType::Index | ScalarType::Int(32 | 64)) {
            return Err(format!("vectors of {ty} aren't made"));
        }
        if analysis.bits.is_some_and(|b| b != bits) {
            return Err("values of several widths are mixed".into());
        }
        analysis.bits = Some(bits);
        Ok(())
    }

    fn motion(&self, l: &Loop, inst: &Inst, stmt: &Stmt, op: OpId, forms: &FxHashMap<ValueId, Form>) -> Result<Motion, String> {
        if !self.proven(op) {
            return Err("an access isn't proven to stay inside its memref".into());
        }
        if inst
            .touches
            .iter()
            .any(|t| t.op == Some(op) && t.place.as_ref().is_some_and(|p| self.slots.contains_key(p)))
        {
            return Ok(Motion::Fixed);
        }
        let (memref, subs) = subscripts(self.f, stmt, forms, op).ok_or("a subscript isn't affine")?;
        self.motion_of(l, memref, &subs)
    }

    fn motion_of(&self, l: &Loop, memref: ValueId, subs: &[Form]) -> Result<Motion, String> {
        let strides = subs
            .iter()
            .map(|f| f.stride(l.var))
            .collect::<Option<Vec<_>>>()
            .ok_or("a subscript isn't linear in the iterator")?;
        if strides.iter().all(|&s| s == 0) {
            return Ok(Motion::Fixed);
        }
        let (last, outer) = strides.split_last().ok_or("a subscript is missing")?;
        let unit = match self.f[memref].ty.as_memref().map(|m| &m.layout) {
            Some(Layout::Identity) => true,
            Some(Layout::Strided { strides, .. }) => strides.last() == Some(&Some(1)),
            None => false,
        };
        let contiguous = unit && l.step == 1 && *last == 1 && outer.iter().all(|&s| s == 0);
        Ok(if contiguous { Motion::Contiguous } else { Motion::Strided })
    }

    /// Emits the vector loop and the scalar rest.
    pub(crate) fn vector_loop(
        &mut self,
        l: &Loop,
        plan: &Plan,
        (lower, upper, operands): (AffineMap, AffineMap, Vec<ValueId>),
        block: BlockId,
        body: &mut dyn FnMut(&mut Self, BlockId) -> Res<()>,
    ) -> Res<()> {
        let wide = l
            .step
            .checked_mul(i64::from(plan.lanes))
            .ok_or_else(|| Declined::new(&l.loc, "the loop's step is too large for vectors"))?;
        let split = lower.operands();
        let start = self.extremum_value(lower, operands[..split].to_vec(), OpKind::Max, block, &l.loc);
        let end = self.extremum_value(upper, operands[split..].to_vec(), OpKind::Min, block, &l.loc);
        let middle = self.middle(start, end, wide, block, &l.loc);
        let one = AffineMap::identity(1);
        let header = for_op(l, one.clone(), one.clone(), wide, LoopExec::Vector);
        let (_, inner, iv, _) = self.open_loop(header, vec![start, middle], &[], block, &l.loc);
        self.vars.insert(l.var, iv);
        let before = self.slots.clone();
        let mut emitter = VectorBody {
            e: self,
            l,
            lanes: plan.lanes,
            block: inner,
            cells: BTreeMap::new(),
        };
        for child in l.body.unguarded() {
            if let Tree::Inst(inst) = child {
                emitter.instance(inst)?;
            }
        }
        self.f.append(inner, OpKind::Yield, vec![], &[], l.loc.clone());
        self.slots = before;
        // The scalar rest starts where the vectors ended, but never before the loop's own start.
        self.scalar_loop(l, (AffineMap::identity(2), one, vec![middle, start, end]), block, body)
    }

    fn extremum_value(
        &mut self,
        map: AffineMap,
        operands: Vec<ValueId>,
        kind: fn(AffineMap) -> OpKind,
        block: BlockId,
        loc: &Loc,
    ) -> ValueId {
        if let [AffineExpr::Dim(n)] = map.results[..]
            && let Some(&value) = operands.get(n as usize)
            && self.f[value].ty == Type::INDEX
        {
            return value;
        }
        let op = self.f.append(block, kind(map), operands, &[Type::INDEX], loc.clone());
        self.f.result(op)
    }

    /// `start + floor((end - start) / wide) * wide`: where whole vectors end.
    fn middle(&mut self, start: ValueId, end: ValueId, wide: i64, block: BlockId, loc: &Loc) -> ValueId {
        let start_e = AffineExpr::Dim(0);
        let length = AffineExpr::add(AffineExpr::Dim(1), AffineExpr::mul(start_e.clone(), AffineExpr::Const(-1)));
        let whole = AffineExpr::mul(
            AffineExpr::FloorDiv(Box::new(length), Box::new(AffineExpr::Const(wide))),
            AffineExpr::Const(wide),
        );
        let map = AffineMap {
            dims: 2,
            syms: 0,
            results: vec![AffineExpr::add(start_e, whole)],
        };
        let op = self
            .f
            .append(block, OpKind::Apply(map), vec![start, end], &[Type::INDEX], loc.clone());
        self.f.result(op)
    }
}

/// Operations that work lane by lane on vectors in every back end.
fn lanewise(op: PureOp) -> bool {
    matches!(
        op,
        PureOp::AddI
            | PureOp::SubI
            | PureOp::MulI
            | PureOp::AndI
            | PureOp::OrI
            | PureOp::XOrI
            | PureOp::MaxSI
            | PureOp::MaxUI
            | PureOp::MinSI
            | PureOp::MinUI
            | PureOp::CmpI(_)
            | PureOp::AddF
            | PureOp::SubF
            | PureOp::MulF
            | PureOp::DivF
            | PureOp::NegF
            | PureOp::MaximumF
            | PureOp::MinimumF
            | PureOp::MaxNumF
            | PureOp::MinNumF
            | PureOp::CmpF(_)
            | PureOp::Select
            | PureOp::Bitcast
            | PureOp::Math(MathFn::Sqrt | MathFn::AbsF | MathFn::Fma | MathFn::Floor | MathFn::Ceil | MathFn::Trunc)
    )
}

/// A value in the vector body: one for all lanes, or one a lane.
#[derive(Debug, Clone, Copy)]
enum Lanes {
    Uniform(ValueId),
    Vector(ValueId),
}

struct VectorBody<'e, 'a> {
    e: &'e mut Emitter<'a>,
    l: &'e Loop,
    lanes: u32,
    block: BlockId,
    cells: BTreeMap<Place, Lanes>,
}

impl VectorBody<'_, '_> {
    fn vector_type(&self, elem: ScalarType) -> Type {
        Type::Vector(VectorType {
            shape: vec![u64::from(self.lanes)],
            elem,
        })
    }

    fn scalar_type(&self, v: ValueId, loc: &Loc) -> Res<ScalarType> {
        match self.e.f[v].ty {
            Type::Scalar(s) => Ok(s),
            _ => Err(Declined::new(loc, "a value of the vector loop isn't a number")),
        }
    }

    fn instance(&mut self, inst: &Inst) -> Res<()> {
        let scop = self.e.scop;
        let stmt = &scop[inst.stmt];
        let forms = index_forms(self.e.f, stmt, &inst.args);
        let mut map: FxHashMap<ValueId, Lanes> = FxHashMap::default();
        for &(value, access) in &stmt.cell_reads {
            let place = self.cell_place(inst, stmt, access)?;
            let lanes = match (self.cells.get(&place), self.e.slots.get(&place).and_then(|s| s.value)) {
                (Some(&lanes), _) => lanes,
                (None, Some(value)) => Lanes::Uniform(value),
                (None, None) => return Err(Declined::new(&stmt.loc, "a cell is read before it is written")),
            };
            map.insert(value, lanes);
        }
        for &op in &stmt.ops {
            self.op(op, inst, stmt, &forms, &mut map)?;
        }
        for &(value, access) in &stmt.cell_writes {
            let place = self.cell_place(inst, stmt, access)?;
            let lanes = self.value(value, &forms, &mut map, &stmt.loc)?;
            self.cells.insert(place, lanes);
        }
        Ok(())
    }

    fn cell_place(&self, inst: &Inst, stmt: &Stmt, access: usize) -> Res<Place> {
        let array = stmt.accesses[access].array;
        let subs = inst
            .args
            .get(..self.e.scop[array].rank)
            .ok_or_else(|| Declined::new(&stmt.loc, "a cell has more dimensions than its user has loops"))?;
        Ok(Place {
            array,
            memref: None,
            subs: subs.to_vec(),
        })
    }

    fn op(&mut self, id: OpId, inst: &Inst, stmt: &Stmt, forms: &FxHashMap<ValueId, Form>, map: &mut FxHashMap<ValueId, Lanes>) -> Res<()> {
        let op = self.e.f[id].clone();
        match &op.kind {
            OpKind::Load(_) => {
                let lanes = self.load(id, inst, stmt, forms)?;
                map.insert(op.results[0], lanes);
            }
            OpKind::Store(_) => {
                let value = self.value(op.operands[0], forms, map, &op.loc)?;
                self.store(id, stmt, value, forms)?;
            }
            OpKind::Pure(..) | OpKind::Apply(_) | OpKind::Constant(_)
                if forms.contains_key(&op.results[0]) && self.e.f[op.results[0]].ty == Type::INDEX => {}
            _ => {
                let operands = op
                    .operands
                    .iter()
                    .map(|&v| self.value(v, forms, map, &op.loc))
                    .collect::<Res<Vec<_>>>()?;
                let elem = self.scalar_type(op.results[0], &op.loc)?;
                let varying = operands.iter().any(|l| matches!(l, Lanes::Vector(_)));
                let (operands, ty) = if varying {
                    let vectors = operands.into_iter().map(|l| self.as_vector(l, &op.loc)).collect::<Res<Vec<_>>>()?;
                    (vectors, self.vector_type(elem))
                } else {
                    let scalars = operands.into_iter().map(|l| match l {
                        Lanes::Uniform(v) | Lanes::Vector(v) => v,
                    });
                    (scalars.collect(), Type::Scalar(elem))
                };
                let copy = self.e.f.append(self.block, op.kind.clone(), operands, &[ty], op.loc.clone());
                let result = self.e.f.result(copy);
                map.insert(op.results[0], if varying { Lanes::Vector(result) } else { Lanes::Uniform(result) });
            }
        }
        Ok(())
    }

    fn value(&mut self, v: ValueId, forms: &FxHashMap<ValueId, Form>, map: &mut FxHashMap<ValueId, Lanes>, loc: &Loc) -> Res<Lanes> {
        if let Some(&lanes) = map.get(&v) {
            return Ok(lanes);
        }
        let Some(form) = forms.get(&v) else {
            return Ok(Lanes::Uniform(self.e.outer_value(v)));
        };
        let base = self.e.form_value(form, self.block, loc);
        let stride = form.stride(self.l.var).and_then(|s| s.checked_mul(self.l.step));
        let lanes = match stride {
            Some(0) => Lanes::Uniform(base),
            Some(s) => Lanes::Vector(self.ramp(base, s, loc)?),
            None => return Err(Declined::new(loc, "an index isn't linear in the vector loop's iterator")),
        };
        map.insert(v, lanes);
        Ok(lanes)
    }

    /// `base + lane * stride` in each lane.
    fn ramp(&mut self, base: ValueId, stride: i64, loc: &Loc) -> Res<ValueId> {
        let splat = self.as_vector(Lanes::Uniform(base), loc)?;
        let steps = (0..i64::from(self.lanes))
            .map(|lane| lane.checked_mul(stride).map(Constant::Int))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Declined::new(loc, "an index of the vector loop leaves 64 bits"))?;
        let ty = self.vector_type(ScalarType::Index);
        let steps = self.e.f.append(
            self.block,
            OpKind::Constant(Constant::Vector(steps)),
            vec![],
            std::slice::from_ref(&ty),
            loc.clone(),
        );
        let steps = self.e.f.result(steps);
        let sum = self
            .e
            .f
            .append(self.block, OpKind::pure(PureOp::AddI), vec![splat, steps], &[ty], loc.clone());
        Ok(self.e.f.result(sum))
    }

    fn as_vector(&mut self, lanes: Lanes, loc: &Loc) -> Res<ValueId> {
        match lanes {
            Lanes::Vector(v) => Ok(v),
            Lanes::Uniform(v) => {
                let ty = self.vector_type(self.scalar_type(v, loc)?);
                let op = self
                    .e
                    .f
                    .append(self.block, OpKind::pure(PureOp::Splat), vec![v], &[ty], loc.clone());
                Ok(self.e.f.result(op))
            }
        }
    }

    fn load(&mut self, id: OpId, inst: &Inst, stmt: &Stmt, forms: &FxHashMap<ValueId, Form>) -> Res<Lanes> {
        let loc = self.e.f[id].loc.clone();
        if let Some(place) = inst.touches.iter().find(|t| t.op == Some(id)).and_then(|t| t.place.as_ref())
            && let Some(slot) = self.e.slots.get(place)
        {
            let value = slot
                .value
                .ok_or_else(|| Declined::new(&loc, "a register is read before it was loaded"))?;
            return Ok(Lanes::Uniform(value));
        }
        let elem = self.scalar_type(self.e.f.result(id), &loc)?;
        let (memref, subs) = subscripts(self.e.f, stmt, forms, id).ok_or_else(|| Declined::new(&loc, "a subscript isn't affine"))?;
        match self.e.motion_of(self.l, memref, &subs).map_err(|why| Declined::new(&loc, why))? {
            Motion::Fixed => Ok(Lanes::Uniform(self.load_at(memref, &subs, Type::Scalar(elem), &loc))),
            Motion::Contiguous => {
                let ty = self.vector_type(elem);
                Ok(Lanes::Vector(self.load_at(memref, &subs, ty, &loc)))
            }
            Motion::Strided => {
                let mut vector = None;
                for lane in 0..self.lanes {
                    let subs = self.lane_subs(&subs, lane, &loc)?;
                    let value = self.load_at(memref, &subs, Type::Scalar(elem), &loc);
                    vector = Some(match vector {
                        None => self.as_vector(Lanes::Uniform(value), &loc)?,
                        Some(so_far) => {
                            let ty = self.vector_type(elem);
                            let op = self.e.f.append(
                                self.block,
                                OpKind::pure(PureOp::Insert(lane)),
                                vec![value, so_far],
                                &[ty],
                                loc.clone(),
                            );
                            self.e.f.result(op)
                        }
                    });
                }
                vector
                    .map(Lanes::Vector)
                    .ok_or_else(|| Declined::new(&loc, "a vector without lanes"))
            }
        }
    }

    /// Subscripts of the iteration that `lane` stands for.
    fn lane_subs(&self, subs: &[Form], lane: u32, loc: &Loc) -> Res<Vec<Form>> {
        subs.iter()
            .map(|f| {
                let stride = f.stride(self.l.var)?.checked_mul(self.l.step)?.checked_mul(i64::from(lane))?;
                f.clone().add_scaled(&Form::constant(stride), 1)
            })
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Declined::new(loc, "a subscript of the vector loop leaves 64 bits"))
    }

    fn load_at(&mut self, memref: ValueId, subs: &[Form], ty: Type, loc: &Loc) -> ValueId {
        let (map, operands) = self.e.map(subs);
        let all = std::iter::once(self.e.outer_value(memref)).chain(operands).collect();
        let op = self
            .e
            .f
            .append(self.block, OpKind::Load(Access { map, checked: false }), all, &[ty], loc.clone());
        self.e.f.result(op)
    }

    fn store(&mut self, id: OpId, stmt: &Stmt, value: Lanes, forms: &FxHashMap<ValueId, Form>) -> Res<()> {
        let loc = self.e.f[id].loc.clone();
        let (memref, subs) = subscripts(self.e.f, stmt, forms, id).ok_or_else(|| Declined::new(&loc, "a subscript isn't affine"))?;
        let vector = self.as_vector(value, &loc)?;
        if self.e.motion_of(self.l, memref, &subs) == Ok(Motion::Contiguous) {
            self.store_at(memref, &subs, vector, &loc);
            return Ok(());
        }
        let elem = self.e.f[vector]
            .ty
            .element()
            .ok_or_else(|| Declined::new(&loc, "a value of the vector loop isn't a number"))?;
        for lane in 0..self.lanes {
            let op = self.e.f.append(
                self.block,
                OpKind::pure(PureOp::Extract(lane)),
                vec![vector],
                &[Type::Scalar(elem)],
                loc.clone(),
            );
            let scalar = self.e.f.result(op);
            let subs = self.lane_subs(&subs, lane, &loc)?;
            self.store_at(memref, &subs, scalar, &loc);
        }
        Ok(())
    }

    fn store_at(&mut self, memref: ValueId, subs: &[Form], value: ValueId, loc: &Loc) {
        let (map, operands) = self.e.map(subs);
        let all = [value, self.e.outer_value(memref)].into_iter().chain(operands).collect();
        self.e
            .f
            .append(self.block, OpKind::Store(Access { map, checked: false }), all, &[], loc.clone());
    }
}
