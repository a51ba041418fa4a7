//! Text form of scops and dependences, for people (`--emit=scop`, `--emit=deps`). Deterministic; not meant to be read back.

use crate::{Access, AccessKind, Array, ArrayKind, AssumptionKind, Dep, DepKind, Deps, ParamSource, Scop, Stmt, StmtKind};
use std::fmt;
use tilia_diag::Loc;

impl fmt::Display for ParamSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(v) => write!(f, "{v}"),
            Self::Dim(v, d) => write!(f, "dim {d} of {v}"),
        }
    }
}

impl fmt::Display for AssumptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InBounds => "in bounds",
            Self::NoOverflow => "no overflow",
            Self::Range => "range",
        })
    }
}

impl fmt::Display for DepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flow => "flow",
            Self::Anti => "anti",
            Self::Output => "output",
        })
    }
}

/// ` at file:line:column`, or nothing where nothing is known.
struct At<'a>(&'a Loc);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_unknown() { Ok(()) } else { write!(f, " at {}", self.0) }
    }
}

fn array(f: &mut fmt::Formatter<'_>, a: &Array) -> fmt::Result {
    match &a.kind {
        ArrayKind::Root(v) => write!(f, "  array {}: {v}, {}, rank {}", a.name, a.elem, a.rank)?,
        ArrayKind::Cell(v) => write!(f, "  cell {}: {v}, {}, rank {}", a.name, a.elem, a.rank)?,
        ArrayKind::Copy(v) => write!(f, "  copies {}: of {v}, {}, rank {}", a.name, a.elem, a.rank)?,
        ArrayKind::World => write!(f, "  world {}", a.name)?,
    }
    if let Some(v) = a.live_out {
        write!(f, ", live out as {v}")?;
    }
    writeln!(f, "{}", At(&a.loc))
}

fn access(f: &mut fmt::Formatter<'_>, a: &Access) -> fmt::Result {
    let must = if a.must { "must" } else { "may" };
    let kind = match a.kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
    };
    writeln!(f, "    {must} {kind} {}", a.relation)
}

fn stmt(f: &mut fmt::Formatter<'_>, s: &Stmt) -> fmt::Result {
    let kind = match s.kind {
        StmtKind::Plain => "",
        StmtKind::Opaque => ", opaque",
    };
    let reduction = if s.reduction.is_some() { ", reduction" } else { "" };
    writeln!(f, "  statement {}{kind}{reduction}{}", s.name, At(&s.loc))?;
    writeln!(f, "    domain {}", s.domain)?;
    s.accesses.iter().try_for_each(|a| access(f, a))
}

impl fmt::Display for Scop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "scop {}{}", self.name, At(&self.loc))?;
        for p in &self.params {
            writeln!(f, "  parameter {} = {}", p.name, p.value)?;
        }
        writeln!(f, "  context {}", self.context)?;
        for a in &self.assumptions {
            writeln!(f, "  assume {} ({}: {}{})", a.condition, a.kind, a.what, At(&a.loc))?;
        }
        for (a, b) in &self.may_alias {
            writeln!(f, "  may overlap: {}, {}", self[*a].name, self[*b].name)?;
        }
        for a in &self.unproven_layouts {
            writeln!(f, "  layout known at run time only: {}", self[*a].name)?;
        }
        self.arrays.iter().try_for_each(|a| array(f, a))?;
        self.stmts.iter().try_for_each(|s| stmt(f, s))?;
        writeln!(f, "  schedule")?;
        for line in self.schedule.to_string().lines() {
            writeln!(f, "    {line}")?;
        }
        Ok(())
    }
}

impl Deps {
    /// Text with the names and places of the scop.
    #[must_use]
    pub fn display<'a>(&'a self, scop: &'a Scop) -> DepsText<'a> {
        DepsText { scop, deps: self }
    }
}

/// Dependences with the names and places of their scop.
#[derive(Debug, Clone, Copy)]
pub struct DepsText<'a> {
    /// The scop.
    pub scop: &'a Scop,
    /// Its dependences.
    pub deps: &'a Deps,
}

impl DepsText<'_> {
    fn list(&self, f: &mut fmt::Formatter<'_>, title: &str, deps: &[Dep]) -> fmt::Result {
        writeln!(f, "  {title}")?;
        for d in deps {
            let (s, t) = (&self.scop[d.source], &self.scop[d.target]);
            writeln!(
                f,
                "    {} {}{} -> {}{} on {}",
                d.kind,
                s.name,
                At(&s.loc),
                t.name,
                At(&t.loc),
                self.scop[d.array].name
            )?;
            writeln!(f, "      {}", d.relation)?;
        }
        Ok(())
    }
}

impl fmt::Display for DepsText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "dependences of {}", self.scop.name)?;
        self.list(f, "memory-based", &self.deps.memory)?;
        self.list(f, "value-based flow", &self.deps.flow)
    }
}
