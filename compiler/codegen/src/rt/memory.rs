//! Heap memory of compiled code.
//!
//! Every allocation of a call is registered, so that what the program doesn't free, or can't after an error, is freed when the call ends, and so that freeing
//! anything else is an error instead of a corrupt heap. Memory comes zeroed: reading what was never written gives zeros on every path.

use super::context::{ThreadCtx, lock};
use rustc_hash::FxHashMap;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;

/// Alignment of every buffer unless the program wants more: a cache line.
const ALIGN: u64 = 64;
/// Largest alignment that a program may ask for.
const MAX_ALIGN: u64 = 1 << 20;

/// All live allocations of one call.
pub(crate) struct Registry {
    live: Mutex<Live>,
    limit: u64,
}

#[derive(Default)]
struct Live {
    /// From the address that the program knows to what was allocated.
    blocks: FxHashMap<usize, Block>,
    /// What the program freed, but may still use.
    retired: Vec<Block>,
    /// Memory of the host that the program may use, with its bytes.
    lent: FxHashMap<usize, usize>,
    bytes: u64,
}

struct Block {
    memory: Memory,
    /// What was taken for it.
    size: u64,
    /// What the program asked for.
    bytes: u64,
}

/// Memory of one allocation, freed when dropped.
enum Memory {
    Heap {
        base: *mut u8,
        layout: Layout,
    },
    /// Large ones have pages of their own, which the kernel is asked to make huge: a page fault for each 4 KiB takes longer than computing what is written there.
    Pages(memmap2::MmapMut),
}

/// Bytes of a huge page.
const HUGE: u64 = 2 << 20;

/// Allocations from so many bytes on have pages of their own.
const LARGE: u64 = 2 * HUGE;

// SAFETY: a block is plain memory; the registry's lock guards who frees it.
unsafe impl Send for Memory {}

impl Memory {
    /// `size` zero bytes, or `None` when the system has no such memory.
    fn zeroed(size: usize, large: bool) -> Option<Self> {
        if large {
            let pages = memmap2::MmapMut::map_anon(size).ok()?;
            // Without huge pages it is only slower.
            #[cfg(target_os = "linux")]
            if let Err(why) = pages.advise(memmap2::Advice::HugePage) {
                tracing::debug!(%why, "no huge pages");
            }
            return Some(Self::Pages(pages));
        }
        // Zeroed memory of ordinary alignment comes untouched from the system: not from the host's allocator, which is chosen for small objects.
        let layout = Layout::from_size_align(size, 16).ok().filter(|l| l.size() > 0)?;
        // SAFETY: the size isn't zero.
        let base = unsafe { System.alloc_zeroed(layout) };
        (!base.is_null()).then_some(Self::Heap { base, layout })
    }

    fn base(&mut self) -> *mut u8 {
        match self {
            Self::Heap { base, .. } => *base,
            Self::Pages(pages) => pages.as_mut_ptr(),
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Self::Heap { base, layout } = *self {
            // SAFETY: allocated with this layout, and dropped once. Nothing uses the memory any more: see `Registry::free`.
            unsafe { System.dealloc(base, layout) };
        }
    }
}

impl Registry {
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            live: Mutex::default(),
            limit,
        }
    }

    /// `bytes` zero bytes; `None` when the limit or the system forbids.
    fn alloc(&self, bytes: u64, align: u64) -> Option<*mut u8> {
        let large = bytes >= LARGE;
        let align = align.clamp(ALIGN, MAX_ALIGN).max(if large { HUGE } else { ALIGN });
        // Aligned by hand: see `Memory::zeroed`.
        let size = bytes.checked_add(align)?;
        let mut live = lock(&self.live);
        let total = live.bytes.checked_add(size).filter(|&total| total <= self.limit)?;
        let mut memory = Memory::zeroed(usize::try_from(size).ok()?, large)?;
        let base = memory.base();
        let data = base.wrapping_add(base.align_offset(usize::try_from(align).ok()?));
        live.bytes = total;
        live.blocks.insert(data as usize, Block { memory, size, bytes });
        Some(data)
    }

    /// Makes memory of the host known.
    pub(crate) fn lend(&self, data: usize, bytes: usize) {
        lock(&self.live).lent.insert(data, bytes);
    }

    /// Bytes of the buffer that starts at `data`.
    fn bytes_at(&self, data: usize) -> Option<u64> {
        let live = lock(&self.live);
        let lent = live.lent.get(&data).map(|&bytes| bytes as u64);
        lent.or_else(|| live.blocks.get(&data).map(|b| b.bytes))
    }

    /// Frees what `alloc` gave; false if it didn't give `data`, or it is free already.
    fn free(&self, data: *mut u8) -> bool {
        let mut live = lock(&self.live);
        let Some(block) = live.blocks.remove(&(data as usize)) else {
            return false;
        };
        live.bytes -= block.size;
        drop(block.memory);
        true
    }

    /// Like [`Registry::free`], but keeps the memory until the call ends.
    fn retire(&self, data: *mut u8) -> bool {
        let mut live = lock(&self.live);
        let Some(block) = live.blocks.remove(&(data as usize)) else {
            return false;
        };
        live.retired.push(block);
        true
    }
}

