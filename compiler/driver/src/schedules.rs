//! Files of schedule trees: one document a scop.
//!
//! A document starts with a line `# scop NAME` and holds one tree in the text form of `ir/schedule`. A file with a single document may leave the line out when the input has a single
//! scop. `--schedule-out` writes this form, `--schedule-in` reads it, and a union map in isl's notation, `{ S0[i] -> [i, 0]; .. }`, in place of a tree.

use tilia_diag::{Diagnostic, Loc};
use tilia_schedule::ScheduleTree;
use tilia_scop::Scop;

/// Trees read from a file.
pub(crate) struct Schedules {
    file: String,
    documents: Vec<Document>,
}

struct Document {
    name: Option<String>,
    line: u32,
    form: Form,
    used: bool,
}

/// What a document holds.
enum Form {
    Tree(ScheduleTree),
    /// A union map in isl's notation, read when its scop is known.
    Map(String),
}

const HEAD: &str = "# scop ";

/// One document.
pub(crate) fn print(scop: &Scop, tree: &ScheduleTree) -> String {
    let text = tree.to_string();
    format!("{HEAD}{}\n{}\n", scop.name, text.trim_end())
}

/// The text of a union map, on one line; `None` if the document holds something else.
fn union_map(body: &str) -> Option<String> {
    let content: Vec<&str> = body
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .collect();
    let text = content.join(" ");
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(&text);
    (inner.starts_with(['{', '[']) && inner.contains('{')).then(|| inner.to_owned())
}

/// A scop's schedule as a union map, under its heading.
pub(crate) fn print_map(scop: &Scop, tree: &ScheduleTree) -> Result<String, Diagnostic> {
    let text = tilia_exchange::isl::print_schedule(tree, scop, &tilia_presburger::Budget::default())
        .map_err(|e| Diagnostic::error(scop.loc.clone(), format!("the schedule has no form as a relation: {e}")))?;
    Ok(format!("{HEAD}{}\n{text}\n", scop.name))
}

impl Schedules {
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let mut parts: Vec<(Option<String>, u32, String)> = vec![(None, 1, String::new())];
        for (line, n) in text.lines().zip(1u32..) {
            if let Some(name) = line.strip_prefix(HEAD) {
                parts.push((Some(name.trim().to_owned()), n + 1, String::new()));
            } else if line.trim() != "---"
                && let Some(part) = parts.last_mut()
            {
                part.2.push_str(line);
                part.2.push('\n');
            }
        }
        parts.retain(|(name, _, body)| name.is_some() || body.lines().any(|l| !l.trim().is_empty() && !l.trim_start().starts_with('#')));
        let mut errors = Vec::new();
        let mut documents = Vec::new();
        for (name, line, body) in parts {
            if let Some(map) = union_map(&body) {
                documents.push(Document {
                    name,
                    line,
                    form: Form::Map(map),
                    used: false,
                });
                continue;
            }
            match body.parse::<ScheduleTree>() {
                Ok(tree) => documents.push(Document {
                    name,
                    line,
                    form: Form::Tree(tree),
                    used: false,
                }),
                Err(e) => {
                    let file = std::sync::Arc::from(file);
                    let (row, column) = e.line_column().unwrap_or((1, 1));
                    let at = Loc::new(&file, line.saturating_add(row).saturating_sub(1), column);
                    // The error's own text begins with its place within the document.
                    let text = e.to_string();
                    let text = text.strip_prefix(&format!("{row}:{column}: ")).unwrap_or(&text);
                    errors.push(Diagnostic::error(at, format!("the schedule tree can't be read: {text}")));
                }
            }
        }
        if errors.is_empty() && documents.is_empty() {
            errors.push(
                Diagnostic::error(Loc::unknown(), format!("{file} holds no schedule tree")).help("--schedule-out writes one to start from"),
            );
        }
        if errors.is_empty() {
            Ok(Self {
                file: file.to_owned(),
                documents,
            })
        } else {
            Err(errors)
        }
    }

    /// The tree for a scop, if the file has one. A union map that doesn't fit is an error.
    pub(crate) fn take(&mut self, scop: &Scop) -> Option<Result<ScheduleTree, Diagnostic>> {
        let file = std::sync::Arc::from(self.file.as_str());
        let name = scop.name.as_str();
        let only = self.documents.len() == 1;
        let found = self
            .documents
            .iter_mut()
            .find(|d| d.name.as_deref() == Some(name) || (d.name.is_none() && only && !d.used));
        found.map(|d| {
            d.used = true;
            match &d.form {
                Form::Tree(tree) => Ok(tree.clone()),
                Form::Map(text) => tilia_exchange::isl::parse_schedule(text, scop, &tilia_presburger::Budget::default()).map_err(|e| {
                    let at = Loc::new(&file, d.line, 1);
                    Diagnostic::error(at, format!("this is no schedule of {name}: {e}"))
                }),
            }
        })
    }

    /// A complaint about trees that no scop took.
    pub(crate) fn unused(&self) -> Option<Diagnostic> {
        let d = self.documents.iter().find(|d| !d.used)?;
        let file = std::sync::Arc::from(self.file.as_str());
        let name = d.name.as_deref().unwrap_or("without a name");
        if let Some(first) = self.documents.iter().find(|e| e.used && e.name == d.name) {
            return Some(
                Diagnostic::error(Loc::new(&file, d.line, 1), format!("there are two trees for scop {name}"))
                    .help(format!("the first begins in line {}; keep one of them", first.line)),
            );
        }
        Some(
            Diagnostic::error(Loc::new(&file, d.line, 1), format!("the input has no scop {name}"))
                .help("--emit=schedule prints the trees of all scops with their names"),
        )
    }
}
