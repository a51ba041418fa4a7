//! How many processors this process may use.

/// Number of processors in the affinity mask of the calling thread; where that can't be had, of the machine; at least 1.
#[must_use]
pub fn available_threads() -> usize {
    affinity_count()
        .or_else(|| std::thread::available_parallelism().ok().map(std::num::NonZero::get))
        .unwrap_or(1)
}

#[cfg(target_os = "linux")]
fn affinity_count() -> Option<usize> {
    // SAFETY: the all-zero bit pattern is a valid `cpu_set_t`; the call writes at most its size to it, and `CPU_COUNT` reads it.
    let count = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, std::mem::size_of::<libc::cpu_set_t>(), &raw mut set) != 0 {
            return None;
        }
        libc::CPU_COUNT(&set)
    };
    usize::try_from(count).ok().filter(|&n| n > 0)
}

#[cfg(not(target_os = "linux"))]
fn affinity_count() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    #[test]
    fn at_least_one() {
        assert!(super::available_threads() >= 1);
    }
}
