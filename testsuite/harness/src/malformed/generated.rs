//! Inputs made from the kernels and cases by damage: cut off, tokens lost, unknown names, and plain noise.
//!
//! The generator is seeded by constants: the same inputs in every run. A failing input stays in the scratch folder.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use libtest_mimic::Trial;

use super::check_refused;
use crate::binary::{Bench, End};

const LIMIT: Duration = Duration::from_secs(60);

/// Kinds of damage, and how many inputs of each.
const DAMAGE: [(Damage, &str, u64); 6] = [
    (Damage::Cut, "cut", 40),
    (Damage::LostBrace, "lost_brace", 20),
    (Damage::UnknownOperation, "unknown_operation", 20),
    (Damage::UndefinedValue, "undefined_value", 20),
    (Damage::HugeNumber, "huge_number", 40),
    (Damage::Noise, "noise", 60),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Damage {
    /// The text ends inside a function.
    Cut,
    /// One brace is missing.
    LostBrace,
    /// An operation that no dialect has.
    UnknownOperation,
    /// A use of a value that isn't defined.
    UndefinedValue,
    /// A number near a power of two in place of another; the result may be a valid program.
    HugeNumber,
    /// A few bytes overwritten; the result may be a valid program.
    Noise,
}

impl Damage {
    /// Whether the damaged text may still be a program.
    fn may_be_valid(self) -> bool {
        matches!(self, Damage::HugeNumber | Damage::Noise)
    }
}

/// Trials for all damaged inputs.
pub(super) fn trials(bench: &Arc<Bench>) -> Result<Vec<Trial>> {
    let sources = Arc::new(sources(bench)?);
    let mut trials = Vec::new();
    for (damage, name, count) in DAMAGE {
        for number in 0..count {
            let (bench, sources) = (Arc::clone(bench), Arc::clone(&sources));
            let title = format!("malformed::{name}::{number:03}");
            trials.push(Trial::test(title, move || {
                let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ ((number + 1) << 8) ^ name.len() as u64);
                let source = &sources[random.below(sources.len())];
                let text = apply(damage, source, &mut random);
                Ok(check(&bench, damage, &format!("{name}-{number:03}.mlir"), &text)?)
            }));
        }
    }
    let bench = Arc::clone(bench);
    trials.push(Trial::test("malformed::deep_nesting", move || {
        Ok(check(&bench, Damage::Noise, "deep-nesting.mlir", deep_nest(300).as_bytes())?)
    }));
    Ok(trials)
}

/// A valid program of many loops inside each other: compiled or refused, but no stack runs over.
fn deep_nest(depth: usize) -> String {
    let open: String = (0..depth).map(|level| format!("affine.for %i{level} = 0 to 1 {{\n")).collect();
    let close = "}\n".repeat(depth);
    format!(
        "func.func @k(%a: memref<1xf64>) {{\n{open}%v = affine.load %a[0] : memref<1xf64>\naffine.store %v, %a[%i0] : memref<1xf64>\n{close}return\n}}\n"
    )
}

/// The texts of all kernels and cases.
fn sources(bench: &Bench) -> Result<Vec<String>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in ["cases", "polybench"] {
        let folder = bench.testsuite.join(folder);
        for entry in std::fs::read_dir(&folder).with_context(|| format!("can't list {}", folder.display()))? {
            paths.push(entry?.path());
        }
    }
    paths.retain(|path| path.extension().is_some_and(|suffix| suffix == "mlir"));
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display())))
        .collect()
}

fn check(bench: &Bench, damage: Damage, name: &str, text: &[u8]) -> Result<(), String> {
    let file = bench.scratch(name).map_err(|error| error.to_string())?;
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let args = ["opt", &file.display().to_string(), "--emit=ast"].map(str::to_owned);
    let outcome = bench.run(&args, &bench.scratch, LIMIT).map_err(|error| format!("{error:#}"))?;
    if !(damage.may_be_valid() && outcome.end == End::Exit(0)) {
        check_refused(&outcome)?;
    }
    std::fs::remove_file(&file).map_err(|error| error.to_string())
}

