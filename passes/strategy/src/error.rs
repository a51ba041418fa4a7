//! What is wrong with a strategy: a code, a place, a sentence, a way out.

use crate::Place;
use std::fmt;
use tilia_diag::Diagnostic;

/// Codes of errors in strategies. `E1xx`: the file itself; `E2xx`: it doesn't fit the program; `E6xx`: a script or strategy failed while it ran. (`E3xx` are the scheduler's.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// `E101`: not JSON.
    Syntax,
    /// `E102`: a key that isn't known.
    UnknownKey,
    /// `E103`: a cost function that isn't known.
    UnknownCost,
    /// `E104`: a variable declared twice, or under a name that means something else.
    BadVariable,
    /// `E105`: a constraint that isn't an affine comparison, or names an unknown variable.
    BadConstraint,
    /// `E106`: a value of the wrong type or out of range.
    BadValue,
    /// `E107`: a key given twice, also under two spellings.
    DuplicateKey,
    /// `E108`: a required key is missing.
    MissingKey,
    /// `E109`: a version that this program doesn't read.
    Version,
    /// `E110`: the file is too large or nested too deeply.
    TooLarge,
    /// `E201`: no such statement.
    UnknownStatement,
    /// `E202`: no such iterator or parameter.
    UnknownIndex,
    /// `E203`: a statement is in two groups of a partition.
    StatementTwice,
    /// `E204`: directives that can't hold together whatever the program is: one iterator of a statement both parallel and sequential, two vector iterators.
    DirectivesClash,
    /// `E601`: a script that doesn't parse.
    ScriptSyntax,
    /// `E602`: a script failed while it ran.
    ScriptFailed,
    /// `E603`: a script exceeded its limits of steps, memory or depth.
    ScriptLimit,
    /// `E604`: a script's answer isn't what it should be.
    ScriptAnswer,
    /// `E605`: a strategy failed, or asked for too many retries.
    StrategyFailed,
}

impl Code {
    /// All codes, for documentation and tests.
    pub const ALL: [Self; 19] = [
        Self::Syntax,
        Self::UnknownKey,
        Self::UnknownCost,
        Self::BadVariable,
        Self::BadConstraint,
        Self::BadValue,
        Self::DuplicateKey,
        Self::MissingKey,
        Self::Version,
        Self::TooLarge,
        Self::UnknownStatement,
        Self::UnknownIndex,
        Self::StatementTwice,
        Self::DirectivesClash,
        Self::ScriptSyntax,
        Self::ScriptFailed,
        Self::ScriptLimit,
        Self::ScriptAnswer,
        Self::StrategyFailed,
    ];

    /// The number: 101 for `E101`.
    #[must_use]
    pub fn number(self) -> u16 {
        match self {
            Self::Syntax => 101,
            Self::UnknownKey => 102,
            Self::UnknownCost => 103,
            Self::BadVariable => 104,
            Self::BadConstraint => 105,
            Self::BadValue => 106,
            Self::DuplicateKey => 107,
            Self::MissingKey => 108,
            Self::Version => 109,
            Self::TooLarge => 110,
            Self::UnknownStatement => 201,
            Self::UnknownIndex => 202,
            Self::StatementTwice => 203,
            Self::DirectivesClash => 204,
            Self::ScriptSyntax => 601,
            Self::ScriptFailed => 602,
            Self::ScriptLimit => 603,
            Self::ScriptAnswer => 604,
            Self::StrategyFailed => 605,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "E{}", self.number())
    }
}

/// An error of a strategy. Strategies written in Rust make one with [`StrategyError::failed`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrategyError {
    /// What kind.
    pub code: Code,
    /// Where in the file, where there is one.
    pub place: Place,
    /// What is wrong, one sentence without a final stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl StrategyError {
    /// An error at a place.
    #[must_use]
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            code,
            place,
            message: message.into(),
            help: None,
        }
    }

    /// A strategy gave up (`E605`).
    #[must_use]
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Code::StrategyFailed, Place::default(), message)
    }

    /// The same with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// For printing with the source line quoted.
    #[must_use]
    pub fn to_diagnostic(&self) -> Diagnostic {
        let at = if self.place.pointer.is_empty() {
            String::new()
        } else {
            format!(" (at {})", self.place.pointer)
        };
        let mut d = Diagnostic::error(self.place.loc(), format!("[{}] {}{at}", self.code, self.message));
        d.help.clone_from(&self.help);
        d
    }
}

impl fmt::Display for StrategyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.line > 0 {
            write!(f, "{}:{}:{}: ", self.place.file, self.place.line, self.place.column)?;
        }
        write!(f, "{}: {}", self.code, self.message)?;
        if !self.place.pointer.is_empty() {
            write!(f, " (at {})", self.place.pointer)?;
        }
        Ok(())
    }
}

impl std::error::Error for StrategyError {}
