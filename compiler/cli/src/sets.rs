//! `tilia sets`: a calculator for integer sets.

use crate::cli::SetsArgs;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;
use tilia_presburger::Budget;
use tilia_presburger::calc::{self, Session};

/// Units of work that one expression may take: a few seconds at most.
const BUDGET: u64 = 50_000_000;

const HELP: &str = "EXPR, or NAME := EXPR to keep a value for later lines. Lines go on while brackets are open.
functions: the operations that `functions` lists; `variables` lists what was kept; `quit` ends.";

pub(crate) fn main(args: &SetsArgs) -> ExitCode {
    match &args.expression {
        Some(text) => ExitCode::from(u8::from(!answer(&mut Session::new(), text))),
        None => interactive(),
    }
}

/// Prints the value of an expression, or what is wrong with it.
fn answer(session: &mut Session, text: &str) -> bool {
    match session.run(text, &Budget::new(BUDGET)) {
        Ok((None, value)) => {
            println!("{value}");
            true
        }
        Ok((Some(name), value)) => {
            println!("{name} := {value}");
            true
        }
        Err(e) => {
            eprintln!("{}", e.render(text));
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
    let mut session = Session::new();
    let mut pending = String::new();
    let mut fine = true;
    if terminal {
        eprintln!("integer sets in isl's notation; `help` says what can be asked");
    }
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
            "help" => println!("{HELP}"),
            "functions" => {
                for f in calc::functions() {
                    println!("{:<60} {}", f.signature, f.help);
                }
            }
            "variables" => {
                for (name, value) in session.variables() {
                    println!("{name} := {value}");
                }
            }
            text => fine &= answer(&mut session, text),
        }
        pending.clear();
        prompt("> ");
    }
    if !pending.trim().is_empty() {
        fine &= answer(&mut session, &pending);
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
