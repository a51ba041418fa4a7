//! Where the printing functions of running programs write: standard output, or a buffer of the calling thread.

use std::cell::RefCell;
use std::io::Write as _;

thread_local! {
    static CAPTURE: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Writes bytes as the output of a program. Errors of standard output (a closed pipe) are ignored, as C's `printf` does.
pub fn write(bytes: &[u8]) {
    CAPTURE.with_borrow_mut(|capture| match capture {
        Some(buffer) => buffer.extend_from_slice(bytes),
        None => {
            let _ = std::io::stdout().write_all(bytes);
        }
    });
}

/// Runs `f` and returns its result with everything that programs printed on this thread meanwhile. Captures nest: the innermost gets the output.
pub fn capture<T>(f: impl FnOnce() -> T) -> (T, Vec<u8>) {
    /// Puts the outer capture back even when `f` panics.
    struct Restore(Option<Vec<u8>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CAPTURE.set(self.0.take());
        }
    }
    let restore = Restore(CAPTURE.replace(Some(Vec::new())));
    let result = f();
    let output = CAPTURE.take().unwrap_or_default();
    drop(restore);
    (result, output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_nest() {
        let ((_, inner), outer) = capture(|| {
            write(b"a");
            let inner = capture(|| write(b"b"));
            write(b"c");
            inner
        });
        assert_eq!(inner, b"b");
        assert_eq!(outer, b"ac");
    }
}
