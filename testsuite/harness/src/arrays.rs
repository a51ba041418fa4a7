//! Arrays of `.npz` files and their comparison, bit for bit.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use npyz::{NpyHeader, Order};
use zip::ZipArchive;

/// One array: element type in numpy's notation, shape, and its little-endian elements in row-major order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// `f8`, `f4`, `i8` (64 bits), `i4`, `i2`, `i1`, `u1`, `b1`.
    pub dtype: String,
    /// Extents.
    pub shape: Vec<u64>,
    /// The elements.
    pub bytes: Vec<u8>,
}

/// The arrays of a file by name.
pub type Arrays = BTreeMap<String, Array>;

/// Reads all arrays of an `.npz` file.
pub fn read_npz(path: &Path) -> Result<Arrays> {
    let file = File::open(path).with_context(|| format!("can't open {}", path.display()))?;
    let mut archive = ZipArchive::new(BufReader::new(file)).with_context(|| format!("{} isn't an .npz file", path.display()))?;
    let mut arrays = Arrays::new();
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number)?;
        let name = entry.name()?.trim_end_matches(".npy").to_owned();
        let header = NpyHeader::from_reader(&mut entry)?;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        let array = Array::new(&header, bytes).with_context(|| format!("array {name} of {}", path.display()))?;
        arrays.insert(name, array);
    }
    Ok(arrays)
}

impl Array {
    fn new(header: &NpyHeader, bytes: Vec<u8>) -> Result<Array> {
        let descr = header.dtype().descr();
        let name = descr.trim_matches('\'');
        if name.starts_with('>') || (header.order() == Order::Fortran && header.shape().len() > 1) {
            bail!(
                "{name} in {:?} order: only little-endian row-major arrays are expected",
                header.order()
            );
        }
        let array = Array {
            dtype: name.trim_start_matches(['<', '|', '=']).to_owned(),
            shape: header.shape().to_vec(),
            bytes,
        };
        let count = usize::try_from(array.shape.iter().product::<u64>())?;
        if array.bytes.len() != count * array.width() {
            bail!("{} bytes for {count} elements of {}", array.bytes.len(), array.dtype);
        }
        Ok(array)
    }

    /// Bytes an element.
    pub fn width(&self) -> usize {
        self.dtype[1..].parse().unwrap_or(1)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The elements as f64 (64-bit integers beyond 2^53 are rounded).
    pub fn to_f64(&self) -> Vec<f64> {
        self.bytes
            .chunks_exact(self.width())
            .map(|element| as_f64(&self.dtype, element))
            .collect()
    }

    /// The elements as integers, where the type is an integer type.
    pub fn to_i64(&self) -> Option<Vec<i64>> {
        let is_float = self.dtype.starts_with('f');
        (!is_float).then(|| {
            self.bytes
                .chunks_exact(self.width())
                .map(|element| as_i64(&self.dtype, element))
                .collect()
        })
    }

    /// FNV-1a, 64 bits, over the bytes.
    pub fn hash(&self) -> u64 {
        self.bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }

    /// The contents that `--arg` gives by default: argument number n (counted from 1), element k, holds (k mod 11) + n.
    pub fn is_ramp(&self, number: usize) -> bool {
        let truth = self.dtype == "b1";
        let fill = |k: usize| if truth { 1.0 } else { (k % 11 + number) as f64 };
        self.to_f64().iter().enumerate().all(|(k, &x)| x == fill(k))
    }

    /// Compares with a reference, bit for bit; NaNs are equal to each other. With a tolerance above 0, numbers may differ by
    /// that part of the largest number of the reference.
    pub fn compare(&self, reference: &Array, tolerance: f64) -> Result<(), String> {
        if self.dtype != reference.dtype || self.shape != reference.shape {
            return Err(format!(
                "is {}{:?}, should be {}{:?}",
                self.dtype, self.shape, reference.dtype, reference.shape
            ));
        }
        let (got, want) = (self.to_f64(), reference.to_f64());
        let largest = want
            .iter()
            .filter(|x| x.is_finite())
            .fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let width = self.width();
        let same = |k: usize| {
            let bits = k * width..(k + 1) * width;
            let near = tolerance > 0.0 && (got[k] - want[k]).abs() <= tolerance * largest;
            self.bytes[bits.clone()] == reference.bytes[bits] || (got[k].is_nan() && want[k].is_nan()) || near
        };
        let bad: Vec<usize> = (0..self.len()).filter(|&k| !same(k)).collect();
        let Some(&first) = bad.first() else { return Ok(()) };
        Err(format!(
            "{} of {} elements differ, first at {first}: {:?}, should be {:?}",
            bad.len(),
            self.len(),
            got[first],
            want[first]
        ))
    }
}

fn as_f64(dtype: &str, element: &[u8]) -> f64 {
    match (dtype, element) {
        ("f8", &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        ("f4", &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        _ => as_i64(dtype, element) as f64,
    }
}

fn as_i64(dtype: &str, element: &[u8]) -> i64 {
    let sign = dtype.starts_with('i') && element.last().is_some_and(|&byte| byte >= 0x80);
    let mut wide = [if sign { 0xff } else { 0 }; 8];
    wide[..element.len()].copy_from_slice(element);
    i64::from_le_bytes(wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f64]) -> Array {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        Array {
            dtype: "f8".to_owned(),
            shape: vec![values.len() as u64],
            bytes,
        }
    }

    #[test]
    fn comparison_is_by_bits() {
        let one = floats(&[1.0, f64::NAN, 0.0]);
        assert!(one.compare(&floats(&[1.0, -f64::NAN, 0.0]), 0.0).is_ok());
        assert!(one.compare(&floats(&[1.0, f64::NAN, -0.0]), 0.0).is_err());
        assert!(one.compare(&floats(&[1.0 + f64::EPSILON, f64::NAN, 0.0]), 0.0).is_err());
        assert!(one.compare(&floats(&[1.0 + f64::EPSILON, f64::NAN, 0.0]), 1e-15).is_ok());
        assert!(one.compare(&floats(&[1.0 + f64::EPSILON, 0.0, 0.0]), 1e-15).is_err());
        assert!(one.compare(&floats(&[1.0]), 0.0).is_err());
    }

    #[test]
    fn integers_are_sign_extended() {
        let bytes = [-5_i16, 300].iter().flat_map(|x| x.to_le_bytes()).collect();
        let array = Array {
            dtype: "i2".to_owned(),
            shape: vec![2],
            bytes,
        };
        assert_eq!(array.to_i64(), Some(vec![-5, 300]));
        assert_eq!(array.to_f64(), vec![-5.0, 300.0]);
    }

    #[test]
    fn the_ramp_starts_at_the_argument_number() {
        let values: Vec<f64> = (0..30).map(|k| f64::from(k % 11 + 3)).collect();
        assert!(floats(&values).is_ramp(3));
        assert!(!floats(&values).is_ramp(2));
    }

    #[test]
    fn reference_files_can_be_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../oracle/polybench");
        let arrays = read_npz(&folder.join("nussinov.MINI.npz")).unwrap();
        let table = &arrays["table"];
        assert_eq!(
            (table.dtype.as_str(), table.shape.as_slice(), table.len()),
            ("i4", [60, 60].as_slice(), 3600)
        );
    }
}
