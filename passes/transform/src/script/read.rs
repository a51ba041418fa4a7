//! From JSON to steps.

use super::json::{At, Fields, Source};
use super::{Action, Script, Step, Target};
use crate::{Diamond, Hexagon, RegisterTile, Tiling};
use jsonc_parser::ast::Value;
use tilia_diag::Diagnostic;
use tilia_presburger::{Id, Int};
use tilia_schedule::Path;

type Read<T> = Result<T, Diagnostic>;

/// The most steps of a script.
const MAX_STEPS: usize = 1000;

pub(super) fn script(file: &str, text: &str) -> Result<Script, Vec<Diagnostic>> {
    let source = Source::new(file, text);
    let root = source.parse().map_err(|d| vec![d])?;
    let root = At {
        value: &root,
        pointer: String::new(),
    };
    let (scop, steps) = head(&source, &root).map_err(|d| vec![d])?;
    let mut errors = Vec::new();
    let mut out = Vec::new();
    for (n, v) in steps.iter().enumerate() {
        match step(&source, v, n + 1, scop.as_ref()) {
            Ok(s) => out.push(s),
            Err(e) => errors.push(e),
        }
    }
    if errors.is_empty() {
        Ok(Script {
            file: source.file.clone(),
            steps: out,
        })
    } else {
        Err(errors)
    }
}

fn head<'v>(source: &Source<'_>, root: &At<'v>) -> Read<(Option<String>, Vec<At<'v>>)> {
    let (scop, list) = match root.value {
        Value::Object(_) => {
            let mut fields = Fields::new(source, root)?;
            let scop = fields.take("scop").map(|v| source.string(&v)).transpose()?;
            let steps = fields.need("steps")?;
            fields.done()?;
            (scop, steps)
        }
        Value::Array(_) => (None, root.clone()),
        _ => return Err(source.expected(root, "a list of steps, or an object with the key \"steps\"")),
    };
    let steps = source.list(&list)?;
    if steps.len() > MAX_STEPS {
        return Err(source.error(&list, format!("there are more than {MAX_STEPS} steps")));
    }
    Ok((scop, steps))
}

fn step(source: &Source<'_>, v: &At<'_>, number: usize, scop: Option<&String>) -> Read<Step> {
    let mut fields = Fields::new(source, v)?;
    let what = fields.need("do")?;
    let name = source.string(&what)?;
    let scop = match fields.take("scop") {
        Some(v) => Some(source.string(&v)?),
        None => scop.cloned(),
    };
    let mut reader = StepReader {
        source,
        fields,
        target: Target::default(),
    };
    let action = reader.action(&name, &what)?;
    let target = reader.finish()?;
    Ok(Step {
        number,
        pointer: v.pointer.clone(),
        loc: source.loc(v),
        scop,
        name,
        target,
        action,
    })
}

/// All steps, as written.
const NAMES: &str = "band, tile, strip_mine, register_tile, unroll, unroll_jam, interchange, reverse, skew, shift, scale, sink, reorder, distribute, fuse, vector, parallel, separate, \
                     peel, index_set_split, panels, wavefront, interleave, diamond, split_tile, hexagonal, mark";

struct StepReader<'s, 'v> {
    source: &'s Source<'s>,
    fields: Fields<'s, 'v>,
    target: Target,
}

impl StepReader<'_, '_> {
    fn action(&mut self, name: &str, what: &At<'_>) -> Read<Action> {
        Ok(match name {
            "band" => self.with_loops(Action::Band)?,
            "tile" => self.tile()?,
            "strip_mine" => self.strip_mine()?,
            "register_tile" => self.register_tile()?,
            "unroll" | "unroll_jam" => self.unroll(name == "unroll_jam")?,
            "interchange" => self.interchange()?,
            "reverse" => self.with_loop(Action::Reverse)?,
            "skew" => self.skew()?,
            "shift" => {
                self.one_loop()?;
                let by = self.fields.need("by")?;
                Action::Shift(self.source.int(&by)?)
            }
            "scale" => {
                self.loops()?;
                let factors = self.fields.need("factors")?;
                Action::Scale(self.source.each(&factors, |v| self.source.positive(v))?)
            }
            "sink" => self.with_loops(Action::Sink)?,
            "reorder" => {
                self.stmts()?;
                let order = self.fields.need("order")?;
                Action::Reorder(self.source.each(&order, |v| self.position(v))?)
            }
            "distribute" => self.with_loops(Action::Distribute)?,
            "fuse" => {
                self.stmts()?;
                let depth = self.fields.take("depth").map(|v| self.position(&v)).transpose()?;
                Action::Fuse(depth)
            }
            "vector" => self.with_loop(Action::Vector)?,
            "parallel" => self.with_loop(Action::Parallel)?,
            "separate" => {
                self.loops()?;
                Action::Separate(self.sizes("sizes")?)
            }
            "peel" => self.peel()?,
            "index_set_split" => {
                self.loops()?;
                let set = self.fields.need("where")?;
                Action::IndexSetSplit(self.source.string(&set)?)
            }
            "panels" => self.panels()?,
            "wavefront" => self.with_loops(Action::Wavefront)?,
            "interleave" => self.with_loop(Action::Interleave)?,
            "diamond" => self.diamond()?,
            "split_tile" => {
                self.loops()?;
                let sizes = self.fields.need("sizes")?;
                Action::SplitTile(self.source.each(&sizes, |v| self.source.positive(v))?)
            }
            "hexagonal" => self.hexagonal()?,
            "mark" => {
                self.loops()?;
                let mark = self.fields.need("name")?;
                Action::Mark(self.source.string(&mark)?)
            }
            _ => {
                return Err(self
                    .source
                    .error(what, format!("there is no transformation \"{name}\""))
                    .help(format!("there are {NAMES}")));
            }
        })
    }

