//! Buffers and the views that programs hold of them.

use std::cell::Cell;
use std::rc::Rc;
use tilia_abi::{Buffer, MemRefValue};
use tilia_program::ScalarType;

/// A buffer of one run. Numbers aren't used again, even where memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// What may be done with a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Live,
    /// A constant global: no stores.
    Constant,
    /// After `memref.dealloc`.
    Freed,
    /// A stack buffer after its function returned.
    Returned,
}

/// Where a buffer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Argument,
    Heap,
    Stack,
    Global,
}

/// A buffer shared by views.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) id: BufferId,
    pub(crate) buffer: Rc<Buffer>,
    pub(crate) origin: Origin,
    pub(crate) state: Cell<State>,
    /// The run's count of allocated bytes.
    used: Rc<Cell<u64>>,
    bytes: u64,
}

impl Drop for Root {
    fn drop(&mut self) {
        self.used.set(self.used.get().saturating_sub(self.bytes));
    }
}

/// A strided view: what a memref value is at run time.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) root: Rc<Root>,
    pub(crate) elem: ScalarType,
    pub(crate) offset: i64,
    pub(crate) sizes: Vec<i64>,
    pub(crate) strides: Vec<i64>,
}

/// All memory of a run.
#[derive(Debug)]
pub(crate) struct Memory {
    limit: u64,
    used: Rc<Cell<u64>>,
    next: u32,
    /// Buffers that the host passed, so that arguments which share one share its root.
    arguments: Vec<Rc<Root>>,
}

impl Memory {
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            limit,
            used: Rc::default(),
            next: 0,
            arguments: Vec::new(),
        }
    }

    /// Number that the next buffer will have.
    pub(crate) fn next_id(&self) -> u32 {
        self.next
    }

    fn root(&mut self, buffer: Rc<Buffer>, origin: Origin, bytes: u64) -> Rc<Root> {
        let id = BufferId(self.next);
        self.next += 1;
        self.used.set(self.used.get().saturating_add(bytes));
        Rc::new(Root {
            id,
            buffer,
            origin,
            state: Cell::new(State::Live),
            used: Rc::clone(&self.used),
            bytes,
        })
    }

    /// A view of memory that the host passed.
    pub(crate) fn argument(&mut self, value: &MemRefValue) -> View {
        let known = self.arguments.iter().find(|r| Rc::ptr_eq(&r.buffer, &value.buffer));
        let root = match known.cloned() {
            Some(root) => root,
            None => {
                let root = self.root(Rc::clone(&value.buffer), Origin::Argument, 0);
                self.arguments.push(Rc::clone(&root));
                root
            }
        };
        View {
            root,
            elem: value.elem,
            offset: value.offset,
            sizes: value.sizes.clone(),
            strides: value.strides.clone(),
        }
    }

    /// A new buffer of zeros. `space` is its number of elements where that isn't the product of the sizes.
    pub(crate) fn allocate(&mut self, elem: ScalarType, sizes: &[i64], origin: Origin) -> Result<View, String> {
        if let Some(d) = sizes.iter().find(|d| **d < 0) {
            return Err(format!("an extent of {d} is negative"));
        }
        let too_large = || format!("a buffer of shape {sizes:?} x {elem} exceeds the limit of {} bytes", self.limit);
        let count = sizes.iter().try_fold(1i64, |n, &d| n.checked_mul(d)).ok_or_else(too_large)?;
        let bytes = u64::try_from(count)
            .ok()
            .and_then(|n| n.checked_mul(elem.bytes()))
            .ok_or_else(too_large)?;
        if self.used.get().checked_add(bytes).is_none_or(|all| all > self.limit) || self.next == u32::MAX {
            return Err(too_large());
        }
        let buffer = usize::try_from(bytes).ok().and_then(Buffer::zeroed).ok_or_else(too_large)?;
        let strides = MemRefValue::row_major(sizes).ok_or_else(too_large)?;
        Ok(View {
            root: self.root(buffer, origin, bytes),
            elem,
            offset: 0,
            sizes: sizes.to_vec(),
            strides,
        })
    }
}

impl View {
    /// The value that the host sees.
    pub(crate) fn to_value(&self) -> MemRefValue {
        MemRefValue {
            buffer: Rc::clone(&self.root.buffer),
            elem: self.elem,
            offset: self.offset,
            sizes: self.sizes.clone(),
            strides: self.strides.clone(),
        }
    }

