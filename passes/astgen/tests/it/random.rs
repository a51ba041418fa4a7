//! Random trees.

use crate::check::{boxes, check, params_of};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use tilia_astgen::{Options, generate};
use tilia_presburger::{Budget, Set};
use tilia_schedule::ScheduleTree;

/// A small generator of random numbers (splitmix64); seeds give the same trees everywhere.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

const DIMS: [&str; 3] = ["i", "j", "k"];

struct Stmt {
    name: String,
    n: usize,
    domain: String,
}

impl Stmt {
    fn tuple(&self) -> String {
        format!("{}[{}]", self.name, DIMS[..self.n].join(", "))
    }
}

fn stmt(r: &mut Rng, name: &str) -> Stmt {
    let n = 1 + r.below(3);
    let mut parts = Vec::new();
    for d in 0..n {
        let x = DIMS[d];
        let lower = if d > 0 && r.chance(25) {
            DIMS[d - 1]
        } else {
            r.pick(&["0", "0", "1", "-1", "n - 4"])
        };
        let upper = if d > 0 && r.chance(25) {
            format!("<= {} + 1", DIMS[d - 1])
        } else {
            r.pick(&["< n", "< n", "<= 3", "< 2", "<= n"]).to_string()
        };
        parts.push(format!("{lower} <= {x} {upper}"));
    }
    if r.chance(20) {
        let x = DIMS[r.below(n)];
        let c = r.pick(&["mod 2 = 0", "mod 2 = 1", "mod 3 = 1", "mod 3 >= 1", "mod 4 <= 1", "mod 5 >= 3"]);
        parts.push(format!("{x} {c}"));
    }
    if r.chance(8) {
        let x = DIMS[r.below(n)];
        parts.push(format!("({x} mod 3 = 0 or ({x} + n) mod 3 = 2)"));
    }
    if n > 1 && r.chance(15) {
        parts.push(r.pick(&["i + j <= 4", "i - j >= 0", "2i >= j", "(i + j) mod 2 = 0"]).to_string());
    }
    if r.chance(10) {
        let x = DIMS[r.below(n)];
        parts.push(format!("({x} <= 0 or {x} >= 2)"));
    }
    Stmt {
        name: name.to_string(),
        n,
        domain: parts.join(" and "),
    }
}

fn affine(r: &mut Rng, s: &Stmt) -> String {
    let mut e = DIMS[r.below(s.n)].to_string();
    if r.chance(30) {
        let other = DIMS[r.below(s.n)];
        let c = r.pick(&["+ ", "- ", "+ 2", "- 2"]);
        e = format!("{e} {c}{other}");
    }
    if r.chance(10) {
        e = format!("-({e})");
    }
    if r.chance(10) {
        e = format!("2*({e})");
    }
    if r.chance(10) {
        e = format!("n + {e}");
    }
    if r.chance(20) {
        let c = r.below(4);
        e = format!("{e} + {c}");
    }
    e
}

fn member(r: &mut Rng, s: &Stmt) -> String {
    let e = affine(r, s);
    match r.below(12) {
        0 => format!("floor(({e})/2)"),
        1 => format!("floor(({e})/3)"),
        2 => format!("({e}) mod 2"),
        3 => format!("({e}) mod 3"),
        4 => format!("2*floor(({e})/2)"),
        5 => format!("({e}) - (({e}) mod 3)"),
        6 => r.below(3).to_string(),
        _ => e,
    }
}

struct Gen<'a> {
    r: &'a mut Rng,
    out: String,
    /// Band values above.
    depth: usize,
}

