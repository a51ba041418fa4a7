//! What is known of a machine.

use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// One level of cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Bytes.
    pub bytes: u64,
    /// Bytes of a line.
    pub line: u64,
    /// How many cores share it.
    pub shared_by: u32,
    /// Bytes that one core gets from the level beyond in a cycle, streaming.
    pub fill: u32,
}

impl Cache {
    /// Bytes that one core may count on.
    #[must_use]
    pub fn share(&self) -> u64 {
        self.bytes / u64::from(self.shared_by.max(1))
    }
}

/// A machine: what the model takes from it. All numbers are of one core unless said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Cores that this process may use.
    pub cores: u32,
    /// Bits of the widest vector register that arithmetic runs on at full rate.
    pub vector_bits: u32,
    /// Vector registers that code can name.
    pub vector_registers: u32,
    /// Floating-point operations in flight that keep the units busy: latency times units.
    pub chains: u32,
    /// Data caches, the innermost first; at least one.
    pub caches: Vec<Cache>,
}

/// Why a machine description can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// Not TOML, or not of this form.
    #[error("{0}")]
    Parse(String),
    /// A number that no machine has.
    #[error("{key} must be between {low} and {high} (got {got})")]
    Range {
        /// The key.
        key: &'static str,
        /// Least value.
        low: u64,
        /// Greatest value.
        high: u64,
        /// What was given.
        got: u64,
    },
    /// No caches.
    #[error("caches must name at least one cache")]
    NoCache,
}

impl Default for Machine {
    /// A small machine of the kind that everybody has: 2 cores, 128-bit vectors, 32 KiB and 512 KiB of cache.
    fn default() -> Self {
        Self {
            cores: 2,
            vector_bits: 128,
            vector_registers: 16,
            chains: 8,
            caches: vec![
                Cache {
                    bytes: 32 << 10,
                    line: 64,
                    shared_by: 1,
                    fill: FILL[0],
                },
                Cache {
                    bytes: 512 << 10,
                    line: 64,
                    shared_by: 1,
                    fill: FILL_FROM_MEMORY,
                },
            ],
        }
    }
}

impl Machine {
    /// The machine that this process runs on. What can't be found out is as in [`Machine::default`].
    #[must_use]
    pub fn detect() -> Machine {
        let default = Machine::default();
        let caches = caches_of(Path::new("/sys/devices/system/cpu/cpu0/cache"));
        let (vector_bits, vector_registers) = vectors();
        Machine {
            cores: std::thread::available_parallelism().map_or(default.cores, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
            vector_bits,
            vector_registers,
            chains: default.chains,
            caches: if caches.is_empty() { default.caches } else { caches },
        }
    }

    /// The machine as a back end sees it that uses vectors of at most `bits` and names `registers` of them.
    #[must_use]
    pub fn limited_to(&self, bits: u32, registers: u32) -> Machine {
        Machine {
            vector_bits: self.vector_bits.min(bits),
            vector_registers: self.vector_registers.min(registers),
            ..self.clone()
        }
    }

    /// Reads a description as [`Machine::to_toml`] writes it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_toml(text: &str) -> Result<Machine, MachineError> {
        let machine: Machine = toml::from_str(text).map_err(|e| MachineError::Parse(e.to_string()))?;
        machine.check()?;
        Ok(machine)
    }

    /// The description as text.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("numbers and a list of tables are TOML")
    }

    fn check(&self) -> Result<(), MachineError> {
        let range = |key, got: u64, low, high| {
            if (low..=high).contains(&got) {
                Ok(())
            } else {
                Err(MachineError::Range { key, low, high, got })
            }
        };
        range("cores", self.cores.into(), 1, 1 << 16)?;
        range("vector_bits", self.vector_bits.into(), 64, 4096)?;
        range("vector_registers", self.vector_registers.into(), 1, 1024)?;
        range("chains", self.chains.into(), 1, 1024)?;
        if self.caches.is_empty() {
            return Err(MachineError::NoCache);
        }
        for cache in &self.caches {
            range("caches.bytes", cache.bytes, 1 << 10, 1 << 40)?;
            range("caches.line", cache.line, 8, 4096)?;
            range("caches.shared_by", cache.shared_by.into(), 1, 1 << 16)?;
            range("caches.fill", cache.fill.into(), 1, 1 << 16)?;
        }
        Ok(())
    }
}