    /// Fails for memory that is gone.
    pub(crate) fn usable(&self, write: bool) -> Result<(), String> {
        match self.root.state.get() {
            State::Live => Ok(()),
            State::Constant if !write => Ok(()),
            State::Constant => Err("a store to a constant global".to_owned()),
            State::Freed => Err("an access to memory that was deallocated".to_owned()),
            State::Returned => Err("an access to stack memory of a function that has returned".to_owned()),
        }
    }

    /// Element number of the subscripts, which must lie inside the shape.
    pub(crate) fn element(&self, subscripts: &[i64]) -> Result<i64, String> {
        let mut at = Some(self.offset);
        for (k, ((&i, &d), &s)) in subscripts.iter().zip(&self.sizes).zip(&self.strides).enumerate() {
            if i < 0 || i >= d {
                return Err(format!(
                    "out of bounds: subscript {k} is {i}, but the extent is {d} (subscripts {subscripts:?}, shape {:?})",
                    self.sizes
                ));
            }
            at = at.and_then(|at| at.checked_add(i.checked_mul(s)?));
        }
        at.ok_or_else(|| "the address overflows".to_owned())
    }

    fn bytes_of(&self, element: i64) -> Option<(usize, usize)> {
        let size = usize::try_from(self.elem.bytes()).ok().filter(|&n| n <= 8)?;
        Some((usize::try_from(element).ok()?.checked_mul(size)?, size))
    }

    /// The element of that number: integers sign-extended, floats as bits.
    pub(crate) fn load(&self, element: i64) -> Result<u64, String> {
        self.usable(false)?;
        let mut word = [0u8; 8];
        let read = self
            .bytes_of(element)
            .is_some_and(|(start, size)| self.root.buffer.read(start, &mut word[..size]));
        if !read {
            return Err(self.outside(element));
        }
        Ok(super::number::from_memory(u64::from_le_bytes(word), self.elem))
    }

    /// Stores an element; integers of odd width zero-extended to their bytes.
    pub(crate) fn store(&self, element: i64, value: u64) -> Result<(), String> {
        self.usable(true)?;
        let word = super::number::to_memory(value, self.elem).to_le_bytes();
        let written = self
            .bytes_of(element)
            .is_some_and(|(start, size)| self.root.buffer.write(start, &word[..size]));
        if written { Ok(()) } else { Err(self.outside(element)) }
    }

    fn outside(&self, element: i64) -> String {
        let size = self.root.buffer.len();
        format!(
            "out of bounds: element {element} of type {} lies outside of the buffer of {size} bytes",
            self.elem
        )
    }

    /// Number of elements.
    pub(crate) fn count(&self) -> Result<u64, String> {
        let count = self.sizes.iter().try_fold(1u64, |n, &d| n.checked_mul(u64::try_from(d).ok()?));
        count.ok_or_else(|| format!("the shape {:?} holds too many elements", self.sizes))
    }

    /// Whether two views of one buffer reach into each other's range of bytes.
    pub(crate) fn overlaps(&self, other: &View) -> bool {
        match (self.span(), other.span()) {
            (Some((a0, a1)), Some((b0, b1))) => Rc::ptr_eq(&self.root, &other.root) && a0 <= b1 && b0 <= a1,
            _ => false,
        }
    }

    /// Whether different subscripts are different elements, as far as distances show that: each is longer than what all dimensions with shorter ones span.
    pub(crate) fn tells_apart(&self) -> bool {
        let dims = self.sizes.iter().zip(&self.strides);
        let mut dims: Vec<(i128, i128)> = dims
            .filter(|(n, _)| **n > 1)
            .map(|(&n, &s)| (i128::from(s).abs(), i128::from(n) - 1))
            .collect();
        dims.sort_unstable();
        let mut reach = 0i128;
        dims.iter().all(|&(distance, last)| {
            let longer = distance > reach;
            // Without an end, nothing is longer.
            reach = distance.checked_mul(last).and_then(|r| reach.checked_add(r)).unwrap_or(i128::MAX);
            longer
        })
    }

    /// First and last byte that elements may occupy; `None` without elements or on overflow.
    fn span(&self) -> Option<(i128, i128)> {
        let (mut low, mut high) = (i128::from(self.offset), i128::from(self.offset));
        for (&d, &s) in self.sizes.iter().zip(&self.strides) {
            if d <= 0 {
                return None;
            }
            let reach = (i128::from(d) - 1) * i128::from(s);
            if reach < 0 {
                low = low.checked_add(reach)?
            } else {
                high = high.checked_add(reach)?
            }
        }
        let bytes = i128::from(self.elem.bytes());
        Some((low.checked_mul(bytes)?, high.checked_mul(bytes)?.checked_add(bytes - 1)?))
    }
}