/// Bytes of an array: `packed` holds the rank in its low half and the bytes of an element in its high half.
///
/// # Safety
/// `dims` points to as many extents as the rank says.
unsafe fn array_bytes(dims: *const i64, packed: u64) -> Result<u64, [i64; 2]> {
    let (rank, elem) = (packed & 0xffff_ffff, packed >> 32);
    let (mut bytes, mut empty) = (Some(elem), false);
    for k in 0..rank {
        // SAFETY: `k` is below the rank.
        let dim = unsafe { dims.add(k as usize).read() };
        let Ok(size) = u64::try_from(dim) else {
            return Err([k as i64, dim]);
        };
        bytes = bytes.and_then(|b| b.checked_mul(size));
        empty |= size == 0;
    }
    // An array with a zero extent is empty however large the others are.
    if empty {
        return Ok(0);
    }
    bytes.filter(|&b| i64::try_from(b).is_ok()).ok_or([-1, -1])
}

/// Allocates an array; null after an error, which is reported for `site` with two numbers: dimension and its negative size, or -1 and the bytes (-1: more than 2^63).
///
/// # Safety
/// As for [`array_bytes`]; `ctx` is the context of the running thread.
pub(crate) unsafe extern "C" fn alloc(ctx: &ThreadCtx<'_>, site: u64, dims: *const i64, packed: u64, align: u64) -> *mut u8 {
    // SAFETY: handed on.
    let values = match unsafe { array_bytes(dims, packed) } {
        Ok(bytes) => match ctx.shared.registry.alloc(bytes, align) {
            Some(data) => return data,
            None => [-1, bytes as i64],
        },
        Err(values) => values,
    };
    super::fail(ctx, site, values[0], values[1]);
    std::ptr::null_mut()
}

/// Memory of one `alloca` for one activation of its function: address and bytes; zero before first use.
#[repr(C)]
pub(crate) struct StackSlot {
    data: *mut u8,
    bytes: u64,
}

/// Like [`alloc`], for memory that lives in `slot`: what an earlier execution of the same operation left there is used again where large enough.
///
/// # Safety
/// As for [`alloc`].
pub(crate) unsafe extern "C" fn alloca(
    ctx: &ThreadCtx<'_>,
    site: u64,
    dims: *const i64,
    packed: u64,
    align: u64,
    slot: &mut StackSlot,
) -> *mut u8 {
    // SAFETY: handed on.
    if let Ok(bytes) = unsafe { array_bytes(dims, packed) }
        && !slot.data.is_null()
        && slot.bytes >= bytes
    {
        // SAFETY: the slot's memory has that many bytes, and the array that was there is dead.
        unsafe { slot.data.write_bytes(0, bytes as usize) };
        return slot.data;
    }
    free_slot(ctx, slot);
    // SAFETY: handed on.
    let data = unsafe { alloc(ctx, site, dims, packed, align) };
    if !data.is_null() {
        slot.data = data;
        // SAFETY: as above.
        slot.bytes = unsafe { array_bytes(dims, packed) }.unwrap_or(0);
    }
    data
}

/// Frees a slot's memory, if it has any.
pub(crate) extern "C" fn free_slot(ctx: &ThreadCtx<'_>, slot: &mut StackSlot) {
    if !slot.data.is_null() {
        ctx.shared.registry.free(slot.data);
        slot.data = std::ptr::null_mut();
        slot.bytes = 0;
    }
}

