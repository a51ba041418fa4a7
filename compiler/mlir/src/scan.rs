//! A look at MLIR text without parsing it: what is code, and what is in comments and strings.

/// Length in bytes of the string literal or comment that starts at the beginning of `rest`; `None` when neither does. MLIR's strings end at a line break at the latest.
pub(crate) fn opaque_length(rest: &[u8]) -> Option<usize> {
    if rest.starts_with(b"//") {
        return Some(rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len()));
    }
    if rest.first() != Some(&b'"') {
        return None;
    }
    let mut i = 1;
    while i < rest.len() {
        match rest[i] {
            b'\\' => i += 2,
            b'"' => return Some(i + 1),
            b'\n' => return Some(i),
            _ => i += 1,
        }
    }
    Some(rest.len())
}

/// Whether a byte can be part of a word.
pub(crate) fn in_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Whether `word` stands at byte `at`, as a whole word.
pub(crate) fn word_at(bytes: &[u8], at: usize, word: &[u8]) -> bool {
    let starts = at == 0 || !in_word(bytes[at - 1]);
    let rest = &bytes[at..];
    starts && rest.starts_with(word) && !rest.get(word.len()).is_some_and(|&b| in_word(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments() {
        assert_eq!(opaque_length(b"\"a\\\"b\" c"), Some(6));
        assert_eq!(opaque_length(b"\"open\nnext"), Some(5));
        assert_eq!(opaque_length(b"// x\ny"), Some(4));
        assert_eq!(opaque_length(b"/ x"), None);
        assert_eq!(opaque_length(b"\"\\"), Some(2));
    }
}