impl Gen<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{:indent$}{text}", "");
    }

    fn child(&mut self, indent: usize, stmts: &[&Stmt], fuel: usize) {
        if fuel == 0 {
            return;
        }
        self.line(indent, "child:");
        self.node(indent + 2, stmts, fuel);
    }

    fn node(&mut self, indent: usize, stmts: &[&Stmt], fuel: usize) {
        match self.r.below(11) {
            10 if self.depth > 0 => self.extension(indent, stmts, fuel),
            0 | 1 if stmts.len() > 1 => self.split(indent, stmts, fuel),
            2 => self.cut(indent, stmts, fuel),
            3 => {
                self.line(indent, "mark: \"here\"");
                self.child(indent, stmts, fuel - 1);
            }
            _ => self.band(indent, stmts, fuel),
        }
    }

    fn split(&mut self, indent: usize, stmts: &[&Stmt], fuel: usize) {
        let kind = if self.r.chance(75) { "sequence:" } else { "set:" };
        self.line(indent, kind);
        let at = 1 + self.r.below(stmts.len() - 1);
        let (a, b) = stmts.split_at(at);
        let parts = if self.r.chance(50) { [a, b] } else { [b, a] };
        for p in parts {
            let names: Vec<String> = p.iter().map(|s| s.tuple()).collect();
            self.line(indent, &format!("- filter: \"{{ {} }}\"", names.join("; ")));
            self.child(indent + 2, p, fuel - 1);
        }
    }

    /// New instances for each combination of outer values, before or after the old ones.
    fn extension(&mut self, indent: usize, stmts: &[&Stmt], fuel: usize) {
        let outer: Vec<String> = (0..self.depth).map(|k| format!("o{k}")).collect();
        let name = format!("E{}", self.out.len());
        let at = &outer[self.r.below(self.depth)];
        self.line(
            indent,
            &format!(
                "extension: \"{{ [{}] -> {name}[{}, x] : 0 <= x <= 1 and {at} >= 0 }}\"",
                outer.join(", "),
                outer.join(", ")
            ),
        );
        self.line(indent, "child:");
        let names: Vec<String> = stmts.iter().map(|s| s.tuple()).collect();
        let old = format!("{{ {} }}", names.join("; "));
        let args: Vec<String> = (0..=self.depth).map(|k| format!("x{k}")).collect();
        let new = format!("{{ {name}[{}] }}", args.join(", "));
        self.line(indent + 2, "sequence:");
        let first = self.r.chance(50);
        if first {
            self.line(indent + 2, &format!("- filter: \"{new}\""));
        }
        self.line(indent + 2, &format!("- filter: \"{old}\""));
        self.child(indent + 4, stmts, fuel - 1);
        if !first {
            self.line(indent + 2, &format!("- filter: \"{new}\""));
        }
    }

    /// A sequence that cuts the instances of every statement.
    fn cut(&mut self, indent: usize, stmts: &[&Stmt], fuel: usize) {
        self.line(indent, "sequence:");
        let conds = self
            .r
            .pick(&[&["i <= 1", "i > 1"][..], &["i mod 2 = 0", "i mod 2 = 1"], &["2i < n", "2i >= n"]]);
        for c in conds {
            let parts: Vec<String> = stmts.iter().map(|s| format!("{} : {c}", s.tuple())).collect();
            self.line(indent, &format!("- filter: \"[n] -> {{ {} }}\"", parts.join("; ")));
            self.child(indent + 2, stmts, fuel - 1);
        }
    }

    fn band(&mut self, indent: usize, stmts: &[&Stmt], fuel: usize) {
        let n = 1 + self.r.below(2);
        let mut members = Vec::new();
        for _ in 0..n {
            let funcs: Vec<String> = stmts
                .iter()
                .map(|s| format!("{} -> [({})]", s.tuple(), member(self.r, s)))
                .collect();
            members.push(format!("{{ {} }}", funcs.join("; ")));
        }
        self.line(indent, &format!("schedule: \"[n] -> [{}]\"", members.join(", ")));
        let mut options = Vec::new();
        for k in 0..n {
            if self.r.chance(30) {
                options.push(format!("{}[{k}]", self.r.pick(&["atomic", "separate", "unroll"])));
            }
        }
        if self.r.chance(15) {
            let outer: Vec<String> = (0..self.depth).map(|k| format!("o{k}")).collect();
            let own: Vec<String> = (0..n).map(|k| format!("b{k}")).collect();
            let c = self.r.pick(&["b0 >= 1 and b0 <= 2", "b0 >= 0 and 2b0 < n", "b0 <= 1"]);
            let more = if n > 1 {
                self.r.pick(&["", " and b1 >= 1", " and b1 <= 2 and b0 + b1 <= 3"])
            } else {
                ""
            };
            options.push(format!("isolate[[{}] -> [{}]] : {c}{more}", outer.join(", "), own.join(", ")));
            if self.r.chance(50) {
                options.push(format!("[isolate[] -> {}[0]]", self.r.pick(&["atomic", "separate", "unroll"])));
            }
        }
        if !options.is_empty() {
            self.line(indent, &format!("options: \"[n] -> {{ {} }}\"", options.join("; ")));
        }
        self.depth += n;
        self.child(indent, stmts, fuel - 1);
        self.depth -= n;
    }
}

