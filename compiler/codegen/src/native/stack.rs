//! How much stack a thread has left.

use std::cell::Cell;

/// Kept back for the runtime and for frames of functions that don't check.
const RESERVE: usize = 256 << 10;
/// Assumed where the system doesn't tell.
const FALLBACK: usize = 512 << 10;

thread_local! {
    static LOWEST: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Bytes that compiled code may use below the current frame.
pub(super) fn available() -> usize {
    let here = 0u8;
    let here = &raw const here as usize;
    let lowest = LOWEST.get().or_else(|| {
        let lowest = lowest_address();
        LOWEST.set(lowest);
        lowest
    });
    match lowest {
        Some(lowest) if lowest < here => (here - lowest).saturating_sub(RESERVE),
        _ => FALLBACK,
    }
}

#[cfg(target_os = "linux")]
fn lowest_address() -> Option<usize> {
    // SAFETY: the attributes are initialised by the first call and destroyed by the last; the out-parameters are valid.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        let (mut base, mut size) = (std::ptr::null_mut(), 0);
        let status = libc::pthread_attr_getstack(&raw const attributes, &raw mut base, &raw mut size);
        libc::pthread_attr_destroy(&raw mut attributes);
        (status == 0).then_some(base as usize)
    }
}

#[cfg(not(target_os = "linux"))]
fn lowest_address() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_small_stack_is_seen() {
        // Larger than the stacks of test threads: the system hands out a used stack again if it is large enough.
        let thread = std::thread::Builder::new().stack_size(7 << 20).spawn(super::available).unwrap();
        let available = thread.join().unwrap();
        assert!((6 << 20..16 << 20).contains(&available), "{available}");
    }
}
