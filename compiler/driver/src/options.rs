//! What a user may ask of a compilation.

use crate::auto::KnownArgs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use tilia_model::Machine;
use tilia_scop::FloatOrder;

/// What floating-point rewriting is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FpMode {
    /// Bit-identical to the source program.
    #[default]
    Strict,
    /// Multiply-adds fuse by a fixed rule on the source.
    Contract,
    /// Contract, plus reductions in any order.
    Fast,
}

impl FpMode {
    /// Which reductions may be reordered.
    pub(crate) fn float_order(self) -> FloatOrder {
        match self {
            Self::Strict | Self::Contract => FloatOrder::Kept,
            Self::Fast => FloatOrder::Free,
        }
    }
}

impl fmt::Display for FpMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Strict => "strict",
            Self::Contract => "contract",
            Self::Fast => "fast",
        })
    }
}

/// Which scheduling strategy was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Strategy {
    /// The original order.
    None,
    /// What the compiler thinks best.
    #[default]
    Auto,
    /// A built-in strategy, by name.
    Named(String),
    /// A strategy file.
    File(String),
}

impl Strategy {
    /// Names of built-in strategies of the command line's contract.
    pub const NAMES: [&str; 7] = ["none", "pluto", "pluto+", "feautrier", "isl", "tensor", "auto"];

    /// Reads `--strategy`'s value: a name, or a file ending in `.json` or `.rhai`.
    ///
    /// # Errors
    /// What is wrong with it, and what it may be.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            "auto" => Ok(Self::Auto),
            name if Self::NAMES.contains(&name) => Ok(Self::Named(name.to_owned())),
            file if has_extension(file, "json") || has_extension(file, "rhai") => Ok(Self::File(file.to_owned())),
            other => Err(format!(
                "no strategy is called '{other}'; there are {}, or give a file ending in .json or .rhai",
                Self::NAMES.join(", ")
            )),
        }
    }
}

fn has_extension(file: &str, extension: &str) -> bool {
    std::path::Path::new(file)
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Auto => f.write_str("auto"),
            Self::Named(s) | Self::File(s) => f.write_str(s),
        }
    }
}

/// Tile sizes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Tile {
    /// The compiler decides.
    #[default]
    Auto,
    /// No tiling.
    Off,
    /// Sizes, outermost first; the last repeats.
    Sizes(Vec<i64>),
}

impl Tile {
    /// Reads `--tile`'s value.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "off" => Ok(Self::Off),
            list => list
                .split(',')
                .map(|s| match s.trim().parse::<i64>() {
                    Ok(n) if n >= 1 => Ok(n),
                    Ok(n) => Err(format!("--tile must be at least 1 (got {n})")),
                    Err(_) => Err(format!("'{s}' is no tile size; write auto, off, or sizes as in 32,32")),
                })
                .collect::<Result<Vec<_>, _>>()
                .map(Self::Sizes),
        }
    }
}

/// Which back end was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackendChoice {
    /// Cranelift.
    Cranelift,
    /// LLVM, by MLIR's dialect `llvm`.
    Llvm,
    /// The compiler decides.
    #[default]
    Auto,
}

/// When a parallel loop forks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grain {
    /// When the estimated work pays for it.
    #[default]
    Auto,
    /// When it has at least this many operations; 0 forks always.
    Ops(u64),
}

/// How the strategy `auto` shapes one scop, instead of as its model would: what tuning found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopChoice {
    /// Whose order of loops: `scheduler`, `source`, or a built-in strategy.
    pub order: String,
    /// What each decision takes, by its label, in order; the model decides those beyond the end.
    #[serde(default)]
    pub choices: Vec<String>,
}

/// All options that choose the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileOptions {
    /// Scheduling strategy.
    pub strategy: Strategy,
    /// Tile sizes.
    pub tile: Tile,
    /// Text of schedule trees that replace the original ones, with the file's name.
    pub schedule_in: Option<(String, String)>,
    /// Text of a transformation script, with the file's name.
    pub transform: Option<(String, String)>,
    /// Floating-point mode.
    pub fp: FpMode,
    /// Back end.
    pub backend: BackendChoice,
    /// Fork threshold.
    pub grain: Grain,
    /// What tiles, vectors and the like are chosen for.
    pub machine: Machine,
    /// What is known of the arguments of a call.
    pub known: KnownArgs,
    /// How scops are shaped, by name; the model decides for others.
    pub choices: BTreeMap<String, ScopChoice>,
    /// The folder of tuning results that the strategy `auto` looks into; `None`: it looks nowhere.
    pub tuning: Option<PathBuf>,
    /// Threads; 1 starts none.
    pub threads: usize,
    /// Find scops and generate their loops anew. Off only for the reference of `--check`.
    pub raise: bool,
    /// Say of each loop what keeps it from being tiled or fused.
    pub explain: bool,
    /// Check every schedule with the independent validator, the original one included.
    pub verify: bool,
}

/// Bits and number of the vector registers that Cranelift's x86-64 code uses.
const CRANELIFT: (u32, u32) = (128, 16);

/// Least and most bits of the vectors that lowering makes: what every machine has, and what none exceeds.
const VECTOR_BITS: (u32, u32) = (128, 512);

impl CompileOptions {
    /// The machine as the back end that was asked for can use it.
    pub(crate) fn visible_machine(&self) -> Machine {
        match self.backend {
            BackendChoice::Llvm => self.machine.clone(),
            BackendChoice::Cranelift | BackendChoice::Auto => self.machine.limited_to(CRANELIFT.0, CRANELIFT.1),
        }
    }

    /// Bits of the vectors that lowering makes.
    pub(crate) fn vector_bits(&self) -> u32 {
        let bits = self.visible_machine().vector_bits.clamp(VECTOR_BITS.0, VECTOR_BITS.1);
        1 << bits.ilog2()
    }
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            strategy: Strategy::default(),
            tile: Tile::default(),
            schedule_in: None,
            transform: None,
            fp: FpMode::default(),
            backend: BackendChoice::default(),
            grain: Grain::default(),
            machine: Machine::default(),
            known: KnownArgs::default(),
            choices: BTreeMap::new(),
            tuning: None,
            threads: 1,
            raise: true,
            explain: false,
            verify: cfg!(debug_assertions),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tile_sizes() {
        assert_eq!(Tile::parse("32, 8"), Ok(Tile::Sizes(vec![32, 8])));
        assert_eq!(Tile::parse("off"), Ok(Tile::Off));
        assert_eq!(Tile::parse("0"), Err("--tile must be at least 1 (got 0)".to_owned()));
        assert!(Tile::parse("").is_err());
        assert!(Tile::parse("99999999999999999999").is_err());
    }

    #[test]
    fn strategies() {
        assert_eq!(Strategy::parse("pluto+"), Ok(Strategy::Named("pluto+".into())));
        assert_eq!(Strategy::parse("my.JSON"), Ok(Strategy::File("my.JSON".into())));
        assert!(Strategy::parse("plutto").unwrap_err().contains("pluto"));
    }
}
