//! Where results of tuning are kept: a folder with one TOML file for each program, machine, mode, number of threads and sizes (docs/tuning.md has the form).
//!
//! The file's name is a hash of all that, and the file repeats it: a file that says something else, can't be read, or isn't of the form is told and ignored, as if it weren't there. What a file holds are
//! choices among those that the compiler offers by itself, so it can change speed only.

use crate::auto::KnownArgs;
use crate::options::{BackendChoice, CompileOptions, ScopChoice, Strategy, Tile};
use crate::unit::restrict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tilia_diag::Remark;
use tilia_program::{Function, Program, Type};

/// The stage that remarks on tuning name.
pub(crate) const STAGE: &str = "tune";

/// The form of the files.
const VERSION: u32 = 1;

/// Larger files are no tuning results.
const MAX_BYTES: u64 = 4 << 20;

/// What results hold for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    /// Hash of the program's text, after multiply-adds were fused.
    program: String,
    /// Hash of the machine's description.
    machine: String,
    /// The floating-point mode.
    fp: String,
    /// Threads that were allowed.
    threads: usize,
    /// Index arguments by number.
    #[serde(default)]
    numbers: BTreeMap<String, i64>,
    /// Extents that the types leave open, by argument, in order.
    #[serde(default)]
    extents: BTreeMap<String, Vec<i64>>,
}

/// The fastest code of one back end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Best {
    /// `cranelift` or `llvm`.
    pub(crate) backend: String,
    /// Threads that it ran with.
    pub(crate) threads: usize,
    /// Its shortest time.
    pub(crate) run_ms: f64,
    /// From text to machine code.
    pub(crate) compile_ms: f64,
    /// What to choose, by scop; what isn't named is left to the model.
    #[serde(default)]
    pub(crate) scops: BTreeMap<String, ScopChoice>,
}

/// A measured candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measured {
    /// Its description.
    pub(crate) what: String,
    /// Its shortest time, or nothing when it failed.
    pub(crate) run_ms: Option<f64>,
}

/// All results for one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Results {
    version: u32,
    /// For people: file and function.
    pub(crate) name: String,
    pub(crate) key: Key,
    #[serde(default)]
    pub(crate) best: Vec<Best>,
    #[serde(default)]
    pub(crate) measured: Vec<Measured>,
}

/// FNV-1a in 128 bits.
fn hash(text: &str) -> String {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58du128;
    for byte in text.bytes() {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    format!("{hash:032x}")
}

impl Key {
    /// The key of calls of a function under these options.
    pub(crate) fn of(program: &Program, function: &Function, known: &KnownArgs, options: &CompileOptions) -> Key {
        let mut key = Key {
            program: hash(&restrict(program, &function.name).to_string()),
            machine: hash(&options.machine.to_toml()),
            fp: options.fp.to_string(),
            threads: options.threads,
            numbers: BTreeMap::new(),
            extents: BTreeMap::new(),
        };
        for (k, ty) in function.params.iter().enumerate() {
            match ty {
                Type::MemRef(m) => {
                    let Some(sizes) = known.shapes.get(&k) else { continue };
                    let open: Vec<i64> = m.shape.iter().zip(sizes).filter(|(s, _)| s.is_none()).map(|(_, &n)| n).collect();
                    if !open.is_empty() {
                        key.extents.insert(k.to_string(), open);
                    }
                }
                _ => key.numbers.extend(known.numbers.get(&k).map(|&n| (k.to_string(), n))),
            }
        }
        key
    }

    /// The file in the folder.
    pub(crate) fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.toml", hash(&toml::to_string(self).unwrap_or_default())))
    }
}

impl Results {
    pub(crate) fn new(name: &str, key: Key) -> Self {
        Self {
            version: VERSION,
            name: name.to_owned(),
            key,
            best: Vec::new(),
            measured: Vec::new(),
        }
    }

