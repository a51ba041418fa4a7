//! Memory that host code and programs share.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::fmt;
use std::ptr::NonNull;
use std::rc::Rc;

/// Alignment of the first element: a cache line, and more than any vector register needs.
const ALIGN: usize = 64;

/// Zeroed memory that several memref values may share (as arguments that alias do).
///
/// Contents are only copied in and out, so that no Rust reference exists while a program writes. The type is neither `Send` nor `Sync`: whoever runs a program
/// on it waits for the program on the same thread, hence no two parties touch it at once.
pub struct Buffer {
    /// What was allocated.
    base: NonNull<u8>,
    layout: Layout,
    /// First aligned byte in it.
    data: *mut u8,
    len: usize,
    /// Contents change behind shared references.
    _cell: UnsafeCell<()>,
}

impl Buffer {
    /// `len` zero bytes, or `None` when the system has no such memory.
    #[must_use]
    pub fn zeroed(len: usize) -> Option<Rc<Self>> {
        // Zeroed memory of ordinary alignment comes untouched from the system, so it costs nothing until used; aligned by hand for that reason. Whatever allocator
        // the host prefers for its own small objects has no say here: how fast a program runs depends on where its memory comes from.
        let layout = Layout::from_size_align(len.checked_add(ALIGN)?, 16).ok()?;
        // SAFETY: the layout's size is at least `ALIGN`, not zero.
        let base = NonNull::new(unsafe { System.alloc_zeroed(layout) })?;
        let skip = base.as_ptr().align_offset(ALIGN);
        Some(Rc::new(Self {
            base,
            layout,
            data: base.as_ptr().wrapping_add(skip),
            len,
            _cell: UnsafeCell::new(()),
        }))
    }

    /// A buffer that holds a copy of `bytes`; `None` as for [`Buffer::zeroed`].
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Rc<Self>> {
        let buffer = Self::zeroed(bytes.len())?;
        buffer.write(0, bytes);
        Some(buffer)
    }

    /// Number of bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Address of the first byte, for programs. Whoever dereferences it answers for bounds and for exclusion.
    #[must_use]
    pub fn as_ptr(&self) -> *mut u8 {
        self.data
    }

    /// Copies bytes from `offset` on to `target`. False, and nothing done, if they aren't all inside.
    pub fn read(&self, offset: usize, target: &mut [u8]) -> bool {
        if offset.checked_add(target.len()).is_none_or(|end| end > self.len) {
            return false;
        }
        // SAFETY: the range is inside the allocation; `target` is exclusive, and no reference into the buffer is ever handed out.
        unsafe { std::ptr::copy_nonoverlapping(self.data.add(offset), target.as_mut_ptr(), target.len()) };
        true
    }

    /// Copies `source` to the bytes from `offset` on. False, and nothing done, if they aren't all inside.
    pub fn write(&self, offset: usize, source: &[u8]) -> bool {
        if offset.checked_add(source.len()).is_none_or(|end| end > self.len) {
            return false;
        }
        // SAFETY: as in `read`; the buffer isn't shared between threads.
        unsafe { std::ptr::copy_nonoverlapping(source.as_ptr(), self.data.add(offset), source.len()) };
        true
    }

    /// Copies the contents of `other`, as far as both reach.
    pub fn copy_from(&self, other: &Self) {
        let n = self.len.min(other.len);
        // SAFETY: both ranges are inside their allocations; `copy` allows them to be the same buffer.
        unsafe { std::ptr::copy(other.data, self.data, n) };
    }

    /// A copy of all bytes.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len];
        self.read(0, &mut bytes);
        bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated in `zeroed` with this layout, freed once.
        unsafe { System.dealloc(self.base.as_ptr(), self.layout) };
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_and_refuses() {
        let buffer = Buffer::zeroed(10).unwrap();
        assert_eq!(buffer.as_ptr() as usize % 64, 0);
        assert!(buffer.write(8, &[1, 2]));
        assert!(!buffer.write(9, &[1, 2]));
        assert!(!buffer.write(usize::MAX, &[1, 2]));
        let mut two = [9, 9];
        assert!(buffer.read(7, &mut two));
        assert_eq!(two, [0, 1]);
        assert!(!buffer.read(9, &mut two));
    }

    #[test]
    fn huge_is_refused() {
        assert!(Buffer::zeroed(usize::MAX).is_none());
        assert!(Buffer::zeroed(usize::MAX / 2).is_none());
    }
}
