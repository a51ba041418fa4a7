//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use tilia_driver::{ArgSpec, BackendChoice, FpMode, Grain, Strategy, Tile, parse_arg};

/// Tilia compiles MLIR affine programs: exact dependences, checked schedules, parallel and vector loops.
#[derive(Debug, Parser)]
#[command(
    name = "tilia",
    disable_version_flag = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  tilia run kernel.mlir --arg 0=1000x1000:ramp --remarks\n  tilia opt kernel.mlir --emit=ast\n  tilia opt kernel.mlir --schedule-out t.yaml -o /dev/null && tilia run kernel.mlir --schedule-in t.yaml --check\n  tilia bench testsuite/polybench/suite.toml --kernel gemm --size LARGE\n  tilia sets '{ [i] : 0 <= i < 10 and i mod 3 = 1 }'"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Print the version (with -v: toolchain, back ends, machine).
    #[arg(short = 'V', long)]
    pub(crate) version: bool,
    /// With --version: more detail.
    #[arg(short = 'v', long = "verbose")]
    pub(crate) verbose: bool,
    /// Log what the compiler does, by stage: info, debug, or stage=level,.. (also TILIA_LOG).
    #[arg(long, global = true, value_name = "FILTER")]
    pub(crate) log: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Optimise a module, or show what a stage makes of it.
    Opt(OptArgs),
    /// Compile a function and run it.
    Run(RunArgs),
    /// Measure the kernels of a suite file.
    Bench(BenchArgs),
    /// Measure what the performance model can only estimate, and store the fastest for later compiles.
    Tune(TuneArgs),
    /// Say, per loop, what was done and what forbids more, with two iterations that do.
    Explain(ExplainArgs),
    /// A calculator for integer sets in isl's notation.
    Sets(SetsArgs),
    /// Print the JSON Schema of strategy files, or a built-in strategy to start from.
    Schema(SchemaArgs),
    /// Print what the performance model knows of this machine, in the form that --machine takes.
    Machine,
    /// Print shell completions.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

/// What `opt` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// Upstream MLIR.
    Mlir,
    /// Statements with their domains and accesses.
    Scop,
    /// Dependences.
    Deps,
    /// Schedule trees.
    Schedule,
    /// Generated loops.
    Ast,
    /// C.
    C,
    /// Cranelift's intermediate language.
    Clif,
    /// MLIR's dialect llvm, as LLVM gets it.
    Llvm,
    /// Machine code.
    Asm,
    /// OpenScop, as clan, candl, Pluto and CLooG read it.
    Openscop,
    /// Schedules as union maps in isl's notation.
    ScheduleMap,
    /// Scops in isl's notation: domain, reads, writes, schedule.
    Isl,
    /// The program after lowering, in Tilia's own text form.
    Program,
}

/// What `opt` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Source {
    /// MLIR.
    Mlir,
    /// OpenScop: scheduled and written as OpenScop again unless --emit says otherwise.
    Openscop,
    /// A scop in isl's notation: domain, reads, writes, schedule; written as such again unless --emit says otherwise.
    Isl,
}

