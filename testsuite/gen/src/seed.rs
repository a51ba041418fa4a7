//! From seeds to choices.

use arbitrary::{Result, Unstructured};

/// `len` bytes that follow from `seed` (SplitMix64), to make an [`Unstructured`] of.
#[must_use]
pub fn bytes_from_seed(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bytes.extend((z ^ (z >> 31)).to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// True `percent` times in a hundred; false when the bytes are used up.
///
/// # Errors
/// None in practice; the type is that of `arbitrary`.
pub fn chance(u: &mut Unstructured<'_>, percent: u8) -> Result<bool> {
    if u.is_empty() {
        return Ok(false);
    }
    Ok(u.int_in_range(0..=99u8)? < percent)
}

/// One of `items`, by weight; the first when the bytes are used up.
///
/// # Errors
/// When there are no items.
pub fn pick<T: Clone>(u: &mut Unstructured<'_>, items: &[(u32, T)]) -> Result<T> {
    let total: u32 = items.iter().map(|i| i.0).sum();
    let mut at = u.int_in_range(0..=total.saturating_sub(1))?;
    for (weight, item) in items {
        if at < *weight {
            return Ok(item.clone());
        }
        at -= weight;
    }
    Err(arbitrary::Error::EmptyChoose)
}
