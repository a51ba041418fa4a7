//! What other compilers are known to take, and which measurements are far from it.

use crate::report::BenchReport;
use crate::suite::Suite;
use std::collections::BTreeMap;

/// Seconds by compiler, size and kernel.
#[derive(Debug, Clone, PartialEq, Default, serde::Deserialize)]
#[serde(transparent)]
pub struct Reference {
    seconds: BTreeMap<String, BTreeMap<String, BTreeMap<String, f64>>>,
}

/// A measured time over the expected one, scaled, that is told.
const FAR: f64 = 0.2;

/// Kernels without which the median says nothing of the machine.
const LEAST: usize = 5;

impl Reference {
    /// The file that the suite names; an empty reference when it names none.
    ///
    /// # Errors
    /// A file that can't be read or isn't of this form.
    pub fn of(suite: &Suite) -> Result<Self, String> {
        let Some(file) = &suite.reference else { return Ok(Self::default()) };
        let path = suite.folder.join(file);
        let fail = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|e| fail(&e))?;
        toml::from_str(&text).map_err(|e| fail(&e))
    }

    /// Whether anything is known of one of the compilers.
    #[must_use]
    pub fn knows(&self, compilers: &[String]) -> bool {
        compilers.iter().any(|c| self.seconds.contains_key(c))
    }

    /// Adds to `vs_suspect` of each report the compilers whose own time is far from the expected one, scaled by one factor for the machine: the median over the reports. With a handful of reports
    /// nothing is said.
    pub fn judge(&self, reports: &mut [BenchReport]) {
        for (compiler, sizes) in &self.seconds {
            let expected = |r: &BenchReport| sizes.get(&r.size)?.get(&r.kernel).map(|s| s * 1e3);
            let ratio = |r: &BenchReport| Some(r.vs_ms.get(compiler)? / expected(r)?);
            let mut ratios: Vec<f64> = reports.iter().filter_map(ratio).filter(|q| q.is_finite() && *q > 0.0).collect();
            if ratios.len() < LEAST {
                continue;
            }
            ratios.sort_by(f64::total_cmp);
            let factor = ratios[ratios.len() / 2];
            let count = ratios.len();
            for report in reports.iter_mut() {
                let (Some(ms), Some(known)) = (report.vs_ms.get(compiler).copied(), expected(report)) else {
                    continue;
                };
                let scaled = known * factor;
                if !((1.0 - FAR) * scaled..=(1.0 + FAR) * scaled).contains(&ms) {
                    report.vs_suspect.push(format!(
                        "{compiler}: took {ms:.3} ms where {scaled:.3} ms are expected: {known:.3} ms in the suite's reference, times {factor:.2}, the median over {count} kernels"
                    ));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(kernel: &str, ms: f64) -> BenchReport {
        BenchReport {
            kernel: kernel.to_owned(),
            size: "LARGE".to_owned(),
            vs_ms: BTreeMap::from([("clang".to_owned(), ms)]),
            ..BenchReport::default()
        }
    }

    fn reference() -> Reference {
        toml::from_str("[clang.LARGE]\na = 0.001\nb = 0.002\nc = 0.003\nd = 0.004\ne = 0.005").unwrap()
    }

    #[test]
    fn what_is_far_from_the_scaled_time_is_told_with_both_times() {
        // Twice as slow a machine, and one kernel four times as slow.
        let mut reports: Vec<BenchReport> = [("a", 2.0), ("b", 4.0), ("c", 12.0), ("d", 8.1), ("e", 9.9)]
            .into_iter()
            .map(|(k, ms)| report(k, ms))
            .collect();
        reference().judge(&mut reports);
        let told: Vec<&BenchReport> = reports.iter().filter(|r| !r.vs_suspect.is_empty()).collect();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].kernel, "c");
        assert!(
            told[0].vs_suspect[0].contains("12.000 ms") && told[0].vs_suspect[0].contains("6.0"),
            "{:?}",
            told[0].vs_suspect
        );
    }

    #[test]
    fn few_kernels_say_nothing_of_the_machine() {
        let mut reports = vec![report("a", 1.0), report("b", 20.0)];
        reference().judge(&mut reports);
        assert!(reports.iter().all(|r| r.vs_suspect.is_empty()));
    }
}
