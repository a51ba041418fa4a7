//! Arguments and results of programs, as the host sees them.

use crate::Buffer;
use std::rc::Rc;
use tilia_program::{ScalarType, Type};

/// An argument or result of a function.
#[derive(Debug, Clone)]
pub enum Value {
    /// An integer or `index`, sign-extended from its width.
    Int(i64),
    /// The bits of a float in its own format, zero-extended.
    Float(u64),
    /// Elements of a vector, row-major, each as in the scalar cases.
    Vector(Vec<u64>),
    /// A view of a buffer.
    MemRef(MemRefValue),
}

/// A strided view of a buffer. Element `[i, j, ..]` lies at element number `offset + sum of stride * index`.
#[derive(Debug, Clone)]
pub struct MemRefValue {
    /// The memory.
    pub buffer: Rc<Buffer>,
    /// Type of the elements.
    pub elem: ScalarType,
    /// Element number of the first element.
    pub offset: i64,
    /// Extents.
    pub sizes: Vec<i64>,
    /// Distance of neighbours, in elements.
    pub strides: Vec<i64>,
}

impl MemRefValue {
    /// A new row-major array of zeros. `None` for negative or overflowing sizes, or when memory is short.
    #[must_use]
    pub fn zeroed(elem: ScalarType, sizes: &[i64]) -> Option<Self> {
        let strides = Self::row_major(sizes)?;
        let count = sizes.iter().try_fold(1i64, |n, &d| n.checked_mul(d))?;
        let bytes = usize::try_from(count).ok()?.checked_mul(usize::try_from(elem.bytes()).ok()?)?;
        Some(Self {
            buffer: Buffer::zeroed(bytes)?,
            elem,
            offset: 0,
            sizes: sizes.to_vec(),
            strides,
        })
    }

    /// Strides of a contiguous row-major array; `None` for negative sizes or overflow. A zero extent counts as one, so that strides stay positive.
    #[must_use]
    pub fn row_major(sizes: &[i64]) -> Option<Vec<i64>> {
        let mut strides = vec![1i64; sizes.len()];
        let mut stride = 1i64;
        for (s, &d) in strides.iter_mut().zip(sizes).rev() {
            if d < 0 {
                return None;
            }
            *s = stride;
            stride = stride.checked_mul(d.max(1))?;
        }
        Some(strides)
    }

    /// Number of elements; `None` for negative sizes or overflow.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        self.sizes.iter().try_fold(1u64, |n, &d| n.checked_mul(u64::try_from(d).ok()?))
    }

    /// Byte offset of an element, if the subscripts are inside the sizes and the element inside the buffer.
    #[must_use]
    pub fn byte_offset(&self, subscripts: &[i64]) -> Option<usize> {
        if subscripts.len() != self.sizes.len() {
            return None;
        }
        let mut at = self.offset;
        for ((&i, &d), &s) in subscripts.iter().zip(&self.sizes).zip(&self.strides) {
            if i < 0 || i >= d {
                return None;
            }
            at = at.checked_add(i.checked_mul(s)?)?;
        }
        let bytes = usize::try_from(self.elem.bytes()).ok()?;
        let start = usize::try_from(at).ok()?.checked_mul(bytes)?;
        start.checked_add(bytes).filter(|&end| end <= self.buffer.len())?;
        Some(start)
    }

    /// The bits of an element, zero-extended; `None` when it is out of bounds.
    #[must_use]
    pub fn get(&self, subscripts: &[i64]) -> Option<u64> {
        let start = self.byte_offset(subscripts)?;
        let mut bytes = [0; 8];
        let n = usize::try_from(self.elem.bytes()).ok()?;
        self.buffer.read(start, bytes.get_mut(..n)?).then(|| u64::from_le_bytes(bytes))
    }

    /// Stores the low bits of `bits` to an element. False when it is out of bounds.
    pub fn set(&self, subscripts: &[i64], bits: u64) -> bool {
        let Some(start) = self.byte_offset(subscripts) else {
            return false;
        };
        let n = usize::try_from(self.elem.bytes()).unwrap_or(8);
        self.buffer.write(start, &bits.to_le_bytes()[..n.min(8)])
    }

    /// The bits of all elements in row-major order; `None` when a part of the view lies outside its buffer.
    #[must_use]
    pub fn elements(&self) -> Option<Vec<u64>> {
        let count = usize::try_from(self.count()?).ok()?;
        let mut all = Vec::new();
        all.try_reserve_exact(count).ok()?;
        let mut at = vec![0i64; self.sizes.len()];
        for _ in 0..count {
            all.push(self.get(&at)?);
            for (i, &d) in at.iter_mut().zip(&self.sizes).rev() {
                *i += 1;
                if *i < d {
                    break;
                }
                *i = 0;
            }
        }
        Some(all)
    }

    /// Whether every element of the view lies inside the buffer.
    #[must_use]
    pub fn in_buffer(&self) -> bool {
        let Some(count) = self.count() else { return false };
        if count == 0 {
            return true;
        }
        let (mut low, mut high) = (self.offset, self.offset);
        for (&d, &s) in self.sizes.iter().zip(&self.strides) {
            let Some(reach) = (d - 1).checked_mul(s) else { return false };
            let end = if reach < 0 { &mut low } else { &mut high };
            let Some(moved) = end.checked_add(reach) else { return false };
            *end = moved;
        }
        let len = u64::try_from(self.buffer.len()).unwrap_or(u64::MAX) / self.elem.bytes();
        low >= 0 && u64::try_from(high).is_ok_and(|h| h < len)
    }
}

