//! The space of a set, map or expression.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use super::{Id, Tuple};
use crate::error::{Error, Result};

/// Which dimensions of a space are meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum DimType {
    /// Parameters.
    Param,
    /// Input dimensions of a map; a set has none.
    In,
    /// Output dimensions of a map; the dimensions of a set.
    Out,
}

/// Parameters plus the tuples of a set or map. Cheap to copy.
///
/// Two spaces match when their tuples match and their parameters are the same up to order; operations align parameters by name.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Space(Arc<Data>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Data {
    params: Vec<Id>,
    input: Option<Tuple>,
    out: Tuple,
    is_params: bool,
    made: Made,
}

/// Spaces that were made of a space before: they are asked for again and again, and consist of many names. They aren't part of its value.
#[derive(Default)]
struct Made {
    wrapped: OnceLock<Space>,
    domain: OnceLock<Space>,
    range: OnceLock<Space>,
}

impl Clone for Made {
    /// A copy is made to be changed.
    fn clone(&self) -> Made {
        Made::default()
    }
}

impl PartialEq for Made {
    fn eq(&self, _: &Made) -> bool {
        true
    }
}

impl Eq for Made {}

impl Hash for Made {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Space {
    fn make(params: Vec<Id>, input: Option<Tuple>, out: Tuple) -> Space {
        Space(Arc::new(Data {
            params,
            input,
            out,
            is_params: false,
            made: Made::default(),
        }))
    }

    /// The space of sets of `tuple`.
    pub fn set(params: impl IntoIterator<Item = Id>, tuple: Tuple) -> Space {
        Space::make(params.into_iter().collect(), None, tuple)
    }

    /// The space of maps from `input` to `out`.
    pub fn map(params: impl IntoIterator<Item = Id>, input: Tuple, out: Tuple) -> Space {
        Space::make(params.into_iter().collect(), Some(input), out)
    }

    /// The space of sets of parameter values, `[n] -> { : n > 0 }`.
    pub fn params_only(params: impl IntoIterator<Item = Id>) -> Space {
        let data = Data {
            params: params.into_iter().collect(),
            input: None,
            out: Tuple::anonymous(0),
            is_params: true,
            made: Made::default(),
        };
        Space(Arc::new(data))
    }

    /// Is this the space of sets of parameter values?
    pub fn is_params(&self) -> bool {
        self.0.is_params
    }

    /// Is this the space of maps?
    pub fn is_map(&self) -> bool {
        self.0.input.is_some()
    }

    /// Is this the space of sets (of parameter values or of tuples)?
    pub fn is_set(&self) -> bool {
        self.0.input.is_none()
    }

    /// The parameters in order.
    pub fn params(&self) -> &[Id] {
        &self.0.params
    }

    /// The input tuple of a map.
    pub fn input(&self) -> Option<&Tuple> {
        self.0.input.as_ref()
    }

    /// The output tuple of a map, or the tuple of a set.
    pub fn out(&self) -> &Tuple {
        &self.0.out
    }

    /// The tuple on that side; `None` for parameters, and for the input of a set.
    pub fn tuple(&self, t: DimType) -> Option<&Tuple> {
        match t {
            DimType::Param => None,
            DimType::In => self.0.input.as_ref(),
            DimType::Out => Some(&self.0.out),
        }
    }

    /// The name of the tuple on that side.
    pub fn tuple_name(&self, t: DimType) -> Option<&Id> {
        self.tuple(t).and_then(|t| t.name.as_ref())
    }

    /// The number of dimensions of that type.
    pub fn dim(&self, t: DimType) -> usize {
        match t {
            DimType::Param => self.0.params.len(),
            DimType::In => self.0.input.as_ref().map_or(0, Tuple::len),
            DimType::Out => self.0.out.len(),
        }
    }

    /// The number of dimensions of all types.
    pub fn total_dim(&self) -> usize {
        self.dim(DimType::Param) + self.dim(DimType::In) + self.dim(DimType::Out)
    }

