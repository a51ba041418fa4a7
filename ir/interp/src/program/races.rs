//! The check that the iterations of a parallel loop are independent.

use super::BufferId;
use rustc_hash::FxHashMap;

/// Who touched an element in the current parallel loop.
#[derive(Debug, Clone, Copy, Default)]
struct Touched {
    writer: Option<u64>,
    reader: Option<u64>,
    /// Readers in more than one iteration.
    shared: bool,
}

/// Elements touched by the iterations of one execution of a parallel loop.
#[derive(Debug, Default)]
pub(crate) struct Races {
    iteration: u64,
    touched: FxHashMap<(BufferId, i64), Touched>,
}

impl Races {
    /// Accesses belong to this iteration from now on.
    pub(crate) fn begin(&mut self, iteration: u64) {
        self.iteration = iteration;
    }

    /// Notes an access; fails when another iteration's conflicts with it.
    pub(crate) fn access(&mut self, buffer: BufferId, byte: i64, write: bool) -> Result<(), String> {
        let now = self.iteration;
        let t = self.touched.entry((buffer, byte)).or_default();
        let other_writer = t.writer.filter(|&w| w != now);
        let other_reader = t.reader.filter(|&r| r != now || t.shared);
        let conflict = other_writer.or(other_reader.filter(|_| write));
        if let Some(other) = conflict {
            let what = if write { "writes" } else { "reads" };
            let was = if other_writer.is_some() { "wrote" } else { "read" };
            return Err(format!(
                "iterations of a parallel loop conflict: number {now} {what} the element at byte {byte} of buffer {}, which number {other} {was}",
                buffer.0
            ));
        }
        if write {
            t.writer = Some(now);
        } else {
            t.shared |= t.reader.is_some_and(|r| r != now);
            t.reader = Some(now);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts() {
        let a = BufferId(0);
        let mut r = Races::default();
        r.begin(0);
        r.access(a, 0, false).unwrap();
        r.access(a, 0, true).unwrap();
        r.access(a, 8, false).unwrap();
        r.begin(1);
        assert!(r.access(a, 0, false).unwrap_err().contains("number 0 wrote"));
        assert!(r.access(a, 0, true).is_err());
        r.access(a, 8, false).unwrap();
        assert!(r.access(a, 8, true).unwrap_err().contains("conflict"), "another iteration read it");
        r.access(BufferId(1), 0, true).unwrap();
    }
}
