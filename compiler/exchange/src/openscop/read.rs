//! Reading files.

use super::lines::{Lines, numbers, parse_count, shorten};
use super::{Error, Extension, Matrix, OpenScop, Relation, RelationKind, Statement};

/// Largest file, in bytes.
const MAX_BYTES: usize = 64 << 20;

impl OpenScop {
    /// Reads the scops of a file, each `<OpenScop> .. </OpenScop>`.
    ///
    /// # Errors
    /// What isn't understood, with its line.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, Error> {
        if text.len() > MAX_BYTES {
            return Err(Error::new(1, format!("a file of more than {MAX_BYTES} bytes")));
        }
        let mut lines = Lines::new(text);
        let mut all = Vec::new();
        while let Some((line, text)) = lines.take() {
            if text != "<OpenScop>" {
                return Err(Error::new(line, format!("expected <OpenScop>, found '{}'", shorten(text))));
            }
            all.push(scop(&mut lines)?);
        }
        if all.is_empty() {
            return Err(Error::new(1, "the file holds no <OpenScop>"));
        }
        Ok(all)
    }
}

fn scop(lines: &mut Lines<'_>) -> Result<OpenScop, Error> {
    let (_, language) = lines.expect("the language")?;
    let language = language.to_owned();
    let context = relation(lines)?;
    if context.kind != RelationKind::Context {
        return Err(Error::new(context.line, format!("expected CONTEXT, found {}", context.kind)));
    }
    let params = match lines.count("1 if parameter names follow, else 0")? {
        0 => None,
        _ => Some(strings(lines)?),
    };
    let count = lines.count("the number of statements")?;
    let mut statements = Vec::new();
    for _ in 0..count {
        statements.push(statement(lines)?);
    }
    let mut extensions = Vec::new();
    loop {
        let (line, text) = lines.expect("</OpenScop>")?;
        match text {
            "</OpenScop>" => break,
            tag => extensions.push(extension(lines, line, tag)?),
        }
    }
    let scop = OpenScop {
        language,
        context,
        params,
        statements,
        extensions,
    };
    check(&scop)?;
    Ok(scop)
}

/// The number of parameters is one, and the dimensions of the relations fit each other.
fn check(scop: &OpenScop) -> Result<(), Error> {
    let params = scop.context.parts.first().map_or(0, |m| m.params);
    if let Some(names) = &scop.params
        && names.len() != params
    {
        let message = format!("the context has {params} parameters, {} are named", names.len());
        return Err(Error::new(scop.context.line, message));
    }
    for m in &scop.context.parts {
        fits(m, RelationKind::Context, (0, 0, params))?;
    }
    for s in &scop.statements {
        let depth = s.domain.parts.first().map_or(0, |m| m.outputs);
        for r in std::iter::once(&s.domain).chain(&s.scattering).chain(&s.accesses) {
            let first = r.parts.first().map_or(0, |m| m.outputs);
            for m in &r.parts {
                let inputs = if r.kind == RelationKind::Domain { 0 } else { depth };
                let outputs = if r.kind == RelationKind::Domain { depth } else { first };
                fits(m, r.kind, (outputs, inputs, params))?;
            }
        }
    }
    Ok(())
}

/// Has the part these numbers of output dimensions, input dimensions and parameters?
fn fits(m: &Matrix, kind: RelationKind, (outputs, inputs, params): (usize, usize, usize)) -> Result<(), Error> {
    if (m.outputs, m.inputs, m.params) == (outputs, inputs, params) {
        return Ok(());
    }
    let message = format!(
        "this {kind} has {} output dimensions, {} input dimensions and {} parameters; expected {outputs}, {inputs} and {params}",
        m.outputs, m.inputs, m.params
    );
    Err(Error::new(m.line, message))
}

/// Names: `<strings>` around a line of them, or the line alone.
fn strings(lines: &mut Lines<'_>) -> Result<Vec<String>, Error> {
    let (_, text) = lines.expect("names")?;
    if text != "<strings>" {
        return Ok(text.split_whitespace().map(str::to_owned).collect());
    }
    let mut names = Vec::new();
    loop {
        match lines.expect("</strings>")? {
            (_, "</strings>") => return Ok(names),
            (_, text) => names.extend(text.split_whitespace().map(str::to_owned)),
        }
    }
}

fn statement(lines: &mut Lines<'_>) -> Result<Statement, Error> {
    let count = lines.count("the number of relations of a statement")?;
    let line = lines.peek().map_or(0, |(n, _)| n);
    let (mut domain, mut scattering, mut accesses) = (None, None, Vec::new());
    for _ in 0..count {
        let r = relation(lines)?;
        let (slot, kind, line) = match r.kind {
            RelationKind::Domain => (&mut domain, r.kind, r.line),
            RelationKind::Scattering => (&mut scattering, r.kind, r.line),
            RelationKind::Read | RelationKind::Write | RelationKind::MayWrite => {
                accesses.push(r);
                continue;
            }
            RelationKind::Context | RelationKind::Undefined => {
                return Err(Error::new(r.line, format!("a statement has no {}", r.kind)));
            }
        };
        if slot.replace(r).is_some() {
            return Err(Error::new(line, format!("this statement has two {kind}s")));
        }
    }
    let domain = domain.ok_or_else(|| Error::new(line, "this statement has no DOMAIN"))?;
    Ok(Statement {
        domain,
        scattering,
        accesses,
        extensions: statement_extensions(lines)?,
        line,
    })
}