/// Options that choose the code.
#[derive(Debug, Clone, Args)]
pub(crate) struct CodeArgs {
    /// Scheduling strategy: none (the original order), pluto, pluto+, feautrier, isl, tensor, auto, or a file ending in .json or .rhai (`tilia schema` has more).
    #[arg(long, default_value = "auto", value_parser = Strategy::parse, value_name = "NAME|FILE")]
    pub(crate) strategy: Strategy,
    /// Tile sizes of permutable bands, outermost first, the last repeats; or off, or auto (those that the strategy auto makes). Applies to trees of --schedule-in, too.
    #[arg(long, default_value = "auto", value_parser = Tile::parse, value_name = "SIZES", allow_hyphen_values = true)]
    pub(crate) tile: Tile,
    /// Use the schedule trees of this file instead of the strategy's; they are checked.
    #[arg(long, value_name = "FILE")]
    pub(crate) schedule_in: Option<PathBuf>,
    /// Save the schedule trees (opt, run and explain).
    #[arg(long, value_name = "FILE")]
    pub(crate) schedule_out: Option<PathBuf>,
    /// Floating-point rewriting: strict (bit-identical to the source), contract (multiply-adds fuse by a fixed rule), fast (contract, plus sums in another order; --check tolerates rounding).
    #[arg(long, value_enum, default_value = "strict")]
    pub(crate) fp: FpArg,
    /// Code generator; auto takes llvm where the estimated run time is worth its compile time. What llvm can't compile cranelift does, with a remark.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) backend: BackendArg,
    /// Operations from which a parallel loop forks when it runs; 0: always.
    #[arg(long, default_value = "auto", value_parser = parse_grain, value_name = "auto|OPS")]
    pub(crate) grain: Grain,
    /// Print remarks: what was done and why not more; =KIND: only applied, declined or analysis, or those of a stage (tile, parallel, vectorise, lower, ..).
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "all", value_parser = parse_remarks, value_name = "KIND")]
    pub(crate) remarks: Option<String>,
    /// Check the original order with the independent validator, too (other schedules are always checked), and what is said of parallel loops.
    #[arg(long)]
    pub(crate) verify: bool,
    /// Choose tiles and vectors for the machine that this file describes instead of the one at hand (`tilia machine` prints one).
    #[arg(long, value_name = "FILE")]
    pub(crate) machine: Option<PathBuf>,
    /// The folder of tuning results that the strategy auto looks into, or off; default TILIA_TUNING, else the user's cache folder (docs/tuning.md).
    #[arg(long, value_name = "DIR|off")]
    pub(crate) tuning: Option<PathBuf>,
    /// Drive the transformations by hand: a JSON script of steps, each checked (docs/transformations.md).
    #[arg(long, value_name = "FILE")]
    pub(crate) transform: Option<PathBuf>,
    /// As --transform, with the steps themselves: '[{"do": "tile", "loops": ["i0", "i1"], "sizes": [32, 32]}]'.
    #[arg(short = 'p', long = "pipeline", value_name = "STEPS", conflicts_with = "transform")]
    pub(crate) pipeline: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FpArg {
    Strict,
    Contract,
    Fast,
}

