//! Files of other tools: what they mean, what is written, what is refused.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod flat;
mod hostile;
mod meaning;
mod sets;
mod written;

use std::path::Path;
use tilia_exchange::OpenScop;
use tilia_presburger::Budget;
use tilia_scop::Scop;

fn text(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)).unwrap()
}

fn file(name: &str) -> OpenScop {
    OpenScop::parse_all(&text(name)).unwrap().remove(0)
}

fn scop(name: &str) -> Scop {
    file(name).to_scop(name, "scop", &Budget::default()).unwrap()
}
