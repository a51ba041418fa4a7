//! Memref descriptors as compiled code and MLIR's C runner interface lay them out.
//!
//! A ranked descriptor is `{ base pointer, data pointer, offset, sizes[rank], strides[rank] }`, all words of 64 bits; an unranked one is its rank and a pointer to a ranked one.

use crate::{Buffer, MemRefValue};
use std::ffi::c_void;
use std::rc::Rc;
use tilia_program::ScalarType;

/// The descriptor of a memref of rank `RANK`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemRef<const RANK: usize> {
    /// What was allocated, for freeing it.
    pub base: *mut u8,
    /// Where elements are counted from.
    pub data: *mut u8,
    /// Element number of the first element.
    pub offset: i64,
    /// Extents.
    pub sizes: [i64; RANK],
    /// Distance of neighbours, in elements.
    pub strides: [i64; RANK],
}

/// The descriptor of a memref of unknown rank.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnrankedMemRef {
    /// Number of dimensions.
    pub rank: i64,
    /// The ranked descriptor.
    pub descriptor: *const c_void,
}

/// Number of words in a descriptor of that rank.
#[must_use]
pub const fn descriptor_words(rank: usize) -> usize {
    3 + 2 * rank
}

/// The words of the descriptor of a host value.
#[must_use]
pub fn to_words(memref: &MemRefValue) -> Vec<i64> {
    let base = memref.buffer.as_ptr().expose_provenance();
    let base = i64::from_ne_bytes((base as u64).to_ne_bytes());
    let mut words = vec![base, base, memref.offset];
    words.extend(&memref.sizes);
    words.extend(&memref.strides);
    words
}

/// Sizes, strides and address that a descriptor states, before anyone has looked whether they are true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawMemRef {
    /// Where elements are counted from.
    pub data: *mut u8,
    /// Element number of the first element.
    pub offset: i64,
    /// Extents.
    pub sizes: Vec<i64>,
    /// Distance of neighbours, in elements.
    pub strides: Vec<i64>,
}

impl RawMemRef {
    /// Reads a descriptor.
    ///
    /// # Safety
    /// `descriptor` points to a ranked descriptor of rank `rank`, valid for reading.
    #[must_use]
    pub unsafe fn read(rank: usize, descriptor: *const c_void) -> Self {
        // SAFETY: the caller says that this many words can be read.
        let words = unsafe { std::slice::from_raw_parts(descriptor.cast::<i64>(), descriptor_words(rank)) };
        let address = usize::from_ne_bytes(words[1].to_ne_bytes());
        Self {
            data: std::ptr::with_exposed_provenance_mut(address),
            offset: words[2],
            sizes: words[3..3 + rank].to_vec(),
            strides: words[3 + rank..].to_vec(),
        }
    }

    /// The host value of a descriptor that points into one of `buffers`; `None` when it points elsewhere, or leaves the buffer.
    #[must_use]
    pub fn to_value(&self, elem: ScalarType, buffers: &[Rc<Buffer>]) -> Option<MemRefValue> {
        let address = self.data.addr();
        let inside = |b: &&Rc<Buffer>| (b.as_ptr().addr()..=b.as_ptr().addr() + b.len()).contains(&address);
        let buffer = buffers.iter().find(inside)?;
        let bytes = usize::try_from(elem.bytes()).ok()?;
        let distance = address - buffer.as_ptr().addr();
        let offset = i64::try_from(distance / bytes).ok().filter(|_| distance.is_multiple_of(bytes))?;
        let value = MemRefValue {
            buffer: Rc::clone(buffer),
            elem,
            offset: self.offset.checked_add(offset)?,
            sizes: self.sizes.clone(),
            strides: self.strides.clone(),
        };
        value.in_buffer().then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_is_that_of_words() {
        assert_eq!(size_of::<MemRef<3>>(), 8 * descriptor_words(3));
        assert_eq!(std::mem::offset_of!(MemRef<3>, strides), 48);
        assert_eq!(size_of::<UnrankedMemRef>(), 16);
    }

    #[test]
    fn words_and_back() {
        let mut value = MemRefValue::zeroed(ScalarType::F32, &[3, 4]).unwrap();
        value.offset = 1;
        value.sizes = vec![2, 2];
        let words = to_words(&value);
        // SAFETY: the words are a descriptor of rank 2.
        let raw = unsafe { RawMemRef::read(2, words.as_ptr().cast()) };
        let other = Buffer::zeroed(64).unwrap();
        let back = raw.to_value(ScalarType::F32, &[other.clone(), value.buffer.clone()]).unwrap();
        assert_eq!((back.offset, &back.sizes, &back.strides), (1, &vec![2, 2], &vec![4, 1]));
        assert!(Rc::ptr_eq(&back.buffer, &value.buffer));
        assert!(raw.to_value(ScalarType::F32, &[other]).is_none());
    }
}
