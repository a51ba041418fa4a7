//! Names for the columns of a space, as isl chooses them.
//!
//! A dimension without a name is called by its position (`i0`, in the range of a map `o0`); a name that is taken already gets
//! primes. A name that no identifier can spell is quoted.

use crate::space::{DimType, Id, Space};
use crate::text::token::{is_name_part, is_name_start, keyword};

/// The printed name of every parameter and dimension of a space.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    columns: Vec<String>,
    n_param: usize,
    n_in: usize,
    /// Whether the dimension has a name of its own.
    named: Vec<bool>,
}

impl Names {
    /// Names for the columns of `space`.
    pub(crate) fn new(space: &Space) -> Names {
        let mut names = Names {
            columns: Vec::new(),
            n_param: space.dim(DimType::Param),
            n_in: space.dim(DimType::In),
            named: Vec::new(),
        };
        for p in space.params() {
            names.push(Some(p), String::new);
        }
        let in_map = space.is_map();
        for t in [DimType::In, DimType::Out] {
            let letter = if t == DimType::Out && in_map { 'o' } else { 'i' };
            for pos in 0..space.dim(t) {
                names.push(space.dim_name(t, pos), || format!("{letter}{pos}"));
            }
        }
        names
    }

    fn push(&mut self, id: Option<&Id>, default: impl FnOnce() -> String) {
        let (mut name, quoted) = match id {
            Some(id) => (id.as_str().to_string(), !is_identifier(id.as_str())),
            None => (default(), false),
        };
        // Primes go inside the quotes of a quoted name.
        let spell = |name: &str| if quoted { quote(name) } else { name.to_string() };
        while self.columns.contains(&spell(&name)) {
            name.push('\'');
        }
        self.columns.push(spell(&name));
        self.named.push(id.is_some());
    }

    /// The names of all columns: parameters, input and output dimensions.
    pub(crate) fn all(&self) -> &[String] {
        &self.columns
    }

    /// Whether the dimension has a name of its own.
    pub(crate) fn is_named(&self, t: DimType, pos: usize) -> bool {
        self.named[self.index(t, pos)]
    }

    fn index(&self, t: DimType, pos: usize) -> usize {
        match t {
            DimType::Param => pos,
            DimType::In => self.n_param + pos,
            DimType::Out => self.n_param + self.n_in + pos,
        }
    }
}

/// A tuple's name as it is written.
pub(crate) fn tuple_name(name: Option<&Id>) -> String {
    match name {
        None => String::new(),
        Some(id) => {
            let text = id.as_str();
            if is_spelled(text) { text.to_string() } else { quote(text) }
        }
    }
}

/// The parameter list `[n, m] -> `, or nothing.
pub(crate) fn params_prefix(space: &Space) -> String {
    if space.params().is_empty() {
        return String::new();
    }
    let names = Names::new(&space.to_params());
    format!("[{}] -> ", names.all().join(", "))
}

fn is_identifier(text: &str) -> bool {
    is_spelled(text) && keyword(text).is_none()
}

fn is_spelled(text: &str) -> bool {
    text.chars().next().is_some_and(is_name_start) && text.chars().all(is_name_part)
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
