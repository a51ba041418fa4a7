//! Other compilers on the same loops: the kernel written as C, compiled into libraries, called in turn with ours.
//!
//! Each compiler gets two texts: the kernel as people write it, with nothing said of aliasing, and the same with `restrict` on every array. The second is called [`RESTRICT`] after the
//! compiler's name; where both give the same machine code it isn't run again.

use crate::dump::NamedArray;
use crate::execute::{Execution, compare, name_arrays, restore};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tilia_abi::Value;
use tilia_c::{Extents, Style, print_function};
use tilia_diag::{Diagnostic, Loc};
use tilia_program::{Function, Type};

/// What follows a compiler's name where it got the text with `restrict`.
pub const RESTRICT: &str = "+restrict";

/// Largest difference of results, relative to the largest value, that rounding explains: these compilers fuse multiply-adds as they like.
const TOLERANCE: f64 = 1e-6;

/// How long threads of another runtime may spin after their loop: nothing of ours is measured meanwhile.
const SETTLE: Duration = Duration::from_millis(5);

/// A kernel compiled by another compiler.
struct Rival {
    name: String,
    library: libloading::Library,
    /// The shared object, byte by byte.
    code: Vec<u8>,
    /// An earlier one with the same code, which is run for both.
    twin: Option<usize>,
    /// The shortest time so far, in milliseconds.
    best: f64,
    /// Arrays after the first run.
    result: Option<Vec<NamedArray>>,
    /// Removed with the value.
    _folder: tempfile::TempDir,
}

/// The compilers that a kernel is compared with.
pub(crate) struct Rivals {
    list: Vec<Rival>,
}

/// What to compare with, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Versus<'a> {
    /// Names as on the command line.
    pub(crate) names: &'a [String],
    /// Also with `restrict`.
    pub(crate) restrict: bool,
    /// They may fuse multiply-adds.
    pub(crate) may_contract: bool,
    /// Threads, for those that make parallel loops.
    pub(crate) threads: usize,
}

fn error(text: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Loc::unknown(), text)
}

/// The command line of a compiler by its name, or a command given by the user. Named compilers fuse multiply-adds, as they do by default, only if that is allowed.
fn command(name: &str, versus: &Versus<'_>) -> Vec<String> {
    let clang = if Path::new("/usr/bin/clang-22").exists() {
        "clang-22"
    } else {
        "clang"
    };
    let threads = format!("-polly-num-threads={}", versus.threads);
    let polly = [clang, "-O3", "-march=native", "-mllvm", "-polly"];
    let mut words: Vec<&str> = match name {
        "gcc-O2" => vec!["gcc", "-O2"],
        "gcc" => vec!["gcc", "-O3", "-march=native"],
        "clang" => vec![clang, "-O3", "-march=native"],
        "polly" => polly.to_vec(),
        "polly-parallel" => [&polly[..], &["-mllvm", "-polly-parallel", "-mllvm", &threads, "-lgomp"]].concat(),
        other => return other.split_whitespace().map(str::to_owned).collect(),
    };
    if !versus.may_contract {
        words.push("-ffp-contract=off");
    }
    words.into_iter().map(str::to_owned).collect()
}

/// The C text of a kernel in the form that people write: constant extents (those of `args`), parametric bounds, `int` counters.
///
/// # Errors
/// What can't be written in C.
fn c_text(function: &Function, args: &[Value], may_contract: bool, restrict: bool) -> Result<String, Diagnostic> {
    let mut extents = Extents::new();
    let mut int_indices = true;
    for (k, value) in args.iter().enumerate() {
        match value {
            Value::MemRef(m) => {
                int_indices &= m.count().is_some_and(|c| c < 1 << 30);
                extents.insert(k, m.sizes.clone());
            }
            Value::Int(v) => int_indices &= i32::try_from(*v).is_ok_and(|v| v < 1 << 30),
            _ => {}
        }
    }
    print_function(
        function,
        &Style {
            extents,
            int_indices,
            restrict,
            entry: true,
            may_contract,
        },
    )
}

impl Rivals {
    /// Compiles the source function with all compilers.
    ///
    /// # Errors
    /// What can't be written in C, a compiler that isn't there, or what it says.
    pub(crate) fn compile(source: &Function, args: &[Value], versus: &Versus<'_>) -> Result<Self, Diagnostic> {
        let mut list: Vec<Rival> = Vec::new();
        let forms: &[bool] = if versus.restrict { &[false, true] } else { &[false] };
        for &restrict in forms {
            if versus.names.is_empty() {
                break;
            }
            let text = c_text(source, args, versus.may_contract, restrict)?;
            for name in versus.names {
                let mut rival = Rival::compile(name, &text, versus)?;
                if restrict {
                    rival.name.push_str(RESTRICT);
                }
                rival.twin = list.iter().position(|r| r.twin.is_none() && r.code == rival.code);
                list.push(rival);
            }
        }
        Ok(Self { list })
    }

