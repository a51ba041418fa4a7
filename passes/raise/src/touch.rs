//! Which memory each operation of a statement touches, in terms of root buffers.

use crate::affine::Affine;
use crate::index::Index;
use crate::lin::{Lin, Pw};
use crate::plan::Declined;
use crate::roots::{Roots, root_of};
use crate::views::{rank, view_of};
use tilia_program::{Access, Function, Layout, OpId, OpKind, Type, ValueDef, ValueId};

/// One access of an operation.
#[derive(Debug, Clone)]
pub(crate) struct Touch {
    /// The load, store, copy or effect.
    pub(crate) op: OpId,
    pub(crate) write: bool,
    pub(crate) root: ValueId,
    pub(crate) region: Region,
    /// The check that the access needs: subscripts, extents of the memref, and elements touched from there on in each dimension. `None` when the operation checks itself.
    pub(crate) check: Option<Check>,
}

/// Which elements of the root buffer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Region {
    /// Those from the subscripts on, this many in each dimension; anywhere in dimensions without a subscript.
    At(Vec<Option<Pw>>, Vec<u64>),
    /// All, exactly those within the extents.
    Whole(Vec<Option<Pw>>),
    /// Perhaps any.
    Anywhere,
}

impl Region {
    /// Whether the relation says exactly which elements are touched.
    pub(crate) fn is_exact(&self) -> bool {
        match self {
            Self::At(subs, _) => subs.iter().all(Option::is_some),
            Self::Whole(extents) => extents.iter().all(|e| e.as_ref().is_some_and(|p| p.as_lin().is_some())),
            Self::Anywhere => false,
        }
    }

    /// Calls `visit` on every form.
    pub(crate) fn for_each_form(&self, visit: &mut dyn FnMut(&Lin)) {
        match self {
            Self::At(list, _) | Self::Whole(list) => list.iter().flatten().for_each(|p| for_each_form(p, visit)),
            Self::Anywhere => {}
        }
    }
}

/// Calls `visit` on the forms and conditions of all cases.
pub(crate) fn for_each_form(pw: &Pw, visit: &mut dyn FnMut(&Lin)) {
    for (conds, form) in &pw.0 {
        conds.iter().for_each(|c| visit(&c.form));
        visit(form);
    }
}

/// What must hold for an access to stay inside its memref.
#[derive(Debug, Clone)]
pub(crate) struct Check {
    pub(crate) subs: Vec<Option<Pw>>,
    pub(crate) shape: Vec<Option<Pw>>,
    pub(crate) lanes: Vec<u64>,
}

/// Translates accesses of one run.
pub(crate) struct Toucher<'a, 'b> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) affine: &'b mut Affine<'a>,
    pub(crate) roots: &'b mut Roots,
}

impl Toucher<'_, '_> {
    /// The accesses of a load, store or copy; of other operations, none.
    pub(crate) fn touches(&mut self, op: OpId) -> Result<Vec<Touch>, Declined> {
        let function = self.index.function;
        let data = &function[op];
        match &data.kind {
            OpKind::Load(access) => Ok(vec![self.element(
                op,
                access,
                data.operands[0],
                &data.operands[1..],
                data.results[0],
                false,
            )?]),
            OpKind::Store(access) => Ok(vec![self.element(
                op,
                access,
                data.operands[1],
                &data.operands[2..],
                data.operands[0],
                true,
            )?]),
            OpKind::Copy => Ok(vec![
                self.whole(op, data.operands[0], false)?,
                self.whole(op, data.operands[1], true)?,
            ]),
            _ => Ok(Vec::new()),
        }
    }

    fn element(
        &mut self,
        op: OpId,
        access: &Access,
        memref: ValueId,
        operands: &[ValueId],
        value: ValueId,
        write: bool,
    ) -> Result<Touch, Declined> {
        let function = self.index.function;
        let subs = self.affine.subscripts(&access.map, operands);
        let vector = match &function[value].ty {
            Type::Vector(v) => v.shape.clone(),
            _ => Vec::new(),
        };
        let first = subs.len().saturating_sub(vector.len());
        let lanes: Vec<u64> = (0..subs.len())
            .map(|d| d.checked_sub(first).and_then(|k| vector.get(k)).copied().unwrap_or(1))
            .collect();
        let Some(place) = self.affine.locate(memref, subs.clone()) else {
            return Err(Declined::new(op, "which buffer it touches isn't fixed while the loops run"));
        };
        let root = self.roots.canonical(self.index, place.root);
        // A box of a view need not be a box of the root.
        let boxes = lanes.iter().all(|&n| n == 1) || self.is_same_shape(memref);
        let region = if boxes && !place.elsewhere && Apart::of(function, root) != Apart::No {
            let extents = if place.subs.len() == lanes.len() {
                lanes.clone()
            } else {
                vec![1; place.subs.len()]
            };
            Region::At(place.subs, extents)
        } else {
            Region::Anywhere
        };
        let check = Check {
            shape: self.affine.shape(memref),
            subs,
            lanes,
        };
        Ok(Touch {
            op,
            write,
            root,
            region,
            check: access.checked.then_some(check),
        })
    }

    /// Whether the view has the subscripts of its root.
    fn is_same_shape(&self, memref: ValueId) -> bool {
        let function = self.index.function;
        let mut at = memref;
        while let Some(op) = view_of(function, at) {
            let source = function[op].operands[0];
            if function[op].kind != OpKind::CastMemRef || rank(function, source) != rank(function, at) {
                return false;
            }
            at = source;
        }
        true
    }

