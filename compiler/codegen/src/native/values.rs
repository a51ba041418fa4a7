//! Host values as the words that compiled code takes and gives.

use crate::analysis::VectorWords;
use tilia_abi::{MemRefValue, Value};
use tilia_program::{MemRefType, ScalarType, Type};

/// Arguments as compiled code takes them.
#[derive(Default)]
pub(super) struct Words {
    pub(super) words: Vec<u64>,
    /// Descriptors of memrefs of unknown rank.
    descriptors: Vec<Box<[i64]>>,
}

impl Words {
    pub(super) fn push(&mut self, arg: &Value, ty: &Type) -> Result<(), String> {
        match (arg, ty) {
            (Value::Int(v), Type::Scalar(s)) => self.words.push(masked(v.cast_unsigned(), *s)),
            (Value::Float(bits), Type::Scalar(s)) => self.words.push(masked(*bits, *s)),
            (Value::Vector(lanes), Type::Vector(v)) => self.push_vector(lanes, v)?,
            (Value::MemRef(m), Type::MemRef(_)) => self.words.extend(tilia_abi::to_words(m).iter().map(|w| w.cast_unsigned())),
            (Value::MemRef(m), Type::UnrankedMemRef(_)) => {
                let words = tilia_abi::to_words(m).into_boxed_slice();
                self.words.extend([m.sizes.len() as u64, words.as_ptr() as u64]);
                self.descriptors.push(words);
            }
            _ => return Err("it doesn't fit the parameter".to_owned()),
        }
        Ok(())
    }

    /// Chunk by chunk, each part in words of its own.
    fn push_vector(&mut self, lanes: &[u64], ty: &tilia_program::VectorType) -> Result<(), String> {
        let layout = VectorWords::of(ty).ok_or_else(|| format!("{ty} has too many elements"))?;
        let width = usize::try_from(ty.elem.bytes()).unwrap_or(8);
        let mut bytes = vec![0u8; layout.words * 8];
        for (&lane, &at) in lanes.iter().zip(&layout.offsets) {
            bytes[at..at + width].copy_from_slice(&masked(lane, ty.elem).to_le_bytes()[..width]);
        }
        let (words, _) = bytes.as_chunks::<8>();
        self.words.extend(words.iter().map(|w| u64::from_le_bytes(*w)));
        Ok(())
    }
}

/// The low bits that a type has.
fn masked(bits: u64, ty: ScalarType) -> u64 {
    bits & (u64::MAX >> (64 - u32::from(ty.bits().clamp(1, 64))))
}

/// The host value of a number's bits.
fn number(bits: u64, ty: ScalarType) -> Value {
    if ty.is_float() {
        return Value::Float(masked(bits, ty));
    }
    let spare = 64 - u32::from(ty.bits());
    Value::Int((bits << spare).cast_signed() >> spare)
}

/// A result.
///
/// # Safety
/// The words are what a compiled function returned for that type; memory that they point to is alive.
pub(super) unsafe fn read_value(words: &[u64], ty: &Type) -> Option<Value> {
    match ty {
        Type::Scalar(s) => Some(number(*words.first()?, *s)),
        Type::Vector(v) => {
            let layout = VectorWords::of(v)?;
            let width = usize::try_from(v.elem.bytes()).ok()?;
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let lane = |&at: &usize| {
                let mut full = [0; 8];
                full[..width].copy_from_slice(bytes.get(at..at + width)?);
                Some(masked(u64::from_le_bytes(full), v.elem))
            };
            let lanes = layout.offsets.iter().map(lane).collect::<Option<Vec<_>>>()?;
            Some(Value::Vector(lanes))
        }
        // SAFETY: handed on.
        Type::MemRef(m) => unsafe { copy_out(words, m) }.map(Value::MemRef),
        Type::UnrankedMemRef(elem) => {
            let rank = usize::try_from(*words.first()?).ok()?;
            let words: Vec<u64> = (0..3 + 2 * rank)
                // SAFETY: the second word is the address of a descriptor of that rank.
                .map(|n| unsafe { (*words.get(1).unwrap_or(&0) as *const u64).add(n).read() })
                .collect();
            let ty = MemRefType {
                elem: *elem,
                shape: vec![None; rank],
                layout: tilia_program::Layout::Identity,
            };
            // SAFETY: handed on.
            unsafe { copy_out(&words, &ty) }.map(Value::MemRef)
        }
        Type::Opaque(_) => None,
    }
}

/// A contiguous copy of an array.
///
/// # Safety
/// As for [`read_value`].
unsafe fn copy_out(words: &[u64], ty: &MemRefType) -> Option<MemRefValue> {
    let rank = ty.rank();
    let signed: Vec<i64> = words.iter().map(|w| w.cast_signed()).collect();
    let (sizes, strides) = (signed.get(3..3 + rank)?, signed.get(3 + rank..3 + 2 * rank)?);
    let copy = MemRefValue::zeroed(ty.elem, sizes)?;
    let count = usize::try_from(copy.count()?).ok()?;
    let width = usize::try_from(ty.elem.bytes()).ok()?;
    let mut at = vec![0i64; rank];
    let mut bytes = [0u8; 8];
    for n in 0..count {
        let element = at
            .iter()
            .zip(strides)
            .fold(signed[2], |sum, (&i, &s)| sum.wrapping_add(i.wrapping_mul(s)));
        let address = (words[1] as usize).wrapping_add((element as usize).wrapping_mul(width));
        // SAFETY: an element of the array, which is alive.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), width.min(8)) };
        copy.buffer.write(n * width, &bytes[..width.min(8)]);
        for (i, &d) in at.iter_mut().zip(sizes).rev() {
            *i += 1;
            if *i < d {
                break;
            }
            *i = 0;
        }
    }
    Some(copy)
}
