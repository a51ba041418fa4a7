//! Which loops can work on vectors, and what varies from lane to lane in them.

use super::{Accumulator, Kind, Motion, Plan};
use crate::emit::Emitter;
use crate::form::{Atom, Form};
use crate::slots::Scope;
use crate::tree::{Inst, Lane, Loop, Place, Tree, index_forms, subscripts};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tilia_ast::VarId;
use tilia_program::{Layout, MathFn, OpId, OpKind, PureOp, ScalarType, Type, ValueId};
use tilia_scop::{AccessSource, ArrayId, Reduction, Stmt, StmtKind};

#[derive(Default)]
struct Analysis {
    bits: Option<u8>,
    contiguous: u32,
    strided: u32,
    /// Whether the private cells that live within one iteration hold a value a lane.
    cells: BTreeMap<ArrayId, Kind>,
    accumulators: Vec<Accumulator>,
}

/// One instance under analysis.
struct Subject<'a> {
    /// The loop to work on vectors.
    id: usize,
    lane: VarId,
    stmt: &'a Stmt,
    forms: FxHashMap<ValueId, Form>,
    kinds: FxHashMap<ValueId, Kind>,
    /// The accesses to a location into which all lanes accumulate.
    accumulator: Option<Reduction>,
}

impl Subject<'_> {
    /// Whether the load or store accesses the accumulator.
    fn accumulates(&self, op: OpId) -> bool {
        self.accumulator.is_some_and(|r| {
            [r.read, r.write]
                .iter()
                .any(|&a| self.stmt.accesses[a].source == AccessSource::Op(op))
        })
    }
}

