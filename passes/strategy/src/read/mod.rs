//! Reads configuration files: JSON (with comments) into [`Config`], each error with its pointer, line and column.

mod globals;
mod json;
pub(crate) mod keys;
mod parts;
mod reader;

pub use json::MAX_BYTES;
pub(crate) use json::{Node, Source, Value};
pub(crate) use keys::DIMENSION;
pub(crate) use reader::{At, Reader};

use crate::{Code, Config, StrategyError};

/// The version of the format that this program reads.
const VERSION: i64 = 1;

impl Config {
    /// Reads a configuration file that is called `file` in messages.
    ///
    /// # Errors
    /// Everything that is wrong with it, up to a limit, in order.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<StrategyError>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = Source::new(file, text);
        let node = json::parse(&source, text).map_err(|e| vec![e])?;
        let mut reader = Reader::new(&source);
        let config = reader.file(&At::root(&node));
        match config {
            Some(config) if reader.errors.is_empty() => Ok(config),
            _ => {
                let mut errors = reader.errors;
                errors.sort_by_key(|e| (e.place.line, e.place.column));
                Err(errors)
            }
        }
    }
}

impl Reader<'_> {
    fn file(&mut self, at: &At<'_>) -> Option<Config> {
        let members = self.object(at, "an object {\"scheduling_strategy\": {..}}", keys::FILE)?;
        let mut config = None;
        for (key, at) in &members {
            match *key {
                "scheduling_strategy" => config = self.strategy(at),
                "version" => self.version(at),
                _ => {
                    self.string(at, "text");
                }
            }
        }
        if !members.iter().any(|(key, _)| *key == "scheduling_strategy") {
            let message = "there is no scheduling_strategy";
            self.error_help(at, Code::MissingKey, message, "put everything into {\"scheduling_strategy\": {..}}");
        }
        config
    }

    fn version(&mut self, at: &At<'_>) {
        match at.node.value {
            Value::Int(VERSION) => {}
            Value::Int(n) => self.error(
                at,
                Code::Version,
                format!("version {n} isn't known: this program reads version {VERSION}"),
            ),
            _ => self.expected(at, "a number"),
        }
    }

    fn strategy(&mut self, at: &At<'_>) -> Option<Config> {
        let members = self.object(at, "an object", keys::STRATEGY)?;
        let mut config = Config::default();
        if let Some((_, at)) = members.iter().find(|(key, _)| *key == "new_variables") {
            config.new_variables = self.variables(at);
        }
        let variables = config.new_variables.clone();
        let mut hints = Vec::new();
        for (key, at) in &members {
            match *key {
                "ILP_construction" => {
                    let list = self.list(at, "a list of objects {scheduling_dimension, cost_functions}");
                    config.objectives = list.iter().filter_map(|e| self.objective(e, &variables)).collect();
                }
                "custom_constraints" => {
                    let list = self.list(at, "a list of objects {scheduling_dimension, constraints}");
                    config.constraints = list.iter().filter_map(|e| self.constraint_group(e, &variables)).collect();
                }
                "fusion" => {
                    let list = self.list(at, "a list of objects {scheduling_dimension, stmts_fusion}");
                    config.fusion = list.iter().filter_map(|e| self.fusion(e)).collect();
                }
                "directives" => {
                    let list = self.list(at, "a list of objects {type, stmts, iterator}");
                    config.directives = list.iter().filter_map(|e| self.directive(e)).collect();
                }
                "hints" => hints = self.hints(at),
                "auto_vectorization" => config.auto_vectorization = self.boolean(at).unwrap_or(false),
                "scops" => config.scops = self.scops(at),
                "original_order" => config.original_order = self.boolean(at).unwrap_or(false),
                "options" => self.options(at, &mut config.options),
                "post_processing" => self.post_processing(at, &mut config.post_processing),
                "version" => self.version(at),
                "description" => {
                    self.string(at, "text");
                }
                _ => {}
            }
        }
        if let Some((_, at)) = members.iter().find(|(key, _)| *key == "on_infeasible") {
            config.options.on_infeasible = self.named(at).unwrap_or_default();
        }
        config.directives.extend(hints);
        self.clashes(&config.directives);
        Some(config)
    }
}
