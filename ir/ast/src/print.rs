//! C-like text of a loop AST.
//!
//! `floord` rounds down, `/` and `%` are used where the dividend is known to be non-negative (or only a remainder's being zero matters), `floormod` is the
//! non-negative remainder. Marks stand in a comment behind the loop.

use crate::{Ast, CmpOp, Expr, For, Node, VarId};
use std::fmt::{self, Write};
use tilia_presburger::{Id, Int};

/// How tightly an operator binds; higher binds tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Any,
    Cond,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Atom,
}

impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut p = Printer {
            vars: &self.vars,
            out: String::new(),
        };
        p.node(&self.root, 0)?;
        f.write_str(&p.out)
    }
}

impl Ast {
    /// The text of an expression with this AST's names.
    #[must_use]
    pub fn expr_text(&self, e: &Expr) -> String {
        let mut p = Printer {
            vars: &self.vars,
            out: String::new(),
        };
        // Writing to a string can't fail.
        let _ = p.expr(e, Level::Any);
        p.out
    }
}

struct Printer<'a> {
    vars: &'a [Id],
    out: String,
}

impl Printer<'_> {
    fn indent(&mut self, n: usize) {
        for _ in 0..n {
            self.out.push_str("  ");
        }
    }

    fn node(&mut self, node: &Node, n: usize) -> fmt::Result {
        match node {
            Node::Block(list) => list.iter().try_for_each(|c| self.node(c, n)),
            Node::For(l) => self.for_loop(l, n),
            Node::If { cond, then, otherwise } => {
                self.indent(n);
                self.out.push_str("if (");
                self.expr(cond, Level::Any)?;
                self.out.push(')');
                let braces =
                    needs_braces(then) || otherwise.as_ref().is_some_and(|o| needs_braces(o)) || (otherwise.is_some() && is_if(then));
                self.body(then, n, braces)?;
                if let Some(o) = otherwise {
                    if braces {
                        self.indent(n);
                        self.out.push_str("} else");
                    } else {
                        self.indent(n);
                        self.out.push_str("else");
                    }
                    self.body(o, n, braces)?;
                }
                if braces {
                    self.indent(n);
                    self.out.push_str("}\n");
                }
                Ok(())
            }
            Node::User { stmt, args } => {
                self.indent(n);
                write!(self.out, "{stmt}(")?;
                self.list(args)?;
                self.out.push_str(");\n");
                Ok(())
            }
            Node::Mark { name, body } => {
                self.indent(n);
                writeln!(self.out, "// {name}")?;
                self.node(body, n)
            }
        }
    }

    /// A body after a loop head or condition; the closing brace is the caller's.
    fn body(&mut self, body: &Node, n: usize, braces: bool) -> fmt::Result {
        self.out.push_str(if braces { " {\n" } else { "\n" });
        if let (Node::Block(list), false) = (body, braces)
            && list.is_empty()
        {
            self.indent(n + 1);
            self.out.push_str(";\n");
            return Ok(());
        }
        self.node(body, n + 1)
    }

    fn for_loop(&mut self, l: &For, n: usize) -> fmt::Result {
        self.indent(n);
        let var = name(self.vars, l.var);
        let braces = needs_braces(&l.body);
        if l.marks.degenerate {
            write!(self.out, "{var} = ")?;
            self.expr(&l.lower, Level::Any)?;
            self.out.push_str(";\n");
            return self.node(&l.body, n);
        }
        write!(self.out, "for ({var} = ")?;
        self.expr(&l.lower, Level::Any)?;
        write!(self.out, "; {var} ")?;
        match below(&l.upper) {
            Some(e) => {
                self.out.push_str("< ");
                self.expr(&e, Level::Sum)?;
            }
            None => {
                self.out.push_str("<= ");
                self.expr(&l.upper, Level::Sum)?;
            }
        }
        write!(self.out, "; {var} += {})", l.step)?;
        self.out.push_str(if braces { " {" } else { "" });
        let marks = &l.marks;
        let flags = [
            (marks.parallel, "parallel"),
            (marks.reduces, "reduces"),
            (marks.vector, "vector"),
            (marks.full_tile, "full tile"),
        ];
        let names: Vec<&str> = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
        if !names.is_empty() {
            write!(self.out, " // {}", names.join(", "))?;
        }
        self.out.push('\n');
        if matches!(&*l.body, Node::Block(list) if list.is_empty()) {
            self.indent(n + 1);
            self.out.push_str(";\n");
        }
        self.node(&l.body, n + 1)?;
        if braces {
            self.indent(n);
            self.out.push_str("}\n");
        }
        Ok(())
    }

    fn list(&mut self, list: &[Expr]) -> fmt::Result {
        for (i, e) in list.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.expr(e, Level::Any)?;
        }
        Ok(())
    }

    fn call(&mut self, name: &str, list: &[Expr]) -> fmt::Result {
        // Nested two-argument calls, as C has no variadic minimum.
        for _ in 2..list.len() {
            write!(self.out, "{name}(")?;
        }
        write!(self.out, "{name}(")?;
        for (i, e) in list.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.expr(e, Level::Any)?;
            if i > 0 {
                self.out.push(')');
            }
        }
        if list.len() < 2 {
            self.out.push(')');
        }
        Ok(())
    }

    fn expr(&mut self, e: &Expr, outer: Level) -> fmt::Result {
        let level = level(e);
        let parens = level < outer;
        if parens {
            self.out.push('(');
        }
        self.bare(e)?;
        if parens {
            self.out.push(')');
        }
        Ok(())
    }

    fn bare(&mut self, e: &Expr) -> fmt::Result {
        match e {
            Expr::Int(v) => write!(self.out, "{v}"),
            Expr::Var(v) => write!(self.out, "{}", name(self.vars, *v)),
            Expr::Param(p) => write!(self.out, "{p}"),
            Expr::Add(terms) => self.sum(terms),
            Expr::Mul(f, e) if f.is_neg_one() => {
                self.out.push('-');
                self.expr(e, Level::Atom)
            }
            Expr::Mul(f, e) => {
                write!(self.out, "{f} * ")?;
                self.expr(e, Level::Atom)
            }
            Expr::FloorDiv {
                num,
                den,
                non_negative: true,
            } => self.operator(num, "/", den),
            Expr::FloorDiv { num, den, .. } => self.function("floord", num, den),
            Expr::Mod {
                num,
                den,
                non_negative: true,
            } => self.operator(num, "%", den),
            Expr::Mod { num, den, .. } => self.function("floormod", num, den),
            Expr::Min(list) => self.call("min", list),
            Expr::Max(list) => self.call("max", list),
            Expr::Select(c, a, b) => {
                self.expr(c, Level::Or)?;
                self.out.push_str(" ? ");
                self.expr(a, Level::Or)?;
                self.out.push_str(" : ");
                self.expr(b, Level::Cond)
            }
            Expr::Bool(b) => write!(self.out, "{}", i32::from(*b)),
            Expr::Cmp(op, a, b) => self.comparison(*op, a, b),
            Expr::And(list) => self.junction(list, " && ", Level::Compare),
            Expr::Or(list) => self.junction(list, " || ", Level::And),
            Expr::Not(e) => {
                self.out.push('!');
                self.expr(e, Level::Atom)
            }
        }
    }

    fn operator(&mut self, num: &Expr, op: &str, den: &Int) -> fmt::Result {
        self.expr(num, Level::Atom)?;
        write!(self.out, " {op} {den}")
    }

    fn function(&mut self, name: &str, num: &Expr, den: &Int) -> fmt::Result {
        write!(self.out, "{name}(")?;
        self.expr(num, Level::Any)?;
        write!(self.out, ", {den})")
    }

    /// A remainder compared with zero may be C's truncating one, whatever the dividend's sign.
    fn comparison(&mut self, op: CmpOp, a: &Expr, b: &Expr) -> fmt::Result {
        match a {
            Expr::Mod { num, den, .. } if matches!(op, CmpOp::Eq | CmpOp::Ne) && b.as_int().is_some_and(Int::is_zero) => {
                self.operator(num, "%", den)?;
            }
            _ => self.expr(a, Level::Sum)?,
        }
        write!(self.out, " {} ", op.symbol())?;
        self.expr(b, Level::Sum)
    }

    fn junction(&mut self, list: &[Expr], op: &str, inner: Level) -> fmt::Result {
        for (i, e) in list.iter().enumerate() {
            if i > 0 {
                self.out.push_str(op);
            }
            self.expr(e, inner)?;
        }
        Ok(())
    }

    fn sum(&mut self, terms: &[Expr]) -> fmt::Result {
        for (i, t) in terms.iter().enumerate() {
            let (negative, shown) = match t {
                Expr::Int(v) if v.is_neg() && i > 0 => (true, Expr::Int(v.abs())),
                Expr::Mul(f, e) if f.is_neg() && i > 0 => (true, (**e).clone().times(&f.abs())),
                t => (false, t.clone()),
            };
            if i > 0 {
                self.out.push_str(if negative { " - " } else { " + " });
            }
            self.expr(&shown, Level::Product)?;
        }
        Ok(())
    }
}