/// Whether all elements of an array, given by the words of its descriptor, lie in the `bytes` bytes that its allocated pointer names.
fn is_inside(words: &[i64], bytes: u64, elem: u64) -> bool {
    let rank = (words.len() - 3) / 2;
    let (sizes, strides) = (&words[3..3 + rank], &words[3 + rank..]);
    if sizes.iter().any(|&d| d < 0) {
        return false;
    }
    if sizes.contains(&0) {
        return true;
    }
    // Exact: hostile offsets and strides must not wrap into the buffer.
    let elem = i128::from(elem);
    let start = i128::from(words[1]) - i128::from(words[0]) + i128::from(words[2]) * elem;
    let (mut low, mut high) = (start, start + elem);
    for (&d, &s) in sizes.iter().zip(strides) {
        let Some(reach) = i128::from(d - 1).checked_mul(i128::from(s) * elem) else {
            return false;
        };
        let end = if reach < 0 { &mut low } else { &mut high };
        *end = end.saturating_add(reach);
    }
    low >= 0 && high <= i128::from(bytes)
}

/// Checks that the array of a descriptor lies in the buffer that its allocated pointer names. Returns 0, or 1 after an error reported for `site`.
///
/// # Safety
/// `desc` is a descriptor of the rank that `packed` says.
pub(crate) unsafe extern "C" fn check_view(ctx: &ThreadCtx<'_>, site: u64, desc: *const i64, packed: u64) -> u64 {
    let rank = (packed & 0xffff_ffff) as usize;
    // SAFETY: a descriptor has 3 + 2 * rank words.
    let words = unsafe { std::slice::from_raw_parts(desc, 3 + 2 * rank) };
    let bytes = ctx.shared.registry.bytes_at(words[0] as usize);
    if bytes.is_some_and(|bytes| is_inside(words, bytes, packed >> 32)) {
        return 0;
    }
    super::fail(ctx, site, 0, 0);
    1
}

/// Frees an array. Returns 0, or 1 after an error reported for `site`.
pub(crate) extern "C" fn dealloc(ctx: &ThreadCtx<'_>, site: u64, data: *mut u8) -> u64 {
    if ctx.shared.registry.free(data) {
        return 0;
    }
    super::fail(ctx, site, data as i64, 0);
    1
}

/// Ends an array's life, but keeps its memory until the call ends, because something may still use it. Returns as [`dealloc`] does.
pub(crate) extern "C" fn retire(ctx: &ThreadCtx<'_>, site: u64, data: *mut u8) -> u64 {
    if ctx.shared.registry.retire(data) {
        return 0;
    }
    super::fail(ctx, site, data as i64, 0);
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_and_double_free() {
        let registry = Registry::new(10_000);
        let a = registry.alloc(5000, 1).unwrap();
        assert_eq!(a as usize % 64, 0);
        assert!(registry.alloc(5000, 1).is_none());
        assert!(registry.alloc(u64::MAX, 1).is_none());
        assert!(registry.free(a));
        assert!(!registry.free(a));
        assert!(registry.alloc(5000, 4096).is_some_and(|p| (p as usize).is_multiple_of(4096)));
    }

    #[test]
    fn large_blocks_are_aligned_zero_and_count_against_the_limit() {
        let registry = Registry::new(LARGE + 2 * HUGE);
        let a = registry.alloc(LARGE, 1).unwrap();
        assert!((a as u64).is_multiple_of(HUGE));
        assert!(registry.alloc(LARGE, 1).is_none());
        // SAFETY: the block has that many bytes.
        unsafe {
            assert_eq!((a.read(), a.add(LARGE as usize - 1).read()), (0, 0));
            a.add(LARGE as usize - 1).write(1);
        }
        assert!(registry.retire(a) && !registry.free(a));
        assert!(registry.alloc(5000, 1).is_some());
    }

    #[test]
    fn array_sizes() {
        let bytes = |dims: &[i64]| {
            // SAFETY: the rank is the slice's length.
            unsafe { array_bytes(dims.as_ptr(), dims.len() as u64 | 8 << 32) }
        };
        assert_eq!(bytes(&[]), Ok(8));
        assert_eq!(bytes(&[3, 4]), Ok(96));
        assert_eq!(bytes(&[i64::MAX, 9, 0]), Ok(0));
        assert_eq!(bytes(&[0, -1]), Err([1, -1]));
        assert_eq!(bytes(&[3, -4]), Err([1, -4]));
        assert_eq!(bytes(&[i64::MAX, 2]), Err([-1, -1]));
    }
}
