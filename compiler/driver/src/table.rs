//! Measurements of a suite as a table in Markdown.

use crate::report::BenchReport;
use crate::suite::Suite;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The compilers that any of the reports was compared with: those with `restrict` after the others.
#[must_use]
pub fn rivals(reports: &[BenchReport]) -> Vec<String> {
    let all: BTreeSet<(bool, &String)> = reports
        .iter()
        .flat_map(|r| r.vs.keys())
        .map(|k| (k.ends_with(crate::versus::RESTRICT), k))
        .collect();
    all.into_iter().map(|(_, k)| k.clone()).collect()
}

/// The geometric mean of the ratios to a compiler over the kernels of the suite that aren't variants of others; `None` when there are none.
#[must_use]
pub fn geometric_mean(suite: &Suite, reports: &[BenchReport], rival: &str) -> Option<(f64, usize)> {
    let counts = |r: &&BenchReport| !is_variant(suite, &r.kernel);
    let logs: Vec<f64> = reports
        .iter()
        .filter(counts)
        .filter_map(|r| r.vs.get(rival))
        .filter(|q| q.is_finite() && **q > 0.0)
        .map(|q| q.ln())
        .collect();
    (!logs.is_empty()).then(|| ((logs.iter().sum::<f64>() / logs.len() as f64).exp(), logs.len()))
}

/// Whether a kernel is a variant of another one of the suite.
pub(crate) fn is_variant(suite: &Suite, kernel: &str) -> bool {
    suite.kernels.iter().any(|k| k.name == kernel && k.variant_of.is_some())
}

/// Milliseconds in three digits or so.
fn milliseconds(ms: f64) -> String {
    match ms {
        x if x >= 100.0 => format!("{x:.0}"),
        x if x >= 10.0 => format!("{x:.1}"),
        x if x >= 1.0 => format!("{x:.2}"),
        x => format!("{x:.3}"),
    }
}

/// One row a kernel: times, rate, loops that ran in parallel, and the ratio to each compiler, marked where its time isn't to be trusted; then the means; then what is suspect.
#[must_use]
pub fn markdown(suite: &Suite, reports: &[BenchReport]) -> String {
    let rivals = rivals(reports);
    let sizes: BTreeSet<&str> = reports.iter().map(|r| r.size.as_str()).collect();
    let sized = sizes.len() > 1;
    // A variant of what was measured too is compared with it.
    let original = |r: &BenchReport| {
        let of = suite.kernels.iter().find(|k| k.name == r.kernel)?.variant_of.as_ref()?;
        reports.iter().find(|o| &o.kernel == of && o.size == r.size)
    };
    let varied = reports.iter().any(|r| original(r).is_some());
    let mut out = String::from("| kernel |");
    if sized {
        out.push_str(" size |");
    }
    out.push_str(" back end | compile ms | run ms | Gop/s | parallel |");
    for r in &rivals {
        let _ = write!(out, " x {r} |");
    }
    if varied {
        out.push_str(" x original |");
    }
    let columns = out.matches('|').count() - 1;
    let _ = writeln!(out, "\n|{}", "---|".repeat(columns));
    for r in reports {
        let _ = write!(out, "| {} |", r.kernel);
        if sized {
            let _ = write!(out, " {} |", r.size);
        }
        let _ = write!(
            out,
            " {} | {:.0} | {} | {:.2} | {} |",
            r.run.backend,
            r.run.compile_ms.total,
            milliseconds(r.run.run_ms.min),
            r.gflops,
            r.run.executed.parallel
        );
        for rival in &rivals {
            let doubt = r.vs_suspect.iter().any(|s| s.split(':').next() == Some(rival));
            match r.vs.get(rival) {
                Some(q) => {
                    let _ = write!(out, " {q:.2}{} |", if doubt { " (?)" } else { "" });
                }
                None => out.push_str(" - |"),
            }
        }
        if varied {
            match original(r) {
                Some(o) => {
                    let _ = write!(out, " {:.2} |", o.run.run_ms.min / r.run.run_ms.min);
                }
                None => out.push_str(" |"),
            }
        }
        out.push('\n');
    }
    let means: Vec<String> = rivals
        .iter()
        .filter_map(|r| geometric_mean(suite, reports, r).map(|(mean, n)| format!("{mean:.2} times {r} ({n} kernels)")))
        .collect();
    if !means.is_empty() {
        let _ = writeln!(out, "\nGeometric means: {}.", means.join(", "));
    }
    let doubts: Vec<String> = reports
        .iter()
        .flat_map(|r| r.vs_suspect.iter().map(move |s| format!("- {} {}: {s}", r.kernel, r.size)))
        .collect();
    if !doubts.is_empty() {
        let _ = writeln!(out, "\nNot to be trusted (?):\n\n{}", doubts.join("\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite() -> Suite {
        let kernel = |name: &str, more: &str| {
            format!(
                "[[kernel]]\nname = \"{name}\"\n{more}\nfile = \"x\"\nentry = \"k\"\nargs = []\noutputs = []\nflops = \"1\"\nsizes = {{}}\n"
            )
        };
        let text = format!(
            "suite = \"s\"\n{}{}{}",
            kernel("a", ""),
            kernel("b", ""),
            kernel("a-float", "variant_of = \"a\"")
        );
        toml::from_str(&text).unwrap()
    }

    fn report(kernel: &str, run: f64, ratio: f64) -> BenchReport {
        let mut report = BenchReport {
            kernel: kernel.to_owned(),
            size: "LARGE".to_owned(),
            vs: [("clang".to_owned(), ratio), ("clang+restrict".to_owned(), 1.0)].into(),
            ..BenchReport::default()
        };
        report.run.run_ms.min = run;
        report
    }

    #[test]
    fn variants_stand_beside_their_originals_and_not_in_means() {
        let reports = [report("a", 6.0, 2.0), report("b", 1.0, 8.0), report("a-float", 3.0, 100.0)];
        let text = markdown(&suite(), &reports);
        assert!(
            text.starts_with("| kernel | back end | compile ms | run ms | Gop/s | parallel | x clang | x clang+restrict | x original |\n")
        );
        assert!(
            text.contains("| a-float |  | 0 | 3.00 | 0.00 | 0 | 100.00 | 1.00 | 2.00 |"),
            "{text}"
        );
        assert!(
            text.contains("Geometric means: 4.00 times clang (2 kernels), 1.00 times clang+restrict (2 kernels)."),
            "{text}"
        );
    }
}