fn name(vars: &[Id], v: VarId) -> Id {
    vars.get(v.0 as usize).cloned().unwrap_or_else(|| Id::new(format!("v{}", v.0)))
}

fn level(e: &Expr) -> Level {
    match e {
        Expr::Select(..) => Level::Cond,
        Expr::Or(_) => Level::Or,
        Expr::And(_) => Level::And,
        Expr::Cmp(..) => Level::Compare,
        Expr::Add(_) => Level::Sum,
        Expr::Mul(..) | Expr::FloorDiv { non_negative: true, .. } | Expr::Mod { non_negative: true, .. } => Level::Product,
        Expr::Int(v) if v.is_neg() => Level::Sum,
        _ => Level::Atom,
    }
}

/// The bound one above, when writing `<` with it is shorter: all alternatives end in a negative constant.
fn below(e: &Expr) -> Option<Expr> {
    match e {
        Expr::Add(terms) => match terms.last() {
            Some(Expr::Int(v)) if v.is_neg() => Some(e.clone().plus(1)),
            _ => None,
        },
        Expr::Min(list) => {
            let shorter = |e: &Expr| matches!(e, Expr::Int(_)) || below(e).is_some();
            if list.iter().all(shorter) && list.iter().any(|e| below(e).is_some()) {
                Some(Expr::Min(list.iter().map(|e| e.clone().plus(1)).collect()))
            } else {
                None
            }
        }
        _ => None,
    }
}

fn is_if(n: &Node) -> bool {
    match n {
        Node::If { .. } => true,
        Node::For(f) => is_if(&f.body),
        Node::Block(list) => list.len() == 1 && is_if(&list[0]),
        Node::Mark { .. } | Node::User { .. } => false,
    }
}

/// Would the body print as more than one statement?
fn needs_braces(n: &Node) -> bool {
    match n {
        Node::Block(list) => list.len() > 1 || list.iter().any(needs_braces_alone),
        n => needs_braces_alone(n),
    }
}

fn needs_braces_alone(n: &Node) -> bool {
    match n {
        Node::Block(_) => needs_braces(n),
        Node::For(f) => f.marks.degenerate,
        Node::Mark { .. } => true,
        _ => false,
    }
}