impl Emitter<'_> {
    /// How `l` can work on vectors, or why not. Loops with loops inside aren't candidates, nor are those whose bodies are vectors already: `None`.
    pub(crate) fn vector_plan(&mut self, l: &Loop) -> Option<Result<Plan, String>> {
        let wide = |t: &&Tree| matches!(t, Tree::Inst(i) if i.lane.is_some());
        if self.options.vector_bits == 0 || !l.body.is_innermost() || l.body.unguarded().iter().any(wide) {
            return None;
        }
        let lane = VarId(self.next_var);
        self.next_var += 1;
        Some(self.analyse(l, lane))
    }

    fn analyse(&self, l: &Loop, lane: VarId) -> Result<Plan, String> {
        if !l.marks.parallel && !l.marks.reduces {
            return Err("its iterations depend on each other".into());
        }
        let insts = lane_instances(l, lane)?;
        let mut analysis = Analysis::default();
        loop {
            let known = analysis.cells;
            analysis = Analysis {
                cells: known.clone(),
                ..Analysis::default()
            };
            for inst in &insts {
                self.analyse_instance(l, lane, inst, &mut analysis)?;
            }
            // A cell that is seen to vary later was taken for uniform before: once more, with that known.
            if analysis.cells == known {
                break;
            }
        }
        let bits = u32::from(analysis.bits.ok_or("nothing in it varies from iteration to iteration")?);
        let idle = analysis.contiguous == 0 && analysis.accumulators.is_empty();
        if idle || analysis.strided > analysis.contiguous {
            return Err("its accesses aren't contiguous".into());
        }
        Ok(Plan {
            bits,
            lane,
            insts,
            cells: analysis.cells,
            accumulators: analysis.accumulators,
        })
    }

    fn analyse_instance(&self, l: &Loop, lane: VarId, inst: &Inst, analysis: &mut Analysis) -> Result<(), String> {
        let stmt = &self.scop[inst.stmt];
        if stmt.kind != StmtKind::Plain || !inst.lets.is_empty() {
            return Err("the loop body isn't plain arithmetic".into());
        }
        let mut subject = Subject {
            id: l.id,
            lane,
            stmt,
            forms: index_forms(self.f, stmt, &inst.args),
            kinds: FxHashMap::default(),
            accumulator: self.accumulator(l, lane, inst, analysis)?,
        };
        for &(value, access) in &stmt.cell_reads {
            let array = stmt.accesses[access].array;
            let kind = match self.cells.contracted.get(&array) {
                _ if subject.accumulator.is_some_and(|r| r.read == access) => {
                    self.width(value, analysis)?;
                    Kind::Varying
                }
                Some(Scope::Loop(id)) if *id == l.id => *analysis.cells.get(&array).ok_or("a cell is read before it is written")?,
                Some(_) => Kind::Uniform,
                None => {
                    let motion = self.storage_motion(lane, inst, access)?;
                    count(motion, analysis);
                    if motion == Motion::Contiguous {
                        self.width(value, analysis)?;
                    }
                    if motion == Motion::Fixed { Kind::Uniform } else { Kind::Varying }
                }
            };
            subject.kinds.insert(value, kind);
        }
        for &op in &stmt.ops {
            self.analyse_op(op, &mut subject, analysis)?;
        }
        for &(value, access) in &stmt.cell_writes {
            if subject.accumulator.is_some_and(|r| r.write == access) {
                continue;
            }
            let array = stmt.accesses[access].array;
            let kind = self.kind(value, &subject, analysis)?;
            match self.cells.contracted.get(&array) {
                Some(Scope::Loop(id)) if *id == subject.id => {}
                Some(_) => return Err("a private cell lives across iterations".into()),
                None => {
                    let motion = self.storage_motion(lane, inst, access)?;
                    if motion == Motion::Fixed {
                        return Err("it stores to one location again and again".into());
                    }
                    count(motion, analysis);
                    self.width(value, analysis)?;
                    continue;
                }
            }
            let known = analysis.cells.entry(array).or_insert(kind);
            if kind == Kind::Varying {
                *known = kind;
            }
        }
        Ok(())
    }

    /// The reduction of the instance, if all lanes accumulate into one location; that is noted. `None`: each lane has a location of its own.
    fn accumulator(&self, l: &Loop, lane: VarId, inst: &Inst, analysis: &mut Analysis) -> Result<Option<Reduction>, String> {
        let Some(r) = self.scop.reorderable(inst.stmt).filter(|_| l.marks.reduces && !l.marks.parallel) else {
            return Ok(None);
        };
        let place = |access: usize| inst.touches.get(access).and_then(|t| t.place.as_ref());
        let place = match (place(r.read), place(r.write)) {
            (Some(read), Some(write)) if read == write => read,
            _ => return Err("the location into which it accumulates isn't known exactly".into()),
        };
        let strides = place.subs.iter().map(|f| f.stride(lane)).collect::<Option<Vec<_>>>();
        let strides = strides.ok_or("a subscript isn't linear in the iterator")?;
        if strides.iter().any(|&s| s != 0) {
            return Ok(None);
        }
        let subs = place
            .subs
            .iter()
            .map(|f| f.replace(lane, &Form::default()))
            .collect::<Option<Vec<_>>>();
        let new = Accumulator {
            place: Place {
                subs: subs.ok_or("an index of the vector loop leaves 64 bits")?,
                ..place.clone()
            },
            op: r.op,
            elem: self.scop[place.array].elem,
        };
        match analysis.accumulators.iter().find(|a| a.place == new.place) {
            Some(known) if *known != new => return Err("it accumulates into one location by several operations".into()),
            Some(_) => {}
            None => analysis.accumulators.push(new),
        }
        Ok(Some(r))
    }

    /// How the element of a cell in memory moves from lane to lane.
    fn storage_motion(&self, lane: VarId, inst: &Inst, access: usize) -> Result<Motion, String> {
        let place = inst.touches.get(access).and_then(|t| t.place.as_ref());
        let (memref, place) = place
            .and_then(|p| Some((p.memref?, p)))
            .ok_or("a private cell has no place in memory")?;
        match self.motion_of(lane, memref, &place.subs)? {
            Motion::Strided => Err("a private cell in memory is touched with a stride".into()),
            motion => Ok(motion),
        }
    }

    fn analyse_op(&self, id: OpId, subject: &mut Subject<'_>, analysis: &mut Analysis) -> Result<(), String> {
        let op = &self.f[id];
        match &op.kind {
            OpKind::Load(_) if subject.accumulates(id) => {
                self.width(op.results[0], analysis)?;
                subject.kinds.insert(op.results[0], Kind::Varying);
            }
            OpKind::Store(_) if subject.accumulates(id) => {}
            OpKind::Load(_) => {
                let result = op.results[0];
                let motion = self.motion(id, subject)?;
                count(motion, analysis);
                let kind = if motion == Motion::Fixed { Kind::Uniform } else { Kind::Varying };
                if kind == Kind::Varying {
                    self.width(result, analysis)?;
                }
                subject.kinds.insert(result, kind);
            }
            OpKind::Store(_) => {
                let motion = self.motion(id, subject)?;
                if motion == Motion::Fixed {
                    return Err("it stores to one location again and again".into());
                }
                count(motion, analysis);
                self.width(op.operands[0], analysis)?;
                self.kind(op.operands[0], subject, analysis)?;
            }
            OpKind::Constant(_) => {
                subject.kinds.insert(op.results[0], Kind::Uniform);
            }
            OpKind::Pure(..) | OpKind::Apply(_) if op.results.len() == 1 && subject.forms.contains_key(&op.results[0]) => {}
            OpKind::Pure(pure, _) if op.results.len() == 1 => {
                let mut all = Kind::Uniform;
                for &v in &op.operands {
                    if self.kind(v, subject, analysis)? == Kind::Varying {
                        all = Kind::Varying;
                    }
                }
                if all == Kind::Varying {
                    if !lanewise(*pure) {
                        return Err(format!("{pure:?} has no vector form"));
                    }
                    self.width(op.results[0], analysis)?;
                }
                subject.kinds.insert(op.results[0], all);
            }
            _ => return Err("an operation of the body has no vector form".into()),
        }
        Ok(())
    }

    /// Whether a value varies from lane to lane; a varying index value counts as a vector of its type.
    fn kind(&self, v: ValueId, subject: &Subject<'_>, analysis: &mut Analysis) -> Result<Kind, String> {
        if let Some(&kind) = subject.kinds.get(&v) {
            return Ok(kind);
        }
        let Some(form) = subject.forms.get(&v) else {
            return Ok(Kind::Uniform);
        };
        match form.stride(subject.lane) {
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
        if !matches!(
            ty,
            ScalarType::F32 | ScalarType::F64 | ScalarType::Index | ScalarType::Int(8 | 16 | 32 | 64)
        ) {
            return Err(format!("vectors of {ty} aren't made"));
        }
        if analysis.bits.is_some_and(|b| b != bits) {
            return Err("values of several widths are mixed".into());
        }
        analysis.bits = Some(bits);
        Ok(())
    }

    fn motion(&self, op: OpId, subject: &Subject<'_>) -> Result<Motion, String> {
        if !self.proven(op) {
            return Err("an access isn't proven to stay inside its memref".into());
        }
        let (memref, subs) = subscripts(self.f, subject.stmt, &subject.forms, op).ok_or("a subscript isn't affine")?;
        self.motion_of(subject.lane, memref, &subs)
    }

    /// How an access with these subscripts moves from lane to lane.
    pub(super) fn motion_of(&self, lane: VarId, memref: ValueId, subs: &[Form]) -> Result<Motion, String> {
        let strides = subs
            .iter()
            .map(|f| f.stride(lane))
            .collect::<Option<Vec<_>>>()
            .ok_or("a subscript isn't linear in the iterator")?;
        if strides.iter().all(|&s| s == 0) {
            return Ok(Motion::Fixed);
        }
        let (last, outer) = strides.split_last().ok_or("a subscript is missing")?;
        let contiguous = self.has_unit_rows(memref) && *last == 1 && outer.iter().all(|&s| s == 0);
        Ok(if contiguous { Motion::Contiguous } else { Motion::Strided })
    }

    /// Whether neighbours in the last dimension are neighbours in memory.
    fn has_unit_rows(&self, memref: ValueId) -> bool {
        match self.f[self.memref_value(memref)].ty.as_memref().map(|m| &m.layout) {
            Some(Layout::Identity) => true,
            Some(Layout::Strided { strides, .. }) => strides.last() == Some(&Some(1)),
            None => false,
        }
    }

    /// Whether an access with these subscripts goes from each element to the one before it in memory.
    pub(super) fn runs_backwards(&self, lane: VarId, memref: ValueId, subs: &[Form]) -> bool {
        let Some((last, outer)) = subs.split_last() else { return false };
        self.has_unit_rows(memref) && last.stride(lane) == Some(-1) && outer.iter().all(|f| f.stride(lane) == Some(0))
    }
}

fn count(motion: Motion, analysis: &mut Analysis) {
    match motion {
        Motion::Fixed => {}
        Motion::Contiguous => analysis.contiguous += 1,
        Motion::Strided => analysis.strided += 1,
    }
}

/// The instances of one iteration, with the iterations after it as lanes: `iterator + step * lane` in the place of the iterator. The number of lanes is still open.
fn lane_instances(l: &Loop, lane: VarId) -> Result<Vec<Inst>, String> {
    let moved = Form::atom(Atom::Var(l.var)).add_scaled(&Form::atom(Atom::Var(lane)), l.step);
    let moved = moved.ok_or("its step is too large")?;
    let mut insts = Vec::new();
    for child in l.body.unguarded() {
        let Tree::Inst(inst) = child else {
            return Err("a condition stands in the loop".into());
        };
        let inst = inst.replace(l.var, &moved).ok_or("an index of the vector loop leaves 64 bits")?;
        insts.push(Inst {
            lane: Some(Lane { var: lane, count: 0 }),
            ..inst
        });
    }
    Ok(insts)
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
