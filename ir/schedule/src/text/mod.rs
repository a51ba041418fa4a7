//! The text form of trees: a subset of YAML with isl's keys.
//!
//! ```text
//! tree  := "domain:" STR child? | "extension:" STR child?
//! node  := "schedule:" MUPA [ "names:" LIST ] [ "permutable:" 0|1 ] [ "coincident:" LIST ] [ "reduces:" LIST ] [ "options:" STR ] child?
//!        | "sequence:" list | "set:" list | "mark:" STR child? | "context:" STR child? | "guard:" STR child?
//!        | "filter:" STR child? | "extension:" STR child? | "contraction:" STR "expansion:" STR child?
//! ```
//!
//! Everything that isl writes is read. `names` (names for the loops of a band with several members) is ours; the name of a single member is written as the
//! tuple name of its schedule, `L[{ .. }]`, which isl reads too.

mod options;
mod parse;
mod print;
mod yaml;

pub(crate) use options::{options_set, read_options};