fn apply(damage: Damage, source: &str, random: &mut Random) -> Vec<u8> {
    let code = source
        .find("func.func @")
        .map_or(0, |start| start + source[start..].find('{').unwrap_or(0));
    let end = source.rfind('}').unwrap_or(source.len());
    match damage {
        Damage::Cut => source.as_bytes()[..code + 1 + random.below(end - code - 1)].to_vec(),
        Damage::LostBrace => without(source, &places(source, code, &["{\n", "}\n"]), random),
        Damage::UnknownOperation => replace(source, &places(source, code, &["arith.", "affine.", "memref."]), random, |word| {
            format!("{word}no_")
        }),
        Damage::UndefinedValue => replace(source, &uses(source, code), random, |word| format!("{word}_undefined_")),
        Damage::HugeNumber => huge_number(source, code, random),
        Damage::Noise => noise(source, code, random),
    }
}

/// Start and text of every occurrence of the words from a position on, outside comments.
fn places<'w>(source: &str, from: usize, words: &[&'w str]) -> Vec<(usize, &'w str)> {
    let mut found: Vec<(usize, &'w str)> = Vec::new();
    for &word in words {
        found.extend(source[from..].match_indices(word).map(|(at, _)| (from + at, word)));
    }
    found.retain(|&(at, _)| !in_comment(source, at));
    found.sort_unstable();
    found
}

/// Places of the percent sign of operands: those after a comma, bracket or space that don't begin a line.
fn uses(source: &str, from: usize) -> Vec<(usize, &'static str)> {
    let mut found = places(source, from, &["%"]);
    found.retain(|&(at, _)| {
        let line = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let before = &source[line..at];
        // Not a result, a block argument or a loop's own iterator.
        before.contains(" = ") && !before.trim_end().ends_with(['(', '=']) && !before.contains("for %") && !before.contains("parallel (")
    });
    found
}

fn in_comment(source: &str, at: usize) -> bool {
    let line = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
    source[line..at].contains("//")
}

/// Replaces one of the places; a source without any is cut instead, so that the result is malformed in any case.
fn replace(source: &str, places: &[(usize, &str)], random: &mut Random, with: impl Fn(&str) -> String) -> Vec<u8> {
    if places.is_empty() {
        return source.as_bytes()[..source.rfind('}').unwrap_or(0)].to_vec();
    }
    let (at, word) = places[random.below(places.len())];
    format!("{}{}{}", &source[..at], with(word), &source[at + word.len()..]).into_bytes()
}

fn without(source: &str, places: &[(usize, &str)], random: &mut Random) -> Vec<u8> {
    replace(source, places, random, |_| "\n".to_owned())
}

fn huge_number(source: &str, from: usize, random: &mut Random) -> Vec<u8> {
    const HUGE: [&str; 8] = [
        "2147483647",
        "2147483648",
        "4294967296",
        "-2147483649",
        "4611686018427387904",
        "9223372036854775807",
        "-9223372036854775808",
        "99999999999999999999999999",
    ];
    let bytes = source.as_bytes();
    let numbers: Vec<usize> = (from..bytes.len())
        .filter(|&at| bytes[at].is_ascii_digit() && matches!(bytes[at - 1], b' ' | b'<' | b'(' | b'x') && !in_comment(source, at))
        .collect();
    if numbers.is_empty() {
        return bytes.to_vec();
    }
    let at = numbers[random.below(numbers.len())];
    let rest = source[at..].trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{}{}{rest}", &source[..at], HUGE[random.below(HUGE.len())]).into_bytes()
}

fn noise(source: &str, from: usize, random: &mut Random) -> Vec<u8> {
    let mut bytes = source.as_bytes().to_vec();
    for _ in 0..1 + random.below(6) {
        let at = from + random.below(bytes.len() - from);
        match random.below(4) {
            0 => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"{}()<>[]%@#!\"0,:="[random.below(17)]),
            _ => {
                let other = from + random.below(bytes.len() - from);
                bytes.swap(at, other);
            }
        }
    }
    bytes
}

/// xorshift64*: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }
}