    /// The name of a dimension, if it has one.
    pub fn dim_name(&self, t: DimType, pos: usize) -> Option<&Id> {
        match t {
            DimType::Param => self.0.params.get(pos),
            _ => self.tuple(t).and_then(|t| t.dims.get(pos)).and_then(Option::as_ref),
        }
    }

    /// The position of the parameter of that name.
    pub fn find_param(&self, name: &Id) -> Option<usize> {
        self.0.params.iter().position(|p| p == name)
    }

    /// The position of the dimension of that name.
    pub fn find_dim(&self, t: DimType, name: &str) -> Option<usize> {
        match t {
            DimType::Param => self.0.params.iter().position(|p| p.as_str() == name),
            _ => self
                .tuple(t)?
                .dims
                .iter()
                .position(|d| d.as_ref().is_some_and(|d| d.as_str() == name)),
        }
    }

    /// Column of the first dimension of that type in a constraint row (column 0 is the constant).
    pub(crate) fn offset(&self, t: DimType) -> usize {
        match t {
            DimType::Param => 1,
            DimType::In => 1 + self.dim(DimType::Param),
            DimType::Out => 1 + self.dim(DimType::Param) + self.dim(DimType::In),
        }
    }

    /// The space with other parameters.
    #[must_use]
    pub fn with_params(&self, params: Vec<Id>) -> Space {
        Space(Arc::new(Data {
            params,
            ..(*self.0).clone()
        }))
    }

    /// The set space of the input tuple; of the set itself for a set.
    #[must_use]
    pub fn domain(&self) -> Space {
        match &self.0.input {
            Some(t) => {
                let made = || Space::set(self.0.params.clone(), t.clone());
                self.0.made.domain.get_or_init(made).clone()
            }
            None => self.clone(),
        }
    }

    /// The set space of the output tuple.
    #[must_use]
    pub fn range(&self) -> Space {
        match &self.0.input {
            Some(_) => {
                let made = || Space::set(self.0.params.clone(), self.0.out.clone());
                self.0.made.range.get_or_init(made).clone()
            }
            None => self.clone(),
        }
    }

    /// The space of the parameters alone.
    #[must_use]
    pub fn to_params(&self) -> Space {
        if self.0.is_params {
            self.clone()
        } else {
            Space::params_only(self.0.params.clone())
        }
    }

    /// The map space with input and output exchanged; a set space stays as it is.
    #[must_use]
    pub fn reverse(&self) -> Space {
        match &self.0.input {
            Some(t) => Space::make(self.0.params.clone(), Some(self.0.out.clone()), t.clone()),
            None => self.clone(),
        }
    }

    /// The space of maps from this set space to `range`. Both must have the same parameters.
    #[must_use]
    pub fn map_to(&self, range: &Space) -> Space {
        Space::map(self.0.params.clone(), self.0.out.clone(), range.0.out.clone())
    }

    /// The space of maps from a set space to a tuple.
    #[must_use]
    pub fn map_to_tuple(&self, out: Tuple) -> Space {
        Space::map(self.0.params.clone(), self.0.out.clone(), out)
    }

    /// The set space whose tuple wraps this map space, `[A -> B]`.
    #[must_use]
    pub fn wrap(&self) -> Space {
        match &self.0.input {
            Some(t) => {
                let made = || Space::set(self.0.params.clone(), Tuple::wrapped(t.clone(), self.0.out.clone()));
                self.0.made.wrapped.get_or_init(made).clone()
            }
            None => self.clone(),
        }
    }

    /// The map space that is wrapped in the tuple of this set space.
    ///
    /// # Errors
    /// When the tuple is no wrapped product.
    pub fn unwrap(&self) -> Result<Space> {
        match &self.0.out.nested {
            Some(n) if self.is_set() => Ok(Space::map(self.0.params.clone(), n.0.clone(), n.1.clone())),
            _ => Err(Error::Unsupported(format!("{self} wraps no map"))),
        }
    }