    /// What every step may say about its place; then nothing may be left.
    fn finish(mut self) -> Read<Target> {
        if self.target.stmt.is_none() {
            self.target.stmt = self.fields.take("stmt").map(|v| self.source.string(&v)).transpose()?;
        }
        self.target.below = self.fields.take("below").map(|v| self.source.string(&v)).transpose()?;
        if let Some(v) = self.fields.take("at") {
            let text = self.source.string(&v)?;
            let path = path(&text).ok_or_else(|| {
                self.source.error(
                    &v,
                    format!("\"{text}\" is no position; write /0/1 for child 1 of child 0 of the root"),
                )
            })?;
            self.target.at = Some(path);
        }
        self.fields.done()?;
        Ok(self.target)
    }

    fn names(&self, v: &At<'_>) -> Read<Vec<String>> {
        let names = self.source.each(v, |v| self.source.string(v))?;
        for (i, n) in names.iter().enumerate() {
            if names[..i].contains(n) {
                return Err(self.source.error(v, format!("\"{n}\" stands in the list twice")));
            }
        }
        Ok(names)
    }

    fn loops(&mut self) -> Read<()> {
        let v = self.fields.need("loops")?;
        self.target.loops = self.names(&v)?;
        Ok(())
    }

    fn one_loop(&mut self) -> Read<()> {
        let v = self.fields.need("loop")?;
        self.target.loops = vec![self.source.string(&v)?];
        Ok(())
    }

    fn stmts(&mut self) -> Read<()> {
        let v = self.fields.need("stmts")?;
        self.target.stmts = self.names(&v)?;
        Ok(())
    }

    fn with_loops(&mut self, action: Action) -> Read<Action> {
        self.loops()?;
        Ok(action)
    }

    fn with_loop(&mut self, action: Action) -> Read<Action> {
        self.one_loop()?;
        Ok(action)
    }

    /// A number of things, or a position among them.
    fn position(&self, v: &At<'_>) -> Read<usize> {
        let n = self.source.int(v)?;
        n.to_i64()
            .and_then(|n| usize::try_from(n).ok())
            .ok_or_else(|| self.source.error(v, format!("must be at least 0, found {n}")))
    }

    /// As many positive numbers as there are loops.
    fn sizes(&mut self, key: &'static str) -> Read<Vec<Int>> {
        let v = self.fields.need(key)?;
        self.sizes_of(&v)
    }

    fn sizes_of(&self, v: &At<'_>) -> Read<Vec<Int>> {
        let sizes = self.source.each(v, |v| self.source.positive(v))?;
        let n = self.target.loops.len();
        if sizes.len() != n {
            return Err(self.source.error(v, format!("{} numbers for {n} loops", sizes.len())));
        }
        Ok(sizes)
    }

    fn tile(&mut self) -> Read<Action> {
        self.loops()?;
        let v = self.fields.need("sizes")?;
        let nested = self.source.list(&v)?.first().is_some_and(|f| matches!(f.value, Value::Array(_)));
        let levels = if nested {
            self.source.each(&v, |v| self.sizes_of(v))?
        } else {
            vec![self.sizes_of(&v)?]
        };
        let mut names = Vec::new();
        if let Some(v) = self.fields.take("names") {
            let lists = if nested { self.source.list(&v)? } else { vec![v.clone()] };
            for list in &lists {
                let own = self.names(list)?;
                if own.len() != self.target.loops.len() {
                    return Err(self
                        .source
                        .error(list, format!("{} names for {} loops", own.len(), self.target.loops.len())));
                }
                names.push(own.iter().map(Id::new).collect());
            }
        }
        let full = self.flag("full")?;
        Ok(Action::Tile(Tiling { levels, names, full }))
    }

    fn flag(&mut self, key: &'static str) -> Read<bool> {
        let v = self.fields.take(key);
        Ok(v.map(|v| self.source.bool(&v)).transpose()?.unwrap_or(false))
    }

    fn strip_mine(&mut self) -> Read<Action> {
        self.one_loop()?;
        let size = self.fields.need("size")?;
        let size = self.source.positive(&size)?;
        let name = self.fields.take("name").map(|v| self.source.string(&v)).transpose()?;
        let full = self.flag("full")?;
        Ok(Action::Tile(Tiling {
            levels: vec![vec![size]],
            names: name.iter().map(|n| vec![Id::new(n)]).collect(),
            full,
        }))
    }

