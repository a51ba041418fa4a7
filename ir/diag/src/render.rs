//! Diagnostics and remarks as text, with the source line where it can be had.

use crate::{Diagnostic, Loc, Remark, RemarkKind, Severity};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Source texts by file name, for quoting lines in diagnostics. The caller puts in what it has read; nothing is read from disk here.
#[derive(Debug, Default, Clone)]
pub struct SourceCache {
    files: BTreeMap<String, Arc<str>>,
}

impl SourceCache {
    /// Remembers the text of `file`.
    pub fn insert(&mut self, file: impl Into<String>, text: impl Into<Arc<str>>) {
        self.files.insert(file.into(), text.into());
    }

    /// The quoted line of `loc`: its text, and the byte range of the token that starts at its column.
    fn line(&self, loc: &Loc) -> Option<(&str, std::ops::Range<usize>)> {
        let (line, column) = loc.line_column()?;
        let text = self.files.get(loc.file()?)?;
        let line_text = text.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?)?;
        // Lines of generated files can be megabytes long: quoting them helps nobody.
        if line_text.len() > 400 {
            return None;
        }
        let start = usize::try_from(column).ok()?.saturating_sub(1).min(line_text.len());
        let start = (0..=start).rev().find(|&i| line_text.is_char_boundary(i))?;
        let rest = &line_text[start..];
        let token = rest
            .char_indices()
            .find(|(_, c)| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '@' | '#' | '!')))
            .map_or(rest.len(), |(i, _)| i);
        let end = if token > 0 {
            start + token
        } else {
            start + rest.chars().next().map_or(0, char::len_utf8)
        };
        Some((line_text, start..end))
    }
}

fn snippet<'a>(sources: &'a SourceCache, loc: &'a Loc, kind: AnnotationKind) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let (text, span) = sources.line(loc)?;
    let (line, _) = loc.line_column()?;
    Some(
        Snippet::source(text)
            .line_start(usize::try_from(line).ok()?)
            .path(loc.file()?)
            .annotation(kind.span(span)),
    )
}

/// Renders a diagnostic in the manner of rustc, quoting the source where `sources` has it. Ends without a line break.
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &SourceCache, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let quoted = snippet(sources, &diagnostic.loc, AnnotationKind::Primary);
    let title = if quoted.is_none() && !diagnostic.loc.is_unknown() {
        format!("{}: {}", diagnostic.loc, diagnostic.message)
    } else {
        diagnostic.message.clone()
    };
    let mut first = Group::with_title(level.primary_title(title));
    if let Some(snippet) = quoted {
        first = first.element(snippet);
    }
    let mut groups = vec![first];
    for note in &diagnostic.notes {
        let quoted = snippet(sources, &note.loc, AnnotationKind::Context);
        let title = if quoted.is_none() && !note.loc.is_unknown() {
            format!("{}: {}", note.loc, note.message)
        } else {
            note.message.clone()
        };
        let mut group = Group::with_title(Level::NOTE.secondary_title(title));
        if let Some(snippet) = quoted {
            group = group.element(snippet);
        }
        groups.push(group);
    }
    if let Some(help) = &diagnostic.help {
        groups.push(Group::with_title(Level::HELP.secondary_title(help.as_str())));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&groups)
}

/// Renders a remark on one line: `file:line:column: remark: [stage] applied: message`.
#[must_use]
pub fn render_remark(remark: &Remark) -> String {
    let kind = match remark.kind {
        RemarkKind::Applied => "applied",
        RemarkKind::Declined => "declined",
        RemarkKind::Analysis => "analysis",
    };
    let place = if remark.loc.is_unknown() {
        String::new()
    } else {
        format!("{}: ", remark.loc)
    };
    format!("{place}remark: [{}] {kind}: {}", remark.stage, remark.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_the_line() {
        let file: Arc<str> = Arc::from("a.mlir");
        let mut sources = SourceCache::default();
        sources.insert("a.mlir", "func\n  affine.for %i = 0 to 4 step 0 {\n");
        let d = Diagnostic::error(Loc::new(&file, 2, 3), "step must be positive").help("write a step of at least 1");
        let text = render(&d, &sources, false);
        assert!(text.contains("a.mlir:2:3"), "{text}");
        assert!(text.contains("^^^^^^^^^^"), "{text}");
        assert!(text.contains("help: write a step"), "{text}");
    }

    #[test]
    fn survives_absurd_places() {
        let file: Arc<str> = Arc::from("a.mlir");
        let mut sources = SourceCache::default();
        sources.insert("a.mlir", "ä");
        for (line, column) in [(0, 0), (1, 2), (1, 99), (7, 1), (u32::MAX, u32::MAX)] {
            let d = Diagnostic::error(Loc::new(&file, line, column), "x");
            assert!(render(&d, &sources, false).contains('x'));
        }
    }
}