    /// Is the tuple of this set space a wrapped product?
    pub fn is_wrapping(&self) -> bool {
        self.is_set() && self.0.out.nested.is_some()
    }

    /// The product of two set spaces, `[A -> B]`; of two map spaces, `[A -> C] -> [B -> D]`.
    #[must_use]
    pub fn product(&self, other: &Space) -> Space {
        let out = Tuple::wrapped(self.0.out.clone(), other.0.out.clone());
        let input = match (&self.0.input, &other.0.input) {
            (Some(a), Some(b)) => Some(Tuple::wrapped(a.clone(), b.clone())),
            _ => None,
        };
        Space::make(self.0.params.clone(), input, out)
    }

    /// The space with the tuple on one side replaced.
    #[must_use]
    pub fn with_tuple(&self, t: DimType, tuple: Tuple) -> Space {
        let mut d = (*self.0).clone();
        match t {
            DimType::Param => {}
            DimType::In => d.input = Some(tuple),
            DimType::Out => {
                d.out = tuple;
                d.is_params = false;
            }
        }
        Space(Arc::new(d))
    }

    /// The space with the tuple on one side renamed.
    #[must_use]
    pub fn set_tuple_name(&self, t: DimType, name: Option<Id>) -> Space {
        match self.tuple(t) {
            Some(old) => {
                let tuple = Tuple { name, ..old.clone() };
                self.with_tuple(t, tuple)
            }
            None => self.clone(),
        }
    }

    /// The space with a dimension renamed. A parameter can't lose its name: `None` is ignored there, and so is a dimension that
    /// doesn't exist.
    #[must_use]
    pub fn set_dim_name(&self, t: DimType, pos: usize, name: Option<Id>) -> Space {
        if pos >= self.dim(t) {
            return self.clone();
        }
        match (t, name) {
            (DimType::Param, Some(n)) => {
                let mut params = self.0.params.clone();
                params[pos] = n;
                self.with_params(params)
            }
            (DimType::Param, None) => self.clone(),
            (_, name) => match self.tuple(t) {
                Some(old) => self.with_tuple(t, old.clone().with_dim_name(pos, name)),
                None => self.clone(),
            },
        }
    }

    /// The space without those of the dimensions that exist. A tuple that loses dimensions loses its name and nesting, as in
    /// isl.
    #[must_use]
    pub fn drop_dims(&self, t: DimType, first: usize, n: usize) -> Space {
        let n = n.min(self.dim(t).saturating_sub(first));
        if n == 0 {
            return self.clone();
        }
        match self.tuple(t) {
            None => {
                let mut params = self.0.params.clone();
                params.drain(first..first + n);
                self.with_params(params)
            }
            Some(tuple) => {
                let mut dims = tuple.dims.clone();
                dims.drain(first..first + n);
                self.with_tuple(
                    t,
                    Tuple {
                        name: None,
                        dims,
                        nested: None,
                    },
                )
            }
        }
    }

    /// The space with nameless dimensions inserted in a tuple (at its end at the latest), which loses its name and nesting.
    #[must_use]
    pub fn insert_dims(&self, t: DimType, at: usize, n: usize) -> Space {
        match self.tuple(t) {
            Some(tuple) if n > 0 => {
                let at = at.min(tuple.len());
                let mut dims = tuple.dims.clone();
                dims.splice(at..at, std::iter::repeat_n(None, n));
                self.with_tuple(
                    t,
                    Tuple {
                        name: None,
                        dims,
                        nested: None,
                    },
                )
            }
            _ => self.clone(),
        }
    }