    fn register_tile(&mut self) -> Read<Action> {
        self.loops()?;
        let sizes = self.sizes("sizes")?;
        let vector = match self.fields.take("vector") {
            None => None,
            Some(v) => {
                let name = self.source.string(&v)?;
                let n = self.target.loops.iter().position(|l| *l == name);
                Some(n.ok_or_else(|| self.source.error(&v, format!("\"{name}\" isn't one of the loops")))?)
            }
        };
        Ok(Action::Register(RegisterTile { sizes, vector, jam: true }))
    }

    fn panels(&mut self) -> Read<Action> {
        self.loops()?;
        let v = self.fields.need("strips")?;
        let name = self.source.string(&v)?;
        let strips = self.target.loops.iter().position(|l| *l == name);
        let strips = strips.ok_or_else(|| self.source.error(&v, format!("\"{name}\" isn't one of the loops")))?;
        let size = self.fields.need("size")?;
        let size = self.source.positive(&size)?;
        Ok(Action::Panels { strips, size })
    }

    fn unroll(&mut self, jam: bool) -> Read<Action> {
        self.one_loop()?;
        let factor = if jam {
            Some(self.fields.need("factor")?)
        } else {
            self.fields.take("factor")
        };
        Ok(match factor {
            None => Action::Unroll,
            Some(v) => Action::Register(RegisterTile {
                sizes: vec![self.source.positive(&v)?],
                vector: None,
                jam,
            }),
        })
    }

    fn interchange(&mut self) -> Read<Action> {
        self.loops()?;
        let v = self.fields.need("order")?;
        let names = self.names(&v)?;
        let mut order = Vec::new();
        for n in &names {
            let k = self.target.loops.iter().position(|l| l == n);
            order.push(k.ok_or_else(|| self.source.error(&v, format!("\"{n}\" isn't one of the loops")))?);
        }
        if order.len() != self.target.loops.len() {
            return Err(self
                .source
                .error(&v, format!("{} names for {} loops", order.len(), self.target.loops.len())));
        }
        Ok(Action::Interchange(order))
    }

    fn skew(&mut self) -> Read<Action> {
        self.one_loop()?;
        let v = self.fields.need("by")?;
        let by = self.source.string(&v)?;
        if self.target.loops.contains(&by) {
            return Err(self.source.error(&v, "a loop isn't skewed by itself"));
        }
        self.target.loops.push(by);
        let factor = self.fields.take("factor").map(|v| self.source.int(&v)).transpose()?;
        Ok(Action::Skew(factor.unwrap_or(Int::ONE)))
    }

    fn diamond(&mut self) -> Read<Action> {
        self.loops()?;
        let sizes = self.fields.need("sizes")?;
        let sizes = self.source.each(&sizes, |v| self.source.positive(v))?;
        let mut wanted = Diamond {
            sizes,
            faces: None,
            front: None,
        };
        if let Some(v) = self.fields.take("faces") {
            let rows = self.source.each(&v, |v| self.source.each(v, |v| self.source.int(v)))?;
            let rows = <[Vec<Int>; 2]>::try_from(rows).map_err(|rows| self.source.error(&v, format!("two faces, not {}", rows.len())))?;
            wanted.faces = Some(rows);
        }
        if let Some(v) = self.fields.take("front") {
            let front = self.source.each(&v, |v| self.source.positive(v))?;
            let front = <[Int; 2]>::try_from(front).map_err(|f| self.source.error(&v, format!("two weights, not {}", f.len())))?;
            wanted.front = Some(front);
        }
        Ok(Action::Diamond(wanted))
    }

    fn hexagonal(&mut self) -> Read<Action> {
        self.loops()?;
        let mut number = |key| -> Read<i64> {
            let v = self.fields.need(key)?;
            let n = self.source.positive(&v)?;
            n.to_i64().ok_or_else(|| self.source.error(&v, "too large"))
        };
        let (half, base) = (number("half")?, number("base")?);
        let others = match self.fields.take("others") {
            Some(v) => self.source.each(&v, |v| self.source.positive(v))?,
            None => Vec::new(),
        };
        Ok(Action::Hexagonal(Hexagon { half, base, others }))
    }

    fn peel(&mut self) -> Read<Action> {
        self.one_loop()?;
        let mut number = |key| -> Read<Int> {
            let v = self.fields.take(key);
            Ok(v.map(|v| self.source.positive(&v)).transpose()?.unwrap_or(Int::ZERO))
        };
        let (first, last) = (number("first")?, number("last")?);
        Ok(Action::Peel { first, last })
    }
}

/// `/0/1`, or `/` for the root.
fn path(text: &str) -> Option<Path> {
    let rest = text.strip_prefix('/')?;
    if rest.is_empty() {
        return Some(Path::root());
    }
    rest.split('/').map(|n| n.parse().ok()).collect::<Option<Vec<usize>>>().map(Path)
}