/// Extensions of a statement: their number and themselves, or in older files 1 and a body without tags.
fn statement_extensions(lines: &mut Lines<'_>) -> Result<Vec<Extension>, Error> {
    let count = lines.count("the number of a statement's extensions")?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let tagged = lines.peek().is_some_and(|(_, text)| text.starts_with('<'));
    if !tagged {
        let (_, iterators) = lines.expect("the names of iterators")?;
        let (_, body) = lines.expect("the body")?;
        let number = iterators.split_whitespace().count();
        return Ok(vec![Extension {
            tag: "body".to_owned(),
            text: format!("{number}\n{iterators}\n{body}\n"),
        }]);
    }
    let mut all = Vec::new();
    for _ in 0..count {
        let (line, tag) = lines.expect("an extension")?;
        all.push(extension(lines, line, tag)?);
    }
    Ok(all)
}

/// An extension whose opening tag was read.
fn extension(lines: &mut Lines<'_>, line: u32, tag: &str) -> Result<Extension, Error> {
    let name = tag
        .strip_prefix('<')
        .and_then(|t| t.strip_suffix('>'))
        .filter(|t| !t.is_empty() && t.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') && !t.eq_ignore_ascii_case("openscop"));
    let Some(name) = name else {
        return Err(Error::new(line, format!("expected an extension <..>, found '{}'", shorten(tag))));
    };
    let close = format!("</{name}>");
    let mut text = String::new();
    while let Some((_, l)) = lines.raw() {
        if l.trim() == close {
            return Ok(Extension {
                tag: name.to_owned(),
                text,
            });
        }
        text.push_str(l);
        text.push('\n');
    }
    Err(Error::new(line, format!("<{name}> isn't closed")))
}

/// Largest number of columns of one part: each makes a space of so many dimensions.
const MAX_COLUMNS: usize = 1_000;

/// Largest number of columns of all parts of one relation.
const MAX_SIZE: usize = 100_000;

fn relation(lines: &mut Lines<'_>) -> Result<Relation, Error> {
    let (line, keyword) = lines.expect("a relation")?;
    let Some((_, kind)) = RelationKind::NAMES.iter().find(|(n, _)| *n == keyword) else {
        return Err(Error::new(line, format!("unknown kind of relation '{}'", shorten(keyword))));
    };
    let (first, head) = lines.expect("the size of a relation")?;
    let mut parts = Vec::new();
    if head.split_whitespace().count() == 1 {
        let count = parse_count(first, head, "the number of a relation's parts")?;
        for _ in 0..count {
            let (at, head) = lines.expect("the size of a relation")?;
            parts.push(matrix(lines, at, head)?);
        }
    } else {
        parts.push(matrix(lines, first, head)?);
    }
    let size: usize = parts.iter().map(Matrix::columns).sum();
    if size > MAX_SIZE {
        let message = format!("the parts of this {kind} have {size} columns in all: at most {MAX_SIZE} are read");
        return Err(Error::new(line, message));
    }
    if parts.is_empty() {
        return Err(Error::new(line, format!("this {kind} has no parts")));
    }
    Ok(Relation { kind: *kind, parts, line })
}

/// The rows behind a line of sizes: rows, columns, output, input and local dimensions, parameters.
fn matrix(lines: &mut Lines<'_>, line: u32, head: &str) -> Result<Matrix, Error> {
    let words: Vec<&str> = head.split_whitespace().collect();
    let [rows, columns, outputs, inputs, locals, params] = words[..] else {
        let message = "expected six numbers: rows, columns, output, input and local dimensions, parameters";
        return Err(Error::new(line, message));
    };
    let count = |text: &str, what: &str| parse_count(line, text, what);
    let (rows, columns) = (count(rows, "the number of rows")?, count(columns, "the number of columns")?);
    let mut matrix = Matrix {
        outputs: count(outputs, "the number of output dimensions")?,
        inputs: count(inputs, "the number of input dimensions")?,
        locals: count(locals, "the number of local dimensions")?,
        params: count(params, "the number of parameters")?,
        rows: Vec::new(),
        line,
    };
    if columns > MAX_COLUMNS {
        return Err(Error::new(line, format!("{columns} columns: at most {MAX_COLUMNS} are read")));
    }
    if matrix.columns() != columns {
        let message = format!("{columns} columns don't fit these dimensions, which make {}", matrix.columns());
        return Err(Error::new(line, message));
    }
    for _ in 0..rows {
        let (at, text) = lines.expect("a row")?;
        let row = numbers(at, text)?;
        if row.len() != columns {
            return Err(Error::new(
                at,
                format!("this row has {} numbers, the relation {columns} columns", row.len()),
            ));
        }
        if !matches!(row[0].to_i64(), Some(0 | 1)) {
            return Err(Error::new(at, format!("a row begins with 0 (= 0) or 1 (>= 0), not {}", row[0])));
        }
        matrix.rows.push(row);
    }
    Ok(matrix)
}
