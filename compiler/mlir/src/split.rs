//! Files of several modules, separated by `// -----` lines as in MLIR's own tests.

/// One piece of a split file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// Its text.
    pub text: &'a str,
    /// The number, from 1, of its first line in the whole file.
    pub first_line: u32,
}

/// Cuts a file at its `// -----` lines, as `mlir-opt -split-input-file` does. There is always at least one piece.
#[must_use]
pub fn split_input(text: &str) -> Vec<Chunk<'_>> {
    let mut chunks = Vec::new();
    let (mut start, mut first_line) = (0, 1u32);
    let (mut position, mut line_number) = (0, 1u32);
    for line in text.split_inclusive('\n') {
        let next = position + line.len();
        line_number = line_number.saturating_add(1);
        if line.trim_end() == "// -----" {
            chunks.push(Chunk {
                text: &text[start..position],
                first_line,
            });
            (start, first_line) = (next, line_number);
        }
        position = next;
    }
    chunks.push(Chunk {
        text: &text[start..],
        first_line,
    });
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_line_numbers() {
        let chunks = split_input("a\nb\n// -----\nc\n// ----- \n// ------\nd");
        let found: Vec<_> = chunks.iter().map(|c| (c.text, c.first_line)).collect();
        assert_eq!(found, [("a\nb\n", 1), ("c\n", 4), ("// ------\nd", 6)]);
    }

    #[test]
    fn one_piece_without_separator() {
        assert_eq!(split_input("").len(), 1);
        assert_eq!(split_input("x")[0].text, "x");
        assert_eq!(split_input("x\n// -----").len(), 2);
    }
}
