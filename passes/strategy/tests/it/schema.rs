//! The JSON Schema accepts what the reader accepts, on the files that are there.

use serde_json::Value;
use tilia_strategy::{BUILT_IN, Config, json_schema};

/// A validator for the keywords that the schema uses; an unknown keyword is a failure of the test.
struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let Value::Object(schema) = schema else {
            return if schema == &Value::Bool(false) {
                Err(format!("{at}: not allowed"))
            } else {
                Ok(())
            };
        };
        for (keyword, wanted) in schema {
            let fine = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" | "format" | "examples" | "default" => true,
                "$ref" => {
                    let path = wanted.as_str().unwrap().strip_prefix('#').unwrap();
                    self.check(self.root.pointer(path).unwrap(), value, at)?;
                    true
                }
                "type" => match wanted {
                    Value::Array(types) => types.iter().any(|t| has_type(t.as_str().unwrap(), value)),
                    one => has_type(one.as_str().unwrap(), value),
                },
                "const" => wanted == value,
                "enum" => wanted.as_array().unwrap().contains(value),
                "anyOf" => wanted.as_array().unwrap().iter().any(|s| self.check(s, value, at).is_ok()),
                "oneOf" => {
                    wanted
                        .as_array()
                        .unwrap()
                        .iter()
                        .filter(|s| self.check(s, value, at).is_ok())
                        .count()
                        == 1
                }
                "properties" => {
                    for (key, sub) in wanted.as_object().unwrap() {
                        if let Some(v) = value.get(key) {
                            self.check(sub, v, &format!("{at}/{key}"))?;
                        }
                    }
                    true
                }
                "additionalProperties" => {
                    let known = schema.get("properties").and_then(Value::as_object);
                    for (key, v) in value.as_object().into_iter().flatten() {
                        if known.is_none_or(|k| !k.contains_key(key)) {
                            self.check(wanted, v, &format!("{at}/{key}"))?;
                        }
                    }
                    true
                }
                "required" => wanted
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|k| !value.is_object() || value.get(k.as_str().unwrap()).is_some()),
                "items" => {
                    for (n, v) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, v, &format!("{at}/{n}"))?;
                    }
                    true
                }
                "minimum" => value.as_i64().is_none_or(|n| n >= wanted.as_i64().unwrap()),
                "maximum" => value.as_i64().is_none_or(|n| n <= wanted.as_i64().unwrap()),
                "minItems" => value.as_array().is_none_or(|a| a.len() as u64 >= wanted.as_u64().unwrap()),
                "maxItems" => value.as_array().is_none_or(|a| a.len() as u64 <= wanted.as_u64().unwrap()),
                "pattern" => value.as_str().is_none_or(|s| pattern(wanted.as_str().unwrap(), s)),
                other => panic!("the schema uses {other}, which this test doesn't know"),
            };
            if !fine {
                return Err(format!("{at}: {keyword} {wanted}"));
            }
        }
        Ok(())
    }
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("type {other}"),
    }
}

fn pattern(pattern: &str, text: &str) -> bool {
    let word = |t: &str| t.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match pattern {
        "^[A-Za-z_][A-Za-z0-9_]*$" => word(text) && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'),
        "[<>=]" => text.contains(['<', '>', '=']),
        "^S?[0-9]+$" => {
            let digits = text.strip_prefix('S').unwrap_or(text);
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        }
        other => panic!("pattern {other}"),
    }
}

/// JSON with comments and trailing commas as a value.
fn value(text: &str) -> Value {
    let lines: Vec<&str> = text.lines().map(|l| l.split("//").next().unwrap()).collect();
    let joined = lines.join("\n");
    let mut plain = String::new();
    for (n, c) in joined.char_indices() {
        let trailing = c == ',' && joined[n + 1..].trim_start().starts_with(['}', ']']);
        if !trailing {
            plain.push(c);
        }
    }
    serde_json::from_str(&plain).unwrap_or_else(|e| panic!("{e}\n{plain}"))
}

#[test]
fn files_validate() {
    let root: Value = serde_json::from_str(&json_schema()).unwrap();
    let validator = Validator { root: &root };
    let examples = crate::files::examples().into_iter().filter(|(n, _)| n.ends_with(".json"));
    let files = examples.chain(BUILT_IN.iter().map(|b| (b.file.to_owned(), b.text.to_owned())));
    for (name, text) in files {
        validator.check(&root, &value(&text), "").unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

/// What the reader refuses because of its form, the schema refuses, too.
#[test]
fn wrong_files_do_not() {
    let root: Value = serde_json::from_str(&json_schema()).unwrap();
    let validator = Validator { root: &root };
    for inner in [
        "3",
        r#"{"fussion": []}"#,
        r#"{"version": 2}"#,
        r#"{"auto_vectorization": "yes"}"#,
        r#"{"new_variables": ["2x"]}"#,
        r#"{"new_variables": [{"min": 1}]}"#,
        r#"{"ILP_construction": [{"scheduling_dimension": "first"}]}"#,
        r#"{"ILP_construction": [{"scheduling_dimension": [1]}]}"#,
        r#"{"ILP_construction": [{"when": "sometimes"}]}"#,
        r#"{"custom_constraints": [{"scheduling_dimension": 0}]}"#,
        r#"{"custom_constraints": [{"constraints": ["S0_it_0"]}]}"#,
        r#"{"fusion": [{"stmts_fusion": [["one"]]}]}"#,
        r#"{"directives": [{"type": "parallel", "stmts": []}]}"#,
        r#"{"directives": [{"type": "paralel", "stmts": [], "iterator": 0}]}"#,
        r#"{"options": {"coeff_max": 0}}"#,
        r#"{"options": {"skewing": "sometimes"}}"#,
        r#"{"post_processing": {"tile_sizes": []}}"#,
    ] {
        let text = format!("{{\"scheduling_strategy\": {inner}}}");
        assert!(validator.check(&root, &value(&text), "").is_err(), "the schema accepts {inner}");
        assert!(Config::parse("s.json", &text).is_err(), "the reader accepts {inner}");
    }
}
