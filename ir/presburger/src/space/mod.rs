//! Spaces: the parameters and tuples that give the columns of a set, map or expression their meaning.

mod id;
#[expect(clippy::module_inception, reason = "the type of the module's name")]
mod space;
mod tuple;

pub use id::Id;
pub use space::{DimType, Space};
pub use tuple::Tuple;
