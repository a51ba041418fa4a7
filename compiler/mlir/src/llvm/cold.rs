//! Code that is compiled when it is first called: what runs only where a check at run time fails.

use super::engine::Engine;
use std::ffi::c_void;
use std::sync::{OnceLock, Weak};

/// The status of a call whose code can't be compiled.
pub(super) const NOT_COMPILED: i64 = 2;

/// Code for the case that a check fails; compiled code knows its address.
#[derive(Debug, Default)]
pub(crate) struct Cold {
    source: OnceLock<Source>,
    entry: OnceLock<Option<usize>>,
}

/// What to compile, and where it goes.
#[derive(Debug)]
struct Source {
    text: String,
    name: String,
    engine: Weak<Engine>,
}

/// `(context, frame) -> status`.
type Entry = unsafe extern "C" fn(*mut c_void, *mut u64) -> u64;

impl Cold {
    /// Says what to compile: the function `name` of the module `text`, which may use all that the engine holds.
    pub(super) fn set(&self, text: String, name: String, engine: Weak<Engine>) {
        // The first one counts; there is only one.
        let _ = self.source.set(Source { text, name, engine });
    }

    fn compiled(&self) -> Option<usize> {
        let source = self.source.get()?;
        let engine = source.engine.upgrade()?;
        let _span = tracing::debug_span!("cold", name = source.name).entered();
        match engine.add(&source.text, &source.name) {
            Ok(address) => Some(address),
            Err(why) => {
                tracing::debug!(why, "the code for a failed check can't be compiled");
                None
            }
        }
    }
}

/// Calls the code of `cold`; the status is [`NOT_COMPILED`], or what that code returns.
///
/// # Safety
/// `cold` lives, and is of the module whose code calls this, with `context` and `frame` as that code made them.
pub(super) unsafe extern "C" fn enter(context: *mut c_void, cold: *const Cold, frame: *mut u64) -> u64 {
    // SAFETY: the module that calls owns `cold`.
    let cold = unsafe { &*cold };
    match *cold.entry.get_or_init(|| cold.compiled()) {
        // SAFETY: the unit's function has this signature; the module that calls owns the engine that holds the code.
        Some(address) => unsafe {
            let entry: Entry = std::mem::transmute::<usize, Entry>(address);
            entry(context, frame)
        },
        None => NOT_COMPILED.cast_unsigned(),
    }
}
