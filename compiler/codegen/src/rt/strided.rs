//! Operations on whole arrays, given by descriptors: allocated pointer, aligned pointer, offset, sizes, strides, each eight bytes.

use super::context::ThreadCtx;

/// A descriptor in memory.
struct Array {
    data: *mut u8,
    sizes: Vec<i64>,
    strides: Vec<i64>,
}

impl Array {
    /// # Safety
    /// `desc` points to a descriptor of that rank, whose elements have `elem` bytes.
    unsafe fn read(desc: *const i64, rank: u64, elem: u64) -> Self {
        let rank = rank as usize;
        // SAFETY: a descriptor has 3 + 2 * rank words.
        let words = unsafe { std::slice::from_raw_parts(desc, 3 + 2 * rank) };
        let start = words[1].wrapping_add(words[2].wrapping_mul(elem as i64));
        Self {
            data: std::ptr::with_exposed_provenance_mut(start as usize),
            sizes: words[3..3 + rank].to_vec(),
            strides: words[3 + rank..].iter().map(|s| s.wrapping_mul(elem as i64)).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.sizes.iter().any(|&d| d <= 0)
    }

    /// Addresses of the first byte and of the one past the last, of an array that isn't empty.
    fn extent(&self, elem: u64) -> (i64, i64) {
        let (mut low, mut high) = (self.data as i64, self.data as i64);
        for (&d, &s) in self.sizes.iter().zip(&self.strides) {
            let reach = (d - 1).wrapping_mul(s);
            let end = if reach < 0 { &mut low } else { &mut high };
            *end = end.wrapping_add(reach);
        }
        (low, high.wrapping_add(elem as i64))
    }

    /// Number of innermost dimensions in which elements lie one after the other, and the bytes of such a run.
    fn run(&self, elem: u64) -> (usize, i64) {
        let (mut dims, mut bytes) = (0, elem as i64);
        for (&d, &s) in self.sizes.iter().zip(&self.strides).rev() {
            if d != 1 && s != bytes {
                break;
            }
            bytes *= d;
            dims += 1;
        }
        (dims, bytes)
    }
}

/// Copies an array to one of equal shape. `packed`: rank in the low half, bytes of an element in the high half. Returns 0, or 1 after an error reported
/// for `site` with the two sizes that differ.
///
/// # Safety
/// Both are valid descriptors, and all elements of both arrays are accessible.
pub(crate) unsafe extern "C" fn copy(ctx: &ThreadCtx<'_>, site: u64, source: *const i64, target: *const i64, packed: u64) -> u64 {
    let (rank, elem) = (packed & 0xffff_ffff, packed >> 32);
    // SAFETY: handed on.
    let (source, target) = unsafe { (Array::read(source, rank, elem), Array::read(target, rank, elem)) };
    if let Some((&a, &b)) = source.sizes.iter().zip(&target.sizes).find(|(a, b)| a != b) {
        super::fail(ctx, site, a, b);
        return 1;
    }
    if source.is_empty() {
        return 0;
    }
    let (a, b) = (source.run(elem), target.run(elem));
    let (dims, bytes) = if a.0 <= b.0 { a } else { b };
    let outer = source.sizes.len() - dims;
    let mut at = vec![0i64; outer];
    let (mut from, mut to) = (source.data, target.data);
    loop {
        // SAFETY: a run of elements of each array; `memmove`, as the arrays may be identical.
        unsafe { std::ptr::copy(from, to, bytes as usize) };
        let mut k = outer;
        loop {
            if k == 0 {
                return 0;
            }
            k -= 1;
            at[k] += 1;
            from = from.wrapping_offset(source.strides[k] as isize);
            to = to.wrapping_offset(target.strides[k] as isize);
            if at[k] < source.sizes[k] {
                break;
            }
            from = from.wrapping_offset(source.strides[k].wrapping_mul(-at[k]) as isize);
            to = to.wrapping_offset(target.strides[k].wrapping_mul(-at[k]) as isize);
            at[k] = 0;
        }
    }
}

/// Whether the byte ranges of two arrays share a byte. `packed_a` and `packed_b` as for [`copy`].
///
/// # Safety
/// Both are valid descriptors.
pub(crate) unsafe extern "C" fn overlap(a: *const i64, packed_a: u64, b: *const i64, packed_b: u64) -> u64 {
    let (elem_a, elem_b) = (packed_a >> 32, packed_b >> 32);
    // SAFETY: handed on.
    let (a, b) = unsafe {
        (
            Array::read(a, packed_a & 0xffff_ffff, elem_a),
            Array::read(b, packed_b & 0xffff_ffff, elem_b),
        )
    };
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    let ((a_low, a_high), (b_low, b_high)) = (a.extent(elem_a), b.extent(elem_b));
    u64::from(a_low < b_high && b_low < a_high)
}
