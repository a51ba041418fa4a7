//! Suite files: kernels, sizes, arguments, outputs, operation counts.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tilia_program::ScalarType;

/// A suite of kernels.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Its name.
    pub suite: String,
    /// A file with what other compilers are known to take, relative to the suite file.
    pub reference: Option<PathBuf>,
    /// Its kernels, in order.
    #[serde(rename = "kernel")]
    pub kernels: Vec<Kernel>,
    /// Folder of the suite file, to which kernels' files are relative.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// A kernel.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// Name on the command line and in results.
    pub name: String,
    /// The kernel of which this one is a variant: it stands beside it in tables and doesn't count in means.
    pub variant_of: Option<String>,
    /// MLIR file, relative to the suite file.
    pub file: PathBuf,
    /// Function that fills the arguments; not timed.
    pub init: Option<String>,
    /// Function that is measured.
    pub entry: String,
    /// Arguments of both, in order.
    pub args: Vec<Argument>,
    /// Names of arguments that hold the result.
    pub outputs: Vec<String>,
    /// Number of operations of one run, as an expression of the parameters.
    pub flops: String,
    /// Parameter values, by size name.
    pub sizes: BTreeMap<String, BTreeMap<String, i64>>,
}

/// An argument: an index parameter, or an array.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Argument {
    /// An index argument with a parameter's value.
    Param {
        /// The parameter.
        param: String,
    },
    /// A memref.
    Array {
        /// Name.
        name: String,
        /// Element type, as in MLIR.
        #[serde(rename = "type")]
        elem: String,
        /// Extents, as expressions of the parameters.
        shape: Vec<String>,
    },
}

impl Suite {
    /// Reads a suite file.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut suite: Self = toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        suite.folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let known = |name: &String| suite.kernels.iter().any(|k| &k.name == name);
        if let Some(k) = suite.kernels.iter().find(|k| k.variant_of.as_ref().is_some_and(|of| !known(of))) {
            return Err(format!("{}: {} is a variant of a kernel that isn't there", path.display(), k.name));
        }
        Ok(suite)
    }

    /// The kernels of these names (all, when none is given), in the suite's order.
    ///
    /// # Errors
    /// A name that isn't there, with what there is.
    pub fn select(&self, names: &[String]) -> Result<Vec<&Kernel>, String> {
        for name in names {
            if !self.kernels.iter().any(|k| &k.name == name) {
                let all: Vec<&str> = self.kernels.iter().map(|k| k.name.as_str()).collect();
                return Err(format!("the suite has no kernel '{name}'; it has {}", all.join(", ")));
            }
        }
        Ok(self
            .kernels
            .iter()
            .filter(|k| names.is_empty() || names.contains(&k.name))
            .collect())
    }
}

/// The element type that a suite file names.
#[must_use]
pub fn element_type(name: &str) -> Option<ScalarType> {
    Some(match name {
        "f64" => ScalarType::F64,
        "f32" => ScalarType::F32,
        "f16" => ScalarType::F16,
        "bf16" => ScalarType::BF16,
        "index" => ScalarType::Index,
        _ => ScalarType::Int(name.strip_prefix('i')?.parse().ok().filter(|b| (1..=64).contains(b))?),
    })
}

/// Value of an expression of integer literals, parameters, `+ - * /` and parentheses, in f64.
///
/// # Errors
/// Where it can't be read, or a parameter that isn't there.
pub fn evaluate(text: &str, params: &BTreeMap<String, i64>) -> Result<f64, String> {
    let mut parser = Parser {
        rest: text,
        params,
        depth: 0,
    };
    let value = parser.sum()?;
    parser.skip();
    if parser.rest.is_empty() {
        Ok(value)
    } else {
        Err(format!("'{}' isn't understood in '{text}'", parser.rest))
    }
}

struct Parser<'a> {
    rest: &'a str,
    params: &'a BTreeMap<String, i64>,
    depth: u32,
}

impl Parser<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, c: char) -> bool {
        self.skip();
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value += self.product()?;
            } else if self.take('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.atom()?;
        loop {
            if self.take('*') {
                value *= self.atom()?;
            } else if self.take('/') {
                value /= self.atom()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn atom(&mut self) -> Result<f64, String> {
        if self.take('(') {
            self.depth += 1;
            if self.depth > 100 {
                return Err("parentheses are nested too deep".into());
            }
            let value = self.sum()?;
            self.depth -= 1;
            return if self.take(')') {
                Ok(value)
            } else {
                Err("a ')' is missing".into())
            };
        }
        self.skip();
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().map_err(|_| format!("'{word}' is no number"));
        }
        #[expect(clippy::cast_precision_loss, reason = "sizes are small; counts are approximate")]
        match self.params.get(word) {
            Some(&v) => Ok(v as f64),
            None if word.is_empty() => Err("an operand is missing".into()),
            None => Err(format!("there is no parameter '{word}'")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let params = BTreeMap::from([("N".to_owned(), 4), ("M".to_owned(), 3)]);
        assert_eq!(evaluate("2*N*(M - 1) + 7", &params), Ok(23.0));
        assert_eq!(evaluate("N/8", &params), Ok(0.5));
        assert_eq!(evaluate("N - 1 - 1", &params), Ok(2.0));
        for wrong in ["", "N +", "K", "(N", "N N", "2 $"] {
            assert!(evaluate(wrong, &params).is_err(), "{wrong}");
        }
        assert!(evaluate(&"(".repeat(100_000), &params).is_err());
    }
}