    /// What the folder holds for the key; `None` when it holds nothing.
    ///
    /// # Errors
    /// What is wrong with the file that should hold it.
    pub(crate) fn load(folder: &Path, key: &Key) -> Result<Option<Self>, String> {
        let path = key.path(folder);
        let wrong = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        match std::fs::metadata(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(wrong(&e)),
            Ok(m) if m.len() > MAX_BYTES => return Err(wrong(&"it is too large to be a tuning result")),
            Ok(_) => {}
        }
        let text = std::fs::read_to_string(&path).map_err(|e| wrong(&e))?;
        let results: Results = toml::from_str(&text).map_err(|e| wrong(&e.message().lines().next().unwrap_or("not of the form")))?;
        if results.version != VERSION {
            return Err(wrong(&format!("its version is {}, and {VERSION} is understood", results.version)));
        }
        if &results.key != key {
            return Err(wrong(&"it is of another program, machine or call than its name says"));
        }
        let sound =
            |b: &Best| b.run_ms.is_finite() && b.compile_ms.is_finite() && (1..=1024).contains(&b.threads) && backend(&b.backend).is_some();
        if !results.best.iter().all(sound) {
            return Err(wrong(&"a back end, time or number of threads in it isn't possible"));
        }
        Ok(Some(results))
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn save(&self, folder: &Path) -> Result<PathBuf, String> {
        let path = self.key.path(folder);
        let fail = |e: &dyn std::fmt::Display| format!("can't write {}: {e}", path.display());
        std::fs::create_dir_all(folder).map_err(|e| fail(&e))?;
        let text = toml::to_string(self).map_err(|e| fail(&e))?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| fail(&e))?;
        std::io::Write::write_all(
            &mut file,
            format!("# Written by tilia tune; docs/tuning.md has the form.\n{text}").as_bytes(),
        )
        .map_err(|e| fail(&e))?;
        file.persist(&path).map_err(|e| fail(&e))?;
        Ok(path)
    }

    /// The code for so many calls under a wish for a back end: what takes the least time with compiling.
    fn for_calls(&self, asked: BackendChoice, calls: f64) -> Option<&Best> {
        let time = |b: &&Best| b.compile_ms + calls * b.run_ms;
        let wanted = |b: &&Best| asked == BackendChoice::Auto || backend(&b.backend) == Some(asked);
        self.best.iter().filter(wanted).min_by(|a, b| time(a).total_cmp(&time(b)))
    }
}

/// The back end of that name.
pub(crate) fn backend(name: &str) -> Option<BackendChoice> {
    match name {
        "cranelift" => Some(BackendChoice::Cranelift),
        "llvm" => Some(BackendChoice::Llvm),
        _ => None,
    }
}

/// Whether tuned choices may be used: everything is left to the strategy `auto`, and nobody is tuning.
fn open(options: &CompileOptions) -> bool {
    let plain = options.schedule_in.is_none() && options.transform.is_none() && options.choices.is_empty();
    options.raise && plain && options.strategy == Strategy::Auto && options.tile == Tile::Auto
}

/// The options with what tuning found for calls of a function, `calls` of them, and what is to be said. Without results the options stay.
pub(crate) fn apply(
    program: &Program,
    function: &Function,
    known: &KnownArgs,
    calls: f64,
    options: &CompileOptions,
) -> (Option<CompileOptions>, Vec<Remark>) {
    let Some(folder) = options.tuning.as_ref().filter(|_| open(options)) else {
        return (None, Vec::new());
    };
    let key = Key::of(program, function, known, options);
    let results = match Results::load(folder, &key) {
        Ok(Some(results)) => results,
        Ok(None) => return (None, Vec::new()),
        Err(why) => {
            let message = format!("a file of tuning results is ignored: {why}");
            return (None, vec![Remark::declined(STAGE, function.loc.clone(), message)]);
        }
    };
    let Some(best) = results.for_calls(options.backend, calls) else {
        return (None, Vec::new());
    };
    let message = format!(
        "tuned on this machine for these sizes: the back end {} on {} thread{}, {:.3} ms when it was measured",
        best.backend,
        best.threads,
        if best.threads == 1 { "" } else { "s" },
        best.run_ms
    );
    let tuned = CompileOptions {
        backend: backend(&best.backend).unwrap_or(options.backend),
        threads: best.threads,
        choices: best.scops.clone(),
        tuning: None,
        ..options.clone()
    };
    (Some(tuned), vec![Remark::applied(STAGE, function.loc.clone(), message)])
}

