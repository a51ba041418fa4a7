//! Other compilers on the same loops: the kernel written as C, compiled into a library, called in turn with ours.

use crate::execute::deep_copy;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use tilia_abi::Value;
use tilia_c::{Extents, Style, print_function};
use tilia_diag::{Diagnostic, Loc};
use tilia_program::{Function, Type};

/// A kernel compiled by another compiler.
pub(crate) struct Rival {
    /// As on the command line.
    pub(crate) name: String,
    library: libloading::Library,
    /// Removed with the value.
    _folder: tempfile::TempDir,
}

fn error(text: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Loc::unknown(), text)
}

/// The command line of a compiler by its name, or a command given by the user. Named compilers fuse multiply-adds, as they do by default, only if that is allowed.
fn command(name: &str, may_contract: bool) -> Vec<String> {
    let clang = if Path::new("/usr/bin/clang-22").exists() {
        "clang-22"
    } else {
        "clang"
    };
    let mut words: Vec<&str> = match name {
        "gcc-O2" => vec!["gcc", "-O2"],
        "gcc" => vec!["gcc", "-O3", "-march=native"],
        "clang" => vec![clang, "-O3", "-march=native"],
        "polly" => vec![clang, "-O3", "-march=native", "-mllvm", "-polly", "-mllvm", "-polly-position=early"],
        other => return other.split_whitespace().map(str::to_owned).collect(),
    };
    if !may_contract {
        words.push("-ffp-contract=off");
    }
    words.into_iter().map(str::to_owned).collect()
}

/// The C text of a kernel in the form that people write: constant extents (those of `args`), `int` counters, nothing `restrict`.
///
/// # Errors
/// What can't be written in C.
pub(crate) fn c_text(function: &Function, args: &[Value], may_contract: bool) -> Result<String, Diagnostic> {
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
            restrict: false,
            entry: true,
            may_contract,
        },
    )
}

impl Rival {
    /// Compiles `text` with the compiler called `name`.
    ///
    /// # Errors
    /// A compiler that isn't there, or what it says.
    pub(crate) fn compile(name: &str, text: &str, may_contract: bool) -> Result<Self, Diagnostic> {
        let folder = tempfile::tempdir().map_err(|e| error(format!("can't make a temporary folder: {e}")))?;
        let source = folder.path().join("kernel.c");
        let library = folder.path().join("kernel.so");
        std::fs::write(&source, text).map_err(|e| error(format!("can't write {}: {e}", source.display())))?;
        let words = command(name, may_contract);
        let (program, flags) = words.split_first().ok_or_else(|| error("--vs needs a compiler's name"))?;
        let output = Command::new(program)
            .args(flags)
            .args(["-shared", "-fPIC", "-o"])
            .arg(&library)
            .arg(&source)
            .arg("-lm")
            .output()
            .map_err(|e| {
                error(format!("--vs {name}: can't run {program}: {e}"))
                    .help("install it or leave it out; --vs knows gcc-O2, gcc, clang and polly, and takes any command that compiles C")
            })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(error(format!(
                "--vs {name}: {}",
                said.lines().take(5).collect::<Vec<_>>().join("\n")
            )));
        }
        // SAFETY: the library was compiled a moment ago from our own text; it has no initialisers.
        let library = unsafe { libloading::Library::new(&library) }.map_err(|e| error(format!("--vs {name}: {e}")))?;
        Ok(Self {
            name: name.to_owned(),
            library,
            _folder: folder,
        })
    }

    /// Calls the kernel on the arguments, which it changes; gives milliseconds.
    ///
    /// # Errors
    /// When the entry function isn't in the library.
    pub(crate) fn call(&self, function: &Function, args: &[Value]) -> Result<f64, Diagnostic> {
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

    /// The arguments after one run from fresh inputs.
    ///
    /// # Errors
    /// As for [`Rival::call`], or when there is no memory for the copy.
    pub(crate) fn run_fresh(&self, function: &Function, fresh: &[Value]) -> Result<Vec<Value>, Diagnostic> {
        let args = deep_copy(fresh).ok_or_else(|| error("there is no memory for a copy of the arguments"))?;
        self.call(function, &args)?;
        Ok(args)
    }
}