    fn whole(&mut self, op: OpId, memref: ValueId, write: bool) -> Result<Touch, Declined> {
        let shape = self.affine.shape(memref);
        let Some(place) = self.affine.locate(memref, vec![None; shape.len()]) else {
            return Err(Declined::new(op, "which buffer it touches isn't fixed while the loops run"));
        };
        let root = self.roots.canonical(self.index, place.root);
        let exact = self.is_same_shape(memref) && Apart::of(self.index.function, root) != Apart::No;
        let region = if exact { Region::Whole(shape) } else { Region::Anywhere };
        Ok(Touch {
            op,
            write,
            root,
            region,
            check: None,
        })
    }

    /// The accesses that a group of opaque operations may make, and whether code runs that isn't seen.
    pub(crate) fn group(&mut self, ops: &[OpId]) -> (Vec<Touch>, bool) {
        let deep: Vec<OpId> = ops.iter().flat_map(|&op| self.index.deep(op)).collect();
        let mut out = Vec::new();
        let mut unknown = false;
        for &op in &deep {
            let data = &self.index.function[op];
            let memrefs: &[ValueId] = match &data.kind {
                OpKind::Load(_) => &data.operands[..1],
                OpKind::Store(_) => &data.operands[1..2],
                OpKind::Copy => &data.operands,
                OpKind::Call(_) | OpKind::Unsupported { .. } | OpKind::Assert(_) => {
                    unknown = true;
                    for &v in &data.operands {
                        if crate::views::is_memref(self.index.function, v) {
                            unknown |= !self.handed_over(op, v, &deep, &mut out);
                        }
                    }
                    continue;
                }
                _ => continue,
            };
            if memrefs.iter().any(|&m| self.is_local(m, &deep)) && memrefs.len() == 1 {
                continue;
            }
            match self.touches(op) {
                Ok(touches) => out.extend(touches.into_iter().filter(|t| !self.is_local(t.root, &deep))),
                // A buffer made inside, by something other than an allocation: any exposed buffer.
                Err(_) => {
                    unknown = true;
                    for &m in memrefs {
                        self.handed_over(op, m, &deep, &mut out);
                    }
                }
            }
        }
        (out, unknown)
    }

    /// Whether the buffer is allocated by one of the operations.
    fn is_local(&self, memref: ValueId, deep: &[OpId]) -> bool {
        let function = self.index.function;
        match function[root_of(function, memref)].def {
            ValueDef::Result(op, _) => matches!(function[op].kind, OpKind::Alloc { .. }) && deep.contains(&op),
            ValueDef::Arg(..) => false,
        }
    }

    /// Adds accesses to all of a buffer; `false` when it isn't a buffer that exists outside the group.
    fn handed_over(&mut self, op: OpId, memref: ValueId, deep: &[OpId], out: &mut Vec<Touch>) -> bool {
        if self.is_local(memref, deep) {
            return true;
        }
        let Some(place) = self.affine.locate(memref, vec![None; rank(self.index.function, memref)]) else {
            return false;
        };
        let root = self.roots.canonical(self.index, place.root);
        out.extend([false, true].map(|write| Touch {
            op,
            write,
            root,
            region: Region::Anywhere,
            check: None,
        }));
        true
    }
}

/// Dimensions of a buffer whose layout is checked at run time, at most: that many reaches of 60 bits add up within 64.
const MOST_CHECKED: usize = 7;

/// Whether different subscripts of a root buffer are different memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Apart {
    /// Always.
    Yes,
    /// As strides or extents are that are known at run time only.
    ByStrides,
    /// Not as far as anybody can tell.
    No,
}

impl Apart {
    /// What the type of the buffer says.
    pub(crate) fn of(function: &Function, root: ValueId) -> Apart {
        let Some(ty) = function[root].ty.as_memref() else {
            return Apart::No;
        };
        let Layout::Strided { strides, .. } = &ty.layout else {
            return Apart::Yes;
        };
        let mut dims: Vec<(i64, Option<u64>)> = Vec::new();
        for (stride, &size) in strides.iter().zip(&ty.shape) {
            // One element has no distance.
            if size == Some(1) {
                continue;
            }
            match stride {
                None => return Apart::checked(strides.len()),
                Some(known) => match known.checked_abs() {
                    Some(distance) => dims.push((distance, size)),
                    None => return Apart::No,
                },
            }
        }
        if lie_apart(dims.clone()) {
            return Apart::Yes;
        }
        // Extents that aren't known may be small enough.
        dims.retain(|d| d.1.is_some());
        if lie_apart(dims) {
            Apart::checked(strides.len())
        } else {
            Apart::No
        }
    }

    fn checked(rank: usize) -> Apart {
        if rank <= MOST_CHECKED { Apart::ByStrides } else { Apart::No }
    }
}

/// Whether distances between neighbours are longer than all that the dimensions with shorter ones span.
fn lie_apart(mut dims: Vec<(i64, Option<u64>)>) -> bool {
    dims.sort();
    let mut reach: i64 = 0;
    for (n, (stride, size)) in dims.iter().enumerate() {
        if *stride <= reach {
            return false;
        }
        if n + 1 == dims.len() {
            break;
        }
        let extent = size
            .and_then(|s| i64::try_from(s).ok())
            .and_then(|s| s.saturating_sub(1).checked_mul(*stride));
        let Some(sum) = extent.and_then(|e| reach.checked_add(e)) else {
            return false;
        };
        reach = sum;
    }
    true
}
