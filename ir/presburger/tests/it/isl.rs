//! Random operations compared with isl's results.
//!
//! isl runs in `testsuite/oracle/isl_server.py`, one request a line. `TILIA_ISL_OPS` sets the number of operations, `TILIA_SEED` the seed.
//! A missing Python environment is a failure, not a skipped test: what isn't compared isn't known to agree.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::isl_cases::{Case, OPERATIONS};
use crate::rng::{Rng, operations, seed};

/// A running isl.
pub(crate) struct Isl {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

fn testsuite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testsuite")
}

impl Isl {
    /// Starts the server; panics with the remedy when it can't.
    pub(crate) fn start() -> Isl {
        Isl::start_with(&[])
    }

    /// Starts a server whose isl has barvinok, so that it can count.
    fn start_counting() -> Isl {
        Isl::start_with(&[("PYTHONPATH", testsuite().join(".venv/barvinok"))])
    }

    fn start_with(environment: &[(&str, PathBuf)]) -> Isl {
        let python = testsuite().join(".venv/bin/python");
        assert!(
            python.exists(),
            "isl is needed as an oracle and testsuite/.venv isn't there. Make it with: testsuite/scripts/python-env.sh"
        );
        let mut child = Command::new(&python)
            .arg(testsuite().join("oracle/isl_server.py"))
            .envs(environment.iter().map(|(k, v)| (k, v)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| {
                panic!(
                    "{} does not start ({e}); make it anew with testsuite/scripts/python-env.sh",
                    python.display()
                )
            });
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Isl { child, input, output }
    }

    /// Sends one request and returns the words of the answer.
    pub(crate) fn ask(&mut self, fields: &[&str]) -> (String, String) {
        writeln!(self.input, "{}", fields.join("\t")).expect("isl's server has ended");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("isl's server answers");
        assert!(!line.is_empty(), "isl's server ended at the request {fields:?}");
        let (word, rest) = line.trim_end().split_once('\t').unwrap_or((line.trim_end(), ""));
        (word.to_string(), rest.to_string())
    }

    /// What isl prints for an object.
    pub(crate) fn print(&mut self, kind: &str, text: &str) -> String {
        self.ask(&["print", kind, text]).1
    }

    /// Compares one case; the complaint, if there is one.
    pub(crate) fn check(&mut self, operation: &str, case: &Case) -> Verdict {
        let result = match &case.result {
            Ok(text) => text.clone(),
            Err(tilia_presburger::Error::OutOfBudget) => return Verdict::Declined,
            Err(e) => format!("!{e}"),
        };
        let mut fields = vec![operation];
        fields.extend(case.args.iter().map(String::as_str));
        fields.push(&result);
        let (word, rest) = self.ask(&fields);
        match word.as_str() {
            "ok" => Verdict::Agrees,
            "skip" => Verdict::Skipped,
            _ => Verdict::Differs(format!("{operation}\n  {}\n  ours: {result}\n  {rest}", case.args.join("\n  "))),
        }
    }
}

impl Drop for Isl {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The outcome of one comparison.
pub(crate) enum Verdict {
    /// Equal results.
    Agrees,
    /// isl reached its limit.
    Skipped,
    /// Ours reached its budget.
    Declined,
    /// Different results.
    Differs(String),
}

/// What a share of the operations came to.
#[derive(Default)]
struct Tally {
    /// By operation: agreements, those beyond isl's limit, those beyond ours.
    counts: BTreeMap<&'static str, [usize; 3]>,
    complaints: Vec<(usize, String)>,
}

/// Runs the operations whose number is `share` modulo `shares`.
fn compare(seed: u64, n: usize, share: usize, shares: usize) -> Tally {
    // With TILIA_ISL_TIMES, microseconds of ours and of isl's side (its reading and comparing included) for each operation.
    let times = std::env::var_os("TILIA_ISL_TIMES").is_some();
    let most = operations("TILIA_ISL_MAX", 10);
    let mut isl = Isl::start();
    let mut counting = Isl::start_counting();
    let mut tally = Tally::default();
    for i in (share..n).step_by(shares) {
        let mut rng = Rng::new(seed.wrapping_add(i as u64));
        let (name, make) = OPERATIONS[i / shares % OPERATIONS.len()];
        let start = std::time::Instant::now();
        let case = make(&mut rng);
        let ours = start.elapsed();
        let oracle = if name.ends_with(".card") { &mut counting } else { &mut isl };
        let verdict = oracle.check(name, &case);
        if times {
            eprintln!("T {name} {} {} #{i}", ours.as_micros(), (start.elapsed() - ours).as_micros());
        }
        let count = tally.counts.entry(name).or_default();
        match verdict {
            Verdict::Agrees => count[0] += 1,
            Verdict::Skipped => count[1] += 1,
            Verdict::Declined => count[2] += 1,
            Verdict::Differs(text) => {
                tally.complaints.push((i, text));
                if tally.complaints.len() >= most {
                    break;
                }
            }
        }
    }
    tally
}

#[test]
fn random_operations_agree_with_isl() {
    let n = operations("TILIA_ISL_OPS", 51_000);
    let seed = seed();
    let shares = 2;
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..shares)
            .map(|share| scope.spawn(move || compare(seed, n, share, shares)))
            .collect();
        running.into_iter().map(|t| t.join().unwrap()).collect()
    });
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut complaints = Vec::new();
    for tally in tallies {
        complaints.extend(tally.complaints);
        for (name, c) in tally.counts {
            let sum = counts.entry(name).or_default();
            (0..3).for_each(|k| sum[k] += c[k]);
        }
    }
    complaints.sort();
    let total = |k: usize| counts.values().map(|c| c[k]).sum::<usize>();
    eprintln!("{} agree, {} beyond isl's limit, {} out of budget", total(0), total(1), total(2));
    for (name, c) in counts.iter().filter(|(_, c)| c[1] + c[2] > 0) {
        eprintln!("  {name}: {} of isl, {} of ours beyond the limit", c[1], c[2]);
    }
    let texts: Vec<String> = complaints.iter().map(|(i, text)| format!("#{i}: {text}")).collect();
    assert!(texts.is_empty(), "{} disagreements\n{}", texts.len(), texts.join("\n"));
    assert!(total(0) * 100 >= n * 98, "too few operations were compared");
}
