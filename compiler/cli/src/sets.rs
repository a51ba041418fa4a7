//! `tilia sets`: a calculator for integer sets.

use crate::cli::SetsArgs;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;
use tilia_presburger::{Budget, calc};

/// Units of work that one expression may take: about a second or two.
const BUDGET: u64 = 50_000_000;

pub(crate) fn main(args: &SetsArgs) -> ExitCode {
    match &args.expression {
        Some(text) => ExitCode::from(u8::from(!answer(text))),
        None => interactive(),
    }
}

/// Prints the value of an expression, or what is wrong with it.
fn answer(text: &str) -> bool {
    match calc::eval(text, &Budget::new(BUDGET)) {
        Ok(value) => {
            println!("{value}");
            true
        }
        Err(e) => {
            eprintln!("{e}");
            false
        }
    }
}

/// Expressions from standard input. One ends at a line's end where its brackets are closed.
fn interactive() -> ExitCode {
    let terminal = std::io::stdin().is_terminal();
    let prompt = |text: &str| {
        if terminal {
            eprint!("{text}");
            let _ = std::io::stderr().flush();
        }
    };
    let mut pending = String::new();
    let mut fine = true;
    prompt("> ");
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else {
            eprintln!("tilia: the input isn't UTF-8 text");
            return ExitCode::from(1);
        };
        pending.push_str(&line);
        if open_brackets(&pending) {
            pending.push('\n');
            prompt(". ");
            continue;
        }
        match pending.trim() {
            "" => {}
            "quit" | "exit" => return ExitCode::from(u8::from(!fine)),
            text => fine &= answer(text),
        }
        pending.clear();
        prompt("> ");
    }
    if !pending.trim().is_empty() {
        fine &= answer(&pending);
    }
    ExitCode::from(u8::from(!fine))
}

fn open_brackets(text: &str) -> bool {
    let mut depth = 0i64;
    for c in text.chars() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            _ => {}
        }
    }
    depth > 0
}