/// As [`apply`] for all functions of a program that nobody calls yet: those whose sizes are in their types. The back end is that of the first that has results.
pub(crate) fn apply_to_all(program: &Program, options: &CompileOptions) -> (Option<CompileOptions>, Vec<Remark>) {
    let mut made: Option<CompileOptions> = None;
    let mut said = Vec::new();
    for function in program.functions.iter().filter(|f| f.body.is_some()) {
        // Compiling once for who knows how many calls.
        let (tuned, remarks) = apply(program, function, &KnownArgs::default(), 1e9, options);
        match (&mut made, tuned) {
            (Some(made), Some(tuned)) if made.backend != tuned.backend => {
                let message = "it was tuned for another back end than the functions before it, so the model decides";
                said.push(Remark::declined(STAGE, function.loc.clone(), message));
                continue;
            }
            (Some(made), Some(tuned)) => made.choices.extend(tuned.choices),
            (None, Some(tuned)) => {
                made = Some(CompileOptions {
                    threads: options.threads,
                    ..tuned
                });
            }
            (_, None) => {}
        }
        said.extend(remarks);
    }
    (made, said)
}

/// The folder of results when none is named: `$XDG_CACHE_HOME/tilia/tuning`, else `$HOME/.cache/tilia/tuning`.
#[must_use]
pub fn default_tuning_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|h| h.join(".cache")))?;
    Some(cache.join("tilia").join("tuning"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key {
            program: hash("p"),
            machine: hash("m"),
            fp: "strict".to_owned(),
            threads: 2,
            numbers: BTreeMap::from([("0".to_owned(), 1000)]),
            extents: BTreeMap::new(),
        }
    }

    fn results() -> Results {
        let best = |backend: &str, compile_ms, run_ms| Best {
            backend: backend.to_owned(),
            threads: 2,
            run_ms,
            compile_ms,
            scops: BTreeMap::from([(
                "k_0".to_owned(),
                ScopChoice {
                    order: "source".to_owned(),
                    choices: vec!["no tiles".to_owned()],
                },
            )]),
        };
        Results {
            best: vec![best("cranelift", 10.0, 5.0), best("llvm", 210.0, 1.0)],
            ..Results::new("k", key())
        }
    }

    #[test]
    fn hashes_are_fnv() {
        // Of the empty text: the offset basis. Of "a": published with the function.
        assert_eq!(hash(""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(hash("a"), "d228cb696f1a8caf78912b704e4a8964");
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Results::load(folder.path(), &key()), Ok(None));
        results().save(folder.path()).unwrap();
        assert_eq!(Results::load(folder.path(), &key()), Ok(Some(results())));
    }

    #[test]
    fn damaged_files_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = results().save(folder.path()).unwrap();
        let good = std::fs::read_to_string(&path).unwrap();
        for (from, to) in [
            ("threads = 2", "threads = \"two\""),
            ("version = 1", "version = 7"),
            ("backend = \"llvm\"", "backend = \"gcc\""),
            ("run_ms = 1.0", "run_ms = nan"),
            ("[key]", "[key"),
            ("fp = \"strict\"", "fp = \"fast\""),
        ] {
            assert!(good.contains(from), "{from}");
            std::fs::write(&path, good.replace(from, to)).unwrap();
            let why = Results::load(folder.path(), &key()).unwrap_err();
            assert!(why.contains(&path.display().to_string()), "{why}");
        }
        for cut in [0, 10, good.find("run_ms").unwrap()] {
            std::fs::write(&path, &good[..cut]).unwrap();
            assert!(Results::load(folder.path(), &key()).is_err(), "{cut}");
        }
    }

    #[test]
    fn compile_time_counts_for_few_calls() {
        let results = results();
        let taken = |asked, calls| results.for_calls(asked, calls).map(|b| b.backend.as_str());
        assert_eq!(taken(BackendChoice::Auto, 1.0), Some("cranelift"));
        assert_eq!(taken(BackendChoice::Auto, 100.0), Some("llvm"));
        assert_eq!(taken(BackendChoice::Cranelift, 100.0), Some("cranelift"));
    }
}