/// A random tree with parameter `n`.
pub(crate) fn tree(r: &mut Rng) -> String {
    let names = ["A", "B", "C"];
    let count = 1 + r.below(3);
    let stmts: Vec<Stmt> = names[..count].iter().map(|n| stmt(r, n)).collect();
    let domain: Vec<String> = stmts.iter().map(|s| format!("{} : {}", s.tuple(), s.domain)).collect();
    let mut g = Gen {
        r,
        out: String::new(),
        depth: 0,
    };
    g.line(0, &format!("domain: \"[n] -> {{ {} }}\"", domain.join("; ")));
    let all: Vec<&Stmt> = stmts.iter().collect();
    let fuel = 1 + g.r.below(3);
    g.child(0, &all, fuel);
    g.out
}

/// Trees for which the generator gave up.
static DECLINED: AtomicU64 = AtomicU64::new(0);

/// Checks one random tree; the number of instances that ran.
pub(crate) fn run(seed: u64) -> usize {
    let mut r = Rng::new(seed);
    let text = tree(&mut r);
    if let Some(dir) = std::env::var_os("TILIA_ASTGEN_DUMP") {
        // For comparison with other generators.
        let file = std::path::Path::new(&dir).join(format!("random-{seed:06}.yaml"));
        std::fs::write(file, format!("# at: n=9\n{text}")).unwrap();
    }
    let parsed: ScheduleTree = text.parse().unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
    let context: Set = "[n] -> { : }".parse().unwrap();
    let b = Budget::default();
    let (ast, _) = match generate(&parsed, &context, &Options::default(), &b) {
        Ok(r) => r,
        // Giving up is allowed, rarely; a wrong loop isn't.
        Err(e) if e.to_string() == "out of budget" => {
            println!("seed {seed}: {e}");
            DECLINED.fetch_add(1, Ordering::Relaxed);
            return 0;
        }
        Err(e) => panic!("seed {seed}: {e}\n{text}"),
    };
    let mut instances = 0;
    for values in boxes(&params_of(&parsed, &context), -1, 4) {
        if let Some(t) = std::panic::catch_unwind(|| check(&parsed, &context, &ast, &values)).unwrap_or_else(|e| {
            eprintln!("seed {seed}\n{text}");
            std::panic::resume_unwind(e)
        }) {
            instances += t.instances.len();
        }
    }
    instances
}

/// Runs the seeds on all processors; the number of trees with more than 5 instances, and the seeds that failed.
fn run_all(start: u64, count: u64) -> (u64, Vec<u64>) {
    let next = AtomicU64::new(start);
    let work = || {
        let (mut busy, mut bad) = (0, Vec::new());
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= start + count {
                return (busy, bad);
            }
            match std::panic::catch_unwind(|| run(seed)) {
                Ok(n) => busy += u64::from(n > 5),
                Err(_) => bad.push(seed),
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|s| {
        let workers: Vec<_> = (0..threads).map(|_| s.spawn(work)).collect();
        let mut all = (0, Vec::new());
        for w in workers {
            let (busy, bad) = w.join().unwrap();
            all.0 += busy;
            all.1.extend(bad);
        }
        all.1.sort_unstable();
        all
    })
}

/// `TILIA_ASTGEN_TREES` sets how many, `TILIA_SEED` the first seed.
#[test]
fn random_trees_execute_their_instances_in_order() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (count, start) = (number("TILIA_ASTGEN_TREES", 10_000), number("TILIA_SEED", 1));
    println!("{count} trees from seed {start}");
    let (busy, bad) = run_all(start, count);
    assert!(bad.is_empty(), "{} failed: {bad:?}", bad.len());
    let declined = DECLINED.load(Ordering::Relaxed);
    assert!(declined * 1000 <= count + 999, "out of budget for {declined} of {count} trees");
    assert!(busy * 2 > count, "only {busy} of {count} trees had more than 5 instances");
}
