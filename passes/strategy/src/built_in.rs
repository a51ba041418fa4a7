//! The built-in strategies: files like any user's, held in the program.

use crate::suggest::closest;
use crate::{Code, Config, Place, ScopName, ScriptStrategy, StaticStrategy, Strategy, StrategyError};

/// A built-in strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// Name on the command line.
    pub name: &'static str,
    /// File name for messages; its ending says what it is.
    pub file: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! built_in {
    ($($name:literal => $file:literal),+ $(,)?) => {
        [$(BuiltIn { name: $name, file: $file, text: include_str!(concat!("../strategies/", $file)) }),+]
    };
}

/// All of them, in the order in which messages list them.
pub const BUILT_IN: [BuiltIn; 7] = built_in!(
    "none" => "none.json",
    "pluto" => "pluto.json",
    "pluto+" => "pluto+.json",
    "feautrier" => "feautrier.json",
    "isl" => "isl.json",
    "tensor" => "tensor.json",
    "auto" => "auto.json",
);

/// The built-in strategy of that name.
///
/// # Errors
/// When there is none, with the names that there are.
pub fn built_in(name: &str) -> Result<&'static BuiltIn, StrategyError> {
    let names = || BUILT_IN.iter().map(|b| b.name);
    BUILT_IN.iter().find(|b| b.name == name).ok_or_else(|| {
        let error = StrategyError::new(Code::BadValue, Place::default(), format!("no strategy is called '{name}'"));
        match closest(name, names()) {
            Some(near) => error.help(format!("did you mean '{near}'?")),
            None => error.help(format!("there are {}", names().collect::<Vec<_>>().join(", "))),
        }
    })
}

impl BuiltIn {
    /// The strategy, ready to be asked.
    ///
    /// # Errors
    /// None for the files as they are: tests read all of them.
    pub fn load(&self) -> Result<Box<dyn Strategy>, Vec<StrategyError>> {
        load(self.name, self.file, self.text)
    }
}

/// The scops that a configuration file says it is for; none for scripts, and for files that can't be read.
#[must_use]
pub fn scops_of(file: &str, text: &str) -> Vec<ScopName> {
    if is_script(file) {
        return Vec::new();
    }
    Config::parse(file, text).map(|c| c.scops).unwrap_or_default()
}

fn is_script(file: &str) -> bool {
    std::path::Path::new(file)
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("rhai"))
}

/// A strategy from the text of a file: a script if its name ends in `.rhai`, else JSON. `name` is what remarks call it.
///
/// # Errors
/// What is wrong with the file.
pub fn load(name: &str, file: &str, text: &str) -> Result<Box<dyn Strategy>, Vec<StrategyError>> {
    if is_script(file) {
        ScriptStrategy::parse(file, text)
            .map(|s| Box::new(s) as Box<dyn Strategy>)
            .map_err(|e| vec![e])
    } else {
        Config::parse(file, text).map(|c| Box::new(StaticStrategy::new(name, c)) as Box<dyn Strategy>)
    }
}