impl From<FpArg> for FpMode {
    fn from(a: FpArg) -> Self {
        match a {
            FpArg::Strict => Self::Strict,
            FpArg::Contract => Self::Contract,
            FpArg::Fast => Self::Fast,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum BackendArg {
    Cranelift,
    Llvm,
    Auto,
}

impl From<BackendArg> for BackendChoice {
    fn from(a: BackendArg) -> Self {
        match a {
            BackendArg::Cranelift => Self::Cranelift,
            BackendArg::Llvm => Self::Llvm,
            BackendArg::Auto => Self::Auto,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct OptArgs {
    /// MLIR file (or what --from says); - is standard input.
    pub(crate) file: PathBuf,
    /// Where to write; - is standard output.
    #[arg(short, default_value = "-", value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// What to write: mlir unless the input is something else.
    #[arg(long, value_enum)]
    pub(crate) emit: Option<Emit>,
    /// What the input is.
    #[arg(long, value_enum, default_value = "mlir", conflicts_with_all = ["verify_diagnostics", "split_input_file"])]
    pub(crate) from: Source,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
    /// Compare diagnostics and remarks with the `expected-error {{..}}` comments of the input.
    #[arg(long)]
    pub(crate) verify_diagnostics: bool,
    /// Treat the pieces between `// -----` lines as inputs of their own.
    #[arg(long)]
    pub(crate) split_input_file: bool,
    /// Threads that the code may use; 1: no parallel loops.
    #[arg(long, value_parser = parse_count, value_name = "N")]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// MLIR file; - is standard input.
    pub(crate) file: PathBuf,
    /// Function to run; may be left out where there is one public function, or `main`.
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Argument K (from 0): a number, SHAPE:FILL (1000x1100:ramp; the other fills are zeros and rand(7)), SHAPE or FILL alone, or a .npy file. Index arguments and dynamic shapes must be given; the default fill is ramp.
    #[arg(long = "arg", value_parser = parse_arg, value_name = "K=VALUE")]
    pub(crate) args: Vec<(usize, ArgSpec)>,
    /// Write memref arguments (arg0, ..) and results (ret0, ..) to this file after the run.
    #[arg(long, value_name = "OUT.npz")]
    pub(crate) dump: Option<PathBuf>,
    /// Threads; default TILIA_NUM_THREADS, else the CPUs of the affinity mask.
    #[arg(long, value_parser = parse_count, value_name = "N", allow_hyphen_values = true)]
    pub(crate) threads: Option<usize>,
    /// Executions, each from fresh inputs.
    #[arg(long, value_parser = parse_repeat, default_value = "1", value_name = "N", allow_hyphen_values = true)]
    pub(crate) repeat: u32,
    /// Compare with the original order, executed plainly (=interp: in the interpreter).
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "jit", value_name = "interp")]
    pub(crate) check: Option<CheckArg>,
    /// Print a report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckArg {
    Jit,
    Interp,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Suite file.
    pub(crate) suite: PathBuf,
    /// Only these kernels (repeat, or separate by commas).
    #[arg(long = "kernel", value_delimiter = ',', value_name = "NAME")]
    pub(crate) kernels: Vec<String>,
    /// Only these sizes (repeat, or separate by commas). Default: LARGE.
    #[arg(long = "size", value_delimiter = ',', value_name = "NAME")]
    pub(crate) sizes: Vec<String>,
    /// Threads; default TILIA_NUM_THREADS, else the CPUs of the affinity mask.
    #[arg(long, value_parser = parse_count, value_name = "N", allow_hyphen_values = true)]
    pub(crate) threads: Option<usize>,
    /// Executions of each kernel. Default: five, or as many as start within two seconds.
    #[arg(long, value_parser = parse_repeat, value_name = "N", allow_hyphen_values = true)]
    pub(crate) repeat: Option<u32>,
    /// Compare with gcc-O2, gcc, clang, polly, polly-parallel, or a compiler command; interleaved runs of the same loops in C, without and with restrict arrays. The column is their time divided by Tilia's.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub(crate) vs: Vec<String>,
    /// Leave out the comparison with what the others make of restrict arrays.
    #[arg(long)]
    pub(crate) no_restrict: bool,
    /// Also write the results as a table in Markdown.
    #[arg(long, value_name = "FILE.md")]
    pub(crate) markdown: Option<PathBuf>,
    /// Also draw the ratios.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Measure nothing: take the results of these files, which --json wrote, for --markdown and --plot.
    #[arg(long, value_delimiter = ',', value_name = "FILE.jsonl", conflicts_with_all = ["vs", "dump", "check", "repeat"])]
    pub(crate) from: Vec<PathBuf>,
    /// Write outputs to DIR/KERNEL.SIZE.npz.
    #[arg(long, value_name = "DIR")]
    pub(crate) dump: Option<PathBuf>,
    /// Compare with the original order.
    #[arg(long)]
    pub(crate) check: bool,
    /// One JSON object a line.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tilia tune kernel.mlir --arg 0=1000 --time 120\n  tilia tune testsuite/polybench/suite.toml --kernel gemm,lu --size LARGE --fp contract"
)]
pub(crate) struct TuneArgs {
    /// MLIR file, or a suite file (.toml).
    pub(crate) file: PathBuf,
    /// Function to tune; may be left out where there is one public function, or `main`.
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Arguments, as for run.
    #[arg(long = "arg", value_parser = parse_arg, value_name = "K=VALUE")]
    pub(crate) args: Vec<(usize, ArgSpec)>,
    /// Of a suite: only these kernels (repeat, or separate by commas).
    #[arg(long = "kernel", value_delimiter = ',', value_name = "NAME")]
    pub(crate) kernels: Vec<String>,
    /// Of a suite: these sizes (repeat, or separate by commas). Default: LARGE.
    #[arg(long = "size", value_delimiter = ',', value_name = "NAME")]
    pub(crate) sizes: Vec<String>,
    /// Threads; default TILIA_NUM_THREADS, else the CPUs of the affinity mask.
    #[arg(long, value_parser = parse_count, value_name = "N", allow_hyphen_values = true)]
    pub(crate) threads: Option<usize>,
    /// Seconds for each function; no measurement starts after that. Another call goes on where this one ended.
    #[arg(long, value_parser = parse_repeat, default_value = "60", value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) time: u32,
    /// Candidates to measure at most, the ones that the model likes best.
    #[arg(long, value_parser = parse_repeat, default_value = "60", value_name = "N", allow_hyphen_values = true)]
    pub(crate) most: u32,
    /// Forget what earlier calls measured.
    #[arg(long)]
    pub(crate) again: bool,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// MLIR file; - is standard input.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tilia schema > strategy.schema.json\n  tilia schema --strategy pluto > mine.json && tilia opt kernel.mlir --strategy mine.json --emit=schedule\n  tilia schema --check mine.json"
)]
pub(crate) struct SchemaArgs {
    /// Print this built-in strategy instead: none, pluto, pluto+, feautrier, isl, tensor or auto.
    #[arg(long, value_name = "NAME", conflicts_with = "check")]
    pub(crate) strategy: Option<String>,
    /// Check this strategy file (.json or .rhai) and print nothing if it is right.
    #[arg(long, value_name = "FILE")]
    pub(crate) check: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tilia sets 'lexmin({ [i] : 0 <= i < 10 and i mod 3 = 1 })'\n  tilia sets 'subtract({ [i] : 0 <= i < 9 }, { [3] })'\n  echo functions | tilia sets    # all operations; help, variables and quit are lines too"
)]
pub(crate) struct SetsArgs {
    /// An expression; without one, expressions are read from standard input, line by line.
    pub(crate) expression: Option<String>,
}

fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse::<i64>() {
        Ok(n) if (1..=1024).contains(&n) => Ok(usize::try_from(n).unwrap_or(1)),
        Ok(n) if n < 1 => Err(format!("must be at least 1 (got {n})")),
        Ok(n) => Err(format!("must be at most 1024 (got {n})")),
        Err(_) => Err(format!("'{text}' is no number")),
    }
}

