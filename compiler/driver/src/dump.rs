//! Arrays written as `.npz`, readable by NumPy.

use crate::arguments::dtype_name;
use half::{bf16, f16};
use npyz::WriterBuilder;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use tilia_abi::{MemRefValue, Value};
use tilia_program::ScalarType;

/// A named array: its element type, shape, and elements in row-major order as bits.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedArray {
    /// Name in the archive.
    pub name: String,
    /// Element type.
    pub elem: ScalarType,
    /// Extents.
    pub shape: Vec<u64>,
    /// One entry an element.
    pub bits: Vec<u64>,
}

impl NamedArray {
    /// The elements of a memref; `None` when a part of it lies outside its buffer.
    #[must_use]
    pub fn from_memref(name: impl Into<String>, m: &MemRefValue) -> Option<Self> {
        Some(Self {
            name: name.into(),
            elem: m.elem,
            shape: m.sizes.iter().map(|&d| u64::try_from(d).ok()).collect::<Option<_>>()?,
            bits: m.elements()?,
        })
    }

    /// A result value of type `ty`: numbers are arrays of rank 0.
    #[must_use]
    pub fn from_value(name: impl Into<String>, value: &Value, ty: &tilia_program::Type) -> Option<Self> {
        match value {
            Value::MemRef(m) => Self::from_memref(name, m),
            Value::Int(v) => Some(Self {
                name: name.into(),
                elem: ty.element()?,
                shape: vec![],
                bits: vec![u64::from_ne_bytes(v.to_ne_bytes())],
            }),
            Value::Float(bits) => Some(Self {
                name: name.into(),
                elem: ty.element()?,
                shape: vec![],
                bits: vec![*bits],
            }),
            Value::Vector(lanes) => Some(Self {
                name: name.into(),
                elem: ty.element()?,
                shape: vec![u64::try_from(lanes.len()).ok()?],
                bits: lanes.clone(),
            }),
        }
    }
}

/// Writes the arrays to `path`: first to a file beside it, then renamed, so that nothing half-written is ever found there.
///
/// # Errors
/// What the system says.
pub fn write_npz(path: &Path, arrays: &[NamedArray]) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let temporary = std::path::PathBuf::from(temporary);
    let written = (|| {
        let mut zip = zip::ZipWriter::new(BufWriter::new(File::create(&temporary)?));
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            .large_file(true);
        for array in arrays {
            zip.start_file(format!("{}.npy", array.name), options).map_err(io::Error::other)?;
            zip.write_all(&npy_bytes(array)?)?;
        }
        zip.finish().map_err(io::Error::other)?.flush()?;
        std::fs::rename(&temporary, path)
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn npy_bytes(array: &NamedArray) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let shape = &array.shape;
    let bits = array.bits.iter().copied();
    #[expect(clippy::cast_possible_truncation, reason = "elements are stored in the low bits")]
    match dtype_name(array.elem) {
        "float64" => put(&mut out, shape, bits.map(f64::from_bits))?,
        "float32" if array.elem == ScalarType::BF16 => put(&mut out, shape, bits.map(|b| bf16::from_bits(b as u16).to_f32()))?,
        "float32" => put(&mut out, shape, bits.map(|b| f32::from_bits(b as u32)))?,
        "float16" => put(&mut out, shape, bits.map(|b| f16::from_bits(b as u16)))?,
        "bool" => put(&mut out, shape, bits.map(|b| b & 1 != 0))?,
        "int64" => put(&mut out, shape, bits.map(|b| sign_extend(b, array.elem)))?,
        "int32" => put(&mut out, shape, bits.map(|b| sign_extend(b, array.elem) as i32))?,
        "int16" => put(&mut out, shape, bits.map(|b| sign_extend(b, array.elem) as i16))?,
        _ => put(&mut out, shape, bits.map(|b| sign_extend(b, array.elem) as i8))?,
    }
    Ok(out)
}

fn put<T: npyz::AutoSerialize>(out: &mut Vec<u8>, shape: &[u64], items: impl Iterator<Item = T>) -> io::Result<()> {
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(shape).writer(out).begin_nd()?;
    writer.extend(items)?;
    writer.finish()
}

fn sign_extend(bits: u64, elem: ScalarType) -> i64 {
    let shift = 64 - u32::from(elem.bits());
    i64::from_ne_bytes((bits << shift).to_ne_bytes()) >> shift
}

/// A checksum of arrays that doesn't depend on NaN payloads: FNV-1a over the names' order and the elements' bits.
#[must_use]
pub fn checksum(arrays: &[NamedArray]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for array in arrays {
        for &bits in &array.bits {
            for byte in canonical(bits, array.elem).to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    hash
}

/// The bits with every NaN made the same.
#[must_use]
pub(crate) fn canonical(bits: u64, elem: ScalarType) -> u64 {
    let nan = |exponent: u64, fraction: u64| bits & exponent == exponent && bits & fraction != 0;
    let (is_nan, quiet) = match elem {
        ScalarType::F64 => (nan(0x7ff0_0000_0000_0000, 0x000f_ffff_ffff_ffff), 0x7ff8_0000_0000_0000),
        ScalarType::F32 => (nan(0x7f80_0000, 0x007f_ffff), 0x7fc0_0000),
        ScalarType::F16 => (nan(0x7c00, 0x03ff), 0x7e00),
        ScalarType::BF16 => (nan(0x7f80, 0x007f), 0x7fc0),
        ScalarType::Int(_) | ScalarType::Index => (false, 0),
    };
    if is_nan { quiet } else { bits }
}
