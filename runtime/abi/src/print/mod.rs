//! Memrefs as text, byte for byte as MLIR's runner utilities write them (`mlir/ExecutionEngine/RunnerUtils.h`).

mod number;

pub use number::general;

use crate::FloatFormat;
use tilia_program::ScalarType;

/// A memref to be written.
pub struct Shown<'a> {
    /// Address of element number 0, shown in the head.
    pub address: usize,
    /// Element type.
    pub elem: ScalarType,
    /// Element number of the first element.
    pub offset: i64,
    /// Extents.
    pub sizes: &'a [i64],
    /// Distance of neighbours, in elements.
    pub strides: &'a [i64],
    /// The bits of the element of a number; `None` for what can't be read, shown as `?`.
    pub element: &'a dyn Fn(i64) -> Option<u64>,
}

impl Shown<'_> {
    /// `base@ = .. rank = .. offset = .. sizes = [..] strides = [..]`.
    #[must_use]
    pub fn head(&self) -> String {
        let list = |v: &[i64]| v.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        // As C++ streams show it: no prefix for zero.
        let address = if self.address == 0 {
            "0".to_owned()
        } else {
            format!("{:#x}", self.address)
        };
        format!(
            "base@ = {address} rank = {} offset = {} sizes = [{}] strides = [{}]",
            self.sizes.len(),
            self.offset,
            list(self.sizes),
            list(self.strides)
        )
    }

    /// Head and elements, ended by a line break.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        let mut out = self.head().into_bytes();
        out.extend_from_slice(b" data = \n");
        self.data(&mut out);
        out.push(b'\n');
        out
    }

    /// The elements. Without any (an extent of zero), where MLIR reads beyond the buffer, only brackets are shown.
    fn data(&self, out: &mut Vec<u8>) {
        let rank = self.sizes.len();
        let brackets = rank.max(1);
        out.extend(std::iter::repeat_n(b'[', brackets));
        if self.sizes.iter().any(|&d| d <= 0) {
            out.extend(std::iter::repeat_n(b']', brackets));
            return;
        }
        let mut at = vec![0i64; rank];
        loop {
            self.push_element(&at, out);
            // The dimensions that end here, innermost first.
            let mut level = rank;
            while level > 0 {
                at[level - 1] += 1;
                if at[level - 1] < self.sizes[level - 1] {
                    break;
                }
                at[level - 1] = 0;
                level -= 1;
            }
            let ended = if level == 0 { brackets } else { rank - level };
            out.extend(std::iter::repeat_n(b']', ended));
            if level == 0 {
                return;
            }
            out.extend_from_slice(b", ");
            if level < rank {
                out.push(b'\n');
            }
            out.extend(std::iter::repeat_n(b' ', level));
            out.extend(std::iter::repeat_n(b'[', rank - level));
        }
    }

    fn push_element(&self, at: &[i64], out: &mut Vec<u8>) {
        let number = at
            .iter()
            .zip(self.strides)
            .try_fold(self.offset, |sum, (&i, &s)| sum.checked_add(i.checked_mul(s)?));
        match number.and_then(|n| (self.element)(n)) {
            Some(bits) => push_scalar(bits, self.elem, out),
            None => out.push(b'?'),
        }
    }
}

/// One element as C++ streams write it: an i8 is a character, an index is unsigned.
fn push_scalar(bits: u64, elem: ScalarType, out: &mut Vec<u8>) {
    match elem {
        ScalarType::Int(8) => out.push(bits.to_le_bytes()[0]),
        ScalarType::Index => out.extend_from_slice(bits.to_string().as_bytes()),
        ScalarType::Int(width) => out.extend_from_slice(crate::integer::signed(bits, width).to_string().as_bytes()),
        _ => {
            let value = FloatFormat::of(elem).map_or(f64::NAN, |f| f.to_f64(bits));
            out.extend_from_slice(general(value).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(elem: ScalarType, sizes: &[i64], strides: &[i64], bits: &[u64]) -> String {
        let shown = Shown {
            address: 0x10,
            elem,
            offset: 0,
            sizes,
            strides,
            element: &|n| bits.get(usize::try_from(n).ok()?).copied(),
        };
        String::from_utf8(shown.text()).unwrap()
    }

    // The expected texts were printed by mlir-runner 22.1.8.
    #[test]
    fn as_mlir_runner_prints() {
        let bits: Vec<_> = (1..=8u64).collect();
        assert_eq!(
            text(ScalarType::Int(32), &[2, 2, 2], &[4, 2, 1], &bits),
            "base@ = 0x10 rank = 3 offset = 0 sizes = [2, 2, 2] strides = [4, 2, 1] data = \n[[[1,    2], \n  [3,    4]], \n [[5,    6], \n  [7,    8]]]\n"
        );
        assert_eq!(
            text(ScalarType::Int(32), &[2, 1, 2], &[4, 4, 1], &bits),
            "base@ = 0x10 rank = 3 offset = 0 sizes = [2, 1, 2] strides = [4, 4, 1] data = \n[[[1,    2]], \n [[5,    6]]]\n"
        );
        assert_eq!(
            text(ScalarType::F64, &[], &[], &[4.25f64.to_bits()]),
            "base@ = 0x10 rank = 0 offset = 0 sizes = [] strides = [] data = \n[4.25]\n"
        );
        assert!(text(ScalarType::Index, &[1], &[1], &[u64::MAX]).ends_with("[18446744073709551615]\n"));
        assert!(text(ScalarType::Int(8), &[2], &[1], &[65, 97]).ends_with("[A,  a]\n"));
        let floats = [0x3C00, 0xC100, 0x7BFF, 0x7C00];
        assert!(text(ScalarType::F16, &[4], &[1], &floats).ends_with("[1,  -2.5,  65504,  inf]\n"));
    }

    #[test]
    fn nothing_is_read_out_of_bounds() {
        assert!(text(ScalarType::F64, &[2, 0], &[0, 1], &[]).ends_with("[[]]\n"));
        assert!(text(ScalarType::Int(32), &[2], &[i64::MAX], &[7]).ends_with("[7,  ?]\n"));
    }
}