    /// The space with dimensions of the given names inserted; parameters need names.
    pub(crate) fn insert_named(&self, t: DimType, at: usize, names: &[Option<Id>]) -> Result<Space> {
        if t != DimType::Param {
            let mut space = self.insert_dims(t, at, names.len());
            for (i, n) in names.iter().enumerate() {
                space = space.set_dim_name(t, at + i, n.clone());
            }
            return Ok(space);
        }
        let named: Option<Vec<Id>> = names.iter().cloned().collect();
        let named = named.ok_or_else(|| Error::Unsupported("a parameter needs a name".into()))?;
        if let Some(n) = named.iter().find(|n| self.find_param(n).is_some()) {
            return Err(Error::Unsupported(format!("there is a parameter {n} already")));
        }
        let mut params = self.0.params.clone();
        params.splice(at..at, named);
        Ok(self.with_params(params))
    }

    /// Do the tuples match, whatever the parameters?
    pub fn same_tuples(&self, other: &Space) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.out.matches(&other.0.out)
                && match (&self.0.input, &other.0.input) {
                    (None, None) => self.0.is_params == other.0.is_params,
                    (Some(a), Some(b)) => a.matches(b),
                    _ => false,
                })
    }

    /// Are the parameters the same, in the same order?
    pub fn same_params(&self, other: &Space) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.params == other.0.params
    }

    /// The parameters of this space followed by those that only `other` has.
    pub fn merged_params(&self, other: &Space) -> Vec<Id> {
        let mut params = self.0.params.clone();
        params.extend(other.0.params.iter().filter(|p| self.find_param(p).is_none()).cloned());
        params
    }

    /// This space with the parameters of `other` first (in that order), then its own remaining ones.
    #[must_use]
    pub fn align_params(&self, other: &Space) -> Space {
        if self.same_params(other) {
            self.clone()
        } else {
            self.with_params(other.merged_params(self))
        }
    }

    /// Fails unless the tuples match.
    pub(crate) fn check_same_tuples(&self, other: &Space) -> Result<()> {
        if self.same_tuples(other) {
            Ok(())
        } else {
            Err(Error::mismatch(self, other))
        }
    }
}

impl PartialOrd for Space {
    fn partial_cmp(&self, other: &Space) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// An arbitrary but fixed order, by tuples, then parameters.
impl Ord for Space {
    fn cmp(&self, other: &Space) -> std::cmp::Ordering {
        let key = |s: &Space| (s.0.is_params, s.0.input.clone(), s.0.out.clone(), s.0.params.clone());
        if Arc::ptr_eq(&self.0, &other.0) {
            std::cmp::Ordering::Equal
        } else {
            key(self).cmp(&key(other))
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.params.is_empty() {
            f.write_str("[")?;
            for (i, p) in self.0.params.iter().enumerate() {
                write!(f, "{}{p}", if i == 0 { "" } else { ", " })?;
            }
            f.write_str("] -> ")?;
        }
        match (&self.0.input, self.0.is_params) {
            (Some(t), _) => write!(f, "{{ {t} -> {} }}", self.0.out),
            (None, true) => f.write_str("{ : }"),
            (None, false) => write!(f, "{{ {} }}", self.0.out),
        }
    }
}

impl fmt::Debug for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_align_by_name() {
        let a = Space::set([Id::new("n"), Id::new("m")], Tuple::named("S", 2));
        let b = Space::set([Id::new("k"), Id::new("m")], Tuple::named("S", 2));
        assert!(a.same_tuples(&b) && !a.same_params(&b));
        let names: Vec<_> = b.align_params(&a).params().iter().map(|p| p.as_str().to_owned()).collect();
        assert_eq!(names, ["n", "m", "k"]);
    }

    #[test]
    fn wrapping_is_undone_by_unwrapping() {
        let m = Space::map([], Tuple::with_dims("A", ["i"]), Tuple::named("B", 2));
        let w = m.wrap();
        assert_eq!(w.dim(DimType::Out), 3);
        assert_eq!(w.to_string(), "{ [A[i] -> B[i0, i1]] }");
        assert_eq!(w.unwrap().unwrap(), m);
        assert!(m.unwrap().is_err());
        let renamed = w.set_dim_name(DimType::Out, 0, Some(Id::new("z")));
        assert_eq!(renamed.unwrap().unwrap().dim_name(DimType::In, 0), Some(&Id::new("z")));
    }
}