/// Bytes a cycle from the second level into the first, and from the third into the second, typical of processors of today.
const FILL: [u32; 2] = [32, 12];

/// Bytes a cycle and core from memory.
const FILL_FROM_MEMORY: u32 = 4;

/// Data caches as Linux lists them.
fn caches_of(folder: &Path) -> Vec<Cache> {
    let mut found: Vec<(u32, Cache)> = Vec::new();
    for n in 0..16 {
        let at = folder.join(format!("index{n}"));
        let read = |name: &str| fs::read_to_string(at.join(name)).ok().map(|s| s.trim().to_owned());
        let Some(kind) = read("type") else { break };
        if kind == "Instruction" {
            continue;
        }
        let cache = (|| {
            let level: u32 = read("level")?.parse().ok()?;
            let bytes = kibibytes(&read("size")?)?;
            let line: u64 = read("coherency_line_size")?.parse().ok()?;
            let shared_by = read("shared_cpu_list").map_or(1, |list| listed(&list));
            let cache = Cache {
                bytes,
                line,
                shared_by,
                fill: FILL_FROM_MEMORY,
            };
            Some((level, cache))
        })();
        found.extend(cache.filter(|(_, c)| c.bytes >= 1 << 10 && c.line >= 8));
    }
    found.sort_by_key(|(level, _)| *level);
    let mut caches: Vec<Cache> = found.into_iter().map(|(_, c)| c).collect();
    let inner = caches.len().saturating_sub(1);
    for (cache, fill) in caches[..inner].iter_mut().zip(FILL) {
        cache.fill = fill;
    }
    caches
}

/// "1024K" or "32M" in bytes.
fn kibibytes(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let scale = match unit {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(scale)
}

/// How many CPUs a list as "0-3,8" names.
fn listed(list: &str) -> u32 {
    let count = |part: &str| match part.split_once('-') {
        Some((a, b)) => match (a.parse::<u32>(), b.parse::<u32>()) {
            (Ok(a), Ok(b)) if b >= a => b - a + 1,
            _ => 1,
        },
        None => 1,
    };
    list.split(',').map(count).sum::<u32>().max(1)
}

#[cfg(target_arch = "x86_64")]
fn vectors() -> (u32, u32) {
    if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vl") {
        (512, 32)
    } else if std::arch::is_x86_feature_detected!("avx2") {
        (256, 16)
    } else {
        (128, 16)
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn vectors() -> (u32, u32) {
    (128, 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_both_ways() {
        let m = Machine::default();
        assert_eq!(Machine::from_toml(&m.to_toml()), Ok(m));
    }

    #[test]
    fn impossible_machines_are_refused() {
        let text = Machine::default().to_toml().replace("vector_bits = 128", "vector_bits = 3");
        assert_eq!(
            Machine::from_toml(&text),
            Err(MachineError::Range {
                key: "vector_bits",
                low: 64,
                high: 4096,
                got: 3
            })
        );
        assert!(
            Machine::from_toml("cores = 1\nspeed = 2")
                .unwrap_err()
                .to_string()
                .contains("speed")
        );
        let none = "cores = 1\nvector_bits = 128\nvector_registers = 16\nchains = 8\ncaches = []";
        assert_eq!(Machine::from_toml(none), Err(MachineError::NoCache));
    }

    #[test]
    fn sizes_and_lists() {
        assert_eq!(kibibytes("1024K"), Some(1 << 20));
        assert_eq!(kibibytes("32M"), Some(32 << 20));
        assert_eq!(kibibytes("big"), None);
        assert_eq!(kibibytes("99999999999999999999K"), None);
        assert_eq!(listed("0-3,8"), 5);
        assert_eq!(listed(""), 1);
    }

    #[test]
    fn this_machine_is_possible() {
        Machine::detect().check().unwrap();
    }
}
