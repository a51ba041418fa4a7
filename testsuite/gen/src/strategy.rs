//! Random configurations of the scheduler, as the text of a strategy file.
//!
//! They fit the program (statements, iterators and parameters exist), but custom constraints may exclude all rows and partitions may be illegal: callers expect such errors.

use crate::{chance, pick};
use arbitrary::{Result, Unstructured};
use std::fmt::Write;

/// The option under which schedules are legal that move the same values in another order of pairs.
pub const LIVE_RANGES: &str = r#""live_range_reordering": true"#;

/// A strategy file for statements of these depths. Without `wishes`, nothing in it can lead to an error.
#[must_use]
pub fn strategy_text(u: &mut Unstructured<'_>, depths: &[usize], wishes: bool) -> String {
    let mut keys = vec![r#""version": 1"#.to_owned()];
    let parts = [objectives, options, directives, constraints, fusion];
    for (n, part) in parts.iter().enumerate() {
        if n >= 3 && !wishes {
            break;
        }
        // When the bytes are used up, keys are left out.
        keys.extend(part(u, depths).unwrap_or_default());
    }
    format!("{{ \"scheduling_strategy\": {{\n  {}\n}} }}\n", keys.join(",\n  "))
}

const COSTS: [(u32, &str); 7] = [
    (6, "proximity"),
    (3, "feautrier"),
    (2, "contiguity"),
    (1, "bigLoopsFirst"),
    (1, "latency"),
    (1, "parallelism"),
    (1, "skewSum"),
];

fn cost_list(u: &mut Unstructured<'_>) -> Result<String> {
    let mut list: Vec<&str> = Vec::new();
    for _ in 0..u.int_in_range(0..=2u8)? {
        let c = pick(u, &COSTS)?;
        if !list.contains(&c) {
            list.push(c);
        }
    }
    let quoted: Vec<String> = list.iter().map(|c| format!("{c:?}")).collect();
    Ok(quoted.join(", "))
}

fn objectives(u: &mut Unstructured<'_>, _: &[usize]) -> Result<Vec<String>> {
    let mut entries = Vec::new();
    for _ in 0..u.int_in_range(0..=2u8)? {
        let dimension = pick(u, &[(4, r#""default""#), (1, "0"), (1, "1"), (1, r#""last""#), (1, "[1, 2]")])?;
        let when = pick(
            u,
            &[(4, ""), (1, r#""when": "parallel_possible", "#), (1, r#""when": "band_start", "#)],
        )?;
        let costs = cost_list(u)?;
        entries.push(format!(
            r#"{{ "scheduling_dimension": {dimension}, {when}"cost_functions": [{costs}] }}"#
        ));
    }
    Ok(list_of("ILP_construction", &entries))
}

fn list_of(key: &str, entries: &[String]) -> Vec<String> {
    if entries.is_empty() {
        return Vec::new();
    }
    vec![format!("\"{key}\": [{}]", entries.join(", "))]
}

fn options(u: &mut Unstructured<'_>, _: &[usize]) -> Result<Vec<String>> {
    let mut keys = vec![format!(
        "\"fusion_heuristic\": {:?}",
        pick(u, &[(2, "smart"), (1, "none"), (1, "max"), (1, "typed"), (2, "reuse")])?
    )];
    for (percent, text) in [
        (20, r#""negative_coefficients": true"#),
        (20, r#""parametric_shift": true"#),
        (15, r#""lazy": true"#),
        (10, r#""coeff_max": 3"#),
        (10, r#""const_max": 2"#),
        (10, r#""coalesce_threshold": 1"#),
        (20, r#""dependences": "value""#),
        (15, r#""expand": ["*"]"#),
        (30, LIVE_RANGES),
    ] {
        if chance(u, percent)? {
            keys.push(text.to_owned());
        }
    }
    keys.push(format!(
        "\"skewing\": {:?}",
        pick(u, &[(6, "on"), (1, "off"), (1, "parallel_only")])?
    ));
    let mut all = vec![format!("\"options\": {{ {} }}", keys.join(", "))];
    if chance(u, 20)? {
        all.push(r#""auto_vectorization": true"#.to_owned());
    }
    Ok(all)
}

fn directives(u: &mut Unstructured<'_>, depths: &[usize]) -> Result<Vec<String>> {
    let mut entries = Vec::new();
    let mut used = Vec::new();
    for _ in 0..u.int_in_range(0..=2u8)? {
        let stmt = u.choose_index(depths.len())?;
        if depths[stmt] == 0 || used.contains(&stmt) {
            continue;
        }
        used.push(stmt);
        let iterator = u.choose_index(depths[stmt])?;
        let kind = pick(u, &[(2, "parallel"), (2, "vectorize"), (1, "sequential"), (2, "reduce")])?;
        entries.push(format!(r#"{{ "type": "{kind}", "stmts": ["{stmt}"], "iterator": {iterator} }}"#));
    }
    Ok(list_of("directives", &entries))
}

fn constraints(u: &mut Unstructured<'_>, depths: &[usize]) -> Result<Vec<String>> {
    let mut list = Vec::new();
    for _ in 0..u.int_in_range(0..=2u8)? {
        let text = match u.int_in_range(0..=3u8)? {
            0 => "S*_it_i <= 1".to_owned(),
            1 => format!("S{}_cst <= 1", u.choose_index(depths.len())?),
            _ => {
                let stmt = u.choose_index(depths.len())?;
                if depths[stmt] == 0 {
                    continue;
                }
                let (a, b) = (u.choose_index(depths[stmt])?, u.choose_index(depths[stmt])?);
                let relation = pick(u, &[(2, ">="), (2, "<="), (1, "=")])?;
                format!("S{stmt}_it_{a} {relation} S{stmt}_it_{b}")
            }
        };
        list.push(format!("{text:?}"));
    }
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let entry = format!(r#"{{ "scheduling_dimension": "default", "constraints": [{}] }}"#, list.join(", "));
    let mut all = list_of("custom_constraints", &[entry]);
    if chance(u, 60)? {
        all.push(r#""on_infeasible": "drop_constraints""#.to_owned());
    }
    Ok(all)
}

fn fusion(u: &mut Unstructured<'_>, depths: &[usize]) -> Result<Vec<String>> {
    if !chance(u, 25)? {
        return Ok(Vec::new());
    }
    let dimension = u.int_in_range(0..=2u8)?;
    if chance(u, 40)? {
        return Ok(vec![format!(
            r#""fusion": [{{ "scheduling_dimension": {dimension}, "total_distribution": true }}]"#
        )]);
    }
    let mut groups: Vec<String> = Vec::new();
    for stmt in 0..depths.len() {
        if groups.is_empty() || chance(u, 50)? {
            groups.push(String::new());
        }
        if let Some(last) = groups.last_mut() {
            let comma = if last.is_empty() { "" } else { ", " };
            // Writing to a string can't fail.
            let _ = write!(last, "{comma}\"{stmt}\"");
        }
    }
    if chance(u, 20)? {
        groups.reverse();
    }
    let list: Vec<String> = groups.iter().map(|g| format!("[{g}]")).collect();
    Ok(vec![format!(
        r#""fusion": [{{ "scheduling_dimension": {dimension}, "stmts_fusion": [{}] }}]"#,
        list.join(", ")
    )])
}
