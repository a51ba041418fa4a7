//! Fewer pieces for the same elements.

use std::sync::Arc;

use super::Rel;
use super::subtract::implies_all;
use crate::error::Result;
use crate::num::Budget;

impl Rel {
    /// The same elements in fewer pieces where that is found cheaply.
    pub(crate) fn coalesce(&self, b: &Budget) -> Result<Rel> {
        let mut parts: Vec<Arc<crate::basic::Basic>> = Vec::new();
        for p in &self.parts {
            let mut q = (**p).clone();
            q.remove_redundancies(b)?;
            if !q.empty && !q.is_empty(b)? && !parts.iter().any(|o| **o == q) {
                parts.push(Arc::new(q));
            }
        }
        let mut i = 0;
        while i < parts.len() {
            let mut inside = false;
            for j in 0..parts.len() {
                if i != j && parts[j].divs.all_known() && implies_all(&parts[i], &parts[j], b)? {
                    inside = true;
                    break;
                }
            }
            if inside {
                parts.remove(i);
            } else {
                i += 1;
            }
        }
        Ok(Rel {
            space: self.space.clone(),
            parts,
        })
    }
}
