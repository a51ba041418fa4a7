//! A look at a text's nesting before MLIR sees it.
//!
//! MLIR's parser, verifier and printer recurse on regions, types, attributes and affine expressions, and a hostile file could exhaust any stack. So nesting beyond what
//! any real program has is refused here, with its place, and what passes is parsed on a thread whose stack is large enough.

use crate::scan::{opaque_length, word_at};
use std::sync::Arc;
use tilia_diag::{Diagnostic, Loc};

/// Deepest nesting of brackets of all kinds together.
pub(crate) const MAX_DEPTH: usize = 2000;
/// Most operators in one affine expression: chains nest without brackets.
pub(crate) const MAX_CHAIN: usize = 1000;

/// Refuses texts that are nested too deeply. `file` and `first_line` are for the place.
pub(crate) fn check_nesting(file: &Arc<str>, text: &str, first_line: u32) -> Result<(), Diagnostic> {
    let bytes = text.as_bytes();
    let (mut depth, mut chain) = (0usize, 0usize);
    let (mut line, mut line_start) = (first_line, 0usize);
    let mut i = 0;
    while i < bytes.len() {
        let rest = &bytes[i..];
        if let Some(length) = opaque_length(rest) {
            if bytes[i] == b'"' {
                chain = 0;
            }
            i += length;
            continue;
        }
        let mut length = 1;
        match bytes[i] {
            b'\n' => {
                line = line.saturating_add(1);
                line_start = i + 1;
            }
            b'-' if rest.starts_with(b"->") => length = 2,
            b'<' | b'>' if rest.get(1) == Some(&b'=') => length = 2,
            b'(' | b'[' | b'{' | b'<' => {
                depth += 1;
                if bytes[i] == b'{' {
                    chain = 0;
                }
            }
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            b'+' | b'-' | b'*' => chain += 1,
            b'f' | b'c' | b'm' if is_operator_word(bytes, i) => chain += 1,
            b',' | b'=' | b':' | b'@' => chain = 0,
            _ => {}
        }
        if depth > MAX_DEPTH || chain > MAX_CHAIN {
            let column = u32::try_from(i - line_start + 1).unwrap_or(u32::MAX);
            let (what, limit) = if depth > MAX_DEPTH {
                ("brackets nest", MAX_DEPTH)
            } else {
                ("operators of one expression chain", MAX_CHAIN)
            };
            return Err(
                Diagnostic::error(Loc::new(file, line, column), format!("{what} more than {limit} deep"))
                    .help("split the code into functions, or name subexpressions with affine.apply"),
            );
        }
        i += length;
    }
    Ok(())
}

fn is_operator_word(bytes: &[u8], at: usize) -> bool {
    [&b"floordiv"[..], b"ceildiv", b"mod"].iter().any(|w| word_at(bytes, at, w))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(), Diagnostic> {
        check_nesting(&Arc::from("f"), text, 1)
    }

    #[test]
    fn accepts_wide_texts() {
        check(&"%c = arith.constant -1 : i32\n".repeat(5000)).unwrap();
        check(&"(a) -> (b)".repeat(5000)).unwrap();
        check(&"(d0 >= 0)".repeat(5000)).unwrap();
        check(&format!("dense<[{}]>", "-1, ".repeat(5000))).unwrap();
        check(&"\"{{{{\" // (((\n".repeat(5000)).unwrap();
    }

    #[test]
    fn refuses_deep_ones_with_their_place() {
        let error = check(&format!("\n{}", "{".repeat(3000))).unwrap_err();
        assert_eq!(error.loc.line_column(), Some((2, 2001)));
        assert!(check(&format!("(d0){}", " floordiv 2".repeat(1500))).is_err());
        assert!(check(&format!("({} d0)", "- ".repeat(1500))).is_err());
    }
}