impl Value {
    /// Whether the value may be passed for a parameter of type `ty`; says what is wrong otherwise.
    ///
    /// # Errors
    /// What differs: kind, rank, element type, a static size or stride, or a view that leaves its buffer.
    pub fn check_type(&self, ty: &Type) -> Result<(), String> {
        match (self, ty) {
            (Self::Int(_), Type::Scalar(s)) if s.is_int() => Ok(()),
            (Self::Float(_), Type::Scalar(s)) if s.is_float() => Ok(()),
            (Self::Vector(lanes), Type::Vector(v)) if v.lanes() == u64::try_from(lanes.len()).ok() => Ok(()),
            (Self::MemRef(m), Type::MemRef(t)) => m.check_type(t),
            (Self::MemRef(m), Type::UnrankedMemRef(elem)) if m.elem == *elem => m.check_inside(),
            _ => Err(format!("a value of type {ty} is needed")),
        }
    }
}

impl MemRefValue {
    fn check_inside(&self) -> Result<(), String> {
        if self.sizes.len() != self.strides.len() {
            return Err("sizes and strides differ in number".to_owned());
        }
        if self.in_buffer() {
            Ok(())
        } else {
            Err(format!(
                "sizes {:?}, strides {:?} and offset {} leave the buffer of {} bytes",
                self.sizes,
                self.strides,
                self.offset,
                self.buffer.len()
            ))
        }
    }

    fn check_type(&self, ty: &tilia_program::MemRefType) -> Result<(), String> {
        use tilia_program::Layout;
        let needed = Type::MemRef(ty.clone());
        if self.elem != ty.elem {
            return Err(format!("elements are {}, but {needed} is needed", self.elem));
        }
        if self.sizes.len() != ty.rank() {
            return Err(format!("the rank is {}, but {needed} is needed", self.sizes.len()));
        }
        self.check_inside()?;
        let fits = |have: i64, want: Option<i64>| want.is_none_or(|w| w == have);
        let static_size = |d: &Option<u64>| d.map(|d| i64::try_from(d).unwrap_or(i64::MAX));
        if !self.sizes.iter().zip(&ty.shape).all(|(&d, want)| fits(d, static_size(want))) {
            return Err(format!("the shape is {:?}, but {needed} is needed", self.sizes));
        }
        let ok = match &ty.layout {
            // Strides of dimensions with one element (or of empty arrays) are never used.
            Layout::Identity => {
                let want = Self::row_major(&self.sizes).unwrap_or_default();
                let used = |k: usize| self.sizes[k] > 1 && self.count() != Some(0);
                self.offset == 0 && want.len() == self.strides.len() && (0..want.len()).all(|k| !used(k) || want[k] == self.strides[k])
            }
            Layout::Strided { offset, strides } => {
                fits(self.offset, *offset) && self.strides.iter().zip(strides).all(|(&s, &want)| fits(s, want))
            }
        };
        if ok {
            Ok(())
        } else {
            Err(format!("strides {:?} and offset {} don't fit {needed}", self.strides, self.offset))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_a_strided_view() {
        let all = MemRefValue::zeroed(ScalarType::F32, &[3, 4]).unwrap();
        for i in 0..3 {
            for j in 0..4 {
                assert!(all.set(&[i, j], (10 * i + j) as u64));
            }
        }
        assert!(!all.set(&[3, 0], 1));
        let column = MemRefValue {
            offset: 2,
            sizes: vec![3],
            strides: vec![4],
            ..all.clone()
        };
        assert_eq!(column.elements().unwrap(), [2, 12, 22]);
        assert!(column.in_buffer());
        let backwards = MemRefValue {
            offset: 1,
            sizes: vec![3],
            strides: vec![-1],
            ..all
        };
        assert!(!backwards.in_buffer());
        assert_eq!(backwards.elements(), None);
    }

    #[test]
    fn types_are_checked() {
        let m = Value::MemRef(MemRefValue::zeroed(ScalarType::F64, &[3, 4]).unwrap());
        let ty = |shape: &[Option<u64>], elem| {
            Type::MemRef(tilia_program::MemRefType {
                elem,
                shape: shape.to_vec(),
                layout: tilia_program::Layout::Identity,
            })
        };
        assert!(m.check_type(&ty(&[Some(3), None], ScalarType::F64)).is_ok());
        assert!(m.check_type(&ty(&[Some(2), None], ScalarType::F64)).is_err());
        assert!(m.check_type(&ty(&[None, None], ScalarType::F32)).is_err());
        assert!(m.check_type(&ty(&[None], ScalarType::F64)).is_err());
        assert!(m.check_type(&Type::INDEX).is_err());
        assert!(Value::Int(3).check_type(&Type::INDEX).is_ok());
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(MemRefValue::zeroed(ScalarType::F64, &[i64::MAX, 2]).is_none());
        assert!(MemRefValue::zeroed(ScalarType::F64, &[-1]).is_none());
        assert!(MemRefValue::zeroed(ScalarType::F64, &[0, i64::MAX]).is_some());
    }
}
