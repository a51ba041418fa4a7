//! Running the `tilia` binary with limits on time and memory.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Address space of one run, in KiB: hostile sizes must hit this limit and not the machine.
const MEMORY_KIB: u64 = 12 * 1024 * 1024;

/// The folders and the binary under test.
#[derive(Debug, Clone)]
pub struct Bench {
    /// The binary `tilia`.
    pub tilia: PathBuf,
    /// The folder `testsuite` of the sources.
    pub testsuite: PathBuf,
    /// A folder for files of this run.
    pub scratch: PathBuf,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The exit status.
    Exit(i32),
    /// Ended by a signal.
    Signal(i32),
    /// Still running when its time was up.
    TimedOut,
}

/// What a run left behind.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The command line, for messages.
    pub line: String,
}

impl Bench {
    /// Finds the binary: the environment variable `TILIA`, else `release/tilia` in the target folder.
    pub fn find() -> Result<Arc<Bench>> {
        let testsuite = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("the harness sits in testsuite/")?
            .to_path_buf();
        let root = testsuite.parent().context("testsuite/ sits in the root")?;
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let tilia = std::env::var_os("TILIA").map_or_else(|| target.join("release/tilia"), PathBuf::from);
        if !tilia.is_file() {
            bail!(
                "there is no binary at {}; build it first: cargo build --release --bin tilia",
                tilia.display()
            );
        }
        let scratch = target.join("harness-scratch");
        std::fs::create_dir_all(&scratch).with_context(|| format!("can't create {}", scratch.display()))?;
        Ok(Arc::new(Bench { tilia, testsuite, scratch }))
    }

    /// A scratch file or folder named after a test; what stood there before is removed.
    pub fn scratch(&self, name: &str) -> Result<PathBuf> {
        let safe: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' })
            .collect();
        let path = self.scratch.join(safe);
        if path.is_dir() {
            std::fs::remove_dir_all(&path)?;
        } else if path.exists() {
            std::fs::remove_file(&path)?;
        }
        Ok(path)
    }

    /// Runs `tilia` with the arguments in a folder. The time limit is there to end hangs; no test depends on speed.
    pub fn run(&self, args: &[String], folder: &Path, limit: Duration) -> Result<Outcome> {
        run_limited(&self.tilia, args, folder, limit)
    }
}

/// Runs a program under the memory limit, reading all it prints, and ends it when the time is up.
pub fn run_limited(program: &Path, args: &[String], folder: &Path, limit: Duration) -> Result<Outcome> {
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -c 0; ulimit -v {MEMORY_KIB}; exec \"$0\" \"$@\""))
        .arg(program)
        .args(args)
        .current_dir(folder)
        .env_remove("TILIA_NUM_THREADS")
        .env("TILIA_TUNING", "off")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("can't start {}", program.display()))?;
    let out = drain(child.stdout.take().context("a pipe was asked for")?);
    let err = drain(child.stderr.take().context("a pipe was asked for")?);
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let end = match status {
        None => End::TimedOut,
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => End::Exit(code),
            (None, signal) => End::Signal(signal.unwrap_or(0)),
        },
    };
    let text = |reader: std::thread::JoinHandle<Vec<u8>>| String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned();
    let line = args.iter().fold(String::from("tilia"), |line, arg| format!("{line} {arg}"));
    Ok(Outcome {
        end,
        stdout: text(out),
        stderr: text(err),
        line,
    })
}

fn drain(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // A pipe that breaks gives what came before; the exit status tells the rest.
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

impl Outcome {
    /// The run as a failure report: command line, end, and the last lines of standard error.
    pub fn report(&self, what: &str) -> String {
        let lines: Vec<&str> = self.stderr.lines().collect();
        let tail = lines[lines.len().saturating_sub(20)..].join("\n");
        format!(
            "{what}\n  command: {}\n  ended: {:?}\n  standard error:\n{tail}",
            self.line, self.end
        )
    }

    /// Requires an exit status.
    pub fn expect_exit(&self, status: i32) -> Result<(), String> {
        if self.end == End::Exit(status) {
            Ok(())
        } else {
            Err(self.report(&format!("exit status {status} was expected")))
        }
    }

    /// Requires that standard error holds all the parts.
    pub fn expect_stderr(&self, parts: &[String]) -> Result<(), String> {
        match parts.iter().find(|part| !self.stderr.contains(part.as_str())) {
            None => Ok(()),
            Some(part) => Err(self.report(&format!("standard error should contain {part:?}"))),
        }
    }
}
