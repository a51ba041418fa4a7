//! `tilia sets`: a calculator for integer sets.

use crate::cli::SetsArgs;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use tilia_presburger::Budget;
use tilia_presburger::calc::{self, History, Session};

/// Units of work that one expression may take: a few seconds at most.
const BUDGET: u64 = 50_000_000;

const HELP: &str = "EXPR, or NAME := EXPR to keep a value for later lines. Lines go on while brackets are open.
functions: the operations that `functions` lists; `variables` lists what was kept; `quit` ends.
`history` lists earlier lines; `!!` is the last one again, `!7` number 7, `!text` the last that begins with the text.";

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
    let (mut history, mut kept) = if terminal { load_history() } else { (History::default(), None) };
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
        match history.expand(&pending) {
            Ok(None) => {}
            Ok(Some(earlier)) => {
                // The user sees what is meant.
                eprintln!("{earlier}");
                pending = earlier;
            }
            Err(e) => {
                eprintln!("{e}");
                fine = false;
                pending.clear();
            }
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
            "history" => {
                for (n, line) in history.lines() {
                    println!("{n:>5}  {line}");
                }
            }
            text => {
                remember(&mut history, &mut kept, text);
                fine &= answer(&mut session, text);
            }
        }
        pending.clear();
        prompt("> ");
    }
    if !pending.trim().is_empty() {
        fine &= answer(&mut session, &pending);
    }
    ExitCode::from(u8::from(!fine))
}

/// The lines of earlier sessions at the terminal, and the file that new ones go to. A session without a home directory, or whose
/// file can't be used, has a history of its own.
fn load_history() -> (History, Option<File>) {
    let mut history = History::default();
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let Some(folder) = state.or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".local/state"))) else {
        return (history, None);
    };
    let folder = folder.join("tilia");
    let path = folder.join("sets_history");
    for line in std::fs::read_to_string(&path).unwrap_or_default().lines() {
        history.push(line);
    }
    let file = std::fs::create_dir_all(&folder).and_then(|()| OpenOptions::new().create(true).append(true).open(&path));
    (history, file.ok())
}

/// Keeps a line, on one line.
fn remember(history: &mut History, file: &mut Option<File>, text: &str) {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    history.push(&line);
    if let Some(f) = file
        && writeln!(f, "{line}").is_err()
    {
        *file = None;
    }
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
