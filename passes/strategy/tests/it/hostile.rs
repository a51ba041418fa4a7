//! Any bytes give an answer or an error; never a panic, and never without end.

use tilia_strategy::{BUILT_IN, Code, Config, ScriptStrategy, Strategy};

use crate::views::Program;

/// A small generator: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % below
    }
}

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let pieces: Vec<char> = other.chars().collect();
    for _ in 0..=random.next(4) {
        let at = random.next(chars.len() + 1);
        match random.next(5) {
            0 if at < chars.len() => drop(chars.remove(at)),
            1 => chars.insert(
                at,
                ['{', '}', '[', ']', '"', ',', ':', '-', '9', '\\', '\u{0}', 'ä', '*', '_', 'S', '/'][random.next(16)],
            ),
            2 if at < chars.len() => chars.truncate(at),
            3 => {
                let from = random.next(pieces.len());
                let to = (from + random.next(20)).min(pieces.len());
                let end = (at + to - from).min(chars.len());
                chars.splice(at..end, pieces[from..to].iter().copied());
            }
            _ if at < chars.len() => {
                let end = (at + random.next(12)).min(chars.len());
                let copy: Vec<char> = chars[at..end].to_vec();
                chars.splice(at..at, copy);
            }
            _ => {}
        }
    }
    chars.into_iter().collect()
}

#[test]
fn mutated_configurations() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let examples: Vec<String> = crate::files::examples()
        .into_iter()
        .filter(|(n, _)| n.ends_with(".json"))
        .map(|(_, t)| t)
        .chain(BUILT_IN.iter().map(|b| b.text.to_owned()))
        .collect();
    let program = Program::new(&[3, 2, 1]);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..4000 {
        let text = mutate(
            &examples[random.next(examples.len())],
            &examples[random.next(examples.len())],
            &mut random,
        );
        match Config::parse("s.json", &text) {
            Ok(config) => {
                read += 1;
                let mut s = tilia_strategy::StaticStrategy::new("s", config);
                let _ = program.view(|v| s.begin(v));
                let _ = program.view(|v| s.configure(v));
            }
            Err(errors) => {
                refused += 1;
                assert!(!errors.is_empty());
                for e in errors {
                    let lines = text.lines().count().max(1);
                    assert!(e.place.line >= 1 && e.place.line as usize <= lines + 1, "{e}\n{text}");
                    assert!(e.code.number() < 300, "{e}");
                }
            }
        }
    }
    assert!(
        read > 100 && refused > 1000,
        "{read} read, {refused} refused: the mutations say nothing"
    );
}

#[test]
fn mutated_scripts() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let text = crate::files::examples().into_iter().find(|(n, _)| n == "isl-style.rhai").unwrap().1;
    let program = Program::new(&[3, 2, 1]);
    for _ in 0..400 {
        let text = mutate(
            &text,
            "fn configure(v) { loop { let x = [v.rows, v.stmts[0].iters]; } }",
            &mut random,
        );
        if let Ok(mut s) = ScriptStrategy::parse("s.rhai", &text) {
            let _ = program.view(|v| s.configure(v));
        }
    }
}

#[test]
fn nesting_and_size() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"scheduling_strategy\":", "}")] {
        for close in [close, ""] {
            let text = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
            let errors = Config::parse("s.json", &text).unwrap_err();
            assert_eq!(errors[0].code, Code::TooLarge, "{}", errors[0]);
        }
    }
    let deep = [&*"[{\"alternatives\":".repeat(150), "[]", &*"}]".repeat(150)].concat();
    let text = format!("{{\"scheduling_strategy\": {{\"ILP_construction\": [{{\"alternatives\": {deep}}}]}}}}");
    let config = Config::parse("s.json", &text).unwrap_or_else(|e| panic!("{}", e[0]));
    let mut s = tilia_strategy::StaticStrategy::new("s", config);
    Program::new(&[1]).view(|v| s.begin(v)).unwrap();
    let large = format!("{{\"scheduling_strategy\": {{}}}}{}", " ".repeat(2 << 20));
    assert_eq!(Config::parse("s.json", &large).unwrap_err()[0].code, Code::TooLarge);
    let many = format!(
        "{{\"scheduling_strategy\": {{\"new_variables\": [{}\"z\"]}}}}",
        (0..5000).map(|n| format!("\"x{n}\", ")).collect::<String>()
    );
    assert_eq!(Config::parse("s.json", &many).unwrap_err()[0].code, Code::TooLarge);
    let wrong = format!("{{\"scheduling_strategy\": {{\"new_variables\": [{}1]}}}}", "1, ".repeat(100_000));
    assert!(Config::parse("s.json", &wrong).unwrap_err().len() <= 20);
    let constraint = format!(
        "{{\"scheduling_strategy\": {{\"custom_constraints\": [{{\"constraints\": [\"{}\"]}}]}}}}",
        "w + ".repeat(50_000)
    );
    assert_eq!(Config::parse("s.json", &constraint).unwrap_err()[0].code, Code::BadConstraint);
}
