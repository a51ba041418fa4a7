//! Scops from pseudo-code, for tests of what depends on domains, accesses and order alone.
//!
//! ```text
//! for t in 0..T
//!   for i in 1..N-1
//!     B[i] = A[i-1] + A[i] + A[i+1]
//!   for i in 1..N-1
//!     A[i] = B[i]
//! ```
//!
//! Two spaces a level. Bounds are half open, subscripts affine; `x += ..` also reads `x`; a name with subscripts `[]` is a scalar. `if CONDITION` restricts what is inside.

use tilia_diag::Loc;
use tilia_presburger::{Id, Map, Set};
use tilia_program::{BlockId, ScalarType, ValueId};
use tilia_schedule::{ScheduleTree, Source};
use tilia_scop::{Access, AccessKind, AccessSource, Array, ArrayId, ArrayKind, OpRange, Param, ParamSource, Scop, Stmt, StmtKind};

/// What surrounds a line.
enum Level {
    Loop { iter: String, lower: String, upper: String },
    If(String),
}

struct Reader {
    params: Vec<String>,
    arrays: Vec<(String, usize)>,
    stmts: Vec<Stmt>,
}

/// The scop of a program over these parameters, each known to be at least 1.
pub(crate) fn scop(params: &[&str], text: &str) -> Scop {
    let mut reader = Reader {
        params: params.iter().map(ToString::to_string).collect(),
        arrays: Vec::new(),
        stmts: Vec::new(),
    };
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    let margin = lines.iter().map(|l| indent(l)).min().unwrap_or(0);
    let mut levels = Vec::new();
    let (order, _) = reader.block(&lines, margin, &mut levels);
    let list: Vec<String> = params.iter().map(|p| format!("{p} >= 1")).collect();
    let context: Set = format!(
        "[{}] -> {{ : {} }}",
        params.join(", "),
        if list.is_empty() { "true".into() } else { list.join(" and ") }
    )
    .parse()
    .unwrap();
    let elem = ScalarType::F64;
    Scop {
        name: Id::new("test"),
        range: OpRange {
            block: BlockId(0),
            ops: Vec::new(),
        },
        preamble: Vec::new(),
        params: params
            .iter()
            .map(|p| Param {
                name: Id::new(p),
                value: ParamSource::Value(ValueId(0)),
            })
            .collect(),
        context,
        assumptions: Vec::new(),
        may_alias: Vec::new(),
        unproven_layouts: Vec::new(),
        checked_ops: Vec::new(),
        arrays: reader
            .arrays
            .iter()
            .map(|(name, rank)| Array {
                name: Id::new(name),
                kind: ArrayKind::Root(ValueId(0)),
                elem,
                rank: *rank,
                live_out: None,
                loc: Loc::unknown(),
            })
            .collect(),
        stmts: reader.stmts,
        schedule: ScheduleTree::from_source(&order).unwrap(),
        float_order: tilia_scop::FloatOrder::Kept,
        loops: Vec::new(),
        loc: Loc::unknown(),
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

impl Reader {
    /// Reads the lines of one level; returns the order of what they hold, and how many lines that was.
    fn block(&mut self, lines: &[&str], margin: usize, levels: &mut Vec<Level>) -> (Vec<Source>, usize) {
        let mut out = Vec::new();
        let mut at = 0;
        while at < lines.len() && indent(lines[at]) >= margin {
            let line = lines[at].trim();
            at += 1;
            if let Some(head) = line.strip_prefix("for ") {
                let (iter, bounds) = head.split_once(" in ").unwrap();
                let (lower, upper) = bounds.split_once("..").unwrap();
                levels.push(Level::Loop {
                    iter: iter.to_owned(),
                    lower: lower.to_owned(),
                    upper: upper.to_owned(),
                });
                let (body, used) = self.block(&lines[at..], margin + 2, levels);
                levels.pop();
                at += used;
                out.push(Source::Loop { name: Id::new(iter), body });
            } else if let Some(condition) = line.strip_prefix("if ") {
                levels.push(Level::If(condition.to_owned()));
                let (body, used) = self.block(&lines[at..], margin + 2, levels);
                levels.pop();
                at += used;
                out.extend(body);
            } else {
                out.push(Source::Stmt(self.statement(line, levels)));
            }
        }
        (out, at)
    }

    fn statement(&mut self, line: &str, levels: &[Level]) -> Set {
        let name = format!("S{}", self.stmts.len());
        let mut iters = Vec::new();
        let mut conditions = Vec::new();
        for level in levels {
            match level {
                Level::Loop { iter, lower, upper } => {
                    conditions.push(format!("{lower} <= {iter} < {upper}"));
                    iters.push(iter.clone());
                }
                Level::If(c) => conditions.push(c.clone()),
            }
        }
        let params = self.params.join(", ");
        let tuple = format!("{name}[{}]", iters.join(", "));
        let all = if conditions.is_empty() {
            "true".to_owned()
        } else {
            conditions.join(" and ")
        };
        let domain: Set = format!("[{params}] -> {{ {tuple} : {all} }}").parse().unwrap();
        let (left, right) = line.split_once('=').unwrap();
        let accumulates = left.ends_with(['+', '-', '*', '/']);
        let left = left.trim_end_matches(['+', '-', '*', '/', ' ']);
        let mut accesses = Vec::new();
        let reads = found(right)
            .into_iter()
            .chain(accumulates.then(|| found(left)).into_iter().flatten());
        for text in reads {
            accesses.push(self.access(&tuple, &text, AccessKind::Read));
        }
        accesses.push(self.access(&tuple, &found(left)[0], AccessKind::Write));
        self.stmts.push(Stmt {
            name: Id::new(name),
            kind: StmtKind::Plain,
            iters: vec![ValueId(0); iters.len()],
            domain: domain.clone(),
            ops: Vec::new(),
            accesses,
            cell_writes: Vec::new(),
            cell_reads: Vec::new(),
            reduction: None,
            loc: Loc::unknown(),
        });
        domain
    }

    fn access(&mut self, tuple: &str, text: &(String, Vec<String>), kind: AccessKind) -> Access {
        let (name, subs) = text;
        let array = self.arrays.iter().position(|(n, _)| n == name).unwrap_or_else(|| {
            self.arrays.push((name.clone(), subs.len()));
            self.arrays.len() - 1
        });
        let params = self.params.join(", ");
        let relation: Map = format!("[{params}] -> {{ {tuple} -> {name}[{}] }}", subs.join(", "))
            .parse()
            .unwrap();
        Access {
            array: ArrayId(u32::try_from(array).unwrap()),
            kind,
            must: true,
            relation,
            source: AccessSource::Cell(ValueId(0)),
            loc: Loc::unknown(),
        }
    }
}

/// All names with subscripts in an expression: `A[i][j-1]`, `s[]`.
fn found(text: &str) -> Vec<(String, Vec<String>)> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let name: String = rest[..open]
            .chars()
            .rev()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let name: String = name.chars().rev().collect();
        let mut subs = Vec::new();
        rest = &rest[open..];
        while let Some(inside) = rest.strip_prefix('[') {
            let close = inside.find(']').unwrap();
            if close > 0 {
                subs.push(inside[..close].to_owned());
            }
            rest = &inside[close + 1..];
        }
        out.push((name, subs));
    }
    out
}
