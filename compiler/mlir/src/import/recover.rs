//! Functions that MLIR doesn't accept must not keep the others from it.
//!
//! MLIR gives up a file at its first error. So when that error lies within a function's body, the body is replaced by one that is never to be reached, and the file
//! is read again. Only the text is looked at: brackets, strings and comments.

use crate::scan::{opaque_length, word_at};
use tilia_diag::Diagnostic;

/// Most functions of a file that are given up one after the other.
pub(super) const MAX_FAILURES: usize = 32;

/// A function's body in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Body {
    /// Byte at which `func.func` starts.
    function: usize,
    /// Byte of the opening brace.
    open: usize,
    /// Byte of the closing brace.
    close: usize,
}

/// A text from which the bodies of failed functions are taken.
pub(super) struct Recovery {
    text: String,
    first_line: u32,
    /// Line and column of each function that was given up, with the error in it.
    failures: Vec<((u32, u32), Diagnostic)>,
}

impl Recovery {
    /// Starts with the whole text.
    pub(super) fn new(text: &str, first_line: u32) -> Self {
        Self {
            text: text.to_owned(),
            first_line,
            failures: Vec::new(),
        }
    }

    /// The text to read.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The functions that were given up, and why.
    pub(super) fn into_failures(self) -> Vec<((u32, u32), Diagnostic)> {
        self.failures
    }

    /// Takes the body that the first of `errors` lies in out of the text; false when there is none, or it has been taken out already.
    pub(super) fn give_up(&mut self, errors: &[Diagnostic], is_here: impl Fn(&Diagnostic) -> bool) -> bool {
        let Some(error) = errors.first().filter(|e| is_here(e)) else {
            return false;
        };
        let Some(at) = error.loc.line_column().and_then(|place| self.byte_of(place)) else {
            return false;
        };
        // The innermost one, should functions nest in modules in functions.
        let Some(body) = bodies(&self.text).into_iter().rev().find(|b| b.open <= at && at <= b.close) else {
            return false;
        };
        let place = self.place_of(body.function);
        if self.failures.len() >= MAX_FAILURES || self.failures.iter().any(|(p, _)| *p == place) {
            return false;
        }
        let lines = self.text[body.open..body.close].matches('\n').count();
        let filler = format!("{{ ub.unreachable {}}}", "\n".repeat(lines));
        self.text.replace_range(body.open..=body.close, &filler);
        self.failures.push((place, error.clone()));
        true
    }

    fn byte_of(&self, (line, column): (u32, u32)) -> Option<usize> {
        let line = usize::try_from(line.checked_sub(self.first_line)?).ok()?;
        let start: usize = self.text.split_inclusive('\n').take(line).map(str::len).sum();
        Some(start + usize::try_from(column.checked_sub(1)?).ok()?)
    }

    fn place_of(&self, byte: usize) -> (u32, u32) {
        let before = &self.text[..byte];
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let line = number(before.matches('\n').count()).saturating_add(self.first_line);
        let column = before.rfind('\n').map_or(byte, |n| byte - n - 1);
        (line, number(column + 1))
    }
}

/// The bodies of a text's functions, in order of their openings.
fn bodies(text: &str) -> Vec<Body> {
    let bytes = text.as_bytes();
    let mut scan = Scan::default();
    let mut i = 0;
    while i < bytes.len() {
        match opaque_length(&bytes[i..]) {
            Some(length) => i += length,
            None => {
                scan.byte(bytes, i);
                i += 1;
            }
        }
    }
    // Those that are never closed have no end to put anything in place of.
    scan.found.retain(|b| b.close > b.open);
    scan.found
}

/// The part of a function before its body.
struct Header {
    function: usize,
    /// Brackets that are open, those of attribute dictionaries too.
    brackets: usize,
    /// Whether the next brace starts the function's attributes, not its body.
    attributes: bool,
}

/// A walk over the bytes of a text.
#[derive(Default)]
struct Scan {
    found: Vec<Body>,
    /// Functions whose opening brace was seen: their place in `found`, and the depth of braces in them.
    open: Vec<(usize, usize)>,
    header: Option<Header>,
    depth: usize,
}

impl Scan {
    fn byte(&mut self, bytes: &[u8], i: usize) {
        match bytes[i] {
            b'f' if word_at(bytes, i, b"func.func") => {
                self.header = Some(Header {
                    function: i,
                    brackets: 0,
                    attributes: false,
                });
            }
            b'a' if word_at(bytes, i, b"attributes") => {
                if let Some(header) = &mut self.header {
                    header.attributes = true;
                }
            }
            b'{' => self.open_brace(i),
            b'}' => self.close_brace(i),
            b'(' | b'[' | b'<' => self.bracket(|n| n + 1),
            // The arrow before result types is no bracket.
            b'>' if i > 0 && bytes[i - 1] == b'-' => {}
            b')' | b']' | b'>' => self.bracket(|n| n.saturating_sub(1)),
            _ => {}
        }
    }

    fn bracket(&mut self, change: impl Fn(usize) -> usize) {
        if let Some(header) = &mut self.header {
            header.brackets = change(header.brackets);
        }
    }

    fn open_brace(&mut self, i: usize) {
        self.depth += 1;
        let body = self
            .header
            .as_ref()
            .filter(|h| h.brackets == 0 && !h.attributes)
            .map(|h| h.function);
        let Some(function) = body else {
            return self.bracket(|n| n + 1);
        };
        self.open.push((self.found.len(), self.depth));
        self.found.push(Body {
            function,
            open: i,
            close: 0,
        });
        self.header = None;
    }

    fn close_brace(&mut self, i: usize) {
        if let Some(&(n, _)) = self.open.last().filter(|(_, depth)| *depth == self.depth) {
            self.found[n].close = i;
            self.open.pop();
        }
        self.depth = self.depth.saturating_sub(1);
        self.bracket(|n| n.saturating_sub(1));
        if let Some(header) = &mut self.header {
            header.attributes &= header.brackets > 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tilia_diag::Loc;

    #[test]
    fn finds_bodies() {
        let text = r#"
module attributes {a = "func.func {"} {
  func.func private @d(memref<4xf32, affine_map<(d0) -> (d0)>>) -> (f32 {x.y}) attributes {z = {w}}
  func.func @f(%a: f32 {llvm.z = {}}) -> memref<4xf32> attributes {q} { // {
    affine.for %i = 0 to 4 { }
    return %b : f32
  }
}
func.func @g() { return }
"#;
        let found: Vec<&str> = bodies(text).iter().map(|b| text[b.open..=b.close].trim()).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("{ // {") && found[0].ends_with('}'));
        assert_eq!(found[1], "{ return }");
    }

    #[test]
    fn gives_up_the_function_of_the_error() {
        let text = "func.func @f() {\n  bad\n}\nfunc.func @g() { return }";
        let mut recovery = Recovery::new(text, 1);
        let file: Arc<str> = Arc::from("t");
        let error = Diagnostic::error(Loc::new(&file, 2, 3), "x");
        assert!(recovery.give_up(std::slice::from_ref(&error), |_| true));
        assert_eq!(recovery.text(), "func.func @f() { ub.unreachable \n\n}\nfunc.func @g() { return }");
        assert!(!recovery.give_up(&[error], |_| true));
        assert_eq!(recovery.into_failures()[0].0, (1, 1));
    }
}