    /// Calls each once on fresh inputs; `work` is changed.
    ///
    /// # Errors
    /// Arguments that can't be passed to C, or memory that isn't there.
    pub(crate) fn run(&mut self, function: &Function, work: &[Value], fresh: &[Value]) -> Result<(), Diagnostic> {
        for rival in self.list.iter_mut().filter(|r| r.twin.is_none()) {
            restore(work, fresh);
            rival.best = rival.best.min(rival.call(function, work)?);
            if rival.result.is_none() {
                let short = || error("there is no memory for a copy of the arguments");
                rival.result = Some(name_arrays(function, work, &[]).ok_or_else(short)?);
            }
            if rival.name.starts_with("polly-parallel") {
                std::thread::sleep(SETTLE);
            }
        }
        Ok(())
    }

    /// The one that is run for number `n`.
    fn runner(&self, n: usize) -> &Rival {
        &self.list[self.list[n].twin.unwrap_or(n)]
    }

    /// The shortest time of each, in milliseconds.
    pub(crate) fn milliseconds(&self) -> BTreeMap<String, f64> {
        (0..self.list.len())
            .map(|n| (self.list[n].name.clone(), self.runner(n).best))
            .collect()
    }

    /// Compilers whose result is far from ours.
    pub(crate) fn suspects(&self, ours: &Execution) -> Vec<String> {
        let mut found = Vec::new();
        for n in 0..self.list.len() {
            let Some(theirs) = &self.runner(n).result else { continue };
            let difference = compare(&ours.arrays, theirs).max_rel;
            if difference > TOLERANCE {
                found.push(format!("{}: its result differs by {difference:e}", self.list[n].name));
            }
        }
        found
    }
}

impl Rival {
    /// Compiles `text` with the compiler called `name`.
    ///
    /// # Errors
    /// A compiler that isn't there, or what it says.
    fn compile(name: &str, text: &str, versus: &Versus<'_>) -> Result<Self, Diagnostic> {
        let folder = tempfile::tempdir().map_err(|e| error(format!("can't make a temporary folder: {e}")))?;
        let source = folder.path().join("kernel.c");
        let path = folder.path().join("kernel.so");
        std::fs::write(&source, text).map_err(|e| error(format!("can't write {}: {e}", source.display())))?;
        let words = command(name, versus);
        let (program, flags) = words.split_first().ok_or_else(|| error("--vs needs a compiler's name"))?;
        let output = Command::new(program)
            .args(flags)
            .args(["-shared", "-fPIC", "-o"])
            .args([&path, &source])
            .arg("-lm")
            .output()
            .map_err(|e| {
                error(format!("--vs {name}: can't run {program}: {e}")).help(
                    "install it or leave it out; --vs knows gcc-O2, gcc, clang, polly and polly-parallel, and takes any command that compiles C",
                )
            })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(error(format!(
                "--vs {name}: {}",
                said.lines().take(5).collect::<Vec<_>>().join("\n")
            )));
        }
        let code = std::fs::read(&path).map_err(|e| error(format!("--vs {name}: {}: {e}", path.display())))?;
        // SAFETY: the library was compiled a moment ago from our own text; it has no initialisers.
        let library = unsafe { libloading::Library::new(&path) }.map_err(|e| error(format!("--vs {name}: {e}")))?;
        Ok(Self {
            name: name.to_owned(),
            library,
            code,
            twin: None,
            best: f64::INFINITY,
            result: None,
            _folder: folder,
        })
    }

    /// Calls the kernel on the arguments, which it changes; gives milliseconds.
    ///
    /// # Errors
    /// When the entry function isn't in the library.
    fn call(&self, function: &Function, args: &[Value]) -> Result<f64, Diagnostic> {
        let mut numbers: Vec<u64> = args
            .iter()
            .map(|a| match a {
                Value::Int(v) => u64::from_ne_bytes(v.to_ne_bytes()),
                Value::Float(bits) => *bits,
                Value::Vector(_) | Value::MemRef(_) => 0,
            })
            .collect();
        let mut pointers: Vec<*mut u8> = Vec::new();
        for (k, (value, ty)) in args.iter().zip(&function.params).enumerate() {
            pointers.push(match (value, ty) {
                (Value::MemRef(m), Type::MemRef(_)) if m.offset == 0 => m.buffer.as_ptr(),
                (Value::Int(_) | Value::Float(_), Type::Scalar(_)) => std::ptr::from_mut(&mut numbers[k]).cast(),
                _ => return Err(error(format!("--vs {}: argument {k} can't be passed to C", self.name))),
            });
        }
        // SAFETY: the text that we compiled defines this function with this type.
        let entry = unsafe { self.library.get::<unsafe extern "C" fn(*mut *mut u8)>(b"tilia_entry\0") }
            .map_err(|e| error(format!("--vs {}: {e}", self.name)))?;
        let start = Instant::now();
        // SAFETY: the arguments are those that the text was written for: same types, and arrays of the extents that stand in it.
        unsafe { entry(pointers.as_mut_ptr()) };
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        let versus = Versus {
            names: &[],
            restrict: false,
            may_contract: false,
            threads: 3,
        };
        assert!(command("polly-parallel", &versus).contains(&"-polly-num-threads=3".to_owned()));
        assert!(command("gcc", &versus).contains(&"-ffp-contract=off".to_owned()));
        let free = Versus {
            may_contract: true,
            ..versus
        };
        assert!(!command("gcc", &free).contains(&"-ffp-contract=off".to_owned()));
        assert_eq!(command("icx  -O3", &versus), ["icx", "-O3"]);
    }
}