fn parse_repeat(text: &str) -> Result<u32, String> {
    match text.parse::<i64>() {
        Ok(n) if n >= 1 => u32::try_from(n).map_err(|_| format!("must be below 2^32 (got {n})")),
        Ok(n) => Err(format!("must be at least 1 (got {n})")),
        Err(_) => Err(format!("'{text}' is no number")),
    }
}

/// Kinds and stages that `--remarks=` selects.
const REMARKS: &[&str] = &[
    "all",
    "applied",
    "declined",
    "analysis",
    "request",
    "raise",
    "deps",
    "schedule",
    "transform",
    "tile",
    "fuse",
    "parallel",
    "expand",
    "astgen",
    "vectorise",
    "auto",
    "tune",
    "lower",
    "codegen",
];

fn parse_remarks(text: &str) -> Result<String, String> {
    if REMARKS.contains(&text) {
        Ok(text.to_owned())
    } else {
        Err(format!("no remarks are called '{text}'; there are {}", REMARKS.join(", ")))
    }
}

fn parse_grain(text: &str) -> Result<Grain, String> {
    match text {
        "auto" => Ok(Grain::Auto),
        n => n
            .parse::<u64>()
            .map(Grain::Ops)
            .map_err(|_| format!("'{n}' is neither auto nor a number of operations")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn bounds_are_in_the_message() {
        for (flag, value) in [
            ("--threads", "0"),
            ("--threads", "-1"),
            ("--repeat", "0"),
            ("--tile", "0"),
            ("--tile", "-1"),
        ] {
            let e = Cli::try_parse_from(["tilia", "run", "x.mlir", flag, value])
                .unwrap_err()
                .to_string();
            assert!(e.contains("at least 1") && e.contains(value) && e.contains(flag), "{e}");
        }
    }
}
