//! Tuples: the named, possibly nested shape of one side of a relation.

use std::fmt;

use super::Id;

/// The shape of a set's elements, or of one side of a relation: `S[i, j]`, `[A[i] -> B[j]]`.
///
/// `dims` lists all dimensions, those of both halves in order when the tuple wraps a product.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Tuple {
    /// The tuple's name.
    pub name: Option<Id>,
    /// The dimensions with their names, if any; names do not take part in matching.
    pub dims: Vec<Option<Id>>,
    /// The two halves of a wrapped product; their dimensions are those of `dims`.
    pub nested: Option<Box<(Tuple, Tuple)>>,
}

impl Tuple {
    /// A tuple of `n` nameless dimensions.
    pub fn anonymous(n: usize) -> Tuple {
        Tuple {
            name: None,
            dims: vec![None; n],
            nested: None,
        }
    }

    /// A named tuple of `n` nameless dimensions.
    pub fn named(name: impl Into<Id>, n: usize) -> Tuple {
        Tuple {
            name: Some(name.into()),
            ..Tuple::anonymous(n)
        }
    }

    /// A named tuple with named dimensions.
    pub fn with_dims<D: Into<Id>>(name: impl Into<Id>, dims: impl IntoIterator<Item = D>) -> Tuple {
        Tuple {
            name: Some(name.into()),
            dims: dims.into_iter().map(|d| Some(d.into())).collect(),
            nested: None,
        }
    }

    /// The tuple `[a -> b]` that wraps a pair.
    pub fn wrapped(a: Tuple, b: Tuple) -> Tuple {
        let dims = a.dims.iter().chain(&b.dims).cloned().collect();
        Tuple {
            name: None,
            dims,
            nested: Some(Box::new((a, b))),
        }
    }

    /// The number of dimensions.
    pub fn len(&self) -> usize {
        self.dims.len()
    }

    /// Are there no dimensions?
    pub fn is_empty(&self) -> bool {
        self.dims.is_empty()
    }

    /// Do the tuples have the same names, nesting and number of dimensions? Dimension names don't matter.
    pub fn matches(&self, other: &Tuple) -> bool {
        self.name == other.name
            && self.dims.len() == other.dims.len()
            && match (&self.nested, &other.nested) {
                (None, None) => true,
                (Some(a), Some(b)) => a.0.matches(&b.0) && a.1.matches(&b.1),
                _ => false,
            }
    }

    /// The key by which tuples that match are equal: this tuple without the names of its dimensions.
    pub fn key(&self) -> Tuple {
        Tuple {
            name: self.name.clone(),
            dims: vec![None; self.dims.len()],
            nested: self.nested.as_ref().map(|n| Box::new((n.0.key(), n.1.key()))),
        }
    }

    /// The tuple with dimension `pos`, if there is one, named; names inside a nested tuple follow.
    #[must_use]
    pub fn with_dim_name(mut self, pos: usize, name: Option<Id>) -> Tuple {
        if pos < self.len() {
            self.rename_dim(pos, name);
        }
        self
    }

    fn rename_dim(&mut self, pos: usize, name: Option<Id>) {
        if let Some(n) = &mut self.nested {
            let k = n.0.len();
            if pos < k {
                n.0.rename_dim(pos, name.clone());
            } else {
                n.1.rename_dim(pos - k, name.clone());
            }
        }
        self.dims[pos] = name;
    }
}

impl fmt::Display for Tuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(n) = &self.name {
            write!(f, "{n}")?;
        }
        if let Some(n) = &self.nested {
            return write!(f, "[{} -> {}]", n.0, n.1);
        }
        f.write_str("[")?;
        for (i, d) in self.dims.iter().enumerate() {
            let sep = if i == 0 { "" } else { ", " };
            match d {
                Some(d) => write!(f, "{sep}{d}")?,
                None => write!(f, "{sep}i{i}")?,
            }
        }
        f.write_str("]")
    }
}
