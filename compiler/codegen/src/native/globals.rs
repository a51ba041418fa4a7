//! Memory of a program's globals.

use std::alloc::{GlobalAlloc, Layout, System};
use tilia_diag::Diagnostic;
use tilia_program::{Constant, Global, GlobalInit, ScalarType};

/// Alignment of each global: a cache line.
const ALIGN: usize = 64;
/// Bytes of all globals together beyond which a program is refused.
const MAX_BYTES: usize = 1 << 32;

/// Buffers of all globals, at addresses that don't change.
#[derive(Debug)]
pub struct Globals {
    buffers: Vec<(*mut u8, Layout, Vec<u8>)>,
    /// Whether any may be written to.
    pub(crate) mutable: bool,
}

// SAFETY: plain memory; whoever runs code that writes to it holds the module's lock.
unsafe impl Send for Globals {}
// SAFETY: as above.
unsafe impl Sync for Globals {}

impl Globals {
    /// Allocates and fills them.
    ///
    /// # Errors
    /// A global that is too large.
    pub fn new(globals: &[Global]) -> Result<Self, Diagnostic> {
        let mut all = Self {
            buffers: Vec::new(),
            mutable: globals.iter().any(|g| !g.constant),
        };
        let mut total = 0usize;
        for global in globals {
            let refused = || {
                Diagnostic::error(
                    global.loc.clone(),
                    format!("global @{} can't be compiled: its size isn't static, or too large", global.name),
                )
            };
            let count = global
                .ty
                .shape
                .iter()
                .try_fold(1u64, |n, d| n.checked_mul((*d)?))
                .ok_or_else(refused)?;
            let bytes = count.checked_mul(global.ty.elem.bytes()).and_then(|b| usize::try_from(b).ok());
            let bytes = bytes.ok_or_else(refused)?;
            total = total.checked_add(bytes).filter(|&t| t <= MAX_BYTES).ok_or_else(refused)?;
            let layout = Layout::from_size_align(bytes.max(1), ALIGN).map_err(|_| refused())?;
            // SAFETY: the size isn't zero.
            let data = unsafe { System.alloc_zeroed(layout) };
            if data.is_null() {
                return Err(refused());
            }
            // Pushed at once, so that it is freed whatever comes.
            all.buffers.push((data, layout, Vec::new()));
            let image = image(global, usize::try_from(count).map_err(|_| refused())?)?;
            if let Some(last) = all.buffers.last_mut() {
                last.2 = image;
            }
        }
        all.reset();
        Ok(all)
    }

    /// Addresses, in order.
    #[must_use]
    pub fn addresses(&self) -> Vec<u64> {
        self.buffers.iter().map(|b| b.0 as u64).collect()
    }

    /// Addresses with their bytes.
    pub(crate) fn extents(&self) -> impl Iterator<Item = (usize, usize)> {
        self.buffers.iter().map(|b| (b.0 as usize, b.1.size()))
    }

    /// Gives all globals their first contents.
    pub(crate) fn reset(&self) {
        for (data, layout, image) in &self.buffers {
            // SAFETY: the buffer has that many bytes, and an image is no longer; the caller excludes running code.
            unsafe {
                data.write_bytes(0, layout.size());
                std::ptr::copy_nonoverlapping(image.as_ptr(), *data, image.len().min(layout.size()));
            }
        }
    }
}

impl Drop for Globals {
    fn drop(&mut self) {
        for (data, layout, _) in &self.buffers {
            // SAFETY: allocated with this layout, freed once.
            unsafe { System.dealloc(*data, *layout) };
        }
    }
}

/// First contents, without trailing zeros where all is zero.
fn image(global: &Global, count: usize) -> Result<Vec<u8>, Diagnostic> {
    let malformed = || {
        Diagnostic::error(
            global.loc.clone(),
            format!("global @{} has contents that don't fit its type", global.name),
        )
    };
    let elem = global.ty.elem;
    let width = usize::try_from(elem.bytes()).unwrap_or(8);
    match &global.init {
        GlobalInit::Uninitialized => Ok(Vec::new()),
        GlobalInit::Elements(list) => match &list[..] {
            [Constant::Splat(c)] => {
                let word = bits(c, elem).ok_or_else(malformed)?;
                if word == 0 {
                    return Ok(Vec::new());
                }
                Ok(word.to_le_bytes()[..width].repeat(count))
            }
            list if list.len() == count => {
                let mut bytes = Vec::new();
                for c in list {
                    let word = bits(c, elem).ok_or_else(malformed)?;
                    bytes.extend(&word.to_le_bytes()[..width]);
                }
                Ok(bytes)
            }
            _ => Err(malformed()),
        },
    }
}

/// An element's bits as they lie in memory.
fn bits(constant: &Constant, elem: ScalarType) -> Option<u64> {
    match (constant, elem.is_int()) {
        (Constant::Int(c), true) => Some(c.cast_unsigned() & (u64::MAX >> (64 - u32::from(elem.bits())))),
        (Constant::Float(bits), false) => Some(*bits),
        _ => None,
    }
}
